// The app's side of the handshake: CPace on X25519 with SHA-512, ML-KEM-768 with suite 01, and the keys that come of both.

import { Malformed, concat, equal, fromHex, lv, utf8 } from './bytes.js'
import { elligator2, x25519 } from './curve.js'
import { message } from './framing.js'
import { Direction } from './records.js'

const serviceBytes = fromHex('f1cd00013f3c4994ba654321f7f79012')

// The device does not know the code, or the other way round.
export class WrongCode extends Error {}

const sha512 = async (bytes) => new Uint8Array(await crypto.subtle.digest('SHA-512', bytes))

async function hmac(key, text) {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-512' }, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, text))
}

// HKDF-Expand of up to 64 bytes: one block.
const expand = async (prk, label, length) =>
  (await hmac(prk, concat(utf8(`prov2 ${label}`), Uint8Array.of(1)))).slice(0, length)

// A code as CPace's password-related string: `{ digits }` or `{ secret }`.
export const passwordString = (code) =>
  code.digits === undefined ? lv(utf8('prov2 qr'), code.secret) : lv(utf8('prov2 pin'), utf8(code.digits))

export async function generator(password, channel, sid) {
  const name = lv(utf8('CPace255'))
  const padding = new Uint8Array(Math.max(0, 128 - 1 - name.length - lv(password).length))
  const digest = await sha512(concat(name, lv(password, padding, channel, sid)))
  return elligator2(digest.slice(0, 32))
}

export const intermediateKey = async (sid, k, ya, ada, yb, adb) =>
  sha512(concat(lv(utf8('CPace255_ISK'), sid, k), lv(ya, ada), lv(yb, adb)))

export class Handshake {
  // `random(name, length)` gives random bytes; `kem` is a key of ML-KEM for suite 01, else null.
  static async begin(info, code, kem, random) {
    const run = new Handshake()
    run.info = info
    run.kem = kem
    run.ek = kem ? kem.ek : new Uint8Array()
    const suite = Uint8Array.of(kem ? 1 : 2)
    run.sid = random('sid', 16)
    run.scalar = random('ya', 32)
    const channel = lv(utf8('prov2'), serviceBytes, info.bytes, utf8('app'), utf8('device'), suite)
    run.share = await x25519(run.scalar, await generator(passwordString(code), channel, run.sid))
    if (run.share === null) throw new Malformed('a generator of low order')
    run.hello = message(0x30, concat(suite, run.sid, run.share, run.ek))
    return run
  }

  // What follows a reply: the message finish with the first request in it, and both directions of records.
  async finish(reply, request) {
    const ciphertextLength = this.kem ? 1088 : 0
    if (reply.length !== 3 + 32 + ciphertextLength + 32) throw new Malformed('the length of reply')
    const share = reply.slice(3, 35)
    const ciphertext = reply.slice(35, 35 + ciphertextLength)
    const k = await x25519(this.scalar, share)
    this.scalar.fill(0)
    if (k === null) throw new WrongCode('a point of low order')
    const secret = this.kem ? await this.kem.decapsulate(ciphertext) : new Uint8Array()
    const th = await sha512(lv(this.info.bytes, this.hello, reply.slice(0, -32)))
    const isk = await intermediateKey(this.sid, k, this.share, this.ek, share, ciphertext)
    const prk = await hmac(th, concat(isk, secret))
    const td = (await hmac(await expand(prk, 'confirm d', 32), th)).slice(0, 32)
    const isRight = equal(td, reply.slice(-32))
    const ta = isRight && (await hmac(await expand(prk, 'confirm a', 32), concat(th, td))).slice(0, 32)
    const sending = isRight && new Direction(await expand(prk, 'a2d', 32))
    const receiving = isRight && new Direction(await expand(prk, 'd2a', 32))
    for (const bytes of [k, secret, isk, prk]) bytes.fill(0)
    if (!isRight) throw new WrongCode('the tag of the device')
    const length = 32 + request.length + 16
    const head = concat(Uint8Array.of(0x32, length >> 8, length & 0xff), ta)
    return { finish: concat(head, sending.seal(head, request)), sending, receiving }
  }
}
