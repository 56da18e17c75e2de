/// Who listens to whom: for each advertiser the controllers to which its next event could mean something. Kept as things
/// change, one controller at a time, so that no input looks at every pair.
struct Hearing: Sendable {
  /// The slots of the listeners, in ascending order, by the advertiser's slot.
  private var listeners: [[Int]] = []
  /// The slots of controllers of which something changed since.
  private var changed: Set<Int> = []
  /// How many pairs were looked at since the radio began: what its inputs cost.
  private(set) var looks = 0

  /// Something about this controller changed that decides whom it hears, or who hears it.
  mutating func change(_ slot: Int) { changed.insert(slot) }

  /// The controllers that changed; forgets them.
  mutating func takeChanged() -> [Int] {
    guard !changed.isEmpty else { return [] }
    defer { changed.removeAll(keepingCapacity: true) }
    return changed.sorted()
  }

  /// Who listens to an advertiser, in ascending order.
  func listeners(to advertiser: Int) -> [Int] { advertiser < listeners.count ? listeners[advertiser] : [] }

  /// Says whether one listens to the other.
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
  /// Looks again at the controllers that have changed.
  mutating func refreshHearing() {
    for slot in hearing.takeChanged() {
      for other in controllers.indices where other != slot {
        refreshHearing(slot, to: other)
        refreshHearing(other, to: slot)
      }
    }
  }

  /// Looks again at one pair.
  mutating func refreshHearing(_ listener: Int, to advertiser: Int) {
    hearing.set(listens(listener, to: advertiser), listener, to: advertiser)
  }
}
