import LatchkeyByteCoding

extension Host {
  /// Requests a link to a device for a client. A request never expires: `connected` may arrive at any time until the
  /// client disconnects.
  ///
  /// - Parameter life: the life that the client knows of; nil for the current one.
  /// - Returns: whether the request was accepted. If not, the host is not powered on or that life is over: nothing was
  ///   started, and no event follows.
  @discardableResult
  public mutating func connect(
    _ client: ClientID, to peer: BluetoothAddress, life: HostLife? = nil, now: Duration
  ) -> Bool {
    guard accepts(client, life) else { return false }
    if let link = link(to: peer) {
      guard !link.claims.contains(client) else { return true }
      link.claims.append(client)
      shareWindow(now: now)
      if link.isEstablished { emit(client, .connected(link.id, peer, .central)) }
      flush(now: now)
      return true
    }
    notePeerUse(peer)
    perform(initiator.add(client, peer, now: now), now: now)
    flush(now: now)
    return true
  }

  /// Releases a client's link, pending or up. The client receives `disconnected` with `requested`: at once for a
  /// pending link (its link is 0) or one that other clients still use, else when the link has ended. Returns false and
  /// does nothing if the client's life is over: its link ended with it.
  @discardableResult
  public mutating func disconnect(
    _ client: ClientID, from peer: BluetoothAddress, life: HostLife? = nil, now: Duration
  ) -> Bool {
    guard life ?? self.life == self.life else { return false }
    if initiator.isPending(peer, for: client) {
      perform(initiator.remove(client, peer, now: now), now: now)
      emit(client, .disconnected(LinkID(0), peer, .central, .requested))
    } else if let link = links.first(where: { $0.peer == peer && !$0.isEstablished && $0.claims.contains(client) }) {
      abandon(link, by: client, now: now)
      emit(client, .disconnected(LinkID(0), peer, .central, .requested))
    } else if let link = links.first(where: { $0.peer == peer && $0.claims.contains(client) }) {
      release(link, by: client, now: now)
    }
    flush(now: now)
    return true
  }

  /// Whether a client waits for a link to a device.
  public func isConnecting(_ client: ClientID, to peer: BluetoothAddress) -> Bool {
    initiator.isPending(peer, for: client)
      || links.contains { $0.peer == peer && !$0.isEstablished && $0.claims.contains(client) }
  }

  /// Whether a client uses a link to a device, or waits for one.
  package func isUsing(_ peer: BluetoothAddress, _ client: ClientID) -> Bool {
    initiator.isPending(peer, for: client) || links.contains { $0.peer == peer && $0.claims.contains(client) }
  }

  /// The devices with links that are up, whichever client requested them, with the links.
  public var connectedPeers: [(link: LinkID, peer: BluetoothAddress)] {
    links.filter { !$0.isClosing && $0.isEstablished }.map { ($0.id, $0.peer) }
  }

  /// Requests the signal strength of a link; the event `rssi` answers.
  public mutating func readRSSI(_ client: ClientID, link id: LinkID, now: Duration) {
    guard let link = link(id), !link.isClosing else { return emit(client, .rssi(id, nil)) }
    link.waitingForRSSI.append(client)
    if link.waitingForRSSI.count == 1 {
      commands.enqueue(HCIReadRSSI(connectionHandle: link.handle), tag: .rssi(id), now: now)
      flush(now: now)
    }
  }

  /// Answers all clients that requested a link's signal strength.
  mutating func answerRSSI(_ rssi: Int8?, on link: Link) {
    for client in link.waitingForRSSI { emit(client, .rssi(link.id, rssi)) }
    link.waitingForRSSI = []
  }

  // MARK: Initiating

  /// 15...30 ms, as short as phones request; lost after 2 s without a packet.
  private static let connectionParameters = ConnectionParameters(
    minimumInterval: 12, maximumInterval: 24, latency: 0, supervisionTimeout: 200)

  mutating func perform(_ action: ConnectionInitiator.Action?, now: Duration) {
    switch action {
    case .create(let devices):
      // Between two initiations the address and the resolving list can change.
      if localAddress.isDue(now: now) { changeLocalAddress(now: now) }
      if resolvingList.isStale { changeResolvingList(now: now) }
      let peers = devices.map { initiatedAddress(of: $0) }
      guard let peer = peers.first else { return }
      pauseScanning(now: now)
      if peers.count > 1 {
        commands.enqueue(HCILEClearFilterAcceptList(), tag: .acceptList(initiator.attempt), now: now)
        for peer in peers {
          commands.enqueue(
            HCILEAddDeviceToFilterAcceptList(address: peer), tag: .acceptList(initiator.attempt), now: now)
        }
      }
      initiate(to: peer, usesFilterAcceptList: peers.count > 1, now: now)
    case .cancel:
      commands.enqueue(HCILECreateConnectionCancel(), tag: .cancelConnection(initiator.attempt), now: now)
    case nil: break
    }
    seekPeers(now: now)
  }

  private mutating func initiate(to peer: BluetoothAddress, usesFilterAcceptList: Bool, now: Duration) {
    let tag = CommandTag.createConnection(initiator.attempt)
    // All of the airtime: 60 ms in units of 0.625 ms.
    let window: UInt16 = 0x0060
    guard capabilities.extendedAdvertising != nil else {
      let command = HCILECreateConnection(
        scanInterval: window, scanWindow: window, usesFilterAcceptList: usesFilterAcceptList, peer: peer,
        ownAddressKind: .random, parameters: Self.connectionParameters)
      return commands.enqueue(command, tag: tag, now: now)
    }
    // Two physical layers take turns. LE 2M is for links whose advertiser wants them there: none is scanned on it.
    var phys = capabilities.features.primaryPHYs
    let initiation = HCILEExtendedCreateConnection.Initiation(
      scanInterval: window * UInt16(phys.all.count), scanWindow: window, parameters: Self.connectionParameters)
    if capabilities.features.supports(.le2M) { phys.insert(.le2M) }
    let command = HCILEExtendedCreateConnection(
      usesFilterAcceptList: usesFilterAcceptList, ownAddressKind: .random, peer: peer, phys: phys,
      initiation: initiation)
    commands.enqueue(command, tag: tag, now: now)
  }

  /// Handles a controller's refusal to initiate.
  mutating func initiationRefused(_ status: HCIStatus, now: Duration) {
    // Some controllers that cannot initiate while scanning report it only now.
    guard status == .commandDisallowed, scanningInController != nil, capabilities.scansWhileInitiating else {
      return initiationFailed(status, now: now)
    }
    capabilities.scansWhileInitiating = false
    shareRadio(now: now)
    perform(initiator.retry(now: now), now: now)
  }

  mutating func initiationFailed(_ status: HCIStatus, now: Duration) {
    let (failure, action) = initiator.failed(status, now: now)
    if let failure {
      for client in failure.clients { emit(client, .connectionFailed(failure.address, status)) }
    }
    perform(action, now: now)
  }

  mutating func received(_ event: LEConnectionComplete, now: Duration) {
    guard event.status == .success else {
      // The end of advertising is no failure to connect.
      return event.status == .advertisingTimeout ? () : initiationFailed(event.status, now: now)
    }
    // A handle is reused only after its link ended; if that event was missed, the link ended by now.
    if let old = link(handle: event.connectionHandle) {
      _ = commands.removeWaiting(now: now) { $0.link == old.id }
      ended(old, .connectionTimeout, now: now)
    }
    let peer = identified(event)
    notePeerUse(peer)
    if !event.isResolved { noteUnresolved(event.peerOnAir, of: peer, now: now) }
    switch event.role {
    case .central:
      // Before the next initiation is chosen.
      let otherName = bonds.otherName(of: peer)
      if let otherName { initiator.hold(otherName) }
      let (waiting, failures, action) = initiator.connected(peer, now: now)
      let link = open(event, to: peer, failures: failures, now: now)
      link.heldName = otherName
      link.claims = waiting
      shareWindow(now: now)
      // All clients gave up while the link came up.
      if waiting.isEmpty { close(link, now: now) } else { pump(link, now: now) }
      perform(action, now: now)
    case .peripheral:
      // Two devices have one link at most (Core 6.0 Vol 1 Part F 2.11): the peer has lost those that are still up here.
      for old in links where old.peer == peer && old.role == .peripheral { replace(old, now: now) }
      let link = open(event, to: peer, failures: 0, now: now)
      holdOtherName(of: link, now: now)
      for client in clients { emit(client, .connected(link.id, link.peer, .peripheral)) }
      let (waiting, action) = initiator.served(peer, now: now)
      link.claims = waiting
      shareWindow(now: now)
      for client in waiting { emit(client, .connected(link.id, link.peer, .central)) }
      perform(action, now: now)
      advertisingEndedByConnection(now: now)
    }
    for packet in early.dequeue(handle: event.connectionHandle) { receiveData(packet, now: now) }
  }

  private mutating func open(
    _ event: LEConnectionComplete, to peer: BluetoothAddress, failures: Int, now: Duration
  ) -> Link {
    let link = Link(
      id: nextLinkID(), event, local: localAddress.current, peer: peer, preferredMTU: configuration.preferredMTU,
      leastKeySize: UInt8(truncatingIfNeeded: configuration.leastKeySize), failures: failures, now: now)
    links.append(link)
    acl.open(link.handle)
    secure(link, now: now)
    arm(link)
    // Some controllers never answer this command and would block all commands behind it; it goes only to those that
    // list it as supported.
    if capabilities.features.contains(.dataPacketLengthExtension), capabilities.commands.contains(.leSetDataLength) {
      commands.enqueue(
        HCILESetDataLength(connectionHandle: link.handle, maximumTransmitOctets: 251, maximumTransmitTime: 2120),
        tag: .optional(link.id), now: now)
    }
    return link
  }

  /// Establishes a link: the peer was heard, or its time to fail has passed. A link that this host initiated is
  /// reported now.
  mutating func establish(_ link: Link) {
    guard !link.isEstablished else { return }
    link.setEstablished()
    for client in link.claims { emit(client, .connected(link.id, link.peer, .central)) }
  }

  /// Releases a client's claim on a link that was not reported to it yet.
  private mutating func abandon(_ link: Link, by client: ClientID, now: Duration) {
    link.claims.removeAll { $0 == client }
    if link.claims.isEmpty { close(link, now: now) }
  }

  // MARK: Ending

  /// Releases a client's claim on a link.
  mutating func release(_ link: Link, by client: ClientID, now: Duration) {
    guard let index = link.claims.firstIndex(of: client) else { return }
    if !link.isEstablished {
      abandon(link, by: client, now: now)
    } else if link.claims.count > 1 || link.role == .peripheral {
      link.claims.remove(at: index)
      forget(client, on: link, now: now)
      if clients.contains(client) { emit(client, .disconnected(link.id, link.peer, .central, .requested)) }
    } else {
      // The claim stays until the link has ended, so that the client receives the event.
      link.endWasRequested = true
      close(link, now: now)
    }
  }

  /// Commands the controller to end a link, for a reason that the peer receives.
  mutating func close(_ link: Link, reason: HCIStatus = .remoteUserTerminated, now: Duration) {
    guard !link.isClosing else { return }
    keepClient(of: link)
    link.disconnectDeadline = now + Link.disconnectTimeout
    link.waitingWriters = []
    link.laggingUpdates = FrameQueue()
    arm(link)
    initiator.hold(link.peer)
    commands.enqueue(
      HCIDisconnect(connectionHandle: link.handle, reason: reason), tag: .disconnect(link.id), now: now)
  }

  /// Handles the end of a link: each client that waits on it receives one event.
  mutating func ended(_ link: Link, _ status: HCIStatus, now: Duration) {
    if !link.isEstablished, !link.claims.isEmpty {
      if status == .connectionFailedToBeEstablished {
        retry(link, now: now)
      } else {
        establish(link)
      }
    }
    let wasClosing = link.isClosing
    keepClient(of: link)
    keepDatabase(of: link)
    endPairing(of: link, now: now)
    link.keys = LinkKeys()
    link.server.security = LinkSecurity()
    link.disconnectDeadline = link.disconnectDeadline ?? now
    links.remove(link)
    disarmEndedLinks()
    acl.close(link.handle)
    early.linkEnded(link.handle, now: now)
    emitEnd(of: link, status, now: now)
    releaseAll(of: link, now: now)
    shareWindow(now: now)
    for waiter in link.waitingNotifiers { emitReady(waiter) }
    if wasClosing { perform(initiator.letGo(link.peer, now: now), now: now) }
    if let name = link.heldName { perform(initiator.letGo(name, now: now), now: now) }
    resumeAdvertising(now: now)
  }

  /// Replaces a link when its peer has a new one to this host. Clients receive the end of the old link before the new
  /// one is reported; the controller has the old link until it reports the end.
  private mutating func replace(_ link: Link, now: Duration) {
    keepClient(of: link)
    keepDatabase(of: link)
    close(link, now: now)
    emitEnd(of: link, .connectionTimeout, now: now)
    for waiter in link.waitingNotifiers { emitReady(waiter) }
    link.waitingNotifiers = []
  }

  /// Reports the end of a link to its clients, once, after the ends of all that they requested on it.
  private mutating func emitEnd(of link: Link, _ status: HCIStatus, now: Duration) {
    guard !link.isEndReported else { return }
    link.isEndReported = true
    answerRSSI(nil, on: link)
    if !link.channels.isEmpty { endChannels(of: link) }
    link.client.disconnect(into: &link.clientOutputs)
    link.server.disconnect(into: &link.serverOutputs)
    pump(link, now: now)
    let cause: DisconnectionCause = link.endWasRequested ? .requested : .reason(status)
    for client in clients where link.role == .peripheral || link.claims.contains(client) {
      emit(client, .disconnected(link.id, link.peer, link.claims.contains(client) ? .central : .peripheral, cause))
    }
    link.claims = []
  }

  /// Retries a connection without an event to the clients.
  private mutating func retry(_ link: Link, now: Duration) {
    let (isGivenUp, action) = initiator.failedToEstablish(
      link.peer, clients: link.claims, failures: link.failures, now: now)
    if isGivenUp {
      for client in link.claims { emit(client, .connectionFailed(link.peer, .connectionFailedToBeEstablished)) }
    }
    link.claims = []
    perform(action, now: now)
  }

  mutating func linkTimedOut(_ link: Link, now: Duration) {
    if link.isClosing { return ended(link, .connectionTimeout, now: now) }
    if !link.isEstablished { return establish(link) }
    if let deadline = link.client.nextDeadline, deadline <= now {
      if let later = excuse(link.requestEnd, on: link, now: now) {
        link.client.postpone(until: later)
      } else {
        link.client.handleTimeout(now: now, into: &link.clientOutputs)
      }
    }
    if let pairing = link.pairing { timedOut(pairing, of: link, now: now) }
    if let deadline = link.clientSaveDeadline, deadline <= now { keepClient(of: link) }
    if let deadline = link.server.nextDeadline, deadline <= now {
      if let later = excuse(link.indicationEnd, on: link, now: now) {
        link.server.postpone(until: later)
      } else {
        link.server.handleTimeout(now: now, into: &link.serverOutputs)
      }
    }
    if let deadline = link.channelDeadline, deadline <= now { channelsTimedOut(link, now: now) }
    pump(link, now: now)
  }
}
