// Channels with credits, as clients use them (Core 6.0 Vol 3 Part A 4.22, 10.1). Their events are in `ChannelEvent`.
extension Host {
  // MARK: Services

  /// Publishes a service with channels for a client. Each channel that a peer opens is reported to the client.
  ///
  /// - Returns: the number of the service, 0x0080...0x00FF; nil if all are in use.
  public mutating func publishChannel(_ client: ClientID, _ security: ChannelSecurity) -> UInt16? {
    guard clients.contains(client) else { return nil }
    return channels.publish(client, security)
  }

  /// Ends a service of a client; its open channels stay.
  ///
  /// - Returns: false if the client has no service of that number.
  public mutating func unpublishChannel(_ psm: UInt16, client: ClientID) -> Bool { channels.unpublish(psm, client) }

  // MARK: Channels

  /// Requests a channel of a service from the peer of a link. The client receives one event, `opened` or `failed`.
  ///
  /// A link with the peer of a bond is encrypted first. If the peer refuses the channel for lack of security, the link is
  /// encrypted or the devices pair, and it is requested again, once.
  @discardableResult
  public mutating func openChannel(_ client: ClientID, to psm: UInt16, on linkID: LinkID, now: Duration) -> ChannelID {
    let id = channels.nextID()
    guard let link = link(linkID), !link.isClosing, clients.contains(client) else {
      emit(client, .channel(.failed(id, linkID, .disconnected)))
      return id
    }
    guard let local = link.channels.nextIdentifier() else {
      emit(client, .channel(.failed(id, linkID, .noResources)))
      return id
    }
    let channel = CreditBasedChannel(
      id: id, link: link, client: client, psm: psm, isIncoming: false, local: local, .own)
    link.channels.add(channel)
    channels.add(channel)
    request(channel, now: now)
    flush(now: now)
    return id
  }

  /// Sends bytes over a channel: as one SDU, or as several if they are more than the peer's MTU.
  ///
  /// - Returns: how many were accepted, which is less than all if the queue is full; then `writable` follows. None if the
  ///   channel has ended.
  public mutating func writeChannel(_ id: ChannelID, _ bytes: [UInt8], now: Duration) -> Int {
    bytes.withUnsafeBytes { writeChannel(id, $0, now: now) }
  }

  /// Sends bytes over a channel; they are copied once.
  package mutating func writeChannel(_ id: ChannelID, _ bytes: UnsafeRawBufferPointer, now: Duration) -> Int {
    guard let channel = channels[id], channel.state == .open, !channel.link.isClosing else { return 0 }
    let count = channel.sender.write(bytes)
    fill(channel, now: now)
    flush(now: now)
    return count
  }

  /// Whether a channel accepts bytes now. If an open one does not, `writable` follows.
  public mutating func canWriteChannel(_ id: ChannelID) -> Bool {
    guard let channel = channels[id], channel.state == .open, !channel.link.isClosing else { return false }
    return channel.sender.canWrite()
  }

  /// Records that the client has processed `count` of a channel's `data` events, oldest first. Without it the peer soon
  /// has to stop.
  public mutating func consumeChannel(_ id: ChannelID, count: Int, now: Duration) {
    guard let channel = channels[id], channel.state == .open else { return }
    channel.receiver.consumed(count)
    returnCredits(of: channel, now: now)
    flush(now: now)
  }

  /// Closes a channel, or gives up one that was requested, and releases the number of one that ended. What was written
  /// is sent first, for some seconds. No event about the channel follows.
  public mutating func closeChannel(_ id: ChannelID, now: Duration) {
    guard let channel = channels[id] else { return }
    release(channel, now: now)
    flush(now: now)
  }

  /// Ends a client's use of a channel.
  private mutating func release(_ channel: CreditBasedChannel, now: Duration) {
    channels.remove(channel)
    switch channel.state {
    case .connecting: channel.state = .abandoned
    // The peer knows nothing of it.
    case .waiting: remove(channel)
    case .open:
      channel.state = .draining
      channel.drainDeadline = now + CreditBasedChannel.drainTimeout
      arm(channel.link)
      fill(channel, now: now)
    case .abandoned, .draining, .disconnecting, .ended: break
    }
  }

  /// Ends everything of a client that is removed.
  mutating func removeChannels(of client: ClientID, now: Duration) {
    channels.unpublishAll(of: client)
    for channel in channels.channels(of: client) { release(channel, now: now) }
  }

  /// Ends the channels that a client requested on a link which it no longer uses.
  mutating func endChannels(of client: ClientID, on link: Link, now: Duration) {
    for channel in link.channels.all where channel.client == client && !channel.isIncoming {
      end(channel, .disconnected, orFailure: .disconnected)
      release(channel, now: now)
    }
  }

  // MARK: Ends

  /// Ends all channels of a link that has ended.
  mutating func endChannels(of link: Link) {
    for channel in link.channels.all {
      end(channel, .disconnected, orFailure: .disconnected)
      remove(channel)
    }
  }

  /// Reports the end of a channel to its client, once, unless the client has closed it.
  mutating func end(_ channel: CreditBasedChannel, _ end: ChannelEnd, orFailure failure: ChannelFailure) {
    guard channels[channel.id] != nil else { return }
    switch channel.state {
    case .connecting, .waiting:
      emit(channel.client, .channel(.failed(channel.id, channel.link.id, failure)))
      channels.remove(channel)
    case .open:
      emit(channel.client, .channel(.closed(channel.id, end)))
      // Channels that a peer opened stay until the client has processed their end.
      if !channel.isIncoming { channels.remove(channel) }
    case .abandoned, .draining, .disconnecting, .ended: break
    }
  }

  /// Frees a channel's identifier.
  mutating func remove(_ channel: CreditBasedChannel) {
    if channel.isConnected { acl.closeQueue(channel.remote, channel.link.handle) }
    channel.state = .ended
    channel.drainDeadline = nil
    channel.link.channels.remove(channel)
  }

  /// Ends a channel whose peer violated the protocol.
  mutating func fail(_ channel: CreditBasedChannel, _ violation: ChannelViolation, now: Duration) {
    end(channel, .violated(violation), orFailure: .peerMisbehaved)
    disconnect(channel, now: now)
  }

  /// Asks the peer to close a channel. The identifier stays in use until it has.
  mutating func disconnect(_ channel: CreditBasedChannel, now: Duration) {
    guard channel.state != .disconnecting else { return }
    acl.closeQueue(channel.remote, channel.link.handle)
    channel.state = .disconnecting
    channel.drainDeadline = nil
    let request = L2CAPSignal.disconnectionRequest(destination: channel.remote, source: channel.local)
    let purpose = L2CAPSignallingMachine.Purpose.disconnection(
      channel.id, local: channel.local, remote: channel.remote)
    guard !channel.link.isClosing, let frame = channel.link.signalling.request(request, for: purpose, now: now) else {
      return
    }
    send(frame, .signalling, on: channel.link, now: now)
    arm(channel.link)
  }
}
