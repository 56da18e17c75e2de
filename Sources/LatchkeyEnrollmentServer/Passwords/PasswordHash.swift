internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import LatchkeyByteCoding

/// A password's hash: scrypt (RFC 7914), as a PHC string, `$scrypt$ln=14,r=8,p=1$SALT$HASH`, base64 without padding.
struct PasswordHash: Sendable, Hashable {
  /// The base-2 logarithm of N, block size, parallelism: 16 MiB and some tens of milliseconds; each increment doubles both.
  struct Cost: Sendable, Hashable {
    let logarithm: Int
    let blockSize: Int
    let parallelism: Int

    /// The range accepted in stored hashes: at most 256 MiB.
    static let logarithms = 10...18

    /// The nearest permitted cost.
    init(clamping logarithm: Int) {
      self.init(logarithm: min(max(logarithm, Self.logarithms.lowerBound), Self.logarithms.upperBound))
    }

    init(logarithm: Int = 14, blockSize: Int = 8, parallelism: Int = 1) {
      (self.logarithm, self.blockSize, self.parallelism) = (logarithm, blockSize, parallelism)
    }

    /// The amount of work, for comparing costs.
    var work: Int { (1 << logarithm) * blockSize * parallelism }
  }

  let cost: Cost
  let salt: [UInt8]
  let hash: [UInt8]

  private init(cost: Cost, salt: [UInt8], hash: [UInt8]) {
    self.cost = cost
    self.salt = salt
    self.hash = hash
  }

  /// Hashes a new password.
  ///
  /// - Parameter salt: 16 fresh random bytes.
  init(of password: SecretBytes, salt: [UInt8], cost: Cost = Cost()) throws {
    self.init(cost: cost, salt: salt, hash: try Self.derive(password, salt: salt, cost: cost))
  }

  /// A hash that no password has, and that takes as long to check.
  static func ofNobody(cost: Cost = Cost(), random: (Int) -> [UInt8]) -> PasswordHash {
    PasswordHash(cost: cost, salt: random(16), hash: random(32))
  }

  /// Parses a PHC string; nil for other algorithms, and for costs outside ``Cost/logarithms``.
  init?(_ text: String) {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt", let cost = Self.cost(parts[2]),
      let salt = try? Base64.decode(String(parts[3]), as: .standardUnpadded),
      let hash = try? Base64.decode(String(parts[4]), as: .standardUnpadded), (8...64).contains(salt.count),
      hash.count == 32
    else { return nil }
    self.init(cost: cost, salt: salt, hash: hash)
  }

  /// The PHC string.
  var text: String {
    "$scrypt$ln=\(cost.logarithm),r=\(cost.blockSize),p=\(cost.parallelism)$"
      + Base64.encode(salt, as: .standardUnpadded) + "$" + Base64.encode(hash, as: .standardUnpadded)
  }

  /// Whether this is the hash of `password`, in a time that depends only on the cost. Slow: must not run on the cooperative
  /// pool.
  func isOf(_ password: SecretBytes) throws -> Bool {
    var derived = try Self.derive(password, salt: salt, cost: cost)
    defer { derived.wipe() }
    return constantTimeEquals(derived, hash)
  }

  private static func derive(_ password: SecretBytes, salt: [UInt8], cost: Cost) throws -> [UInt8] {
    try password.withUnsafeBytes { password in
      let key = try KDF.Scrypt.deriveKey(
        from: password, salt: salt, outputByteCount: 32, rounds: 1 << cost.logarithm, blockSize: cost.blockSize,
        parallelism: cost.parallelism)
      return key.withUnsafeBytes { Array($0) }
    }
  }

  private static func cost(_ text: Substring) -> Cost? {
    let pairs = text.split(separator: ",", omittingEmptySubsequences: false).map {
      $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    }
    guard pairs.count == 3, pairs.allSatisfy({ $0.count == 2 }), pairs.map(\.[0]) == ["ln", "r", "p"],
      let logarithm = Int(pairs[0][1]), let blockSize = Int(pairs[1][1]), let parallelism = Int(pairs[2][1]),
      Cost.logarithms.contains(logarithm), (1...8).contains(blockSize), (1...4).contains(parallelism)
    else { return nil }
    return Cost(logarithm: logarithm, blockSize: blockSize, parallelism: parallelism)
  }
}

extension SecretBytes {
  /// A password in the form that is hashed: canonically composed, in UTF-8, independent of the keyboard (RFC 8265 4.2).
  convenience init(password: String) {
    var bytes = Array(password.precomposedStringWithCanonicalMapping.utf8)
    self.init(consuming: &bytes)
  }
}
