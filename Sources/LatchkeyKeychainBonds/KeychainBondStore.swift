import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports
import LatchkeyByteCoding
import Logging
import Synchronization

/// The bonds of one host in the keychain, a generic password for each.
///
/// The account of an item names both addresses, and its data are a `StoredBonds` of one entry, which names them, too: data
/// that were moved to another item are damaged. A damaged item is reported and passed over. The next pairing with that device
/// replaces it.
final class KeychainBondStore: BondStore {
  let local: BluetoothAddress
  let report: @Sendable (String) -> Void
  /// The host's own IRKs.
  let keys: BondItems
  private let bonds: BondItems
  private let capacity: Int
  /// Whether the host does not know what is stored: then its new bonds replace nothing.
  private let isUnread = Atomic(false)

  /// The store of a host.
  ///
  /// - Parameters:
  ///   - local: The host's own address, to which its bonds belong.
  ///   - capacity: The most bonds of all hosts.
  ///   - report: Is told of damaged items.
  init(
    local: BluetoothAddress, accessGroup: String? = nil, capacity: Int = StoredBonds.capacity,
    report: @escaping @Sendable (String) -> Void = { logger.warning("\($0)") }
  ) {
    self.local = local
    self.report = report
    self.capacity = capacity
    bonds = BondItems(service: BondItems.service, accessGroup: accessGroup)
    keys = BondItems(service: BondItems.keyService, accessGroup: accessGroup)
  }

  func load() throws(KeychainBondError) -> [Bond] {
    isUnread.store(true, ordering: .relaxed)
    // Items of two access groups may have the same account.
    let accounts = Set(try bonds.accounts().filter { $0.hasPrefix(Self.account(of: local) + Self.separator) })
    var loaded: [Bond] = []
    for account in accounts.sorted() {
      do throws(KeychainBondError) {
        if let stored = try stored(account) { loaded.append(stored.bond) }
      } catch {
        guard error.isDamage else { throw error }
        report("\(error): this device has to be paired again")
      }
    }
    isUnread.store(false, ordering: .relaxed)
    return loaded
  }

  func save(_ bond: Bond) throws(KeychainBondError) {
    var bytes = encode(bond)
    defer { bytes.wipe() }
    let item = BondItems.Item(
      account: account(of: bond.identity), label: "Bluetooth pairing with \(bond.identity)", kind: "Bluetooth pairing")
    let mayReplace = !isUnread.load(ordering: .relaxed)
    for _ in 0..<BondItems.attempts {
      if mayReplace, try bonds.replace(item, &bytes) { return }
      // Two processes may take the last place together: one too many does no harm.
      let count = try bonds.accounts().filter { $0 != item.account }.count
      guard count < capacity else { throw .full }
      if try bonds.add(item, &bytes) { return }
      guard mayReplace else { throw .unread }
    }
    throw .contended
  }

  func update(_ bond: Bond) throws(KeychainBondError) {
    let account = account(of: bond.identity)
    for _ in 0..<BondItems.attempts {
      guard let stored = try stored(account), stored.bond.hasSameKeys(as: bond), stored.bond != bond else { return }
      var bytes = encode(bond)
      defer { bytes.wipe() }
      if try bonds.update(account, revision: stored.revision, &bytes) { return }
    }
    throw .contended
  }

  func remove(_ identity: BluetoothAddress) throws(KeychainBondError) {
    try bonds.remove(account(of: identity))
  }

  /// The bond in an item; nil if there is none.
  private func stored(_ account: String) throws(KeychainBondError) -> (bond: Bond, revision: Data)? {
    guard var content = try bonds.content(of: account) else { return nil }
    defer { content.bytes.wipe() }
    let entries: [StoredBonds.Entry]
    do throws(StoredFileError) { entries = try StoredBonds.decode(content.bytes) } catch {
      throw KeychainBondError(error, account: account)
    }
    guard entries.count == 1, let entry = entries.first, entry.local == local,
      self.account(of: entry.bond.identity) == account
    else { throw .damaged(account: account, reason: "its pairing is another one") }
    return (entry.bond, content.revision)
  }

  private func encode(_ bond: Bond) -> [UInt8] { StoredBonds.encode([StoredBonds.Entry(local: local, bond: bond)]) }

  private static let separator = " / "

  private func account(of identity: BluetoothAddress) -> String {
    Self.account(of: local) + Self.separator + Self.account(of: identity)
  }

  /// An address and its kind: those of a public and of a random address may have the same digits.
  static func account(of address: BluetoothAddress) -> String { "\(address) \(address.kind)" }
}
