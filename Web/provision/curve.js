// X25519 (RFC 7748), and Elligator2 (RFC 9380 6.7.1) for curve25519.
//
// The browser's own X25519 is used where there is one. The other one computes with BigInt, which takes a time that depends on its
// numbers: good enough on a machine of one's own for a secret that lives for one run, and for nothing else.

import { concat, fromHex } from './bytes.js'

const p = 2n ** 255n - 19n
const a = 486662n

const modulo = (value) => ((value % p) + p) % p

function power(base, exponent) {
  let result = 1n
  let square = modulo(base)
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % p
    square = (square * square) % p
  }
  return result
}

const decode = (bytes) => bytes.reduceRight((number, byte) => (number << 8n) | BigInt(byte), 0n)

function encode(number) {
  const bytes = new Uint8Array(32)
  for (let at = 0; at < 32; at += 1) bytes[at] = Number((number >> BigInt(8 * at)) & 0xffn)
  return bytes
}

export function elligator2(bytes) {
  const r = modulo(decode(bytes) & (2n ** 255n - 1n))
  const v = modulo(-a * power(1n + 2n * r * r, p - 2n))
  const e = power(v * v * v + a * v * v + v, (p - 1n) / 2n)
  return encode(e === p - 1n ? modulo(-v - a) : v)
}

export function slowX25519(scalar, point) {
  const clamped = Uint8Array.from(scalar)
  clamped[0] &= 248
  clamped[31] = (clamped[31] & 127) | 64
  const k = decode(clamped)
  const x1 = modulo(decode(point) & (2n ** 255n - 1n))
  let [x2, z2, x3, z3] = [1n, 0n, x1, 1n]
  let swap = 0n
  for (let bit = 254n; bit >= 0n; bit -= 1n) {
    const next = (k >> bit) & 1n
    if (swap !== next) [x2, x3, z2, z3] = [x3, x2, z3, z2]
    swap = next
    const [sum, difference] = [x2 + z2, x2 - z2]
    const [sums, differences] = [modulo(sum * sum), modulo(difference * difference)]
    const e = sums - differences
    const da = (x3 - z3) * sum
    const cb = (x3 + z3) * difference
    x3 = modulo((da + cb) ** 2n)
    z3 = modulo(x1 * modulo((da - cb) ** 2n))
    x2 = modulo(sums * differences)
    z2 = modulo(e * (sums + 121665n * e))
  }
  if (swap) [x2, z2] = [x3, z3]
  clamped.fill(0)
  return encode((x2 * power(z2, p - 2n)) % p)
}

const keyHeader = fromHex('302e020100300506032b656e04220420')

// The product, or null if it is all zero.
export async function x25519(scalar, point) {
  let product
  try {
    const document = concat(keyHeader, scalar)
    const key = await crypto.subtle.importKey('pkcs8', document, 'X25519', false, ['deriveBits'])
    document.fill(0)
    const other = await crypto.subtle.importKey('raw', point, 'X25519', true, [])
    product = new Uint8Array(await crypto.subtle.deriveBits({ name: 'X25519', public: other }, key, 256))
  } catch {
    // There is no X25519, or the product is all zero: then the other way finds the same.
    product = slowX25519(scalar, point)
  }
  return product.some((byte) => byte !== 0) ? product : null
}
