import LatchkeyBluetoothHost

/// Which controllers' listeners have to be found anew. The listeners of an advertiser, the controllers that could react
/// to its next event, are with it; they are updated on each change for one controller, so that no input visits every
/// pair, and those that do not listen visit nobody.
struct ListenerTable: Sendable {
  /// The slots of controllers that scan or initiate, in ascending order.
  private(set) var listening: [Int] = []
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

  /// Sets whether a controller scans or initiates. Returns whether it does, or did before.
  mutating func setListening(_ slot: Int, _ isListening: Bool) -> Bool {
    let place = listening.firstIndex { $0 >= slot } ?? listening.count
    let isKnown = place < listening.count && listening[place] == slot
    if isListening, !isKnown { listening.insert(slot, at: place) }
    if !isListening, isKnown { listening.remove(at: place) }
    return isListening || isKnown
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
      if listenerTable.setListening(slot, isListening(slot)) {
        for other in controllers.indices where other != slot {
          for index in controllers[other].state.advertisers.indices {
            refreshListener(slot, to: AdvertiserPlace(slot: other, index: index))
          }
        }
      }
      for index in controllers[slot].state.advertisers.indices {
        for other in listenerTable.listening where other != slot {
          refreshListener(other, to: AdvertiserPlace(slot: slot, index: index))
        }
      }
    }
  }

  /// Whether a controller could react to any advertiser.
  private func isListening(_ slot: Int) -> Bool {
    guard controllers[slot].isPresent, controllers[slot].isPowered else { return false }
    return controllers[slot].state.scanner.isReceiving || controllers[slot].state.initiator != nil
  }

  /// Updates one pair.
  mutating func refreshListener(_ listener: Int, to place: AdvertiserPlace) {
    listenerTable.looks += 1
    let isListening = listens(listener, to: place)
    var hasChanged = false
    change(place) { hasChanged = $0.setListener(listener, isListening) }
    if hasChanged { deadlineTable.change(place.slot) }
  }
}
