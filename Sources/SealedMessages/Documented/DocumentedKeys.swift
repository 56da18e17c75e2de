/// The two keys of the documented envelope: as the document has them, the UTF-8 bytes of two strings.
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
    self.encryption = cipher
    self.authentication = mac
  }
}
