import Foundation
import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Security

/// The generic passwords of one service in the keychain, each with one account: `SecItem…` calls with thrown errors.
///
/// Each item has a revision in `kSecAttrGeneric`, drawn anew whenever an item is replaced. Two processes on one keychain have
/// no common lock: an update names the revision of what was read, and changes nothing if another process was faster.
struct BondItems: Sendable {
  /// The service of bonds.
  static let service = "latchkey bluetooth bond"
  /// The service of a host's own IRKs.
  static let keyService = "latchkey bluetooth key"
  /// The attempts at an item that other processes replace meanwhile.
  static let attempts = 16

  let service: String
  let accessGroup: String?

  /// What an item is called, and what it is.
  struct Item {
    let account: String
    let label: String
    let kind: String
  }

  /// The data of an item, which the caller wipes.
  struct Content {
    var bytes: [UInt8]
    let revision: Data
  }

  private typealias Attributes = [CFString: Any]

  /// Selects the items; synchronizable ones never.
  private var place: Attributes {
    var place: Attributes = [
      kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrSynchronizable: false,
    ]
    if let accessGroup { place[kSecAttrAccessGroup] = accessGroup }
    return place
  }

  private func query(_ account: String, revision: Data? = nil) -> Attributes {
    var query = place
    query[kSecAttrAccount] = account
    if let revision { query[kSecAttrGeneric] = revision }
    return query
  }

  /// The accounts of all items.
  func accounts() throws(KeychainBondError) -> [String] {
    var query = place
    query[kSecReturnAttributes] = true
    query[kSecMatchLimit] = kSecMatchLimitAll
    let items = try find(query) as? [Attributes] ?? []
    return items.compactMap { $0[kSecAttrAccount] as? String }
  }

  /// The data of an item; nil if there is none.
  func content(of account: String) throws(KeychainBondError) -> Content? {
    for _ in 0..<Self.attempts {
      guard let revision = try revision(of: account) else { return nil }
      if let bytes = try data(of: account, revision) { return Content(bytes: bytes, revision: revision) }
    }
    throw .contended
  }

  /// The revision of an item; nil if there is no item.
  private func revision(of account: String) throws(KeychainBondError) -> Data? {
    var query = query(account)
    query[kSecReturnAttributes] = true
    query[kSecMatchLimit] = kSecMatchLimitOne
    guard let item = try find(query) as? Attributes else { return nil }
    guard let revision = item[kSecAttrGeneric] as? Data else {
      throw .damaged(account: account, reason: "it has no revision")
    }
    return revision
  }

  private func data(of account: String, _ revision: Data) throws(KeychainBondError) -> [UInt8]? {
    var query = query(account, revision: revision)
    query[kSecReturnData] = true
    query[kSecMatchLimit] = kSecMatchLimitOne
    guard let data = try find(query) as? NSData else { return nil }
    // Wiped in place: `Data` of it would be a copy.
    let memory = UnsafeMutableRawBufferPointer(
      start: UnsafeMutableRawPointer(mutating: data.bytes), count: data.length)
    defer { memory.wipe() }
    return [UInt8](memory)
  }

  /// Adds an item; false if there is one.
  func add(_ item: Item, _ bytes: inout [UInt8]) throws(KeychainBondError) -> Bool {
    var attributes = query(item.account).merging(contents(of: item)) { $1 }
    let status = withData(&bytes) { data in
      attributes[kSecValueData] = data
      return SecItemAdd(attributes as CFDictionary, nil)
    }
    if status == errSecDuplicateItem { return false }
    return try check(status)
  }

  /// Replaces an item as a whole; false if there is none, or, with a revision, none of that revision.
  func replace(_ item: Item, revision: Data? = nil, _ bytes: inout [UInt8]) throws(KeychainBondError) -> Bool {
    try update(query(item.account, revision: revision), contents(of: item), &bytes)
  }

  /// Sets the data of an item that has a revision, and keeps it.
  func update(_ account: String, revision: Data, _ bytes: inout [UInt8]) throws(KeychainBondError) -> Bool {
    try update(query(account, revision: revision), [:], &bytes)
  }

  private func update(
    _ query: Attributes, _ contents: Attributes, _ bytes: inout [UInt8]
  ) throws(KeychainBondError) -> Bool {
    var changes = contents
    let status = withData(&bytes) { data in
      changes[kSecValueData] = data
      return SecItemUpdate(query as CFDictionary, changes as CFDictionary)
    }
    if status == errSecItemNotFound { return false }
    return try check(status)
  }

  /// Removes an item. Does nothing if there is none.
  func remove(_ account: String) throws(KeychainBondError) {
    let status = SecItemDelete(query(account) as CFDictionary)
    if status != errSecItemNotFound { _ = try check(status) }
  }

  private func contents(of item: Item) -> Attributes {
    [
      kSecAttrGeneric: Data((0..<16).map { _ in UInt8.random(in: .min ... .max) }),
      kSecAttrLabel: item.label, kSecAttrDescription: item.kind,
      // Daemons connect while nobody is there; another device has other addresses.
      kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
    ]
  }

  /// The bytes as data, without a copy that nobody would wipe.
  private func withData(_ bytes: inout [UInt8], _ call: (Data) -> OSStatus) -> OSStatus {
    bytes.withUnsafeMutableBytes { memory in
      guard let start = memory.baseAddress else { return errSecParam }
      return call(Data(bytesNoCopy: start, count: memory.count, deallocator: .none))
    }
  }

  private func find(_ query: Attributes) throws(KeychainBondError) -> AnyObject? {
    var result: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &result)
    if status == errSecItemNotFound { return nil }
    _ = try check(status)
    return result
  }

  private func check(_ status: OSStatus) throws(KeychainBondError) -> Bool {
    guard status == errSecSuccess else { throw KeychainBondError(status: status) }
    return true
  }
}
