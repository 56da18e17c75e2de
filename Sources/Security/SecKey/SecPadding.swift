/// The padding and encoding of the older calls (Apple, SecKey.h, `SecPadding`). No padding is the empty set.
public struct SecPadding: OptionSet, Hashable, Sendable {
  /// Apple's number; combinations are not supported.
  public let rawValue: UInt32

  /// Creates the padding with this number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// RSA: PKCS #1 v1.5, and for signing, of a DigestInfo that the caller supplies. Curves: a signature in DER.
  public static let PKCS1 = SecPadding(rawValue: 1)
  /// RSA encryption: OAEP with SHA-1.
  public static let OAEP = SecPadding(rawValue: 2)
  /// Curves: r and s, concatenated.
  public static let sigRaw = SecPadding(rawValue: 0x4000)
  /// RSA signing of an MD2 digest; refused.
  public static let PKCS1MD2 = SecPadding(rawValue: 0x8000)
  /// RSA signing of an MD5 digest; refused.
  public static let PKCS1MD5 = SecPadding(rawValue: 0x8001)
  /// RSA signing of a SHA-1 digest.
  public static let PKCS1SHA1 = SecPadding(rawValue: 0x8002)
  /// RSA signing of a SHA-224 digest.
  public static let PKCS1SHA224 = SecPadding(rawValue: 0x8003)
  /// RSA signing of a SHA-256 digest.
  public static let PKCS1SHA256 = SecPadding(rawValue: 0x8004)
  /// RSA signing of a SHA-384 digest.
  public static let PKCS1SHA384 = SecPadding(rawValue: 0x8005)
  /// RSA signing of a SHA-512 digest.
  public static let PKCS1SHA512 = SecPadding(rawValue: 0x8006)
}
