import LatchkeyByteCoding
import LatchkeyKeychainModel

/// The decrypted content of a row's `meta` column: the access group and all attributes.
///
/// `UInt8` version 1, `UInt16` length and UTF-8 of the group, `UInt16` count of attributes, then each in ascending order of its
/// code: `UInt32` code, `UInt8` kind (1 text, 2 bytes, 3 number, 4 date), `UInt32` length, value. Least significant byte first.
/// The encoding is canonical; anything else is refused.
struct ItemContent: Hashable, Sendable {
  var accessGroup: String
  var attributes: [ItemAttribute: AttributeValue]

  private static let version: UInt8 = 1

  /// The size of the encoding, in bytes.
  var encodedSize: Int {
    attributes.values.reduce(5 + accessGroup.utf8.count) { size, value in
      switch value {
      case .text(let text): size + 9 + text.utf8.count
      case .bytes(let bytes): size + 9 + bytes.count
      case .number, .date: size + 17
      }
    }
  }

  func encode() -> [UInt8] {
    var writer = ByteWriter(capacity: encodedSize)
    writer.uint8(Self.version)
    writer.uint16(UInt16(truncatingIfNeeded: accessGroup.utf8.count))
    writer.append(accessGroup.utf8)
    writer.uint16(UInt16(truncatingIfNeeded: attributes.count))
    for (attribute, value) in attributes.sorted(by: { $0.key < $1.key }) {
      writer.uint32(attribute.code)
      switch value {
      case .text(let text):
        writer.uint8(1)
        writer.uint32(UInt32(truncatingIfNeeded: text.utf8.count))
        writer.append(text.utf8)
      case .bytes(let bytes):
        writer.uint8(2)
        writer.uint32(UInt32(truncatingIfNeeded: bytes.count))
        writer.append(bytes)
      case .number(let number):
        writer.uint8(3)
        writer.uint32(8)
        writer.uint64(UInt64(bitPattern: number))
      case .date(let seconds):
        writer.uint8(4)
        writer.uint32(8)
        writer.uint64(seconds.bitPattern)
      }
    }
    return writer.bytes
  }

  /// Decodes ``encode()``.
  ///
  /// - Throws: `ByteCodingError` for anything that ``encode()`` does not produce.
  static func decode(_ bytes: [UInt8]) throws(ByteCodingError) -> ItemContent {
    var reader = ByteReader(bytes)
    guard try reader.uint8("version of an item") == version else { throw .invalidValue(field: "version of an item") }
    let groupLength = Int(try reader.uint16("length of an access group"))
    guard groupLength <= ItemLimits.accessGroup else { throw .invalidValue(field: "length of an access group") }
    let group = try text(try reader.bytes(groupLength, "access group"), "access group")
    let count = Int(try reader.uint16("count of attributes"))
    guard count <= ItemLimits.attributes else { throw .invalidValue(field: "count of attributes") }
    var attributes: [ItemAttribute: AttributeValue] = [:]
    attributes.reserveCapacity(count)
    var last: UInt32?
    for _ in 0..<count {
      let code = try reader.uint32("code of an attribute")
      if let last, code <= last { throw .invalidValue(field: "order of attributes") }
      last = code
      attributes[ItemAttribute(code: code)] = try value(&reader)
    }
    try reader.finish("attributes of an item")
    return ItemContent(accessGroup: group, attributes: attributes)
  }

  private static func value(_ reader: inout ByteReader) throws(ByteCodingError) -> AttributeValue {
    let kind = try reader.uint8("kind of an attribute")
    let length = Int(try reader.uint32("length of an attribute"))
    switch kind {
    case 1: return .text(try text(try reader.bytes(length, "text of an attribute"), "text of an attribute"))
    case 2: return .bytes(try reader.bytes(length, "bytes of an attribute"))
    case 3, 4:
      guard length == 8 else { throw .invalidValue(field: "length of a number") }
      let bits = try reader.uint64("number of an attribute")
      if kind == 3 { return .number(Int64(bitPattern: bits)) }
      let seconds = Double(bitPattern: bits)
      guard seconds.isFinite else { throw .invalidValue(field: "date of an attribute") }
      return .date(seconds)
    default: throw .invalidValue(field: "kind of an attribute")
    }
  }

  private static func text(_ bytes: [UInt8], _ field: StaticString) throws(ByteCodingError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .invalidValue(field: field) }
    return text
  }
}
