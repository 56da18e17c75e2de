import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// `SecKeyRawSign` and its like: buffers, paddings, and how they fail.
@Suite("The older key calls", .temporaryKeychain)
struct SecKeyOlderCallsTests {
  private let calls = OlderKeys.calls
  private let digest = [UInt8](0..<32)

  @Test("a curve's signature is DER, or r and s with sigRaw; each verifies as what it is", arguments: [256, 384, 521])
  func curves(bits: Int) throws {
    let key = try Keys.made(.curve(bits))
    let half = try Keys.publicHalf(key)
    let size = (bits + 7) / 8
    for padding in [SecPadding.PKCS1, [], .PKCS1SHA256] {
      let (status, signature) = calls.sign(key, padding, digest, room: 2 * size + 9)
      #expect(status == errSecSuccess && signature.first == 0x30)
      #expect(calls.verify(half, padding, digest, signature) == errSecSuccess)
      #expect(
        Keys.isValid(Data(signature), of: Data(digest), by: half, .ecdsaSignatureDigestX962SHA256))
      #expect(calls.verify(half, .sigRaw, digest, signature) == errSSLCrypto)
    }
    let (status, signature) = calls.sign(key, .sigRaw, digest, room: 2 * size)
    #expect(status == errSecSuccess && signature.count == 2 * size)
    #expect(calls.verify(half, .sigRaw, digest, signature) == errSecSuccess)
    #expect(calls.verify(half, .PKCS1, digest, signature) == errSSLCrypto)
  }

  @Test("A short buffer, a wrong half, an altered digest and an altered signature fail")
  func refused() throws {
    let key = try Keys.made(.curve(256))
    let half = try Keys.publicHalf(key)
    #expect(calls.sign(key, .sigRaw, digest, room: 63).0 == errSecParam)
    #expect(calls.sign(key, .PKCS1, digest, room: 0).0 == errSecParam)
    #expect(calls.sign(half, .PKCS1, digest, room: 100).0 == errSecParam)
    let (_, signature) = calls.sign(key, .PKCS1, digest, room: 100)
    #expect(calls.verify(half, .PKCS1, [UInt8](1..<33), signature) == errSSLCrypto)
    #expect(calls.verify(half, .PKCS1, digest, signature.dropLast()) == errSSLCrypto)
    #expect(calls.verify(half, .PKCS1, digest, []) == errSSLCrypto)
    #expect(calls.verify(key, .PKCS1, digest, signature) == errSecParam)
    let rsa = try Keys.made(.rsa(2048))
    for padding in [SecPadding.OAEP, .sigRaw, .PKCS1MD5, .PKCS1MD2, SecPadding(rawValue: 77)] {
      #expect(calls.sign(rsa, padding, digest, room: 256).0 == errSecParam)
    }
    #expect(calls.sign(rsa, .PKCS1SHA1, digest, room: 256).0 == errSecParam, "32 bytes are no SHA-1")
    #expect(calls.sign(rsa, .PKCS1SHA256, digest, room: 255).0 == errSecParam)
  }

  @Test("an RSA signature of a digest is the newer call's", arguments: [20, 28, 32, 48, 51, 64])
  func rsa(length: Int) throws {
    let key = try Keys.made(.rsa(2048))
    let half = try Keys.publicHalf(key)
    let pairs: [Int: (SecPadding, SecKeyAlgorithm)] = [
      20: (.PKCS1SHA1, .rsaSignatureDigestPKCS1v15SHA1), 32: (.PKCS1SHA256, .rsaSignatureDigestPKCS1v15SHA256),
      48: (.PKCS1SHA384, .rsaSignatureDigestPKCS1v15SHA384),
      64: (.PKCS1SHA512, .rsaSignatureDigestPKCS1v15SHA512),
      28: (.PKCS1SHA224, .rsaSignatureDigestPKCS1v15SHA224), 51: (.PKCS1, .rsaSignatureDigestPKCS1v15Raw),
    ]
    let (padding, algorithm) = try #require(pairs[length])
    let digest = [UInt8](repeating: 7, count: length)
    let (status, signature) = calls.sign(key, padding, digest, room: 256)
    #expect(status == errSecSuccess && signature.count == 256)
    #expect(try Data(signature) == Keys.signature(Data(digest), by: key, algorithm))
    #expect(calls.verify(half, padding, digest, signature) == errSecSuccess)
    let other = [UInt8](repeating: 8, count: length)
    #expect(calls.verify(half, padding, other, signature) == errSSLCrypto)
    #expect(calls.verify(half, padding, digest, signature.dropLast()) == errSSLCrypto)
  }

  @Test("Operations that RSA keys do not support are refused, like an unknown padding")
  func notThere() throws {
    let key = try Keys.made(.rsa(2048))
    for (padding, length) in [([], 256), (SecPadding.PKCS1, 246), (.PKCS1SHA224, 20)] {
      #expect(calls.sign(key, padding, [UInt8](repeating: 1, count: length), room: 256).0 == errSecParam)
    }
    #expect(calls.encrypt(try Keys.publicHalf(key), [], digest, room: 256).0 == errSecParam)
    #expect(calls.decrypt(key, [], [UInt8](repeating: 1, count: 256), room: 256).0 == errSecParam)
  }

  @Test("RSA encryption goes there and back; a curve's key has none")
  func encryption() throws {
    let key = try Keys.made(.rsa(2048))
    let half = try Keys.publicHalf(key)
    for padding in [SecPadding.PKCS1, .OAEP] {
      let (status, text) = calls.encrypt(half, padding, digest, room: 256)
      #expect(status == errSecSuccess && text.count == 256)
      let (back, opened) = calls.decrypt(key, padding, text, room: 256)
      #expect(back == errSecSuccess && opened == digest)
      #expect(calls.decrypt(key, padding, text, room: 31).0 == errSecParam)
      #expect(calls.encrypt(half, padding, digest, room: 255).0 == errSecParam)
      #expect(calls.encrypt(half, padding, [UInt8](repeating: 1, count: 300), room: 256).0 == errSecParam)
    }
    let curve = try Keys.made(.curve(256))
    #expect(calls.encrypt(try Keys.publicHalf(curve), .PKCS1, digest, room: 256).0 == errSecParam)
    #expect(calls.decrypt(curve, .PKCS1, digest, room: 256).0 == errSecParam)
    #expect(calls.encrypt(half, .sigRaw, digest, room: 256).0 == errSecParam)
    #expect(calls.decrypt(key, .PKCS1SHA1, digest, room: 256).0 == errSecParam)
  }
}
