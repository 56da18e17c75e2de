internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import LatchkeyByteCoding

/// The two keys of the documented envelope: as the old client has them, the UTF-8 bytes of two strings.
public struct DocumentedKeys: Sendable, Hashable {
  /// 32 bytes for AES-256-CBC: the characters of a key string themselves, not what they may spell in hexadecimal.
  public let encryption: [UInt8]
  /// The first 32 bytes of the MAC's key string, for HMAC-SHA256.
  public let authentication: [UInt8]

  /// Keys of two strings.
  ///
  /// - Throws: `.misuse` unless `encryption` has exactly 32 bytes of UTF-8 and `authentication` at least 32.
  public init(encryption: String, authentication: String) throws(SealedMessageError) {
    let (cipher, mac) = (Array(encryption.utf8), Array(authentication.utf8.prefix(32)))
    guard cipher.count == 32, mac.count == 32 else {
      throw .misuse("give an encryption key of 32 characters and a MAC key of at least 32")
    }
    self.init(encryption: cipher, authentication: mac)
  }

  /// Keys of any bytes; one for AES has 16, 24 or 32.
  init(encryption: [UInt8], authentication: [UInt8]) {
    self.encryption = encryption
    self.authentication = authentication
  }

  /// AES-256-CBC with PKCS#7 padding; nil for a vector of another length than 16.
  package func encrypt(_ plaintext: [UInt8], iv: [UInt8]) -> [UInt8]? {
    guard let iv = try? AES._CBC.IV(ivBytes: iv),
      let ciphertext = try? AES._CBC.encrypt(plaintext, using: SymmetricKey(data: encryption), iv: iv)
    else { return nil }
    return Array(ciphertext)
  }

  /// What ``encrypt(_:iv:)`` took; nil where the padding is wrong, without a branch on how.
  package func decrypt(_ ciphertext: [UInt8], iv: [UInt8]) -> [UInt8]? {
    guard !ciphertext.isEmpty, ciphertext.count % 16 == 0, let iv = try? AES._CBC.IV(ivBytes: iv),
      let padded = try? AES._CBC.decrypt(
        ciphertext, using: SymmetricKey(data: encryption), iv: iv, noPadding: true)
    else { return nil }
    let bytes = Array(padded)
    let count = bytes[bytes.count - 1]
    var wrong: UInt8 = count &- 1 > 15 ? 1 : 0
    for distance in 1...16 where distance <= bytes.count {
      // All 16 are looked at; only those that belong to the padding count.
      let belongs: UInt8 = distance <= Int(count) ? 0xFF : 0
      wrong |= (bytes[bytes.count - distance] ^ count) & belongs
    }
    return wrong == 0 ? Array(bytes.dropLast(Int(count))) : nil
  }

  /// HMAC-SHA256.
  package func code(of text: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: text, using: SymmetricKey(data: authentication)))
  }

  /// Whether a code is right, in constant time.
  package func isCode(_ code: [UInt8], of text: [UInt8]) -> Bool {
    HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: text, using: SymmetricKey(data: authentication))
  }

  /// Compares in constant time.
  public static func == (a: DocumentedKeys, b: DocumentedKeys) -> Bool {
    let isSame = (
      constantTimeEquals(a.encryption, b.encryption), constantTimeEquals(a.authentication, b.authentication)
    )
    return isSame.0 && isSame.1
  }
}

extension DocumentedKeys: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Nothing of the keys.
  public var description: String { "DocumentedKeys" }
  /// Nothing of the keys.
  public var debugDescription: String { description }
  /// Nothing of the keys.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
