/// Limits for reading a PKCS#12 file.
public struct PKCS12Limits: Sendable {
  /// The maximum size of a file in bytes.
  public var fileSize = 1 << 20
  /// The maximum nesting of ASN.1 values.
  public var depth = 16
  /// The maximum number of bags. Stores of trusted roots have about 150.
  public var bags = 512
  /// The maximum hash runs for key derivation, over the MAC and every encrypted part. A derivation of more bytes than a digest
  /// has runs its rounds more than once: a Firefox file with three derivations of 600 000 rounds costs 3.6 million.
  public var iterations = 4_000_000
  /// The maximum memory for scrypt, in bytes.
  public var memory = 64 << 20
  /// The maximum size of a salt in bytes.
  public var saltSize = 1024

  /// Creates the default limits, ample for files of OpenSSL, Java, Windows, macOS and NSS.
  public init() {}
}

/// The protection of a new PKCS#12 file.
public struct PKCS12Profile: Sendable {
  /// The algorithms.
  public enum Algorithms: Sendable {
    /// PBES2 with AES-256-CBC and PBKDF2-HMAC-SHA256; MAC HMAC-SHA256. OpenSSL 1.1 and later, Java 8u301, Windows 10 1709.
    case modern
    /// As `modern`, with PBMAC1 (RFC 9579) in place of the old MAC: OpenSSL 3.4, NSS 3.104.
    case pbmac1
    /// pbeWithSHAAnd3-KeyTripleDES-CBC and an HMAC-SHA1: for old readers only.
    case compatible
  }

  /// The algorithms.
  public var algorithms: Algorithms
  /// Rounds of each key derivation.
  public var iterations: Int

  /// Creates a profile. The rounds are at least 1, and for Windows at most 600 000.
  public init(algorithms: Algorithms, iterations: Int) {
    self.algorithms = algorithms
    self.iterations = iterations
  }

  /// AES-256 and SHA-256, 100 000 rounds.
  public static let modern = PKCS12Profile(algorithms: .modern, iterations: 100_000)
  /// AES-256 and SHA-256 with PBMAC1, 100 000 rounds.
  public static let pbmac1 = PKCS12Profile(algorithms: .pbmac1, iterations: 100_000)
  /// 3DES and SHA-1, 2 048 rounds.
  public static let compatible = PKCS12Profile(algorithms: .compatible, iterations: 2048)
}
