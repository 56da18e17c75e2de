import Crypto
import CryptoExtras
package import LatchkeyByteCoding
import LatchkeyKeychainModel
import LatchkeySecretData

/// How a passcode becomes a key: scrypt (RFC 7914) with r = 8, p = 1, a salt, and N by the machine's speed.
package struct ScryptParameters: Hashable, Sendable {
  /// The least N of a new passcode: 128 MiB.
  package static let floor = 1 << 17
  /// The least N that is opened: earlier versions made such. The passcode's next unlock raises it.
  package static let least = 1 << 15
  /// The greatest N that is opened (1 GiB of memory): more is an attack on the user who opens the file.
  package static let ceiling = 1 << 20
  static let blockSize = 8
  static let parallelism = 1
  static let saltByteCount = 32

  /// N: a power of two.
  package let rounds: Int
  /// 32 random bytes.
  package let salt: [UInt8]

  /// These very parameters.
  init(rounds: Int, salt: [UInt8]) {
    self.rounds = rounds
    self.salt = salt
  }

  /// Parameters with a new salt.
  init(rounds: Int) {
    self.init(rounds: rounds, salt: SymmetricKey(size: .bits256).exposedBytes)
  }

  /// The algorithm's number (1 is scrypt), N, r, p, salt.
  package var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 45)
    writer.uint8(1)
    writer.uint32(UInt32(clamping: rounds))
    writer.uint32(UInt32(Self.blockSize))
    writer.uint32(UInt32(Self.parallelism))
    writer.append(salt)
    return writer.bytes
  }

  /// Decodes ``encoded``, which comes from a file: costs outside of `minimumRounds` to ``ceiling`` are refused, since less
  /// would let a passcode be guessed and more would hold up the user who opens the file.
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

  /// scrypt of a passcode or a password, ended so that zeros at its end count: 32 bytes.
  ///
  /// - Parameter what: what it is, for the error.
  /// - Throws: `.inputOutput` for want of memory.
  func stretch(_ text: [UInt8], _ what: String) throws(StoreError) -> SymmetricKey {
    // scrypt begins with HMAC, which takes a key and the same key with zeros after it for one: a last byte ends it.
    var ended = text + [0x01]
    defer { ended.wipe() }
    guard let stretched = derive(ended) else {
      throw .inputOutput(
        "not enough memory to check \(what): \(rounds >> 10) MiB are needed, free some and try again")
    }
    return stretched
  }

  /// scrypt of `passcode`: 32 bytes. Nil if the system has not the memory for it (128 · N · 8 bytes).
  func derive(_ passcode: [UInt8]) -> SymmetricKey? {
    try? KDF.Scrypt.deriveKey(
      from: passcode, salt: salt, outputByteCount: 32, rounds: rounds, blockSize: Self.blockSize,
      parallelism: Self.parallelism)
  }
}
