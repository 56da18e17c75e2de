import ByteCoding

extension Host {
  /// A client wants a link to a device. This never expires: `connected` may come at any time, until the client
  /// disconnects. Ignored unless the host is powered on.
  public mutating func connect(_ client: ClientID, to peer: BluetoothAddress, now: Duration) {
    guard state == .poweredOn, clients.contains(client) else { return }
    if let link = link(to: peer) {
      guard !link.claims.contains(client) else { return }
      link.claims.append(client)
      tell(client, .connected(link.id, peer, .central))
      return
    }
    perform(initiator.add(client, peer, now: now), now: now)
    flush(now: now)
  }

  /// A client no longer wants a link, pending or up. It hears `disconnected` with `requested`: at once for a pending one
  /// (its link is 0) or one that others still use, else when the link has ended.
  public mutating func disconnect(_ client: ClientID, from peer: BluetoothAddress, now: Duration) {
    if initiator.isPending(peer, for: client) {
      perform(initiator.remove(client, peer, now: now), now: now)
      tell(client, .disconnected(LinkID(0), peer, .central, .requested))
    } else if let link = links.first(where: { $0.peer == peer && $0.claims.contains(client) }) {
      release(link, by: client, now: now)
    }
    flush(now: now)
  }

  /// Whether a client waits for a link to a device.
  public func isConnecting(_ client: ClientID, to peer: BluetoothAddress) -> Bool {
    initiator.isPending(peer, for: client)
  }

  /// The devices to which links are up, whoever asked for them, with the links.
  public var connectedPeers: [(link: LinkID, peer: BluetoothAddress)] {
    links.filter { !$0.isClosing }.map { ($0.id, $0.peer) }
  }

  /// A client asks for the signal strength of a link; the event `rssi` answers.
  public mutating func readRSSI(_ client: ClientID, link id: LinkID, now: Duration) {
    guard let link = link(id), !link.isClosing else { return tell(client, .rssi(id, nil)) }
    commands.enqueue(HCIReadRSSI(connectionHandle: link.handle), tag: .rssi(id, client), now: now)
    flush(now: now)
  }

  // MARK: Initiating

  /// 15...30 ms, brisk, as phones ask for; lost after 2 s without a packet.
  private static let connectionParameters = ConnectionParameters(
    minimumInterval: 12, maximumInterval: 24, latency: 0, supervisionTimeout: 200)

  mutating func perform(_ action: ConnectionInitiator.Action?, now: Duration) {
    switch action {
    case .create(let peer):
      commands.enqueue(
        HCILECreateConnection(
          scanInterval: 0x0060, scanWindow: 0x0060, peer: peer, ownAddressKind: .random,
          parameters: Self.connectionParameters),
        tag: .createConnection, now: now)
    case .cancel: commands.enqueue(HCILECreateConnectionCancel(), tag: .optional, now: now)
    case nil: break
    }
  }

  mutating func initiationFailed(_ status: HCIStatus, now: Duration) {
    let (failure, action) = initiator.failed(status, now: now)
    if let failure {
      for client in failure.clients { tell(client, .connectionFailed(failure.address, status)) }
    }
    perform(action, now: now)
  }

  mutating func received(_ event: LEConnectionComplete, now: Duration) {
    guard event.status == .success else { return initiationFailed(event.status, now: now) }
    // A handle is given again only after its link ended; if we missed that, it ended now.
    if let old = link(handle: event.connectionHandle) { ended(old, .connectionTimeout, now: now) }
    let link = Link(
      id: nextLinkID(), handle: event.connectionHandle, peer: event.peer, role: event.role,
      preferredMTU: configuration.preferredMTU)
    links.append(link)
    acl.open(event.connectionHandle)
    if capabilities.features.contains(.dataPacketLengthExtension) {
      commands.enqueue(
        HCILESetDataLength(
          connectionHandle: event.connectionHandle, maximumTransmitOctets: 251, maximumTransmitTime: 2120),
        tag: .optional, now: now)
    }
    switch event.role {
    case .central:
      let (waiting, action) = initiator.connected(event.peer, now: now)
      link.claims = waiting
      for client in waiting { tell(client, .connected(link.id, link.peer, .central)) }
      // All who asked gave up while the link came up.
      if waiting.isEmpty { close(link, now: now) } else { pump(link, now: now) }
      perform(action, now: now)
    case .peripheral:
      for client in clients { tell(client, .connected(link.id, link.peer, .peripheral)) }
      advertisingEndedByConnection(now: now)
    }
    for packet in early.take(handle: event.connectionHandle) { receiveData(packet, now: now) }
  }

  // MARK: Ending

  /// A client lets go of a link.
  mutating func release(_ link: Link, by client: ClientID, now: Duration) {
    guard let index = link.claims.firstIndex(of: client) else { return }
    if link.claims.count > 1 || link.role == .peripheral {
      link.claims.remove(at: index)
      link.client.removeClient(client, into: &link.clientOutputs)
      pump(link, now: now)
      tell(client, .disconnected(link.id, link.peer, .central, .requested))
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
    commands.enqueue(
      HCIDisconnect(connectionHandle: link.handle), tag: .disconnect(link.id), now: now)
  }

  /// A link has ended: everybody who waits on it hears so, once.
  mutating func ended(_ link: Link, _ status: HCIStatus, now: Duration) {
    link.disconnectDeadline = link.disconnectDeadline ?? now
    links.removeAll { $0 === link }
    acl.close(link.handle)
    _ = early.take(handle: link.handle)
    link.client.disconnect(into: &link.clientOutputs)
    link.server.disconnect(into: &link.serverOutputs)
    pump(link, now: now)
    let cause: DisconnectionCause = link.endWasRequested ? .requested : .reason(status)
    for client in clients where link.role == .peripheral || link.claims.contains(client) {
      tell(client, .disconnected(link.id, link.peer, link.claims.contains(client) ? .central : .peripheral, cause))
    }
    if link.role == .peripheral, advertiser.phase == .off, advertiser.current != nil, state == .poweredOn {
      refreshAdvertising(now: now)
    }
    // What it held is the controller's own again (Core 6.0 Vol 4 Part E 4.2).
    unreturnedPackets -= link.returnable
  }

  mutating func linkTimedOut(_ link: Link, now: Duration) {
    if link.isClosing { return ended(link, .connectionTimeout, now: now) }
    link.client.handleTimeout(now: now, into: &link.clientOutputs)
    link.server.handleTimeout(now: now, into: &link.serverOutputs)
    pump(link, now: now)
  }
}
