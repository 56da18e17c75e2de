import LatchkeyBluetoothHost

/// Which controllers' listeners have to be found anew. The listeners of an advertiser, the controllers that could react
/// to its next event, are with it; they are updated on each change for one controller, so that no input visits every
/// pair.
struct ListenerTable: Sendable {
  /// The slots of controllers that changed since.
  private var changed: Set<Int> = []
  /// How many pairs were examined since the radio was created: the cost of its inputs.
  var looks = 0

  /// Marks a controller as changed in a way that affects which others it hears, or which hear it.
  mutating func change(_ slot: Int) { changed.insert(slot) }

  /// Removes and returns the changed controllers.
  mutating func removeChanged() -> [Int] {
    guard !changed.isEmpty else { return [] }
    defer { changed.removeAll(keepingCapacity: true) }
    return changed.sorted()
  }
}

/// One advertiser: its controller's slot, and its index there. Valid until that controller's next command.
struct AdvertiserPlace: Sendable, Hashable {
  var slot: Int
  var index: Int
}

extension Radio {
  /// An advertiser.
  subscript(_ place: AdvertiserPlace) -> VirtualAdvertiser { controllers[place.slot].state.advertisers[place.index] }

  /// Changes an advertiser.
  mutating func change(_ place: AdvertiserPlace, _ body: (inout VirtualAdvertiser) -> Void) {
    body(&controllers[place.slot].state.advertisers[place.index])
  }

  /// Updates the controllers that have changed.
  mutating func refreshListeners() {
    for slot in listenerTable.removeChanged() {
      for other in controllers.indices where other != slot {
        for index in controllers[other].state.advertisers.indices {
          refreshListener(slot, to: AdvertiserPlace(slot: other, index: index))
        }
        for index in controllers[slot].state.advertisers.indices {
          refreshListener(other, to: AdvertiserPlace(slot: slot, index: index))
        }
      }
    }
  }

  /// Updates one pair.
  mutating func refreshListener(_ listener: Int, to place: AdvertiserPlace) {
    listenerTable.looks += 1
    let isListening = listens(listener, to: place)
    change(place) { $0.setListener(listener, isListening) }
  }
}
