import Crypto
import CryptoExtras
import Foundation

/// `kAESEncryptionKey` and `kMACKey`: in every copy of the program, and in every service for it.
let kAESEncryptionKey = "0123456789abcdef0123456789abcdef"
let kMACKey = "fedcba9876543210fedcba9876543210"

/// The document's categories of `NSString`, whose code it does not show: the keys are the bytes of their texts.
extension String {
  /// Base64 of AES-256-CBC with PKCS #7 padding.
  func encryptedWithAES(usingKey key: String, andIV iv: Data) -> String? {
    guard let vector = try? AES._CBC.IV(ivBytes: iv) else { return nil }
    return try? AES._CBC.encrypt(Array(utf8), using: SymmetricKey(data: Array(key.utf8)), iv: vector)
      .base64EncodedString()
  }

  /// The text that was encrypted so; nil where it cannot be decrypted.
  func decryptedWithAES(usingKey key: String, andIV iv: Data) -> String? {
    guard let ciphertext = Data(base64Encoded: self), let vector = try? AES._CBC.IV(ivBytes: iv),
      let text = try? AES._CBC.decrypt(ciphertext, using: SymmetricKey(data: Array(key.utf8)), iv: vector)
    else { return nil }
    return String(data: text, encoding: .utf8)
  }

  /// HMAC-SHA256 in hexadecimal, of the text as a C string.
  func hmac(withKey key: String) -> String {
    HMAC<SHA256>.authenticationCode(for: Array(utf8.prefix { $0 != 0 }), using: SymmetricKey(data: Array(key.utf8)))
      .map { String(format: "%02x", $0) }.joined()
  }
}
