/// How much a PKCS#12 file may ask of its reader.
public struct PKCS12Limits: Sendable {
  /// Bytes of a file.
  public var fileSize = 1 << 20
  /// Nesting of ASN.1 values.
  public var depth = 16
  /// Bags, in all. Stores of trusted roots have some 150.
  public var bags = 512
  /// Runs of a hash for key derivation, in all: MAC and every encrypted part together. A derivation of more bytes than a
  /// digest has takes its rounds more than once: what Firefox writes, 600 000 rounds three times, takes 3.6 million.
  public var iterations = 4_000_000
  /// Bytes of memory that scrypt may take.
  public var memory = 64 << 20
  /// Bytes of a salt.
  public var saltSize = 1024

  /// The defaults: ample for what OpenSSL, Java, Windows, macOS and NSS write.
  public init() {}
}

/// How a new PKCS#12 file is protected.
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

  /// A profile of so many rounds: at least 1, and no more than 600 000 for Windows.
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
