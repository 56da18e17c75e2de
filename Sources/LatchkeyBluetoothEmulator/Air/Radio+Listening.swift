import LatchkeyBluetoothHost

// Who could react to an advertiser: by a report to its host, or by a connection (Core 6.0 Vol 6 Part B 4.4.3, 4.4.4).

extension VirtualController {
  /// Whether this controller receives an advertiser's packets while it listens on some physical layers. Legacy packets
  /// are received by commands of either family, extended ones by extended commands, and with a radio for both of their
  /// layers.
  func receives(_ advertiser: VirtualAdvertiser, on phys: LEPHYs, isExtended: Bool) -> Bool {
    guard phys.contains(LEPHYs(advertiser.primaryPHY)) else { return false }
    return advertiser.isLegacy || isExtended && supportedPHYs.contains(LEPHYs(advertiser.secondaryPHY))
  }
}

extension VirtualAdvertiser {
  /// What a scanner knows this advertiser by, on an address.
  func identity(_ address: BluetoothAddress) -> VirtualScanner.Advertiser {
    VirtualScanner.Advertiser(
      address: isAnonymous ? nil : address, setIdentifier: isLegacy ? nil : setIdentifier)
  }

  /// The identifier of its data on the air; legacy packets have none.
  var sentDataIdentifier: UInt16 { isLegacy ? 0 : dataIdentifier }
}

extension Radio {
  /// Whether a controller could react to an event of this advertiser.
  func listens(_ listener: Int, to place: AdvertiserPlace) -> Bool {
    guard listener != place.slot, controllers[listener].isOnAir, controllers[place.slot].isOnAir,
      controllers[place.slot].state.advertisers[place.index].isEnabled,
      couldReport(listener, place) || couldConnect(listener, place)
    else { return false }
    return air.loss(controllers[listener].id, controllers[place.slot].id) < 1
  }

  func couldReport(_ listener: Int, _ place: AdvertiserPlace) -> Bool {
    guard controllers[listener].state.scanner.isReceiving else { return false }
    let scanner = controllers[listener].state.scanner
    let advertiser = self[place]
    guard let peer = peer(at: place, heardBy: listener),
      controllers[listener].receives(advertiser, on: scanner.parameters.phys, isExtended: scanner.isExtended)
    else { return false }
    let asksForMore = advertiser.isScannable && scanner.scan(on: advertiser.primaryPHY)?.isActive == true
    guard
      scanner.wants(
        advertiser.identity(peer.address), dataIdentifier: advertiser.sentDataIdentifier, asksForMore: asksForMore)
    else { return false }
    if scanner.usesFilterAcceptList {
      // Who is anonymous is on no list.
      guard !advertiser.isAnonymous, controllers[listener].state.filterAcceptList.contains(peer.address) else {
        return false
      }
    }
    return !advertiser.isDirected
      || controllers[listener].isNamed(
        by: controllers[place.slot].target(of: advertiser), of: peer, scanner.parameters.ownAddressKind)
  }

  /// An advertiser as a listener knows it; nil if it has no address, or one that the listener must not hear.
  func peer(at place: AdvertiserPlace, heardBy listener: Int) -> ResolvingList.Peer? {
    guard let address = controllers[place.slot].address(of: self[place]) else { return nil }
    // Packets without an address are resolved to nobody.
    guard !self[place].isAnonymous else { return ResolvingList.Peer(address: address) }
    return controllers[listener].state.resolvingList.peer(at: address)
  }

  func couldConnect(_ listener: Int, _ place: AdvertiserPlace) -> Bool {
    guard let initiator = controllers[listener].state.initiator else { return false }
    let request = initiator.request
    let advertiser = self[place]
    guard advertiser.isConnectable, let address = controllers[place.slot].address(of: advertiser),
      let peer = peer(at: place, heardBy: listener),
      let own = controllers[listener].ownAddress(request.ownAddressKind, for: peer.address),
      controllers[listener].receives(advertiser, on: request.phys, isExtended: initiator.isExtended)
    else { return false }
    let isMeant =
      request.usesFilterAcceptList
      ? controllers[listener].state.filterAcceptList.contains(peer.address)
      : request.peer == peer.address || request.peer == address
    guard isMeant,
      !controllers[listener].state.links.contains(where: {
        $0.addresses.names(peer.address) || $0.addresses.names(address)
      })
    else { return false }
    if advertiser.isDirected {
      let target = controllers[place.slot].target(of: advertiser)
      guard controllers[listener].isNamed(by: target, of: peer, request.ownAddressKind) else { return false }
    }
    return accepts(own, place)
  }

  /// Whether an advertiser accepts a connection request from an address.
  private func accepts(_ initiator: BluetoothAddress, _ place: AdvertiserPlace) -> Bool {
    let advertiser = self[place]
    guard let central = controllers[place.slot].state.resolvingList.peer(at: initiator) else { return false }
    if advertiser.isDirected, advertiser.peer != central.address, advertiser.peer != initiator { return false }
    return !advertiser.filtersConnectionRequests
      || controllers[place.slot].state.filterAcceptList.contains(central.address)
  }
}
