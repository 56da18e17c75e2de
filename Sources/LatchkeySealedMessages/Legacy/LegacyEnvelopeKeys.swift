internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import LatchkeyByteCoding

/// The two keys of the legacy envelope: the UTF-8 bytes of the old client's two strings.
public struct LegacyEnvelopeKeys: Sendable, Hashable {
  /// 32 bytes for AES-256-CBC: the characters of the key string themselves, not decoded from hexadecimal.
  public let encryption: [UInt8]
  /// The first 32 bytes of the MAC's key string, for HMAC-SHA256.
  public let authentication: [UInt8]

  /// Creates keys from two strings.
  ///
  /// - Throws: `.misuse` unless `encryption` has exactly 32 bytes of UTF-8 and `authentication` at least 32.
  public init(encryption: String, authentication: String) throws(SealedMessageError) {
    let (cipher, mac) = (Array(encryption.utf8), Array(authentication.utf8.prefix(32)))
    guard cipher.count == 32, mac.count == 32 else {
      throw .misuse("give an encryption key of 32 characters and a MAC key of at least 32")
    }
    self.init(encryption: cipher, authentication: mac)
  }

  /// Creates keys from bytes; an AES key has 16, 24 or 32.
  init(encryption: [UInt8], authentication: [UInt8]) {
    self.encryption = encryption
    self.authentication = authentication
  }

  /// AES-256-CBC with PKCS#7 padding; nil unless the vector has 16 bytes.
  package func encrypt(_ plaintext: [UInt8], iv: [UInt8]) -> [UInt8]? {
    guard let iv = try? AES._CBC.IV(ivBytes: iv),
      let ciphertext = try? AES._CBC.encrypt(plaintext, using: SymmetricKey(data: encryption), iv: iv)
    else { return nil }
    return Array(ciphertext)
  }

  /// Decrypts the output of ``encrypt(_:iv:)``; nil for invalid padding, checked without a branch on the kind of fault.
  package func decrypt(_ ciphertext: [UInt8], iv: [UInt8]) -> [UInt8]? {
    guard !ciphertext.isEmpty, ciphertext.count % 16 == 0, let iv = try? AES._CBC.IV(ivBytes: iv),
      let padded = try? AES._CBC.decrypt(
        ciphertext, using: SymmetricKey(data: encryption), iv: iv, noPadding: true)
    else { return nil }
    let bytes = Array(padded)
    let count = bytes[bytes.count - 1]
    var wrong: UInt8 = count &- 1 > 15 ? 1 : 0
    for distance in 1...16 where distance <= bytes.count {
      // The loop reads all 16 bytes; the mask selects those of the padding.
      let belongs: UInt8 = distance <= Int(count) ? 0xFF : 0
      wrong |= (bytes[bytes.count - distance] ^ count) & belongs
    }
    return wrong == 0 ? Array(bytes.dropLast(Int(count))) : nil
  }

  /// HMAC-SHA256.
  package func code(of text: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: text, using: SymmetricKey(data: authentication)))
  }

  /// Whether a code is valid, compared in constant time.
  package func isCode(_ code: [UInt8], of text: [UInt8]) -> Bool {
    HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: text, using: SymmetricKey(data: authentication))
  }

  /// Compares in constant time.
  public static func == (a: LegacyEnvelopeKeys, b: LegacyEnvelopeKeys) -> Bool {
    let isSame = (
      constantTimeEquals(a.encryption, b.encryption), constantTimeEquals(a.authentication, b.authentication)
    )
    return isSame.0 && isSame.1
  }
}

extension LegacyEnvelopeKeys: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A description without the keys.
  public var description: String { "LegacyEnvelopeKeys" }
  /// A description without the keys.
  public var debugDescription: String { description }
  /// A description without the keys.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
