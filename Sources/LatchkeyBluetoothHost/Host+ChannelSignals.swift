import LatchkeyByteCoding

// The signalling channel: what peers request, and their answers (Core 6.0 Vol 3 Part A 4).
extension Host {
  /// Handles a PDU of the signalling channel.
  mutating func receivedSignalling(_ payload: ByteReader, on link: Link, now: Duration) {
    // One change at a time, however many a peer requests: the others are refused, and the peer may ask again.
    let isBusy = link.parametersChangeUntil.map { now < $0 } ?? false
    switch link.signalling.receive(payload, role: link.role, isChangingParameters: isBusy) {
    case .ignore: break
    case .send(let frame): send(frame, .signalling, on: link, now: now)
    case .update(let parameters, send: let frame):
      send(frame, .signalling, on: link, now: now)
      link.parametersChangeUntil = now + Link.parametersChangeTimeout
      commands.enqueue(
        HCILEConnectionUpdate(connectionHandle: link.handle, parameters: parameters), tag: .parameters(link.id),
        now: now)
    case .channel(let identifier, let signal): received(signal, identifier, on: link, now: now)
    case .answered(let purpose, let signal): answered(purpose, by: signal, on: link, now: now)
    }
  }

  /// Handles a command about channels.
  private mutating func received(_ signal: L2CAPSignal, _ identifier: UInt8, on link: Link, now: Duration) {
    switch signal {
    case .leCreditBasedConnectionRequest(let request):
      let (response, channel) = accept(request, on: link)
      send(
        L2CAPSignal.leCreditBasedConnectionResponse(response).frame(identifier: identifier), .signalling, on: link,
        now: now)
      if let channel { opened(channel) }
    case .disconnectionRequest(let destination, let source):
      closed(destination, source, identifier, on: link, now: now)
    case .flowControlCredit(let remote, let credits):
      // Credits for a channel that is not there are ignored: it may have ended meanwhile.
      guard let channel = link.channels.channel(remote: remote), channel.isSending else { return }
      do { try channel.sender.add(credits: credits) } catch { return fail(channel, error, now: now) }
      fill(channel, now: now)
    default: break
    }
  }

  // MARK: Requests

  /// Decides on a request for a channel (4.22).
  private mutating func accept(
    _ request: L2CAPLECreditBasedConnectionRequest, on link: Link
  ) -> (L2CAPLECreditBasedConnectionResponse, CreditBasedChannel?) {
    if let refusal = refusal(of: request, on: link) {
      return (L2CAPLECreditBasedConnectionResponse(result: refusal), nil)
    }
    guard let service = channels[request.spsm], let local = link.channels.nextIdentifier() else {
      return (L2CAPLECreditBasedConnectionResponse(result: .noResources), nil)
    }
    let own = ChannelParameters.own
    let channel = CreditBasedChannel(
      id: channels.nextID(), link: link, client: service.client, psm: request.spsm, isIncoming: true, local: local, own)
    channel.open(
      request.source, ChannelParameters(mtu: request.mtu, mps: request.mps, credits: request.initialCredits))
    link.channels.add(channel)
    channels.add(channel)
    let response = L2CAPLECreditBasedConnectionResponse(
      destination: local, mtu: own.mtu, mps: own.mps, initialCredits: own.credits, result: .success)
    return (response, channel)
  }

  /// Why a request for a channel is refused; nil if it is not.
  private func refusal(of request: L2CAPLECreditBasedConnectionRequest, on link: Link) -> ChannelResult? {
    guard let service = channels[request.spsm] else { return .spsmNotSupported }
    if service.security.needsEncryption {
      switch link.security.refusal(
        needsAuthentication: false, hasKey: link.server.hasKey, leastKeySize: link.server.leastKeySize)
      {
      case nil: break
      case .insufficientEncryption?: return .insufficientEncryption
      case .encryptionKeySizeTooShort?: return .keySizeTooShort
      default: return .insufficientAuthentication
      }
    }
    guard ChannelTable.identifiers.contains(request.source.rawValue) else { return .invalidSource }
    guard link.channels.channel(remote: request.source) == nil else { return .sourceAlreadyAllocated }
    guard ChannelParameters(mtu: request.mtu, mps: request.mps, credits: request.initialCredits).isValid else {
      return .unacceptableParameters
    }
    guard link.channels.incomingCount < ChannelTable.mostIncoming, service.unclosed < ChannelRegistry.mostPerService
    else { return .noResources }
    return nil
  }

  /// Handles a peer's request to close a channel (4.6).
  private mutating func closed(
    _ local: L2CAPChannelID, _ remote: L2CAPChannelID, _ identifier: UInt8, on link: Link, now: Duration
  ) {
    guard let channel = link.channels[local], channel.isConnected else {
      let rejection = L2CAPSignal.commandReject(.invalidChannel(local: local, remote: remote))
      return send(rejection.frame(identifier: identifier), .signalling, on: link, now: now)
    }
    // One with another identifier of the peer's end is dropped.
    guard channel.remote == remote else { return }
    let response = L2CAPSignal.disconnectionResponse(destination: local, source: remote)
    send(response.frame(identifier: identifier), .signalling, on: link, now: now)
    end(channel, .closedByPeer, orFailure: .disconnected)
    remove(channel)
  }

  private mutating func opened(_ channel: CreditBasedChannel) {
    emit(channel.client, .channel(.opened(channel.description)))
  }

  // MARK: Answers

  /// Handles the answer to a command of this host.
  private mutating func answered(
    _ purpose: L2CAPSignallingMachine.Purpose, by signal: L2CAPSignal, on link: Link, now: Duration
  ) {
    switch purpose {
    case .parameters: requestNextParameters(on: link, now: now)
    case .connection(let id):
      guard let channel = link.channels.channel(id) else { return }
      answered(channel, by: signal, now: now)
    case .disconnection(let id, _, _):
      // A rejection: the peer knows no such channel, so it is closed as well.
      guard let channel = link.channels.channel(id), channel.state == .disconnecting else { return }
      remove(channel)
    }
  }

  /// Handles the answer to the request for a channel (4.23).
  private mutating func answered(_ channel: CreditBasedChannel, by signal: L2CAPSignal, now: Duration) {
    guard case .leCreditBasedConnectionResponse(let response) = signal else {
      return failed(channel, .notSupported)
    }
    guard response.result == .success else { return refused(channel, response.result, now: now) }
    let link = channel.link
    guard ChannelTable.identifiers.contains(response.destination.rawValue),
      link.channels.channel(remote: response.destination) == nil
    else { return failed(channel, .peerMisbehaved) }
    let peer = ChannelParameters(mtu: response.mtu, mps: response.mps, credits: response.initialCredits)
    if peer.isValid, channel.state == .connecting {
      channel.open(response.destination, peer)
      return opened(channel)
    }
    // The peer has an end that is of no use here.
    end(channel, .disconnected, orFailure: .peerMisbehaved)
    channel.open(response.destination, peer)
    disconnect(channel, now: now)
  }

  /// Ends a channel that was not opened.
  mutating func failed(_ channel: CreditBasedChannel, _ failure: ChannelFailure) {
    end(channel, .disconnected, orFailure: failure)
    remove(channel)
  }
}
