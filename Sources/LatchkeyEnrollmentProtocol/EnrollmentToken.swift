internal import LatchkeyByteCoding

/// The text of a one-time enrollment token: a fixed prefix, by which programs that search for leaked secrets find it, and 32
/// random bytes in base64url.
public enum EnrollmentToken {
  /// The prefix.
  public static let prefix = "lke_"
  /// The number of random bytes.
  public static let byteCount = 32

  /// Creates a token's text.
  ///
  /// - Parameter random: ``byteCount`` fresh random bytes.
  package static func text(of random: [UInt8]) -> String { prefix + Base64.encode(random, as: .urlUnpadded) }
}
