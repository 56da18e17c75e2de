/// The listeners of each advertiser: the controllers that could react to its next event. Updated on each change for one
/// controller, so that no input visits every pair.
struct ListenerTable: Sendable {
  /// The slots of the listeners, in ascending order, by the advertiser's slot.
  private var listeners: [[Int]] = []
  /// The slots of controllers that changed since.
  private var changed: Set<Int> = []
  /// How many pairs were examined since the radio was created: the cost of its inputs.
  private(set) var looks = 0

  /// Marks a controller as changed in a way that affects which others it hears, or which hear it.
  mutating func change(_ slot: Int) { changed.insert(slot) }

  /// Removes and returns the changed controllers.
  mutating func removeChanged() -> [Int] {
    guard !changed.isEmpty else { return [] }
    defer { changed.removeAll(keepingCapacity: true) }
    return changed.sorted()
  }

  /// The listeners of an advertiser, in ascending order.
  func listeners(to advertiser: Int) -> [Int] { advertiser < listeners.count ? listeners[advertiser] : [] }

  /// Sets whether one listens to the other.
  mutating func set(_ isListening: Bool, _ listener: Int, to advertiser: Int) {
    looks += 1
    if advertiser >= listeners.count {
      guard isListening else { return }
      listeners.append(contentsOf: repeatElement([], count: advertiser + 1 - listeners.count))
    }
    let place = listeners[advertiser].firstIndex { $0 >= listener } ?? listeners[advertiser].count
    let isKnown = place < listeners[advertiser].count && listeners[advertiser][place] == listener
    guard isKnown != isListening else { return }
    if isListening {
      listeners[advertiser].insert(listener, at: place)
    } else {
      listeners[advertiser].remove(at: place)
    }
  }
}

extension Radio {
  /// Updates the controllers that have changed.
  mutating func refreshListeners() {
    for slot in listenerTable.removeChanged() {
      for other in controllers.indices where other != slot {
        refreshListeners(slot, to: other)
        refreshListeners(other, to: slot)
      }
    }
  }

  /// Updates one pair.
  mutating func refreshListeners(_ listener: Int, to advertiser: Int) {
    listenerTable.set(listens(listener, to: advertiser), listener, to: advertiser)
  }
}
