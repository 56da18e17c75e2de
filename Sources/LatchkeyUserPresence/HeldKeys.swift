import LatchkeyEnclaveKeys

/// The keys that a session holds for use. What is taken out is returned, so that it goes, and wipes itself, outside of
/// any lock.
struct HeldKeys {
  /// So many at most.
  static let limit = 64
  /// A key that nobody has used for so many seconds goes.
  static let idleTime = 10.0

  private struct Entry {
    let key: any LoadedKey
    var lastUse: Double
    /// Tells what was used later at the same time.
    var turn: UInt64
  }
  private var entries: [[UInt8]: Entry] = [:]
  private var turns: UInt64 = 0

  var isEmpty: Bool { entries.isEmpty }

  /// When the next one goes unless it is used until then.
  var nextExpiry: Double? { entries.values.map(\.lastUse).min().map { $0 + Self.idleTime } }

  /// The key of this name, used now; or the key that has been idle for too long, taken out.
  mutating func use(_ id: [UInt8], now: Double) -> (key: (any LoadedKey)?, expired: (any LoadedKey)?) {
    guard let index = entries.index(forKey: id) else { return (nil, nil) }
    guard now - entries.values[index].lastUse < Self.idleTime else { return (nil, entries.remove(at: index).value.key) }
    turns += 1
    entries.values[index].lastUse = now
    entries.values[index].turn = turns
    return (entries.values[index].key, nil)
  }

  /// Keeps a key; what it takes the place of is returned.
  mutating func insert(_ key: any LoadedKey, id: [UInt8], now: Double) -> (any LoadedKey)? {
    turns += 1
    let replaced = entries.updateValue(Entry(key: key, lastUse: now, turn: turns), forKey: id)
    if let replaced { return replaced.key }
    guard entries.count > Self.limit, let oldest = entries.min(by: { $0.value.turn < $1.value.turn })?.key else {
      return nil
    }
    return entries.removeValue(forKey: oldest)?.key
  }

  /// Takes out the key of this name.
  mutating func remove(_ id: [UInt8]) -> (any LoadedKey)? { entries.removeValue(forKey: id)?.key }

  /// Takes out what has been idle for too long.
  mutating func removeIdle(now: Double) -> [any LoadedKey] {
    let idle = entries.filter { now - $0.value.lastUse >= Self.idleTime }
    for id in idle.keys { entries[id] = nil }
    return idle.values.map(\.key)
  }

  /// Takes out all.
  mutating func removeAll() -> [any LoadedKey] {
    defer { entries = [:] }
    return entries.values.map(\.key)
  }
}
