import LatchkeyByteCoding

extension Host {
  /// A client wants a link to a device. This never expires: `connected` may come at any time, until the client
  /// disconnects.
  ///
  /// - Parameter life: the life that the client has heard of; nil for whichever this is.
  /// - Returns: whether it was taken. If not, the host is not powered on, or that life is over: nothing was begun, and
  ///   nothing will be told of it.
  @discardableResult
  public mutating func connect(
    _ client: ClientID, to peer: BluetoothAddress, life: HostLife? = nil, now: Duration
  ) -> Bool {
    guard takes(client, life) else { return false }
    if let link = link(to: peer) {
      guard !link.claims.contains(client) else { return true }
      link.claims.append(client)
      shareWindow(now: now)
      if link.isEstablished { tell(client, .connected(link.id, peer, .central)) }
      flush(now: now)
      return true
    }
    perform(initiator.add(client, peer, now: now), now: now)
    flush(now: now)
    return true
  }

  /// A client no longer wants a link, pending or up. It hears `disconnected` with `requested`: at once for a pending one
  /// (its link is 0) or one that others still use, else when the link has ended. Returns false, and does nothing, if the
  /// life that the client means is over: its link ended with it.
  @discardableResult
  public mutating func disconnect(
    _ client: ClientID, from peer: BluetoothAddress, life: HostLife? = nil, now: Duration
  ) -> Bool {
    guard life ?? self.life == self.life else { return false }
    if initiator.isPending(peer, for: client) {
      perform(initiator.remove(client, peer, now: now), now: now)
      tell(client, .disconnected(LinkID(0), peer, .central, .requested))
    } else if let link = links.first(where: { $0.peer == peer && !$0.isEstablished && $0.claims.contains(client) }) {
      abandon(link, by: client, now: now)
      tell(client, .disconnected(LinkID(0), peer, .central, .requested))
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

  /// The devices to which links are up, no matter who asked for them, with the links.
  public var connectedPeers: [(link: LinkID, peer: BluetoothAddress)] {
    links.filter { !$0.isClosing && $0.isEstablished }.map { ($0.id, $0.peer) }
  }

  /// A client asks for the signal strength of a link; the event `rssi` answers.
  public mutating func readRSSI(_ client: ClientID, link id: LinkID, now: Duration) {
    guard let link = link(id), !link.isClosing else { return tell(client, .rssi(id, nil)) }
    link.waitingForRSSI.append(client)
    if link.waitingForRSSI.count == 1 {
      commands.enqueue(HCIReadRSSI(connectionHandle: link.handle), tag: .rssi(id), now: now)
      flush(now: now)
    }
  }

  /// Answers all who asked for a link's signal strength.
  mutating func answerRSSI(_ rssi: Int8?, on link: Link) {
    for client in link.waitingForRSSI { tell(client, .rssi(link.id, rssi)) }
    link.waitingForRSSI = []
  }

  // MARK: Initiating

  /// 15...30 ms, brisk, as phones ask for; lost after 2 s without a packet.
  private static let connectionParameters = ConnectionParameters(
    minimumInterval: 12, maximumInterval: 24, latency: 0, supervisionTimeout: 200)

  mutating func perform(_ action: ConnectionInitiator.Action?, now: Duration) {
    switch action {
    case .create(let peers):
      guard let peer = peers.first else { return }
      pauseScanning(now: now)
      if peers.count > 1 {
        commands.enqueue(HCILEClearFilterAcceptList(), tag: .acceptList(initiator.attempt), now: now)
        for peer in peers {
          commands.enqueue(
            HCILEAddDeviceToFilterAcceptList(address: peer), tag: .acceptList(initiator.attempt), now: now)
        }
      }
      commands.enqueue(
        HCILECreateConnection(
          scanInterval: 0x0060, scanWindow: 0x0060, usesFilterAcceptList: peers.count > 1, peer: peer,
          ownAddressKind: .random, parameters: Self.connectionParameters),
        tag: .createConnection(initiator.attempt), now: now)
    case .cancel:
      commands.enqueue(HCILECreateConnectionCancel(), tag: .cancelConnection(initiator.attempt), now: now)
    case nil: break
    }
  }

  /// The controller did not begin to initiate.
  mutating func initiationRefused(_ status: HCIStatus, now: Duration) {
    // Some that cannot do it while they scan say so only now.
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
      for client in failure.clients { tell(client, .connectionFailed(failure.address, status)) }
    }
    perform(action, now: now)
  }

  mutating func received(_ event: LEConnectionComplete, now: Duration) {
    guard event.status == .success else {
      // The end of advertising is no failure to connect.
      return event.status == .advertisingTimeout ? () : initiationFailed(event.status, now: now)
    }
    // A handle is given again only after its link ended; if we missed that, it ended now.
    if let old = link(handle: event.connectionHandle) { ended(old, .connectionTimeout, now: now) }
    switch event.role {
    case .central:
      let (waiting, failures, action) = initiator.connected(event.peer, now: now)
      let link = open(event, failures: failures, now: now)
      link.claims = waiting
      shareWindow(now: now)
      // All who asked gave up while the link came up.
      if waiting.isEmpty { close(link, now: now) } else { pump(link, now: now) }
      perform(action, now: now)
    case .peripheral:
      // Two devices have one link at most (Core 6.0 Vol 1 Part F 2.11): the peer has lost those that are still up here.
      for old in links where old.peer == event.peer && old.role == .peripheral { replace(old, now: now) }
      let link = open(event, failures: 0, now: now)
      for client in clients { tell(client, .connected(link.id, link.peer, .peripheral)) }
      let (waiting, action) = initiator.served(event.peer, now: now)
      link.claims = waiting
      shareWindow(now: now)
      for client in waiting { tell(client, .connected(link.id, link.peer, .central)) }
      perform(action, now: now)
      advertisingEndedByConnection(now: now)
    }
    for packet in early.take(handle: event.connectionHandle) { receiveData(packet, now: now) }
  }

  private mutating func open(_ event: LEConnectionComplete, failures: Int, now: Duration) -> Link {
    let link = Link(
      id: nextLinkID(), event, preferredMTU: configuration.preferredMTU, failures: failures, now: now)
    links.append(link)
    acl.open(link.handle)
    arm(link)
    // Some controllers never answer it, and would hold up all commands behind it: those that say so are not asked.
    if capabilities.features.contains(.dataPacketLengthExtension), capabilities.commands.contains(.leSetDataLength) {
      commands.enqueue(
        HCILESetDataLength(connectionHandle: link.handle, maximumTransmitOctets: 251, maximumTransmitTime: 2120),
        tag: .optional(link.id), now: now)
    }
    return link
  }

  /// The peer was heard, or had its time: a link that this host initiated is told of.
  mutating func establish(_ link: Link) {
    guard !link.isEstablished else { return }
    link.setEstablished()
    for client in link.claims { tell(client, .connected(link.id, link.peer, .central)) }
  }

  /// A client no longer wants a link of which it was not told yet.
  private mutating func abandon(_ link: Link, by client: ClientID, now: Duration) {
    link.claims.removeAll { $0 == client }
    if link.claims.isEmpty { close(link, now: now) }
  }

  // MARK: Ending

  /// A client lets go of a link.
  mutating func release(_ link: Link, by client: ClientID, now: Duration) {
    guard let index = link.claims.firstIndex(of: client) else { return }
    if !link.isEstablished {
      abandon(link, by: client, now: now)
    } else if link.claims.count > 1 || link.role == .peripheral {
      link.claims.remove(at: index)
      forget(client, on: link, now: now)
      if clients.contains(client) { tell(client, .disconnected(link.id, link.peer, .central, .requested)) }
    } else {
      // The claim stays until the link has ended, so that the client hears of it.
      link.endWasRequested = true
      close(link, now: now)
    }
  }

  /// Tells the controller to end a link.
  mutating func close(_ link: Link, now: Duration) {
    guard !link.isClosing else { return }
    link.disconnectDeadline = now + Link.disconnectTimeout
    link.waitingWriters = []
    link.laggingUpdates = FrameQueue()
    arm(link)
    initiator.hold(link.peer)
    commands.enqueue(
      HCIDisconnect(connectionHandle: link.handle), tag: .disconnect(link.id), now: now)
  }

  /// A link has ended: everybody who waits on it hears so, once.
  mutating func ended(_ link: Link, _ status: HCIStatus, now: Duration) {
    if !link.isEstablished, !link.claims.isEmpty {
      if status == .connectionFailedToBeEstablished {
        retry(link, now: now)
      } else {
        establish(link)
      }
    }
    let wasClosing = link.isClosing
    link.disconnectDeadline = link.disconnectDeadline ?? now
    links.remove(link)
    disarmEndedLinks()
    acl.close(link.handle)
    early.linkEnded(link.handle, now: now)
    tellEnd(of: link, status, now: now)
    releaseAll(of: link, now: now)
    shareWindow(now: now)
    for waiter in link.waitingNotifiers { tellReady(waiter) }
    if wasClosing { perform(initiator.letGo(link.peer, now: now), now: now) }
    resumeAdvertising(now: now)
  }

  /// The peer has a new link to this host. What clients know of the old one ends before they hear of the new one; the
  /// controller has it until it says that it has ended.
  private mutating func replace(_ link: Link, now: Duration) {
    close(link, now: now)
    tellEnd(of: link, .connectionTimeout, now: now)
    for waiter in link.waitingNotifiers { tellReady(waiter) }
    link.waitingNotifiers = []
  }

  /// Tells the clients of the end of a link, once, after the ends of all that they asked for there.
  private mutating func tellEnd(of link: Link, _ status: HCIStatus, now: Duration) {
    guard !link.isEndTold else { return }
    link.isEndTold = true
    answerRSSI(nil, on: link)
    link.client.disconnect(into: &link.clientOutputs)
    link.server.disconnect(into: &link.serverOutputs)
    pump(link, now: now)
    let cause: DisconnectionCause = link.endWasRequested ? .requested : .reason(status)
    for client in clients where link.role == .peripheral || link.claims.contains(client) {
      tell(client, .disconnected(link.id, link.peer, link.claims.contains(client) ? .central : .peripheral, cause))
    }
    link.claims = []
  }

  /// Tries again to connect, with the clients none the wiser.
  private mutating func retry(_ link: Link, now: Duration) {
    let (isGivenUp, action) = initiator.failedToEstablish(
      link.peer, clients: link.claims, failures: link.failures, now: now)
    if isGivenUp {
      for client in link.claims { tell(client, .connectionFailed(link.peer, .connectionFailedToBeEstablished)) }
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
    if let deadline = link.server.nextDeadline, deadline <= now {
      if let later = excuse(link.indicationEnd, on: link, now: now) {
        link.server.postpone(until: later)
      } else {
        link.server.handleTimeout(now: now, into: &link.serverOutputs)
      }
    }
    pump(link, now: now)
  }
}
