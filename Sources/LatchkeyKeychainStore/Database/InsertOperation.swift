import LatchkeyByteCoding
import LatchkeyKeychainModel
internal import LatchkeySystem

/// An item validated, sealed and ready to be inserted: all that needs no transaction is done in the caller's thread.
struct InsertOperation: Sendable {
  let stored: StoredItem
  private let row: ItemRow
  private let primaryKey: PrimaryKeyTags
  private let searched: [AttributeTag]
  private let auditTag: [UInt8]
  private let slotsDigest: [UInt8]

  /// - Throws: everything that `add` throws but `.duplicateItem`.
  init(
    _ item: NewItem, as caller: Entitlements, parts: StoreParts, known: VerifiedState, gate: ConsentGate
  ) throws(StoreError) {
    try ItemRules.requireStored(item.itemClass)
    let group = try ItemRules.group(ofNew: item, as: caller)
    try ItemRules.check(item.attributes, in: item.itemClass)
    let guarding = try Self.guarding(item, parts, gate)
    let control = guarding.stored.control
    let data = item.enclaveKey?.representation ?? item.data
    let keys = try parts.ring.classKeys(for: control.protection)

    var content = ItemContent(accessGroup: group, attributes: item.attributes)
    if item.enclaveKey != nil { content.attributes[.tokenID] = EnclaveKeyItems.tokenID }
    let now = parts.now()
    if content.attributes[.creationDate] == nil { content.attributes[.creationDate] = .date(now) }
    if content.attributes[.modificationDate] == nil { content.attributes[.modificationDate] = .date(now) }
    try ItemRules.checkSize(content, data: data)

    let classCode = StoredCodes.code(of: item.itemClass)
    let rowTags = parts.tags
    primaryKey = rowTags.primaryKey(
      content.attributes, of: item.itemClass, synchronizable: item.isSynchronizable, group: group)
    guard let index = rowTags[control.protection], let uniqueTag = primaryKey[control.protection] else {
      throw .locked(control.protection, parts.ring.lockState)
    }
    let tags = index.list(content.attributes, in: classCode)
    var row = ItemRow(
      id: 0, uuid: try Self.newUUID(counter: known.header.counter), itemClass: classCode,
      synchronizable: item.isSynchronizable ? 1 : 0, groupTag: index.accessGroup(group),
      accessibility: StoredCodes.code(of: control.protection), uniqueTag: uniqueTag, version: 1,
      epoch: Int64(keys.epoch), accessControl: guarding.stored.encode(),
      tags: tags.encode(), meta: [], wrappedKey: nil, data: nil, mark: [])
    try parts.sealer.seal(
      content, data: data, into: &row, keys: keys, constraint: guarding.sealing.map { (parts.constraints, $0) })
    self.row = row
    searched = tags.searched(in: item.itemClass)
    auditTag = parts.auditChain.tag(ofItem: row.uuid)
    slotsDigest = known.header.state.slotsDigest
    stored = StoredItem(
      reference: try row.reference(in: item.itemClass), attributes: content.attributes,
      accessGroup: group, isSynchronizable: item.isSynchronizable, accessControl: control, data: nil)
  }

  /// The guard of the item: its access control as stored, and the seal of its data key.
  private struct Guarding {
    var stored: StoredControl
    var sealing: ConstraintSealer.Sealing?
  }

  private static func guarding(
    _ item: NewItem, _ parts: StoreParts, _ gate: ConsentGate
  ) throws(StoreError) -> Guarding {
    if let key = item.enclaveKey {
      return Guarding(stored: try EnclaveKeyItems.validate(item, key, seal: parts.enclaveSeal))
    }
    if EnclaveKeyItems.isTokenID(item.attributes[.tokenID]) { throw EnclaveKeyItems.notFromOutside }
    let control = try ItemRules.accessControl(
      item.accessControl, item.accessibility,
      otherwise: AccessControl(protection: ItemRules.defaultAccessibility(of: item.itemClass)),
      synchronizable: item.isSynchronizable)
    _ = try parts.ring.classKeys(for: control.protection)
    guard let prepared = try gate.prepare(control) else {
      return Guarding(stored: StoredControl(control: control))
    }
    return Guarding(
      stored: prepared.stored,
      sealing: item.data == nil ? nil : try parts.constraints.sealing(under: prepared))
  }

  /// Inserts the row; false if the keys have changed since it was sealed, so that it must be made again.
  ///
  /// - Throws: `.duplicateItem`; `.locked` if that cannot be decided before the first unlock.
  func perform(in transaction: inout WriteTransaction) throws(StoreError) -> Bool {
    guard transaction.header.state.slotsDigest == slotsDigest else { return false }
    try transaction.requireUnique(row, primaryKey)
    try transaction.add(row, searched: searched, auditTag: auditTag)
    return true
  }

  /// A UUID of RFC 9562's free form (version 8): the keychain's counter, so that what is added together stands together
  /// in the index, then 74 random bits.
  private static func newUUID(counter: Int64) throws(StoreError) -> [UInt8] {
    var writer = ByteWriter(capacity: 16)
    writer.uint64BigEndian(UInt64(bitPattern: counter) << 16)
    var uuid = Array(writer.bytes.prefix(6)) + RandomBytes.fresh(10)
    uuid[6] = uuid[6] & 0x0F | 0x80
    uuid[8] = uuid[8] & 0x3F | 0x80
    return uuid
  }
}
