import Crypto
import LatchkeyByteCoding

/// The encoding of all key records of a keychain: each after its length, `UInt32`, least significant byte first.
enum KeyRecordList {
  static func encode(_ records: [KeyRecord]) -> [UInt8] {
    var writer = ByteWriter(capacity: 1024)
    for record in records {
      let encoded = record.encoded
      writer.uint32(UInt32(truncatingIfNeeded: encoded.count))
      writer.append(encoded)
    }
    return writer.bytes
  }

  /// Decodes the records in `bytes`.
  ///
  /// - Throws: `ByteCodingError` for anything that ``encode(_:)`` does not produce, and for more records than a keychain can
  ///   have.
  static func decode(_ bytes: [UInt8]) throws(ByteCodingError) -> [KeyRecord] {
    var reader = ByteReader(bytes)
    var records: [KeyRecord] = []
    while !reader.isEmpty {
      guard records.count < KeyRecord.maximumCount else { throw .invalidValue(field: "number of key records") }
      let length = Int(try reader.uint32("length of a key record"))
      records.append(try KeyRecord(encoded: try reader.bytes(length, "key record")))
    }
    return records
  }

  /// SHA-256 of the list, by which a header identifies the current records.
  static func digest(_ records: [KeyRecord]) -> [UInt8] {
    SHA256.hash(data: encode(records)).withUnsafeBytes { [UInt8]($0) }
  }
}
