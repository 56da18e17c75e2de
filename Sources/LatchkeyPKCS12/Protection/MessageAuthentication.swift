import Crypto
import LatchkeyByteCoding

/// The MAC of a file: MacData (RFC 7292 4), by PKCS #12's own derivation or by PBMAC1 (RFC 9579).
enum MessageAuthentication {
  case own(DigestAlgorithm, salt: [UInt8], rounds: Int, expected: [UInt8])
  case pbmac1(KeyDerivation, DigestAlgorithm, expected: [UInt8])

  /// Parses a MacData.
  init(_ reader: inout PKCS12Reader, _ limits: PKCS12Limits) throws(PKCS12Error) {
    var parts = try reader.item(.sequence, "the MAC")
    var info = try parts.item(.sequence, "the digest of the MAC")
    var peeked = info
    var algorithm = try peeked.algorithmIdentifier("the algorithm of the MAC")
    let isPBMAC1 = algorithm.algorithm == .pbmac1
    var digest = DigestAlgorithm.sha1
    if isPBMAC1 {
      info = peeked
    } else {
      digest = try info.digestAlgorithm(by: \.identifier, "a MAC")
    }
    let expected = try info.string(.octetString, "the value of the MAC").bytes()
    try info.finish("the digest of the MAC")
    // With PBMAC1 the outer salt and rounds are meaningless (RFC 9579 5).
    guard !isPBMAC1 else {
      self = try Self.pbmac1(&algorithm.parameters, expected, limits)
      return
    }
    let salt = try parts.string(.octetString, "the salt of the MAC")
    guard salt.remaining <= limits.saltSize else {
      throw .tooLarge("a salt is longer than the limit (PKCS12Limits.saltSize)")
    }
    let rounds = parts.isEmpty ? 1 : try parts.rounds()
    try parts.finish("the MAC")
    guard expected.count == digest.size else { throw .malformed("a MAC of a length that its function does not have") }
    self = .own(digest, salt: salt.bytes(), rounds: rounds, expected: expected)
  }

  /// PBMAC1-params (RFC 8018 A.5, RFC 9579 4).
  private static func pbmac1(
    _ algorithm: inout PKCS12Reader, _ expected: [UInt8], _ limits: PKCS12Limits
  ) throws(PKCS12Error) -> MessageAuthentication {
    var parameters = try algorithm.item(.sequence, "the parameters of PBMAC1")
    try algorithm.finish("the algorithm of the MAC")
    let derivation = try KeyDerivation(&parameters, limits)
    guard case .pbkdf2 = derivation else { throw .unsupported("PBMAC1 with another derivation than PBKDF2") }
    let digest = try parameters.digestAlgorithm(by: \.hmacIdentifier, "PBMAC1")
    try parameters.finish("the parameters of PBMAC1")
    // A file must not choose a shorter key, which could be guessed (RFC 9579 9).
    guard derivation.keyLength == digest.size else {
      throw .malformed("PBMAC1's key must be given, and as long as the digest")
    }
    guard expected.count == digest.size else { throw .malformed("a MAC of a length that its function does not have") }
    return .pbmac1(derivation, digest, expected: expected)
  }

  /// The rounds of one attempt with a password.
  var cost: Int {
    switch self {
    case .own(_, _, let rounds, _): rounds
    case .pbmac1(let derivation, let digest, _): derivation.cost(digest.size)
    }
  }

  /// Whether the MAC of `content` is valid under this form of the password. The caller has deducted the rounds.
  func authenticates(_ content: PKCS12Reader, _ password: PasswordForm) throws(PKCS12Error) -> Bool {
    switch self {
    case .own(let digest, let salt, let rounds, let expected):
      let key = PKCS12KeyDerivation.derive(
        digest, .mac, password: password.wide, salt: salt, rounds: rounds, count: digest.size)
      return constantTimeEquals(digest.hmac(content, key: key), expected)
    case .pbmac1(let derivation, let digest, let expected):
      let key = try derivation.derive(password.narrow, count: digest.size).withUnsafeBytes { SecretBytes($0) }
      return constantTimeEquals(digest.hmac(content, key: key), expected)
    }
  }
}
