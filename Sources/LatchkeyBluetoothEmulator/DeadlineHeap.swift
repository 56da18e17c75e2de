/// Timers by their deadlines: the earliest is found at once, and added or removed in logarithmic time. A radio with many
/// hosts has many timers, and each packet may set one.
struct DeadlineHeap: Sendable {
  struct Entry: Sendable {
    let deadline: Duration
    /// The number of the timer; lower ones were set before.
    let timer: UInt64

    func precedes(_ other: Entry) -> Bool {
      deadline == other.deadline ? timer < other.timer : deadline < other.deadline
    }
  }

  /// A binary heap: each entry precedes those at twice its index plus one and two.
  private var entries: [Entry] = []

  var count: Int { entries.count }

  /// The earliest; among equals the first that was set.
  var first: Entry? { entries.first }

  mutating func insert(_ entry: Entry) {
    entries.append(entry)
    var index = entries.count - 1
    while index > 0 {
      let parent = (index - 1) / 2
      guard entries[index].precedes(entries[parent]) else { return }
      entries.swapAt(index, parent)
      index = parent
    }
  }

  /// Removes the earliest.
  mutating func removeFirst() {
    guard let last = entries.popLast(), !entries.isEmpty else { return }
    entries[0] = last
    var index = 0
    while true {
      var earliest = index
      for child in [2 * index + 1, 2 * index + 2] where child < entries.count {
        if entries[child].precedes(entries[earliest]) { earliest = child }
      }
      guard earliest != index else { return }
      entries.swapAt(index, earliest)
      index = earliest
    }
  }

  /// Removes the entries for which `isWanted` is false.
  mutating func keep(_ isWanted: (Entry) -> Bool) {
    let kept = entries.filter(isWanted)
    entries = []
    for entry in kept { insert(entry) }
  }
}
