import LatchkeyEnclaveKeys

/// The keys that a session holds for use. Removed keys are returned, so that they are released and wiped outside of any lock.
struct LoadedKeyCache {
  /// The limit of held keys.
  static let limit = 64
  /// The idle time after which a key is removed, in seconds.
  static let idleTime = 10.0

  private struct Entry {
    let key: any LoadedKey
    var lastUse: Double
    /// Orders uses at the same time.
    var turn: UInt64
  }
  private var entries: [[UInt8]: Entry] = [:]
  private var turns: UInt64 = 0

  var isEmpty: Bool { entries.isEmpty }

  /// The time at which the next key expires unless it is used.
  var nextExpiry: Double? { entries.values.map(\.lastUse).min().map { $0 + Self.idleTime } }

  /// Returns the key with this ID and marks it as used; or removes it and returns it as expired.
  mutating func use(_ id: [UInt8], now: Double) -> (key: (any LoadedKey)?, expired: (any LoadedKey)?) {
    guard let index = entries.index(forKey: id) else { return (nil, nil) }
    guard now - entries.values[index].lastUse < Self.idleTime else { return (nil, entries.remove(at: index).value.key) }
    turns += 1
    entries.values[index].lastUse = now
    entries.values[index].turn = turns
    return (entries.values[index].key, nil)
  }

  /// Inserts a key, and returns the one that it replaces or evicts.
  mutating func insert(_ key: any LoadedKey, id: [UInt8], now: Double) -> (any LoadedKey)? {
    turns += 1
    let replaced = entries.updateValue(Entry(key: key, lastUse: now, turn: turns), forKey: id)
    if let replaced { return replaced.key }
    guard entries.count > Self.limit, let oldest = entries.min(by: { $0.value.turn < $1.value.turn })?.key else {
      return nil
    }
    return entries.removeValue(forKey: oldest)?.key
  }

  /// Removes the key with this ID.
  mutating func remove(_ id: [UInt8]) -> (any LoadedKey)? { entries.removeValue(forKey: id)?.key }

  /// Removes all expired keys.
  mutating func removeIdle(now: Double) -> [any LoadedKey] {
    let idle = entries.filter { now - $0.value.lastUse >= Self.idleTime }
    for id in idle.keys { entries[id] = nil }
    return idle.values.map(\.key)
  }

  /// Removes all keys.
  mutating func removeAll() -> [any LoadedKey] {
    defer { entries = [:] }
    return entries.values.map(\.key)
  }
}
