import LatchkeyByteCoding
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import LatchkeyUserPresence

/// Seals every row anew under other keys, in the transaction that is open.
///
/// Attributes and data get new keys and new tags. Where the data's key opens only by an application's password, what is outside
/// of it is sealed anew, and what lies inside is carried over as it is.
struct Rewrapping {
  private let rotation: KeyRotation
  private let before: StoreParts
  /// The parts that the keychain works with once this is committed.
  let after: StoreParts
  private let progress: @Sendable (RotationProgress) -> Void

  /// So many rows are read at once.
  private static let portion: Int64 = 128

  init(
    _ rotation: KeyRotation, _ parts: StoreParts, progress: @escaping @Sendable (RotationProgress) -> Void
  ) {
    self.rotation = rotation
    self.progress = progress
    before = parts.with(rotation.before)
    after = parts.with(rotation.after)
  }

  func perform(in transaction: inout WriteTransaction) throws(StoreError) {
    let count = Int(clamping: transaction.header.state.itemCount)
    var done = 0
    var deviceItems: UInt64 = 0
    var last = Int64.min
    while true {
      let rows = try Self.rows(after: last, transaction.connection)
      guard let end = rows.last else { break }
      last = end.id
      for row in rows {
        let new = try renewed(row)
        try transaction.renew(
          row, by: new, under: after, removing: try IntegrityCount.searched(row),
          inserting: try IntegrityCount.searched(new))
        if Accessibility.isUnderDeviceRoot(code: new.accessibility) { deviceItems += 1 }
      }
      done += rows.count
      progress(RotationProgress(itemsDone: done, itemCount: max(count, done)))
    }
    try transaction.divide(deviceItems: deviceItems)
  }

  private static func rows(after id: Int64, _ connection: Connection) throws(StoreError) -> [ItemRow] {
    let statement = try connection.statement(
      "SELECT \(ItemTable.columns) FROM item WHERE id > ? ORDER BY id LIMIT \(portion)")
    defer { statement.reset() }
    statement.bind(id, 1)
    var rows: [ItemRow] = []
    while try statement.step() { rows.append(try ItemTable.row(statement)) }
    return rows
  }

  /// The row under the new keys.
  private func renewed(_ row: ItemRow) throws(StoreError) -> ItemRow {
    guard let itemClass = StoredCodes.itemClass(row.itemClass),
      let accessibility = StoredCodes.accessibility(row.accessibility), before.sealer.isAuthentic(row)
    else { throw .damaged("item \(row.id) was altered") }
    let oldKeys = try before.ring.classKeys(of: row)
    let content = try before.sealer.openContent(row, keys: oldKeys)
    let keys = try after.ring.classKeys(for: accessibility)
    var new = row
    new.epoch = Int64(keys.epoch)
    guard let tags = after.tags[accessibility] else { throw .damaged("the new index key is missing") }
    new.groupTag = tags.accessGroup(content.accessGroup)
    new.uniqueTag = tags.primaryKey(
      content.attributes, of: itemClass, synchronizable: row.synchronizable != 0, groupTag: new.groupTag)
    new.tags = tags.list(content.attributes, in: row.itemClass).encode()
    let control = try row.control(under: accessibility)
    guard control.guardsData else {
      var data = try before.sealer.openData(row, keys: oldKeys)
      defer { data?.wipe() }
      if control.isEnclaveKey, let kept = data { data = try renewedKey(kept) }
      try after.sealer.seal(content, data: data, into: &new, keys: keys)
      return new
    }
    try renewGuarded(row, control, content, into: &new, keys)
    return new
  }

  private func renewGuarded(
    _ row: ItemRow, _ control: StoredControl, _ content: ItemContent, into new: inout ItemRow, _ keys: ClassKeys
  ) throws(StoreError) {
    if let wrapped = row.wrappedKey, try before.constraints.needsPassword(wrapped, under: control) {
      return try after.sealer.carry(
        content, of: row, into: &new, keys: keys, under: control, from: before.constraints, to: after.constraints)
    }
    guard row.data != nil else {
      return try after.sealer.seal(content, data: nil, into: &new, keys: keys)
    }
    var data = try before.sealer.openData(
      row, under: control, with: Authorization(presenceKey: rotation.presenceKey), by: before.constraints)
    defer { data?.wipe() }
    let sealing = try after.constraints.sealing(under: prepared(control))
    try after.sealer.seal(
      content, data: data, into: &new, keys: keys, constraint: (after.constraints, sealing))
  }

  private func prepared(_ control: StoredControl) -> PreparedControl {
    PreparedControl(
      stored: control, presencePublicKey: control.isBoundToPasscode ? after.ring.presencePublicKey : nil)
  }

  /// A key of the enclave whose secret is bound to the passcode, bound to the new presence key. All others are sealed by keys
  /// that stay, or open only by a password.
  private func renewedKey(_ bytes: [UInt8]) throws(StoreError) -> [UInt8] {
    var key = try before.enclaveSeal.open(bytes)
    guard key.stored.isBoundToPasscode, !key.control.flags.contains(.applicationPassword) else { return bytes }
    let (old, new) = (before.enclaveSecrets, after.enclaveSecrets)
    var secret = try old.open(
      key.sealedSecret, under: key.stored, with: Authorization(presenceKey: rotation.presenceKey), binding: key.binding)
    defer { secret.wipe() }
    key.sealedSecret = try new.seal(secret, under: prepared(key.stored), binding: key.binding)
    return after.enclaveSeal.close(key)
  }
}

/// How far a rotation of keys is.
public struct RotationProgress: Hashable, Sendable {
  /// How many items are sealed by the new keys.
  public let itemsDone: Int
  /// How many there are.
  public let itemCount: Int
}
