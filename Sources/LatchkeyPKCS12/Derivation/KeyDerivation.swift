import Crypto
import CryptoExtras
import LatchkeyByteCoding

/// A key derivation of PKCS #5: PBKDF2 (RFC 8018 A.2) or scrypt (RFC 7914 7).
enum KeyDerivation {
  case pbkdf2(salt: [UInt8], rounds: Int, keyLength: Int?, digest: DigestAlgorithm)
  case scrypt(salt: [UInt8], n: Int, r: Int, p: Int, keyLength: Int?)

  /// Parses an AlgorithmIdentifier.
  init(_ reader: inout PKCS12Reader, _ limits: PKCS12Limits) throws(PKCS12Error) {
    var identifier = try reader.algorithmIdentifier("the key derivation")
    switch identifier.algorithm {
    case .pbkdf2:
      var parameters = try identifier.parameters.item(.sequence, "the parameters of PBKDF2")
      guard !parameters.comes(.sequence) else { throw .unsupported("a salt of PBKDF2 from another source") }
      let salt = try parameters.salt(limits)
      let rounds = try parameters.rounds()
      let keyLength = try parameters.keyLength()
      var digest = DigestAlgorithm.sha1
      if !parameters.isEmpty { digest = try parameters.digestAlgorithm(by: \.hmacIdentifier, "the function of PBKDF2") }
      guard digest.pbkdf2Name != nil else { throw .unsupported("PBKDF2 with \(digest.hmacIdentifier.name)") }
      try parameters.finish("the parameters of PBKDF2")
      self = .pbkdf2(salt: salt, rounds: rounds, keyLength: keyLength, digest: digest)
    case .scrypt:
      var parameters = try identifier.parameters.item(.sequence, "the parameters of scrypt")
      let salt = try parameters.salt(limits)
      let n = try parameters.number("scrypt's cost")
      let r = try parameters.number("scrypt's block size")
      let p = try parameters.number("scrypt's parallelism")
      let keyLength = try parameters.keyLength()
      try parameters.finish("the parameters of scrypt")
      guard n > 1, n & (n - 1) == 0, r > 0, p > 0 else { throw .malformed("scrypt's numbers are out of their ranges") }
      guard r <= 1 << 12, p <= 1 << 12, 128 * n * r + 128 * r * p <= limits.memory else {
        throw .tooLarge("scrypt asks for more memory than the limit (PKCS12Limits.memory)")
      }
      self = .scrypt(salt: salt, n: n, r: r, p: p, keyLength: keyLength)
    default: throw .unsupported("key derivation by \(identifier.algorithm.name)")
    }
    try identifier.parameters.finish("the key derivation")
  }

  /// The key's length as stated in the file.
  var keyLength: Int? {
    switch self {
    case .pbkdf2(_, _, let keyLength, _), .scrypt(_, _, _, _, let keyLength): keyLength
    }
  }

  /// The cost of `count` bytes in rounds of a hash, or of an operation about as slow.
  func cost(_ count: Int) -> Int {
    switch self {
    case .pbkdf2(_, let rounds, _, let digest): PKCS12KeyDerivation.cost(digest, rounds: rounds, count: count)
    // Each of 2·N·p steps mixes r blocks of 128 bytes; the memory limit keeps this in range.
    case .scrypt(_, let n, let r, let p, _): 2 * n * r * p
    }
  }

  /// Derives the key; the caller has deducted the rounds.
  func derive(_ password: SecretBytes, count: Int) throws(PKCS12Error) -> SymmetricKey {
    // HMAC pads its key with zeros, so a single zero is equivalent to an empty key, and has an address.
    var password = password.count == 0 ? [0] : password.array()
    defer { password.wipe() }
    do {
      switch self {
      case .pbkdf2(let salt, let rounds, _, let digest):
        guard let name = digest.pbkdf2Name else {
          throw PKCS12Error.unsupported("PBKDF2 with \(digest.hmacIdentifier.name)")
        }
        return try KDF.Insecure.PBKDF2.deriveKey(
          from: password, salt: salt, using: name, outputByteCount: count, unsafeUncheckedRounds: rounds)
      case .scrypt(let salt, let n, let r, let p, _):
        return try KDF.Scrypt.deriveKey(
          from: password, salt: salt, outputByteCount: count, rounds: n, blockSize: r, parallelism: p)
      }
    } catch let error as PKCS12Error {
      throw error
    } catch {
      throw .unsupported("the numbers of this key derivation")
    }
  }
}

extension PKCS12Reader {
  /// Parses a salt of at least one byte.
  fileprivate mutating func salt(_ limits: PKCS12Limits) throws(PKCS12Error) -> [UInt8] {
    let salt = try string(.octetString, "the salt")
    guard !salt.isEmpty else { throw .malformed("a salt without a byte") }
    guard salt.remaining <= limits.saltSize else {
      throw .tooLarge("a salt is longer than the limit (PKCS12Limits.saltSize)")
    }
    return salt.bytes()
  }

  /// Parses the optional length of a key.
  fileprivate mutating func keyLength() throws(PKCS12Error) -> Int? {
    guard comes(.integer) else { return nil }
    let length = try number("the length of a key")
    guard length > 0 else { throw .malformed("a key of no bytes") }
    return length
  }

  /// Parses a number of rounds, at least one.
  mutating func rounds() throws(PKCS12Error) -> Int {
    let rounds = try number("the rounds of a key derivation")
    guard rounds > 0 else { throw .malformed("a key derivation of no rounds") }
    return rounds
  }
}
