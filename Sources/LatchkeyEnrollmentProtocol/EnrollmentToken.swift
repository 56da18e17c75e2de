/// The text of a one-time enrollment token: a fixed prefix, by which programs that search for leaked secrets find it, and 32
/// random bytes in base64url.
public enum EnrollmentToken {
  /// The prefix.
  public static let prefix = "lke_"
  /// The number of random bytes.
  public static let byteCount = 32

  /// Whether a text has the form of a token.
  package static func isText(_ text: String) -> Bool {
    guard text.hasPrefix(prefix) else { return false }
    return Base64URL.decode(String(text.dropFirst(prefix.count)))?.count == byteCount
  }

  /// Creates a token's text.
  ///
  /// - Parameter random: ``byteCount`` fresh random bytes.
  package static func text(of random: [UInt8]) -> String { prefix + Base64URL.encode(random) }
}
