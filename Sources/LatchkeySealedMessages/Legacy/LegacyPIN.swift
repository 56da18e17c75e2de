internal import LatchkeyByteCoding

/// The PIN of a certificate login in the old client's URL: base64 of AES under a vector of zeros.
///
/// Equal PINs have equal texts: a reader of a log who has the key of any copy of the app finds the PIN by trying all 10 000.
public enum LegacyPIN {
  private static let vector = [UInt8](repeating: 0, count: 16)

  /// Encrypts a PIN to the query's value, not yet percent-encoded.
  ///
  /// - Throws: `.misuse` for more than 256 bytes.
  public static func seal(_ pin: String, keys: LegacyEnvelopeKeys) throws(SealedMessageError) -> String {
    guard pin.utf8.count <= 256, let ciphertext = keys.encrypt(Array(pin.utf8), iv: vector) else {
      throw .misuse("give a PIN of at most 256 bytes")
    }
    return Base64.encode(ciphertext)
  }

  /// Decrypts the PIN in a query's value.
  ///
  /// - Throws: `.notAuthentic` for any invalid value.
  public static func open(_ text: String, keys: LegacyEnvelopeKeys) throws(SealedMessageError) -> String {
    guard text.utf8.count <= 1024, let ciphertext = try? Base64.decode(text),
      let plaintext = keys.decrypt(ciphertext, iv: vector), let pin = String(validating: plaintext, as: UTF8.self)
    else { throw .notAuthentic }
    return pin
  }
}
