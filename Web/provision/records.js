// ChaCha20-Poly1305 (RFC 8439), which browsers lack, and the counters of records.

import { concat, equal } from './bytes.js'

function block(key, counter, nonce) {
  const word = (bytes, at) => bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)
  const start = new Int32Array(16)
  start.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574])
  for (let at = 0; at < 8; at += 1) start[4 + at] = word(key, 4 * at)
  start[12] = counter
  for (let at = 0; at < 3; at += 1) start[13 + at] = word(nonce, 4 * at)
  const s = Int32Array.from(start)
  const rotate = (value, count) => (value << count) | (value >>> (32 - count))
  const quarter = (i, j, k, l) => {
    s[i] += s[j]
    s[l] = rotate(s[l] ^ s[i], 16)
    s[k] += s[l]
    s[j] = rotate(s[j] ^ s[k], 12)
    s[i] += s[j]
    s[l] = rotate(s[l] ^ s[i], 8)
    s[k] += s[l]
    s[j] = rotate(s[j] ^ s[k], 7)
  }
  for (let round = 0; round < 10; round += 1) {
    for (let at = 0; at < 4; at += 1) quarter(at, at + 4, at + 8, at + 12)
    for (let at = 0; at < 4; at += 1) quarter(at, 4 + ((at + 1) % 4), 8 + ((at + 2) % 4), 12 + ((at + 3) % 4))
  }
  const bytes = new Uint8Array(64)
  const view = new DataView(bytes.buffer)
  for (let at = 0; at < 16; at += 1) view.setInt32(4 * at, s[at] + start[at], true)
  return bytes
}

function crypt(key, nonce, bytes) {
  const out = Uint8Array.from(bytes)
  for (let at = 0; at < out.length; at += 64) {
    const stream = block(key, 1 + at / 64, nonce)
    for (let i = 0; i < 64 && at + i < out.length; i += 1) out[at + i] ^= stream[i]
  }
  return out
}

const number = (bytes) => bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n)

function tagOf(key, nonce, aad, sealed) {
  const oneTime = block(key, 0, nonce)
  const r = number(oneTime.slice(0, 16)) & 0x0ffffffc0ffffffc0ffffffc0fffffffn
  const padding = (length) => new Uint8Array((16 - (length % 16)) % 16)
  const lengths = new Uint8Array(16)
  const view = new DataView(lengths.buffer)
  view.setUint32(0, aad.length, true)
  view.setUint32(8, sealed.length, true)
  const text = concat(aad, padding(aad.length), sealed, padding(sealed.length), lengths)
  let sum = 0n
  for (let at = 0; at < text.length; at += 16) {
    sum = ((sum + number(text.slice(at, at + 16)) + 2n ** 128n) * r) % (2n ** 130n - 5n)
  }
  sum += number(oneTime.slice(16, 32))
  return Uint8Array.from({ length: 16 }, (_, at) => Number((sum >> BigInt(8 * at)) & 0xffn))
}

export function seal(key, nonce, aad, plain) {
  const sealed = crypt(key, nonce, plain)
  return concat(sealed, tagOf(key, nonce, aad, sealed))
}

// The plaintext, or null if the tag is not that of these bytes.
export function unseal(key, nonce, aad, bytes) {
  if (bytes.length < 16) return null
  const sealed = bytes.slice(0, -16)
  return equal(tagOf(key, nonce, aad, sealed), bytes.slice(-16)) ? crypt(key, nonce, sealed) : null
}

// The records of one direction, with a counter that is not sent.
export class Direction {
  constructor(key) {
    this.key = key
    this.counter = 0
  }

  nonce() {
    if (this.counter >= 2 ** 32) throw new RangeError('the session has had its last record')
    const nonce = new Uint8Array(12)
    new DataView(nonce.buffer).setUint32(4, this.counter, true)
    this.counter += 1
    return nonce
  }

  seal(aad, plain) {
    return seal(this.key, this.nonce(), aad, plain)
  }

  unseal(aad, bytes) {
    return unseal(this.key, this.nonce(), aad, bytes)
  }

  erase() {
    this.key.fill(0)
  }
}
