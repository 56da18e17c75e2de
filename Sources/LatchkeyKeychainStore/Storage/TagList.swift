import LatchkeyByteCoding

/// A keyed tag of one attribute's value: equal values of one attribute in one class have equal tags, and without the
/// index key a tag tells nothing else.
struct AttributeTag: Hashable, Sendable {
  /// The code of the attribute.
  let name: UInt32
  /// 16 bytes.
  let value: [UInt8]

  static let size = 16
}

/// A row's `tags` column: the tag of every text, bytes or number attribute that is not empty, in ascending order of the
/// names; 20 bytes each, `UInt32` name least significant byte first, then the tag.
///
/// What the searched table has beside it is found again here, where the row's own mark covers it, and a locked row can be
/// matched by it.
struct TagList: Hashable, Sendable {
  var tags: [AttributeTag]

  func encode() -> [UInt8] {
    var writer = ByteWriter(capacity: tags.count * (4 + AttributeTag.size))
    for tag in tags {
      writer.uint32(tag.name)
      writer.append(tag.value)
    }
    return writer.bytes
  }

  /// - Throws: `ByteCodingError` for anything that ``encode()`` does not make.
  static func decode(_ bytes: [UInt8]) throws(ByteCodingError) -> TagList {
    guard bytes.count <= ItemLimits.attributes * (4 + AttributeTag.size) else {
      throw .invalidValue(field: "count of tags")
    }
    var reader = ByteReader(bytes)
    var tags: [AttributeTag] = []
    while !reader.isEmpty {
      let name = try reader.uint32("name of a tag")
      if let last = tags.last, name <= last.name { throw .invalidValue(field: "order of tags") }
      tags.append(AttributeTag(name: name, value: try reader.bytes(AttributeTag.size, "tag")))
    }
    return TagList(tags: tags)
  }

  /// The tag of the attribute with this code.
  subscript(name: UInt32) -> [UInt8]? {
    tags.first { $0.name == name }?.value
  }
}
