// INFO, fragments and messages of the secure protocol (SecureProtocol.md).

import { Malformed, Reader, concat } from './bytes.js'

export const service = 'f1cd0001-3f3c-4994-ba65-4321f7f79012'
export const infoUUID = 'f1cd0002-3f3c-4994-ba65-4321f7f79012'
export const txUUID = 'f1cd0003-3f3c-4994-ba65-4321f7f79012'
export const rxUUID = 'f1cd0004-3f3c-4994-ba65-4321f7f79012'

// The longest message before a session is open.
export const earlyLimit = 2048
// A message that stays incomplete for so long is an error, in milliseconds.
const idle = 5000

export function parseInfo(bytes) {
  if (bytes.length < 23 || bytes.length > 64) throw new Malformed('the length of INFO')
  const reader = new Reader(bytes)
  const [version, flags, capabilities, count] = reader.take(4)
  if (version < 2) throw new Malformed('an old version')
  if (count < 1 || count > 8) throw new Malformed('the number of suites')
  const suites = Array.from(reader.take(count))
  const window = reader.byte()
  const greatest = new DataView(reader.take(2).buffer).getUint16(0)
  if (greatest < 256 || greatest > 4096 || (suites.includes(1) && greatest < 1236)) throw new Malformed('max_msg')
  return { bytes, flags, capabilities, suites, window, greatest, id: reader.take(16) }
}

export function message(type, body) {
  return concat(Uint8Array.of(type, body.length >> 8, body.length & 0xff), body)
}

// The values that carry a message, each of at most `limit` bytes.
export function fragments(whole, limit) {
  const values = []
  for (let at = 0, sequence = 0; at < whole.length; sequence = (sequence + 1) % 64) {
    const isFirst = at === 0
    const body = whole.slice(at, at + limit - (isFirst ? 3 : 1))
    at += body.length
    const header = (isFirst ? 0x80 : 0) | (at === whole.length ? 0x40 : 0) | sequence
    values.push(isFirst ? concat(Uint8Array.of(header, whole.length >> 8, whole.length & 0xff), body) : concat(Uint8Array.of(header), body))
  }
  return values
}

// Joins fragments to messages.
export class Assembler {
  constructor() {
    this.parts = null
    this.deadline = null
  }

  // The message that this value ends, or null.
  add(value, limit, now) {
    if (value.length < 2) throw new Malformed('a fragment without a body')
    const [isFirst, isLast, sequence] = [(value[0] & 0x80) !== 0, (value[0] & 0x40) !== 0, value[0] & 0x3f]
    if (isFirst !== (this.parts === null)) throw new Malformed('messages are mixed')
    if (isFirst) {
      if (value.length < 4) throw new Malformed('a fragment without a body')
      this.total = (value[1] << 8) | value[2]
      if (this.total < 3 || this.total > limit) throw new Malformed('the length of a message')
      this.parts = []
      this.length = 0
      this.sequence = 0
    }
    if (sequence !== this.sequence) throw new Malformed('the sequence of a fragment')
    const body = value.slice(isFirst ? 3 : 1)
    this.parts.push(body)
    this.length += body.length
    this.sequence = (sequence + 1) % 64
    this.deadline = now + idle
    if (this.length > this.total || isLast !== (this.length === this.total)) throw new Malformed('the length of a message')
    if (!isLast) return null
    const whole = concat(...this.parts)
    this.parts = null
    this.deadline = null
    if (((whole[1] << 8) | whole[2]) !== whole.length - 3) throw new Malformed('the length in a message')
    return whole
  }
}
