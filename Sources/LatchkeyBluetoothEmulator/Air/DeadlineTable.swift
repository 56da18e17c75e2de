/// The earliest deadline of each controller, by slot. Only those of controllers that changed are computed anew, so that no
/// input visits all controllers.
struct DeadlineTable: Sendable {
  private var deadlines: [Duration?] = []
  private var isChanged: [Bool] = []
  /// The slots of controllers that changed since.
  private var changed: [Int] = []

  /// Whether any controller changed since the earliest deadline was computed.
  private(set) var isStale = false

  /// Marks a controller as changed in a way that affects its deadline.
  mutating func change(_ slot: Int) {
    isStale = true
    while deadlines.count <= slot {
      deadlines.append(nil)
      isChanged.append(false)
    }
    guard !isChanged[slot] else { return }
    isChanged[slot] = true
    changed.append(slot)
  }

  /// Removes and returns a controller that changed; nil when there is none.
  mutating func removeChanged() -> Int? {
    guard let slot = changed.popLast() else { return nil }
    isChanged[slot] = false
    return slot
  }

  /// The deadline of a controller.
  subscript(slot: Int) -> Duration? {
    get { slot < deadlines.count ? deadlines[slot] : nil }
    set { deadlines[slot] = newValue }
  }

  /// Computes the earliest of all; nil if there is none.
  mutating func findEarliest() -> Duration? {
    isStale = false
    var earliest: Duration?
    for case let deadline? in deadlines {
      if let other = earliest, other <= deadline { continue }
      earliest = deadline
    }
    return earliest
  }
}
