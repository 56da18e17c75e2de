package import LatchkeyKeychainModel

/// The items of the torture tests: a key and a version, both of which stand in the attributes and decide every byte of
/// the data, so that half an item, or halves of two, cannot pass for one.
package enum TortureItem {
  /// Why an item is not one that was ever stored.
  package struct Torn: Error, CustomStringConvertible {
    package let description: String
  }

  package static let service = "torture"

  /// Keys are numbers. The last digit decides the accessibility, so that all kinds of keys are at work.
  package static func accessibility(of key: Int) -> Accessibility {
    switch key % 10 {
    case 0...3: .whenUnlocked
    case 4, 5: .afterFirstUnlock
    case 6: .always
    case 7: .whenUnlockedThisDeviceOnly
    case 8: .afterFirstUnlockThisDeviceOnly
    default: .alwaysThisDeviceOnly
    }
  }

  package static func new(_ key: Int, version: Int, accessibility: Accessibility? = nil) -> NewItem {
    NewItem(
      .genericPassword,
      attributes: [.account: .text("key \(key)"), .service: .text(service), .label: .text("version \(version)")],
      accessibility: accessibility ?? Self.accessibility(of: key), data: data(key, version: version))
  }

  package static func changes(_ key: Int, version: Int) -> ItemChanges {
    ItemChanges(attributes: [.label: .text("version \(version)")], data: data(key, version: version))
  }

  package static func query(_ key: Int, wantsData: Bool = false) -> ItemQuery {
    ItemQuery(
      .genericPassword, attributes: [.account: .text("key \(key)"), .service: .text(service)], wantsData: wantsData)
  }

  package static var queryForAll: ItemQuery {
    ItemQuery(.genericPassword, attributes: [.service: .text(service)], limit: nil, wantsData: true)
  }

  /// Which key and version an item found with its data is.
  package static func read(_ item: StoredItem) throws(Torn) -> (key: Int, version: Int) {
    guard case .text(let account) = item.attributes[.account], account.hasPrefix("key "),
      let key = Int(account.dropFirst(4)), case .text(let label) = item.attributes[.label],
      label.hasPrefix("version "), let version = Int(label.dropFirst(8))
    else { throw Torn(description: "an item with attributes that none was stored with") }
    guard item.data == data(key, version: version) else {
      throw Torn(description: "\(account), \(label) has the data of something else")
    }
    return (key, version)
  }

  /// All items, by key.
  package static func all(in store: some ItemStore, as caller: Entitlements = .none) throws -> [Int: Int] {
    let items: [StoredItem]
    do { items = try store.find(queryForAll, as: caller) } catch .itemNotFound { return [:] }
    var versions: [Int: Int] = [:]
    for item in items {
      let (key, version) = try read(item)
      guard versions.updateValue(version, forKey: key) == nil else {
        throw Torn(description: "key \(key) is there twice")
      }
    }
    return versions
  }

  /// Between nothing and a page and a half, all of it decided by key and version.
  package static func data(_ key: Int, version: Int) -> [UInt8] {
    var state = UInt64(truncatingIfNeeded: key) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: version)
    func next() -> UInt8 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
    let size = version % 5 == 0 ? 6_000 : version % 7 == 0 ? 0 : 20 + Int(next())
    return (0..<size).map { _ in next() }
  }
}
