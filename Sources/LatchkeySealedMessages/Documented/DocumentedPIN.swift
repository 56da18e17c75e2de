internal import LatchkeyByteCoding

/// The PIN of a login by certificate, as the old client has it in a URL: base64 of AES under a vector of zeros.
///
/// One PIN is always the same text: anyone who reads a log and has the key of any copy of the app finds it among the 10 000.
public enum DocumentedPIN {
  private static let vector = [UInt8](repeating: 0, count: 16)

  /// The query's value, not yet percent-encoded.
  ///
  /// - Throws: `.misuse` for more than 256 bytes.
  public static func seal(_ pin: String, keys: DocumentedKeys) throws(SealedMessageError) -> String {
    guard pin.utf8.count <= 256, let ciphertext = keys.encrypt(Array(pin.utf8), iv: vector) else {
      throw .misuse("give a PIN of at most 256 bytes")
    }
    return Base64.encode(ciphertext)
  }

  /// The PIN of a query's value.
  ///
  /// - Throws: `.notAuthentic` for all that is none.
  public static func open(_ text: String, keys: DocumentedKeys) throws(SealedMessageError) -> String {
    guard text.utf8.count <= 1024, let ciphertext = try? Base64.decode(text),
      let plaintext = keys.decrypt(ciphertext, iv: vector), let pin = String(validating: plaintext, as: UTF8.self)
    else { throw .notAuthentic }
    return pin
  }
}
