import Crypto
import CryptoExtras
import Foundation

/// `NSData (AES256)`, a category that the document uses without showing it: the one in wide use.
///
/// AES-256 in CBC with an initialization vector of zeros, PKCS #7 padding, and the password's first 32 bytes of UTF-8 as the
/// key, filled up with zeros. **It is weak**: equal values have equal ciphertexts, an altered one is not told for sure, and a
/// password is guessed at full speed. `KeyChainManager` of LatchkeyKeychainItems does it otherwise.
extension Data {
  /// `AES256EncryptWithKey:`.
  func AES256Encrypt(withKey key: String) -> Data {
    (try? AES._CBC.encrypt(self, using: Self.key(key), iv: Self.vector())) ?? Data()
  }

  /// `AES256DecryptWithKey:`; nil where it cannot be decrypted.
  func AES256Decrypt(withKey key: String) -> Data? {
    try? AES._CBC.decrypt(self, using: Self.key(key), iv: Self.vector())
  }

  private static func key(_ password: String) -> SymmetricKey {
    let bytes = Array(password.utf8.prefix(32))
    return SymmetricKey(data: bytes + [UInt8](repeating: 0, count: 32 - bytes.count))
  }

  private static func vector() throws -> AES._CBC.IV { try AES._CBC.IV(ivBytes: [UInt8](repeating: 0, count: 16)) }
}
