internal import Crypto
internal import LatchkeyByteCoding

/// The one way an entry is written as bytes, so that its hash is one, too. Texts are UTF-8 behind their length (four bytes,
/// big endian), numbers eight bytes, big endian: nothing runs into its neighbor.
///
///     "latchkey-audit-v1" ‖ previous hash (32) ‖ node ‖ sequence ‖ time ‖ event ‖ fields
///     fields: their count (four bytes), then each name and value, names in the order of their bytes
enum AuditEncoding {
  /// SHA-256 of the entry at its place in its chain.
  static func hash(_ entry: AuditEntry, node: String, sequence: Int64, previous: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(capacity: 512)
    writer.append("latchkey-audit-v1".utf8)
    writer.append(previous)
    write(node, to: &writer)
    writer.uint64BigEndian(UInt64(bitPattern: sequence))
    writer.uint64BigEndian(UInt64(bitPattern: entry.time))
    write(entry.event, to: &writer)
    write(entry.fields, to: &writer)
    return Array(SHA256.hash(data: writer.bytes))
  }

  static func encode(fields: [String: String]) -> [UInt8] {
    var writer = ByteWriter(capacity: 256)
    write(fields, to: &writer)
    return writer.bytes
  }

  /// - Throws: `.damaged` for anything but what ``encode(fields:)`` gives.
  static func decode(fields bytes: [UInt8]) throws(EnrollmentStoreError) -> [String: String] {
    do {
      var reader = ByteReader(bytes)
      let count = try reader.uint32BigEndian("count of fields")
      var fields: [String: String] = [:]
      for _ in 0..<count {
        let name = try text(&reader)
        let value = try text(&reader)
        guard fields.updateValue(value, forKey: name) == nil else { throw damaged }
      }
      try reader.finish("fields")
      return fields
    } catch {
      throw damaged
    }
  }

  private static var damaged: EnrollmentStoreError {
    .damaged("the fields of an audit entry do not read: run latchkey-server audit verify")
  }

  private static func text(_ reader: inout ByteReader) throws -> String {
    let bytes = try reader.bytes(Int(try reader.uint32BigEndian("length")), "text")
    guard let text = String(validating: bytes, as: UTF8.self) else { throw damaged }
    return text
  }

  private static func write(_ fields: [String: String], to writer: inout ByteWriter) {
    writer.uint32BigEndian(UInt32(truncatingIfNeeded: fields.count))
    for (name, value) in fields.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      write(name, to: &writer)
      write(value, to: &writer)
    }
  }

  private static func write(_ text: String, to writer: inout ByteWriter) {
    writer.uint32BigEndian(UInt32(truncatingIfNeeded: text.utf8.count))
    writer.append(text.utf8)
  }
}
