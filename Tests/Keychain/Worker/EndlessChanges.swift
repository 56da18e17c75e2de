import LatchkeyKeychainModel
import LatchkeyKeychainStore

/// Adds, updates and deletes, one after the other, each announced before and acknowledged after.
struct EndlessChanges {
  private let database: KeychainDatabase
  private let caller: Entitlements
  private let keys: Int
  private var chance: Chance
  private var versions: [Int: Int]
  private var number = 0

  init(database: KeychainDatabase, caller: Entitlements, keys: Int, seed: UInt64) throws {
    self.database = database
    self.caller = caller
    self.keys = keys
    chance = Chance(seed: seed)
    versions = try TortureItem.all(in: database, as: caller)
    number = (versions.values.max() ?? 0) + 1
  }

  mutating func makeOne() throws {
    let key = Int.random(in: 0..<keys, using: &chance)
    let version = number
    number += 1
    switch (versions[key], Int.random(in: 0..<20, using: &chance)) {
    case (_, 0):
      // One deletion of many items: all of them or none.
      guard !versions.isEmpty else { return }
      try announce(version, versions.mapValues { _ in nil }) {
        try $0.delete(TortureItem.queryForAll, as: caller)
      }
      versions = [:]
    case (nil, _):
      var item = TortureItem.new(key, version: version)
      // A few need the user's consent, so that their changes read the item first.
      if key % 4 == 3 {
        item.accessibility = nil
        item.accessControl = AccessControl(protection: TortureItem.accessibility(of: key), flags: .biometryAny)
      }
      try announce(version, [key: version]) { try $0.add(item, as: caller) }
      versions[key] = version
    case (_, 1..<7):
      try announce(version, [key: nil]) { try $0.delete(TortureItem.query(key), as: caller) }
      versions[key] = nil
    default:
      try announce(version, [key: version]) {
        try $0.update(TortureItem.query(key), with: TortureItem.changes(key, version: version), as: caller)
      }
      versions[key] = version
    }
  }

  private func announce(
    _ number: Int, _ effects: [Int: Int?], _ body: (KeychainDatabase) throws -> some Any
  ) throws {
    WorkerLine.begin(number, effects).write()
    _ = try body(database)
    WorkerLine.done(number).write()
  }
}
