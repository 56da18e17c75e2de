import ByteCoding
import KeychainModel

/// An item judged, sealed and ready to be written: all that needs no transaction is done in the caller's own thread.
struct Addition: Sendable {
  let stored: StoredItem
  private let row: ItemRow
  private let searched: [AttributeTag]
  private let auditTag: [UInt8]
  private let slotsDigest: [UInt8]

  /// - Throws: everything that `add` throws but `.duplicateItem`.
  init(
    _ item: NewItem, as caller: Entitlements, parts: StoreParts, groupTags: GroupTags, known: Knowledge
  ) throws(StoreError) {
    try ItemRules.requireStored(item.itemClass)
    let group = try ItemRules.group(ofNew: item, as: caller)
    try ItemRules.check(item.attributes, in: item.itemClass)
    let control = try ItemRules.accessControl(
      item.accessControl, item.accessibility,
      otherwise: AccessControl(protection: ItemRules.defaultAccessibility(of: item.itemClass)),
      synchronizable: item.isSynchronizable)
    let keys = try parts.ring.classKeys(for: control.protection)

    var content = ItemContent(accessGroup: group, attributes: item.attributes)
    let now = parts.now()
    if content.attributes[.creationDate] == nil { content.attributes[.creationDate] = .date(now) }
    if content.attributes[.modificationDate] == nil { content.attributes[.modificationDate] = .date(now) }
    try ItemRules.checkSize(content, data: item.data)

    let classCode = StoredCodes.code(of: item.itemClass)
    let groupTag = groupTags.tag(of: group, by: parts.tags)
    let tags = parts.tags.list(content.attributes, in: classCode)
    var row = ItemRow(
      id: 0, uuid: try Self.newUUID(counter: known.header.counter), itemClass: classCode,
      synchronizable: item.isSynchronizable ? 1 : 0, groupTag: groupTag,
      accessibility: StoredCodes.code(of: control.protection),
      uniqueTag: parts.tags.primaryKey(
        content.attributes, of: item.itemClass, synchronizable: item.isSynchronizable, groupTag: groupTag),
      version: 1, epoch: Int64(keys.epoch), accessControl: AccessControlCoding(flags: control.flags).encode(),
      tags: tags.encode(), meta: [], wrappedKey: nil, data: nil, mark: [])
    try parts.sealer.seal(content, data: item.data, into: &row, keys: keys)
    self.row = row
    searched = tags.searched(in: item.itemClass)
    auditTag = parts.auditChain.tag(ofItem: row.uuid)
    slotsDigest = known.header.state.slotsDigest
    stored = StoredItem(
      reference: PersistentReference(itemClass: item.itemClass, uuid: row.uuid), attributes: content.attributes,
      accessGroup: group, isSynchronizable: item.isSynchronizable, accessControl: control, data: nil)
  }

  /// Writes it; false if the keys have changed since it was sealed, so that it must be made again.
  ///
  /// - Throws: `.duplicateItem`.
  func perform(in transaction: inout WriteTransaction) throws(StoreError) -> Bool {
    guard transaction.header.state.slotsDigest == slotsDigest else { return false }
    try transaction.add(row, searched: searched, auditTag: auditTag)
    return true
  }

  /// A UUID of RFC 9562's free form (version 8): the keychain's counter, so that what is added together stands together
  /// in the index, then 74 random bits.
  private static func newUUID(counter: Int64) throws(StoreError) -> [UInt8] {
    var writer = ByteWriter(capacity: 16)
    writer.uint64BigEndian(UInt64(bitPattern: counter) << 16)
    var uuid = Array(writer.bytes.prefix(6)) + (try RandomBytes.make(10))
    uuid[6] = uuid[6] & 0x0F | 0x80
    uuid[8] = uuid[8] & 0x3F | 0x80
    return uuid
  }
}
