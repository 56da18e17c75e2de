// Published values of what the page computes itself.

import { concat, equal, fromBase64URL, fromHex, hex, lv, utf8 } from '../provision/bytes.js'
import { elligator2, slowX25519, x25519 } from '../provision/curve.js'
import { generator, intermediateKey } from '../provision/handshake.js'
import { seal, unseal } from '../provision/records.js'
import { expect, expectEqual, expectThrows, test } from './harness.js'

test('X25519 is that of RFC 7748 5.2, the browser\'s and our own', async () => {
  const scalar = fromHex('a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4')
  const point = fromHex('e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c')
  const product = 'c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552'
  expectEqual(hex(slowX25519(scalar, point)), product)
  expectEqual(hex(await x25519(scalar, point)), product)
  for (const low of ['00', '01']) expectEqual(await x25519(scalar, fromHex(low + '00'.repeat(31))), null)
  // Bit 255 is ignored, and numbers above p are reduced.
  const high = Uint8Array.from(point)
  high[31] |= 128
  expectEqual(hex(slowX25519(scalar, high)), product)
  expectEqual(hex(await x25519(scalar, high)), product)
})

test('CPace is that of drafts 20 and 21', async () => {
  const sid = fromHex('7e4b4791d6a8ef019b936c79fb7f2c57')
  const newer = lv(utf8('A_initiator'), utf8('B_responder'))
  expectEqual(hex(await generator(utf8('Password'), newer, sid)), 'd04bf6d41f6a289632a2e929fa29bebd51092512a7829fdde7d314b62f05a73f')
  const channel = concat(utf8('oc'), lv(utf8('B_responder'), utf8('A_initiator')))
  const g = await generator(utf8('Password'), channel, sid)
  expectEqual(hex(g), '64e8099e3ea682cfdc5cb665c057ebb514d06bf23ebc9f743b51b82242327074')
  const ya = fromHex('21b4f4bd9e64ed355c3eb676a28ebedaf6d8f17bdc365995b319097153044080')
  const yb = fromHex('848b0779ff415f0af4ea14df9dd1d3c29ac41d836c7808896c4eba19c51ac40a')
  const [left, right] = [await x25519(ya, g), await x25519(yb, g)]
  expectEqual(hex(left), '1b02dad6dbd29a07b6d28c9e04cb2f184f0734350e32bb7e62ff9dbcfdb63d15')
  expectEqual(hex(right), '20cda5955f82c4931545bcbf40758ce1010d7db4db2a907013d79c7a8fcf957f')
  const isk = await intermediateKey(sid, await x25519(ya, right), left, utf8('ADa'), right, utf8('ADb'))
  expectEqual(hex(isk.slice(0, 16)), 'a051ee5ee2499d16da3f69f430218b8e')
  expectEqual(hex(elligator2(new Uint8Array(32))), '00'.repeat(32))
})

test('ChaCha20-Poly1305 is that of RFC 8439 2.8.2, and refuses each altered byte', () => {
  const key = Uint8Array.from({ length: 32 }, (_, at) => 0x80 + at)
  const nonce = fromHex('070000004041424344454647')
  const aad = fromHex('50515253c0c1c2c3c4c5c6c7')
  const plain = utf8('Ladies and Gentlemen of the class of \'99: If I could offer you only one tip for the future, sunscreen would be it.')
  const sealed = seal(key, nonce, aad, plain)
  expectEqual(hex(sealed.slice(0, 16)), 'd31a8d34648e60db7b86afbc53ef7ec2')
  expectEqual(hex(sealed.slice(-16)), '1ae10b594f09e26a7e902ecbd0600691')
  expect(equal(unseal(key, nonce, aad, sealed), plain))
  for (let at = 0; at < sealed.length; at += 1) {
    const altered = Uint8Array.from(sealed)
    altered[at] ^= 1
    expectEqual(unseal(key, nonce, aad, altered), null)
  }
  expectEqual(unseal(key, nonce, aad.slice(1), sealed), null)
  expectEqual(unseal(key, nonce, aad, sealed.slice(0, 15)), null)
  expectEqual(unseal(key, nonce, new Uint8Array(), seal(key, nonce, new Uint8Array(), new Uint8Array())).length, 0)
})

test('Texts of bytes are read whole or refused', () => {
  expectEqual(hex(lv(new Uint8Array(128)).slice(0, 3)), '800100')
  expectEqual(hex(fromBase64URL('_-8')), 'ffef')
  for (const text of ['0', 'zz', '0x']) expectThrows(() => fromHex(text))
  expectThrows(() => fromBase64URL('a+b='))
})
