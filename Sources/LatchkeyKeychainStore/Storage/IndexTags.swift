import Crypto
import LatchkeyByteCoding
import LatchkeyKeychainModel
import Synchronization

/// Computes the keyed tags by which rows are found without decryption.
struct IndexTags: Sendable {
  private let mac: PreparedMAC
  private let groups = GroupTags()

  init(indexKey: SymmetricKey) { mac = PreparedMAC(indexKey) }

  private enum Purpose: UInt8 { case attribute = 1, primaryKey = 2, accessGroup = 3 }

  /// The tag of an access group, equal in all classes.
  func accessGroup(_ group: String) -> [UInt8] {
    groups.tag(of: group) { newTag(ofAccessGroup: $0) }
  }

  private func newTag(ofAccessGroup group: String) -> [UInt8] {
    var message: [UInt8] = [Purpose.accessGroup.rawValue]
    message.append(contentsOf: group.utf8)
    return mac.tag(message)
  }

  /// The tag of an attribute's value; nil for a date, and for an empty or zero value.
  func attribute(_ attribute: ItemAttribute, _ value: AttributeValue, in itemClass: Int64) -> [UInt8]? {
    if case .date = value { return nil }
    if value.isEmptyOrZero { return nil }
    var writer = ByteWriter(capacity: 64)
    writer.uint8(Purpose.attribute.rawValue)
    writer.uint8(UInt8(truncatingIfNeeded: itemClass))
    writer.uint32(attribute.code)
    Self.append(value, to: &writer)
    return mac.tag(writer.bytes)
  }

  /// The tags of all of an item's attributes that have one.
  func list(_ attributes: [ItemAttribute: AttributeValue], in itemClass: Int64) -> TagList {
    var tags: [AttributeTag] = []
    tags.reserveCapacity(attributes.count)
    for (name, value) in attributes {
      guard let tag = attribute(name, value, in: itemClass) else { continue }
      tags.append(AttributeTag(name: name.code, value: tag))
    }
    tags.sort { $0.name < $1.name }
    return TagList(tags: tags)
  }

  /// The tag of the class's primary key: equal for two items exactly when they are duplicates. An absent attribute counts as an
  /// empty one.
  func primaryKey(
    _ attributes: [ItemAttribute: AttributeValue], of itemClass: ItemClass, synchronizable: Bool, groupTag: [UInt8]
  ) -> [UInt8] {
    var writer = ByteWriter(capacity: 128)
    writer.uint8(Purpose.primaryKey.rawValue)
    writer.uint8(UInt8(truncatingIfNeeded: StoredCodes.code(of: itemClass)))
    writer.uint8(synchronizable ? 1 : 0)
    writer.append(groupTag)
    for name in AttributeSchema.primaryKey(of: itemClass) {
      if let value = attributes[name], !value.isEmptyOrZero {
        let place = writer.reserve(4)
        let before = writer.count
        Self.append(value, to: &writer)
        writer.patchLength(writer.count - before, at: place)
      } else {
        writer.uint32(0)
      }
    }
    return mac.tag(writer.bytes)
  }

  /// Appends `AttributeValue.canonicalBytes` without an intermediate array.
  private static func append(_ value: AttributeValue, to writer: inout ByteWriter) {
    switch value {
    case .text(let text):
      writer.uint8(0)
      writer.append(text.utf8)
    case .bytes(let bytes):
      writer.uint8(0)
      writer.append(bytes)
    case .number(let number):
      writer.uint8(1)
      writer.uint64BigEndian(UInt64(bitPattern: number))
    case .date(let seconds):
      writer.uint8(2)
      writer.uint64BigEndian(seconds.bitPattern)
    }
  }
}

/// A cache of access group tags, so that a caller's few groups are not hashed on each call.
private final class GroupTags: Sendable {
  private static let cap = 1024
  private let kept = Mutex<[String: [UInt8]]>([:])

  func tag(of group: String, _ make: (String) -> [UInt8]) -> [UInt8] {
    if let tag = kept.withLock({ $0[group] }) { return tag }
    let tag = make(group)
    kept.withLock {
      if $0.count >= Self.cap { $0.removeAll() }
      $0[group] = tag
    }
    return tag
  }
}

extension ByteWriter {
  fileprivate mutating func patchLength(_ length: Int, at place: Int) {
    patchUInt16(UInt16(truncatingIfNeeded: length), at: place)
    patchUInt16(UInt16(truncatingIfNeeded: length >> 16), at: place + 2)
  }
}
