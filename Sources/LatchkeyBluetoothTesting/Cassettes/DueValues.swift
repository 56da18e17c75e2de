import Foundation

/// Values that wait for their times.
struct DueValues {
  private struct Due {
    let deadline: Duration
    let value: ServedValue
    /// Whether they follow a subscription.
    let isStream: Bool
  }

  /// In the order of their deadlines, and of their arrival where those are the same.
  private var values: ArraySlice<Due> = []

  /// How many wait; further ones are dropped, as a device drops what it cannot send.
  static let capacity = Cassette.stepCapacity

  var nextDeadline: Duration? { values.first?.deadline }

  /// Adds values with delays that do not fall.
  mutating func add(_ sent: [CassetteTape.Sent], isStream: Bool, now: Duration) {
    let new = sent.prefix(Self.capacity - values.count).map {
      Due(deadline: now + $0.delay, value: ServedValue($0.characteristic, $0.value), isStream: isStream)
    }
    guard let first = new.first else { return }
    guard let place = values.firstIndex(where: { $0.deadline > first.deadline }) else { return values += new }
    // Both are in order: a stable merge of the rest.
    var (merged, rest, other) = (values[..<place], values[place...], new[...])
    while let a = rest.first, let b = other.first {
      merged.append(a.deadline <= b.deadline ? rest.removeFirst() : other.removeFirst())
    }
    values = merged + rest + other
  }

  /// Removes and returns those whose time has come.
  mutating func take(now: Duration) -> [ServedValue] {
    let end = values.firstIndex { $0.deadline > now } ?? values.endIndex
    defer { values = values[end...] }
    return values[..<end].map(\.value)
  }

  /// Removes and returns all.
  mutating func takeAll() -> [ServedValue] {
    defer { values = [] }
    return values.map(\.value)
  }

  /// Removes those of a characteristic: all, or those that follow a subscription.
  mutating func removeAll(of characteristic: Int, onlyStreams: Bool) {
    values.removeAll { $0.value.characteristic == characteristic && ($0.isStream || !onlyStreams) }
  }
}
