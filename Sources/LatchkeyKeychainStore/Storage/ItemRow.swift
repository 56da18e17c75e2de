import LatchkeyByteCoding

/// One row of the item table, with its columns as stored.
struct ItemRow: Sendable {
  var id: Int64
  var uuid: [UInt8]
  var itemClass: Int64
  var synchronizable: Int64
  var groupTag: [UInt8]
  var accessibility: Int64
  var uniqueTag: [UInt8]
  var version: Int64
  var epoch: Int64
  var accessControl: [UInt8]?
  var tags: [UInt8]
  var meta: [UInt8]
  var wrappedKey: [UInt8]?
  var data: [UInt8]?
  var mark: [UInt8]

  /// The bytes that the row's mark covers: all columns except the mark itself and the row number, which enters the sum over all
  /// rows. Each column follows its length; a NULL column has the length 2^32 - 1.
  var markedBytes: [UInt8] {
    var writer = ByteWriter(
      capacity: 160 + tags.count + meta.count + (wrappedKey?.count ?? 0) + (data?.count ?? 0))
    Self.append(uuid, to: &writer)
    for number in [itemClass, synchronizable, accessibility, version, epoch] {
      writer.uint64(UInt64(bitPattern: number))
    }
    Self.append(groupTag, to: &writer)
    Self.append(uniqueTag, to: &writer)
    Self.append(accessControl, to: &writer)
    Self.append(tags, to: &writer)
    Self.append(meta, to: &writer)
    Self.append(wrappedKey, to: &writer)
    Self.append(data, to: &writer)
    return writer.bytes
  }

  private static func append(_ column: [UInt8]?, to writer: inout ByteWriter) {
    guard let column else { return writer.uint32(.max) }
    writer.uint32(UInt32(truncatingIfNeeded: column.count))
    writer.append(column)
  }
}

/// The context to which a row's three sealed columns are bound: none of them opens under another item, class, group,
/// accessibility, access control or version, nor in another column or another store.
struct RowBinding: Sendable {
  var storeUUID: [UInt8]
  var row: ItemRow
  /// SHA-256 of the row's access control; 32 zeros without one.
  var accessControlDigest: [UInt8]

  enum Column: UInt8 { case meta = 1, key = 2, data = 3 }

  /// The additional authenticated data of a sealed column.
  func bytes(_ column: Column) -> [UInt8] {
    var writer = ByteWriter(capacity: 136)
    writer.append([0x4B, 0x43, 0x31])
    writer.append(storeUUID)
    writer.append(row.uuid)
    writer.uint8(UInt8(truncatingIfNeeded: row.itemClass))
    writer.uint8(UInt8(truncatingIfNeeded: row.synchronizable))
    writer.append(row.groupTag)
    writer.uint8(UInt8(truncatingIfNeeded: row.accessibility))
    writer.append(accessControlDigest)
    writer.uint64(UInt64(bitPattern: row.epoch))
    writer.uint64(UInt64(bitPattern: row.version))
    writer.uint8(column.rawValue)
    return writer.bytes
  }
}
