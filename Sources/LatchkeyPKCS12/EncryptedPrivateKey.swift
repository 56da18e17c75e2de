import LatchkeyByteCoding

/// A private key encrypted under a password, outside of a file: EncryptedPrivateKeyInfo (RFC 5958 3), "ENCRYPTED PRIVATE KEY" in
/// PEM.
package enum EncryptedPrivateKey {
  /// Decrypts a key.
  ///
  /// - Returns: PrivateKeyInfo in DER. The caller wipes it.
  /// - Throws: ``PKCS12Error``, within the limits of a PKCS #12 file.
  package static func decrypt(
    _ bytes: [UInt8], password: String, limits: PKCS12Limits = PKCS12Limits()
  ) throws(PKCS12Error) -> [UInt8] {
    guard bytes.count <= limits.fileSize else {
      throw .tooLarge("the key is longer than the limit (PKCS12Limits.fileSize)")
    }
    var whole = PKCS12Reader(SecretBytes(bytes), depth: limits.depth)
    var info = try whole.item(.sequence, "an encrypted key")
    try whole.finish("an encrypted key")
    let scheme = try EncryptionScheme(&info, limits)
    let text = try info.string(.octetString, "an encrypted key")
    try info.finish("an encrypted key")
    var search = PasswordSearch(password, limits)
    var plain = PKCS12Reader(try search.decrypt(text, scheme), depth: limits.depth)
    return try plain.der("a key")
  }

  /// Encrypts a key.
  ///
  /// - Parameters:
  ///   - pkcs8: PrivateKeyInfo in DER.
  ///   - password: not empty.
  ///   - random: returns the given count of fresh random bytes, for salts and vectors.
  package static func encrypt(
    _ pkcs8: [UInt8], password: String, profile: PKCS12Profile = .modern, random: (Int) throws -> [UInt8]
  ) throws(PKCS12Error) -> [UInt8] {
    guard !password.isEmpty else { throw .misuse("a key is not encrypted by an empty password") }
    let writer = SafeWriter(profile: profile, password: PasswordForm.written(password))
    return try writer.key(pkcs8, random)
  }
}
