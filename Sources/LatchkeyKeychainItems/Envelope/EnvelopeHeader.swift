import Crypto
package import LatchkeyByteCoding

/// The header of an encrypted value: the parameters of the key's derivation, and the fields that distinguish a wrong password
/// from damage.
///
///     offset  bytes
///     0       4      "LKEV"
///     4       1      version: 1
///     5       1      derivation: 1, scrypt (RFC 7914)
///     6       1      scrypt: log2 N, 15 to 20
///     7       1      scrypt: r = 8
///     8       1      scrypt: p = 1
///     9       1      cipher: 1, AES-256-GCM
///     10      32     salt
///     42      32     key check: HMAC-SHA256 of the bytes before it, by a key derived from the password
///     74      12     nonce
///     86      16     digest: SHA-256 of the bytes before it, truncated
///
/// Ciphertext and tag follow. The digest needs no password: a damaged header fails it under any password, so a key check that
/// fails after it means another password. An attacker who also forges the digest can only make a value look like one of another
/// password: the cipher authenticates the whole header.
package struct EnvelopeHeader: Hashable, Sendable {
  package static let magic = Array("LKEV".utf8)
  package static let version: UInt8 = 1
  package static let size = 102
  package static let saltSize = 32
  package static let checkSize = 32
  package static let nonceSize = 12
  static let digestSize = 16
  /// The end of the bytes that the key check covers.
  static let checkedSize = 42
  /// The accepted range of log2 N: a lower cost allows guessing, and 2^20 takes a gibibyte of memory.
  package static let logRoundsRange: ClosedRange<UInt8> = 15...20

  /// log2 of scrypt's N.
  package var logRounds: UInt8
  package var salt: [UInt8]
  package var check: [UInt8]
  package var nonce: [UInt8]

  package init(logRounds: UInt8, salt: [UInt8], check: [UInt8], nonce: [UInt8]) {
    self.logRounds = logRounds
    self.salt = salt
    self.check = check
    self.nonce = nonce
  }

  /// Decodes the first bytes of an envelope. Only tests pass a minimum below the range.
  package init(
    from reader: inout ByteReader, minimumLogRounds: UInt8 = logRoundsRange.lowerBound
  ) throws(EnvelopeError) {
    do throws(ByteCodingError) {
      let whole = reader
      guard reader.remaining >= Self.magic.count, try reader.bytes(Self.magic.count, "magic") == Self.magic else {
        throw .invalidValue(field: "magic")
      }
      let version = try reader.uint8("version")
      guard version <= Self.version else { throw .invalidValue(field: "version") }
      let derivation = try reader.uint8("derivation")
      let logRounds = try reader.uint8("log2 N")
      let blockSize = try reader.uint8("r")
      let parallelism = try reader.uint8("p")
      let cipher = try reader.uint8("cipher")
      salt = try reader.bytes(Self.saltSize, "salt")
      check = try reader.bytes(Self.checkSize, "key check")
      nonce = try reader.bytes(Self.nonceSize, "nonce")
      self.logRounds = logRounds
      var prefix = whole
      let covered = try prefix.bytes(Self.size - Self.digestSize, "header")
      guard constantTimeEquals(try reader.bytes(Self.digestSize, "digest"), Self.digest(covered)) else {
        throw .invalidValue(field: "digest")
      }
      guard version == Self.version, derivation == 1, blockSize == 8, parallelism == 1, cipher == 1 else {
        throw .invalidValue(field: "parameters")
      }
      guard logRounds >= minimumLogRounds, logRounds <= Self.logRoundsRange.upperBound else {
        throw .invalidValue(field: "log2 N")
      }
    } catch {
      switch error {
      case .invalidValue(let field) where field.description == "magic": throw .notAnEnvelope
      // Undamaged, but of a newer version or with unknown parameters.
      case .invalidValue(let field) where ["version", "parameters"].contains(field.description): throw .newerFormat
      default: throw .damaged
      }
    }
  }

  /// The bytes that the key check covers.
  package var checkedBytes: [UInt8] {
    var writer = ByteWriter(capacity: Self.size)
    writer.append(Self.magic)
    writer.append([Self.version, 1, logRounds, 8, 1, 1])
    writer.append(salt)
    return writer.bytes
  }

  /// Encodes the whole header.
  package func encode() -> [UInt8] {
    let covered = checkedBytes + check + nonce
    return covered + Self.digest(covered)
  }

  /// The header's digest of the bytes before it.
  package static func digest(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes).prefix(digestSize)) }
}

/// The reason for failing to open an envelope.
package enum EnvelopeError: Error, Hashable, Sendable {
  /// The bytes do not begin as an envelope does.
  case notAnEnvelope
  /// The version or the parameters are unknown.
  case newerFormat
  /// Bytes are missing or were changed.
  case damaged
  /// The key check failed in an undamaged header.
  case wrongPassword
  /// The system lacks the memory for the derivation.
  case outOfMemory
}
