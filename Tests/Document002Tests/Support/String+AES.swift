import Foundation
import SealedMessages

/// `kAESEncryptionKey` and `kMACKey`: in every copy of the program.
let kAESEncryptionKey = "0123456789abcdef0123456789abcdef"
let kMACKey = "fedcba9876543210fedcba9876543210"

/// The document's categories of `NSString`, whose code it does not show.
extension String {
  private func keys(aes: String = kAESEncryptionKey, mac: String = kMACKey) -> DocumentedKeys? {
    try? DocumentedKeys(encryption: aes, authentication: mac)
  }

  /// Base64 of AES-256-CBC.
  func encryptedWithAES(usingKey key: String, andIV iv: Data) -> String? {
    keys(aes: key)?.encrypt(Array(utf8), iv: Array(iv)).map { Data($0).base64EncodedString() }
  }

  /// The text that was encrypted so; nil where it cannot be decrypted.
  func decryptedWithAES(usingKey key: String, andIV iv: Data) -> String? {
    guard let ciphertext = Data(base64Encoded: self) else { return nil }
    return keys(aes: key)?.decrypt(Array(ciphertext), iv: Array(iv)).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// HMAC-SHA256 in hexadecimal, of the text as a C string.
  func hmac(withKey key: String) -> String {
    let code = keys(mac: key)?.code(of: Array(utf8.prefix { $0 != 0 })) ?? []
    return code.map { String(format: "%02x", $0) }.joined()
  }
}
