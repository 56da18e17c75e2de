import Crypto
import CryptoExtras
package import LatchkeyByteCoding
import LatchkeyKeychainModel
import LatchkeySecretData

/// The derivation of a key from a passcode: scrypt (RFC 7914) with r = 8, p = 1, a salt, and N chosen by the machine's speed.
package struct ScryptParameters: Hashable, Sendable {
  /// The lowest N of a new passcode: 128 MiB.
  package static let floor = 1 << 17
  /// The lowest N that is opened, from earlier versions. The passcode's next unlock raises it.
  package static let least = 1 << 15
  /// The highest N that is opened (1 GiB of memory): a higher one would be a denial of service against the user who opens the
  /// file.
  package static let ceiling = 1 << 20
  static let blockSize = 8
  static let parallelism = 1
  static let saltByteCount = 32

  /// N: a power of two.
  package let rounds: Int
  /// 32 random bytes.
  package let salt: [UInt8]

  /// Creates exactly these parameters.
  init(rounds: Int, salt: [UInt8]) {
    self.rounds = rounds
    self.salt = salt
  }

  /// Creates parameters with a new salt.
  init(rounds: Int) {
    self.init(rounds: rounds, salt: SymmetricKey(size: .bits256).exposedBytes)
  }

  /// The encoding: the algorithm's number (1 is scrypt), N, r, p, salt.
  package var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 45)
    writer.uint8(1)
    writer.uint32(UInt32(clamping: rounds))
    writer.uint32(UInt32(Self.blockSize))
    writer.uint32(UInt32(Self.parallelism))
    writer.append(salt)
    return writer.bytes
  }

  /// Decodes ``encoded``, which comes from a file: costs outside `minimumRounds` to ``ceiling`` are refused. A lower cost would
  /// make a passcode guessable, a higher one would block the user who opens the file.
  package init(encoded: [UInt8], minimumRounds: Int = least) throws(ByteCodingError) {
    var reader = ByteReader(encoded)
    guard try reader.uint8("kind of passcode derivation") == 1 else {
      throw .invalidValue(field: "kind of passcode derivation")
    }
    let rounds = Int(try reader.uint32("scrypt N"))
    guard rounds >= max(2, minimumRounds), rounds <= Self.ceiling, rounds.nonzeroBitCount == 1 else {
      throw .invalidValue(field: "scrypt N")
    }
    guard try reader.uint32("scrypt r") == Self.blockSize else { throw .invalidValue(field: "scrypt r") }
    guard try reader.uint32("scrypt p") == Self.parallelism else { throw .invalidValue(field: "scrypt p") }
    self.rounds = rounds
    salt = try reader.bytes(Self.saltByteCount, "scrypt salt")
    try reader.finish("scrypt parameters")
  }

  /// scrypt of a passcode or a password with a terminator, so that trailing zeros count: 32 bytes.
  ///
  /// - Parameter what: the input's name in the error.
  /// - Throws: `.inputOutput` if memory is short.
  func stretch(_ text: [UInt8], _ what: String) throws(StoreError) -> SymmetricKey {
    // scrypt begins with HMAC, which treats a key and the same key with trailing zeros as equal; a final byte prevents that.
    var ended = text + [0x01]
    defer { ended.wipe() }
    guard let stretched = derive(ended) else {
      throw .inputOutput(
        "not enough memory to check \(what): \(rounds >> 10) MiB are needed, free some and try again")
    }
    return stretched
  }

  /// scrypt of `passcode`: 32 bytes. Nil if the system lacks the memory (128 · N · 8 bytes).
  func derive(_ passcode: [UInt8]) -> SymmetricKey? {
    try? KDF.Scrypt.deriveKey(
      from: passcode, salt: salt, outputByteCount: 32, rounds: rounds, blockSize: Self.blockSize,
      parallelism: Self.parallelism)
  }
}
