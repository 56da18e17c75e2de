import Foundation

/// Values that wait until the manager takes updates again.
struct PendingUpdates {
  struct Update {
    let characteristic: Int
    let value: Data
  }

  private var updates: [Update] = []

  /// How many may wait; further ones are dropped, as a device drops what it cannot send.
  static let capacity = 4096

  var isEmpty: Bool { updates.isEmpty }

  /// Whether updates of a characteristic wait.
  func contains(_ characteristic: Int) -> Bool { updates.contains { $0.characteristic == characteristic } }

  /// Adds an update. Returns false if it is dropped.
  @discardableResult
  mutating func append(_ value: Data, of characteristic: Int) -> Bool {
    guard updates.count < Self.capacity else { return false }
    updates.append(Update(characteristic: characteristic, value: value))
    return true
  }

  /// Removes those that `send` takes, in order, up to the first that it does not take.
  mutating func drain(_ send: (Update) -> Bool) {
    let count = updates.firstIndex { !send($0) } ?? updates.count
    updates.removeFirst(count)
  }

  mutating func removeAll(of characteristic: Int) { updates.removeAll { $0.characteristic == characteristic } }

  mutating func removeAll() { updates = [] }
}

/// The latest writes.
struct WriteLog {
  private(set) var writes: [DeviceWrite] = []

  /// How many writes a device remembers.
  static let capacity = 65_536

  mutating func append(_ write: DeviceWrite) {
    if writes.count == Self.capacity { writes.removeFirst(Self.capacity / 4) }
    writes.append(write)
  }

  mutating func removeAll() { writes = [] }
}
