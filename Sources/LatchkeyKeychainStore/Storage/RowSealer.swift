import Crypto
import Foundation
import LatchkeyByteCoding
import LatchkeyKeychainModel
import LatchkeySecretData
internal import LatchkeySystem
import LatchkeyUserPresence

/// Seals items into rows and opens them, with AES-256-GCM.
///
/// Attributes are sealed under their accessibility's metadata key. The data is sealed under its own key, which is new with
/// every version of the row, and that key under the accessibility's secret key.
struct RowSealer: Sendable {
  let storeUUID: [UInt8]
  private let rowMAC: PreparedMAC
  private let sumMAC: PreparedMAC

  init(storeUUID: [UInt8], setHashKey: SymmetricKey) {
    self.storeUUID = storeUUID
    rowMAC = PreparedMAC(SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array("row".utf8), using: setHashKey)))
    sumMAC = PreparedMAC(SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array("sum".utf8), using: setHashKey)))
  }

  /// Sets `row`'s sealed columns and its mark. All other columns must be set.
  ///
  /// - Parameter constraint: for a constrained row, the sealer of the data key, which replaces the class's key alone.
  func seal(
    _ content: ItemContent, data: [UInt8]?, into row: inout ItemRow, keys: ClassKeys,
    constraint: (sealer: ConstraintSealer, sealing: ConstraintSealer.Sealing)? = nil
  ) throws(StoreError) {
    let binding = binding(row)
    var meta = PaddedBytes.encode(content.encode())
    defer { meta.wipe() }
    // One system call yields all random bytes: the nonces of the two long-lived keys, and the item's key.
    var chance = RandomBytes.fresh(2 * Self.nonceSize + 32)
    defer { chance.wipe() }
    row.meta = try Self.seal(meta, keys.metadata, chance[..<Self.nonceSize], binding.bytes(.meta))
    if let data {
      var bare = Array(chance[(2 * Self.nonceSize)...])
      defer { bare.wipe() }
      var padded = PaddedBytes.encode(data)
      defer { padded.wipe() }
      // This key seals exactly once, so a fixed nonce is safe.
      row.data = try Self.seal(padded, SymmetricKey(data: bare), Self.onlyNonce[...], binding.bytes(.data))
      row.wrappedKey =
        if let (sealer, sealing) = constraint {
          try sealer.seal(bare, by: sealing, binding: binding.bytes(.key))
        } else {
          try Self.seal(bare, keys.secret, chance[Self.nonceSize..<2 * Self.nonceSize], binding.bytes(.key))
        }
    } else {
      row.wrappedKey = nil
      row.data = nil
    }
    row.mark = rowMAC.code(row.markedBytes)
  }

  /// Whether all columns of `row` are unchanged since it was sealed. Its number is covered by ``share(of:)``.
  func isAuthentic(_ row: ItemRow) -> Bool {
    constantTimeEquals(rowMAC.code(row.markedBytes), row.mark)
  }

  /// The contribution of a row with this number and mark to the sum over all rows.
  func share(id: Int64, mark: [UInt8]) -> SetHash {
    var writer = ByteWriter(capacity: 40)
    writer.uint64(UInt64(bitPattern: id))
    writer.append(mark)
    return SetHash(bytes: sumMAC.code(writer.bytes))
  }

  /// Opens the access group and the attributes of `row`.
  ///
  /// - Throws: `.damaged` if they do not open.
  func openContent(_ row: ItemRow, keys: ClassKeys) throws(StoreError) -> ItemContent {
    var padded = try Self.open(row.meta, keys.metadata, binding(row).bytes(.meta), "the attributes of an item")
    defer { padded.wipe() }
    do {
      return try ItemContent.decode(try PaddedBytes.decode(padded))
    } catch {
      throw .damaged("the attributes of an item do not read: \(error)")
    }
  }

  /// Opens the data of `row`; nil if it has none.
  ///
  /// - Throws: `.damaged` if it does not open.
  func openData(_ row: ItemRow, keys: ClassKeys) throws(StoreError) -> [UInt8]? {
    try openData(row) { (wrapped) throws(StoreError) in
      (try Self.open(wrapped, keys.secret, binding(row).bytes(.key), "the key of an item"), nil)
    }
  }

  /// Opens the data of a constrained row.
  ///
  /// - Throws: as ``ConstraintSealer/open(_:under:with:binding:)``.
  func openData(
    _ row: ItemRow, under control: StoredControl, with authorization: Authorization, by sealer: ConstraintSealer
  ) throws(StoreError) -> [UInt8]? {
    try openData(row) { (wrapped) throws(StoreError) in
      try sealer.open(wrapped, under: control, with: authorization) { binding(row.bound(to: $0)).bytes(.key) }
    }
  }

  private func openData(
    _ row: ItemRow, unwrapping: (_ wrapped: [UInt8]) throws(StoreError) -> (secret: [UInt8], origin: CarriedOrigin?)
  ) throws(StoreError) -> [UInt8]? {
    guard let (wrapped, data) = try Self.sealedData(row) else { return nil }
    var (bare, origin) = try unwrapping(wrapped)
    defer { bare.wipe() }
    let binding = binding(row.bound(to: origin))
    guard bare.count == 32 else { throw .damaged("the key of an item has a wrong length") }
    var padded = try Self.open(data, SymmetricKey(data: bare), binding.bytes(.data), "the data of an item")
    defer { padded.wipe() }
    do {
      return try PaddedBytes.decode(padded)
    } catch {
      throw .damaged("the data of an item does not read: \(error)")
    }
  }

  /// Verifies as much of a constrained row's data as is possible without consent.
  ///
  /// - Throws: `.damaged` if its key was altered, or is bound to a presence key that the ring of `sealer` does not know.
  func checkData(_ row: ItemRow, under control: StoredControl, by sealer: ConstraintSealer) throws(StoreError) {
    guard let (wrapped, _) = try Self.sealedData(row) else { return }
    guard try sealer.isAuthentic(wrapped, under: control, binding: binding(row).bytes(.key)) else {
      throw .damaged("the key of an item is not as it was sealed")
    }
    if let recipient = try sealer.recipient(of: wrapped, under: control) {
      guard sealer.ring.knowsPresenceKey(recipient) else {
        throw .damaged("the key of an item is bound to a passcode that is gone")
      }
    }
  }

  /// Seals the attributes of `row` again, and the outer layer of its key, whose inner layer requires an application password.
  /// All other columns of `new` must be set; the data stays as it is.
  func carry(
    _ content: ItemContent, of row: ItemRow, into new: inout ItemRow, keys: ClassKeys, under control: StoredControl,
    from before: ConstraintSealer, to after: ConstraintSealer
  ) throws(StoreError) {
    var meta = PaddedBytes.encode(content.encode())
    defer { meta.wipe() }
    new.meta = try Self.seal(meta, keys.metadata, binding(new).bytes(.meta))
    if let (wrapped, data) = try Self.sealedData(row) {
      new.wrappedKey = try before.carried(
        wrapped, under: control, to: after, binding: (binding(row).bytes(.key), binding(new).bytes(.key)), of: row)
      new.data = data
    }
    new.mark = rowMAC.code(new.markedBytes)
  }

  private static func sealedData(_ row: ItemRow) throws(StoreError) -> (wrapped: [UInt8], data: [UInt8])? {
    switch (row.wrappedKey, row.data) {
    case (nil, nil): return nil
    case (let wrapped?, let data?): return (wrapped, data)
    default: throw .damaged("an item has data without its key, or a key without its data")
    }
  }

  private func binding(_ row: ItemRow) -> RowBinding {
    RowBinding(
      storeUUID: storeUUID, row: row,
      accessControlDigest: row.accessControl.map { SHA256.hash(data: $0).withUnsafeBytes { [UInt8]($0) } }
        ?? [UInt8](repeating: 0, count: 32))
  }

  private static let nonceSize = 12
  private static let onlyNonce = [UInt8](repeating: 0, count: nonceSize)

  /// Seals `bytes` under a random nonce.
  static func seal(_ bytes: [UInt8], _ key: SymmetricKey, _ binding: [UInt8]) throws(StoreError) -> [UInt8] {
    try seal(bytes, key, RandomBytes.fresh(nonceSize)[...], binding)
  }

  private static func seal(
    _ bytes: [UInt8], _ key: SymmetricKey, _ nonce: ArraySlice<UInt8>, _ binding: [UInt8]
  ) throws(StoreError) -> [UInt8] {
    guard let nonce = try? AES.GCM.Nonce(data: nonce),
      let sealed = try? AES.GCM.seal(bytes, using: key, nonce: nonce, authenticating: binding).combined
    else { throw .inputOutput("sealing failed") }
    return [UInt8](sealed)
  }

  static func open(
    _ sealed: [UInt8], _ key: SymmetricKey, _ binding: [UInt8], _ what: String
  ) throws(StoreError) -> [UInt8] {
    guard let box = try? AES.GCM.SealedBox(combined: sealed),
      var opened = try? AES.GCM.open(box, using: key, authenticating: binding)
    else { throw .damaged("\(what) is not as it was sealed") }
    return opened.movedOut()
  }
}
