import LatchkeyByteCoding
import LatchkeyKeychainModel

/// A keyed tag of one attribute's value: equal values of one attribute in one class have equal tags. Without the index key, a
/// tag reveals nothing else.
struct AttributeTag: Hashable, Sendable {
  /// The code of the attribute.
  let name: UInt32
  /// The tag, 16 bytes.
  let value: [UInt8]

  static let size = 16
}

/// A row's `tags` column: the tag of every text, bytes or number attribute that is not empty, in ascending order of the
/// attribute codes. Each entry has 20 bytes: `UInt32` code, least significant byte first, then the tag.
///
/// It repeats the rows of the table of searched tags, but under the row's mark, and it allows a locked row to be matched.
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

  /// - Throws: `ByteCodingError` for anything that ``encode()`` does not produce.
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

extension TagList {
  /// The tags that stand in the searched table too: those of texts and bytes. Numbers have few values, so that a search
  /// by one of them would read a good part of all rows anyway.
  func searched(in itemClass: ItemClass) -> [AttributeTag] {
    tags.filter { Self.isSearched(ItemAttribute(code: $0.name), in: itemClass) }
  }

  static func isSearched(_ attribute: ItemAttribute, in itemClass: ItemClass) -> Bool {
    attribute != .tokenID && AttributeSchema.kind(of: attribute, in: itemClass) == .blob
  }
}
