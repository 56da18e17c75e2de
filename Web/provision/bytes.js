// Byte strings: joined, compared, read, and written as text.

export function concat(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

export const utf8 = (text) => new TextEncoder().encode(text)
export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

export function fromHex(text) {
  if (!/^([0-9a-fA-F]{2})*$/.test(text)) throw new RangeError('not hexadecimal')
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16))
}

export function fromBase64URL(text) {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) throw new RangeError('not base64url')
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
}

// Looks at each byte, whatever the ones before were.
export function equal(left, right) {
  if (left.length !== right.length) return false
  let difference = 0
  for (let at = 0; at < left.length; at += 1) difference |= left[at] ^ right[at]
  return difference === 0
}

// Each field behind its length in unsigned LEB128.
export function lv(...fields) {
  return concat(
    ...fields.flatMap((field) => {
      const length = []
      let rest = field.length
      while (rest > 127) {
        length.push((rest & 127) | 128)
        rest >>= 7
      }
      length.push(rest)
      return [Uint8Array.from(length), field]
    }))
}

// What a device sent does not hold.
export class Malformed extends Error {}

// Takes fields off the front; too few bytes, or bytes that are left over, are `Malformed`.
export class Reader {
  constructor(bytes) {
    this.bytes = bytes
    this.at = 0
  }

  take(count) {
    if (count > this.bytes.length - this.at) throw new Malformed('too few bytes')
    this.at += count
    return this.bytes.slice(this.at - count, this.at)
  }

  byte() {
    return this.take(1)[0]
  }

  // A text behind a byte with its length; what is no UTF-8 is replaced.
  text(greatest = 255) {
    const length = this.byte()
    if (length > greatest) throw new Malformed('a text is too long')
    return new TextDecoder().decode(this.take(length))
  }

  end() {
    if (this.at !== this.bytes.length) throw new Malformed('bytes are left over')
  }
}
