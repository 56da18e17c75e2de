/// The operations of a certificate's key (Apple, SecCertificate.h, `SecKeyUsage`): the number in
/// ``SecCertificateCopyValues(_:_:_:)`` under `kSecOIDKeyUsage`. The empty set means that there is no such extension.
public struct SecKeyUsage: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt32

  /// Creates a set of these bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Signatures other than those of certificates and revocation lists.
  public static let digitalSignature = SecKeyUsage(rawValue: 1 << 0)
  /// Signatures that commit to a content.
  public static let nonRepudiation = SecKeyUsage(rawValue: 1 << 1)
  /// The newer name of ``nonRepudiation``.
  public static let contentCommitment = SecKeyUsage(rawValue: 1 << 1)
  /// Encryption of keys.
  public static let keyEncipherment = SecKeyUsage(rawValue: 1 << 2)
  /// Encryption of data.
  public static let dataEncipherment = SecKeyUsage(rawValue: 1 << 3)
  /// Key agreement.
  public static let keyAgreement = SecKeyUsage(rawValue: 1 << 4)
  /// Signatures of certificates.
  public static let keyCertSign = SecKeyUsage(rawValue: 1 << 5)
  /// Signatures of revocation lists.
  public static let crlSign = SecKeyUsage(rawValue: 1 << 6)
  /// Key agreement for encryption only.
  public static let encipherOnly = SecKeyUsage(rawValue: 1 << 7)
  /// Key agreement for decryption only.
  public static let decipherOnly = SecKeyUsage(rawValue: 1 << 8)
  /// Whether the extension is critical.
  public static let critical = SecKeyUsage(rawValue: 1 << 31)
  /// All operations.
  public static let all = SecKeyUsage(rawValue: 0x7FFF_FFFF)
}
