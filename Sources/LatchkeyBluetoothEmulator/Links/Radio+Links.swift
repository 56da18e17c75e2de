import LatchkeyBluetoothHost

// The start and end of links (Core 6.0 Vol 6 Part B 4.5, Vol 4 Part E 7.7.65.1, 7.7.5).

extension Radio {
  /// How long a fault may hold back the connection event of a link while no data is sent.
  private static let longestHeldEvent = Duration.milliseconds(100)
  /// The number of connection events without an answer after which a new link is given up (Vol 6 Part B 4.5.2).
  private static let eventsToEstablish = 6

  /// Connects an initiator that heard a matching advertisement.
  mutating func connect(central: Int, to place: AdvertiserPlace, now: Duration) {
    let peripheral = place.slot
    guard let initiator = controllers[central].state.initiator,
      let parameters = initiator.parameters(for: self[place]),
      let (ofCentral, ofPeripheral) = addresses(ofLinkFrom: central, initiator.request.ownAddressKind, to: place)
    else { return }
    for slot in [central, peripheral] {
      deadlineTable.change(slot)
      listenerTable.change(slot)
    }
    controllers[central].state.initiator = nil
    let handle = controllers[central].allocateHandle()
    var link = VirtualLink(
      handle: handle, role: .central, addresses: ofCentral, parameters: parameters, anchor: now)
    guard !losesConnectionRequest(central, peripheral) else {
      link.lostAt = now + link.intervalDuration * Self.eventsToEstablish
      link.lossReason = .connectionFailedToBeEstablished
      announce(link, central, now: now)
      return
    }
    change(place) { $0.isEnabled = false }
    let peerHandle = controllers[peripheral].allocateHandle()
    link.peer = LinkEnd(slot: peripheral, handle: peerHandle)
    var other = VirtualLink(
      handle: peerHandle, role: .peripheral, addresses: ofPeripheral, parameters: parameters, anchor: now)
    other.peer = LinkEnd(slot: central, handle: handle)
    announce(link, central, now: now)
    announce(other, peripheral, now: now)
    announceEnd(of: place, by: peerHandle)
    for end in [LinkEnd(slot: central, handle: handle), LinkEnd(slot: peripheral, handle: peerHandle)] {
      startDataLengthUpdate(end, now: now)
    }
  }

  /// The addresses of a new link as the central and as the peripheral know them.
  private mutating func addresses(
    ofLinkFrom central: Int, _ kind: OwnAddressKind, to place: AdvertiserPlace
  ) -> (central: LinkAddresses, peripheral: LinkAddresses)? {
    guard let advertiser = controllers[place.slot].address(of: self[place]),
      let peripheral = controllers[central].state.resolvingList.peer(at: advertiser),
      let initiator = controllers[central].ownAddress(kind, for: peripheral.address),
      let centralPeer = controllers[place.slot].state.resolvingList.peer(at: initiator)
    else { return nil }
    if peripheral.isResolved { controllers[central].state.resolvingList.note(advertiser, of: peripheral.address) }
    if centralPeer.isResolved { controllers[place.slot].state.resolvingList.note(initiator, of: centralPeer.address) }
    return (
      LinkAddresses(
        peerOnAir: advertiser, peer: peripheral,
        local: controllers[central].privateAddress(kind, for: peripheral.address)),
      LinkAddresses(
        peerOnAir: initiator, peer: centralPeer,
        local: controllers[place.slot].privateAddress(self[place].ownAddressKind, for: self[place].peer))
    )
  }

  /// Informs the host of a set that a link ended it, after the event of that link.
  private mutating func announceEnd(of place: AdvertiserPlace, by handle: ConnectionHandle) {
    guard let event = endEvent(of: place, .success, link: handle) else { return }
    guard let index = controllers[place.slot].linkIndex(handle),
      !controllers[place.slot].state.links[index].heldEvents.isEmpty, controllers[place.slot].state.lets(event)
    else { return emit(event, to: place.slot) }
    controllers[place.slot].state.links[index].heldEvents.append(event.encode())
  }

  private mutating func losesConnectionRequest(_ central: Int, _ peripheral: Int) -> Bool {
    if controllers[central].faults.lostConnectionRequests > 0 {
      controllers[central].faults.lostConnectionRequests -= 1
      return true
    }
    return random.happens(air.loss(controllers[central].id, controllers[peripheral].id))
  }

  /// Adds an end of a link to its controller and reports it to the host.
  private mutating func announce(_ link: VirtualLink, _ slot: Int, now: Duration) {
    var link = link
    link.wantedLength = controllers[slot].maximumDataLength
    link.wantedLength.transmitOctets = controllers[slot].state.suggestedOctets
    link.wantedLength.transmitTime = controllers[slot].state.suggestedTime
    controllers[slot].state.links.append(link)
    refreshLink(slot, controllers[slot].state.links.count - 1, now: now)
    let isEnhanced = controllers[slot].usesEnhancedConnectionComplete
    let event = HCIEvent.le(
      .connectionComplete(
        LEConnectionComplete(
          connectionHandle: link.handle, role: link.role, peer: link.addresses.peer.address,
          isResolved: isEnhanced && link.addresses.peer.isResolved,
          resolvableAddresses: isEnhanced ? .init(link.addresses) : nil, interval: link.interval,
          latency: link.latency, supervisionTimeout: link.supervisionTimeout)))
    guard controllers[slot].faults.sendsDataBeforeConnectionEvent, controllers[slot].state.lets(event) else {
      emit(event, to: slot)
      return
    }
    let index = controllers[slot].state.links.count - 1
    controllers[slot].state.links[index].heldEvents = [event.encode()]
    controllers[slot].state.links[index].heldEventAt = now + Self.longestHeldEvent
  }

  /// Sends the events that report a link, if a fault held them back.
  mutating func revealLink(_ slot: Int, _ index: Int) {
    let events = controllers[slot].state.links[index].heldEvents
    guard !events.isEmpty else { return }
    controllers[slot].state.links[index].heldEvents = []
    controllers[slot].state.links[index].heldEventAt = nil
    deadlineTable.change(slot)
    for event in events { emit(event, to: slot) }
  }

  /// Reports that an initiation ended without a link.
  mutating func announceFailure(_ status: HCIStatus, role: LinkRole, slot: Int) {
    let peer = BluetoothAddress(0, kind: .public)
    let event = LEConnectionComplete(
      status: status, connectionHandle: 0x0000, role: role, peer: peer,
      resolvableAddresses: controllers[slot].usesEnhancedConnectionComplete ? .init() : nil, interval: 0,
      supervisionTimeout: 0)
    emit(.le(.connectionComplete(event)), to: slot)
  }

  /// Ends one end of a link and informs its host. All buffers that the link held are free again, on both sides of HCI
  /// (Vol 4 Part E 4.3).
  mutating func endLink(_ slot: Int, _ index: Int, reason: HCIStatus) {
    revealLink(slot, index)
    let link = controllers[slot].state.links.remove(at: index)
    controllers[slot].state.inController -= link.inController
    controllers[slot].state.hostFlow.used -= link.atHost
    controllers[slot].state.lateCredits.removeAll { $0.handle == link.handle }
    deadlineTable.change(slot)
    listenerTable.change(slot)
    emit(.disconnectionComplete(HCIDisconnectionComplete(connectionHandle: link.handle, reason: reason)), to: slot)
    releaseHeld(slot)
  }

  /// Resets a controller. Its peers are not informed: they no longer receive anything.
  mutating func wipe(_ slot: Int, now: Duration) {
    orphanPeers(of: slot, now: now)
    controllers[slot].state = ControllerState()
    deadlineTable.change(slot)
    listenerTable.change(slot)
  }
}

extension LEConnectionComplete.ResolvableAddresses {
  /// The private addresses of a link that a controller has made, or resolved.
  fileprivate init(_ addresses: LinkAddresses) {
    self.init()
    if let local = addresses.local { self.local = local }
    if addresses.peer.isResolved { peer = addresses.peerOnAir }
  }
}

extension VirtualLink {
  init(
    handle: ConnectionHandle, role: LinkRole, addresses: LinkAddresses, parameters: ConnectionParameters,
    anchor: Duration
  ) {
    self.handle = handle
    self.role = role
    self.addresses = addresses
    interval = parameters.maximumInterval
    latency = parameters.latency
    supervisionTimeout = parameters.supervisionTimeout
    self.anchor = anchor
  }
}
