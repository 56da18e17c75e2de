import LatchkeyBluetoothHost

// The link layer's procedures (Core 6.0 Vol 6 Part B 5.1).

extension Radio {
  /// The version of all emulated link layers: 5.0, of no company (Assigned Numbers 7: 0xFFFF).
  static let version: UInt8 = 0x09
  static let companyIdentifier: UInt16 = 0xFFFF
  static let subversion: UInt16 = 0x0001

  /// Handles a control PDU at the other end.
  mutating func receiveControl(_ pdu: LinkControlPDU, from sender: LinkEnd, to end: LinkEnd, now: Duration) {
    guard let index = controllers[end.slot].linkIndex(end.handle) else { return }
    deadlineTable.change(end.slot)
    switch pdu {
    case .terminate(let reason):
      endLink(end.slot, index, reason: reason)
      guard let senderIndex = controllers[sender.slot].linkIndex(sender.handle) else { return }
      endLink(sender.slot, senderIndex, reason: controllers[sender.slot].state.links[senderIndex].lossReason)
    case .featureRequest:
      send(.control(.featureResponse(controllers[end.slot].features)), end.slot, index, now: now)
    case .featureResponse(let features):
      reportFeatures(end, .success, features)
    case .versionRequest:
      send(.control(.versionResponse), end.slot, index, now: now)
    case .versionResponse:
      let event = HCIReadRemoteVersionComplete(
        connectionHandle: end.handle, version: Self.version, companyIdentifier: Self.companyIdentifier,
        subversion: Self.subversion)
      emit(.readRemoteVersionComplete(event), to: end.slot)
    case .connectionUpdate(let interval, let latency, let supervisionTimeout):
      for changed in [sender, end] {
        guard let index = controllers[changed.slot].linkIndex(changed.handle) else { continue }
        controllers[changed.slot].state.links[index].change(interval, latency, supervisionTimeout, now: now)
        if timing.pdusPerConnectionEvent != nil {
          controllers[changed.slot].state.links[index].forgetEvents(after: now)
        }
        reportParameters(changed, .success)
        refreshLink(changed.slot, index, now: now)
      }
    case .connectionParameterRequest(let parameters):
      receiveParameterRequest(parameters, end, index, now: now)
    case .connectionParameterReject(let status):
      reportParameters(end, status)
    case .lengthRequest(let length):
      guard controllers[end.slot].features.contains(.dataPacketLengthExtension) else { return }
      agreeOnLength(length, end, index)
      send(.control(.lengthResponse(controllers[end.slot].state.links[index].wantedLength)), end.slot, index, now: now)
    case .lengthResponse(let length):
      agreeOnLength(length, end, index)
    case .encryption(let pdu):
      receiveEncryption(pdu, from: sender, to: end, index, now: now)
    }
  }

  // MARK: Features

  /// Requests the peer's features for the host. A peripheral may only if both sides can answer it.
  mutating func requestFeatures(_ end: LinkEnd, now: Duration) {
    guard let index = controllers[end.slot].linkIndex(end.handle) else { return }
    let link = controllers[end.slot].state.links[index]
    let peerFeatures = link.peer.map { controllers[$0.slot].features } ?? []
    let needed = LEFeatures.peripheralInitiatedFeaturesExchange
    guard
      link.role == .central
        || controllers[end.slot].features.contains(needed) && peerFeatures.contains(needed)
    else {
      reportFeatures(end, .unsupportedRemoteFeature, [])
      return
    }
    send(.control(.featureRequest(controllers[end.slot].features)), end.slot, index, now: now)
  }

  private mutating func reportFeatures(_ end: LinkEnd, _ status: HCIStatus, _ features: LEFeatures) {
    let event = LEReadRemoteFeaturesComplete(status: status, connectionHandle: end.handle, features: features)
    emit(.le(.readRemoteFeaturesComplete(event)), to: end.slot)
  }

  // MARK: Connection parameters

  /// Requests other parameters for the host: a central decides, a peripheral asks.
  mutating func updateConnection(_ end: LinkEnd, _ parameters: ConnectionParameters, now: Duration) {
    guard let index = controllers[end.slot].linkIndex(end.handle) else { return }
    let link = controllers[end.slot].state.links[index]
    if link.role == .central {
      let update = LinkControlPDU.connectionUpdate(
        interval: parameters.maximumInterval, latency: parameters.latency,
        supervisionTimeout: parameters.supervisionTimeout)
      send(.control(update), end.slot, index, now: now)
      return
    }
    let peerFeatures = link.peer.map { controllers[$0.slot].features } ?? .connectionParametersRequest
    guard peerFeatures.contains(.connectionParametersRequest) else {
      reportParameters(end, .unsupportedRemoteFeature)
      return
    }
    send(.control(.connectionParameterRequest(parameters)), end.slot, index, now: now)
  }

  private mutating func receiveParameterRequest(
    _ parameters: ConnectionParameters, _ end: LinkEnd, _ index: Int, now: Duration
  ) {
    // A host that masks the event cannot be asked (Vol 4 Part E 7.7.65.6).
    let request = LERemoteConnectionParameterRequest(connectionHandle: end.handle, parameters: parameters)
    let event = HCIEvent.le(.remoteConnectionParameterRequest(request))
    guard controllers[end.slot].state.lets(event) else {
      send(.control(.connectionParameterReject(.unsupportedRemoteFeature)), end.slot, index, now: now)
      return
    }
    controllers[end.slot].state.links[index].awaitsParameterReply = true
    emit(event, to: end.slot)
  }

  private mutating func reportParameters(_ end: LinkEnd, _ status: HCIStatus) {
    guard let index = controllers[end.slot].linkIndex(end.handle) else { return }
    let link = controllers[end.slot].state.links[index]
    let event = LEConnectionUpdateComplete(
      status: status, connectionHandle: end.handle, interval: link.interval, latency: link.latency,
      supervisionTimeout: link.supervisionTimeout)
    emit(.le(.connectionUpdateComplete(event)), to: end.slot)
  }

  // MARK: Data length

  /// Starts the procedure on a new link, if the host suggested more than the initial length.
  mutating func startDataLengthUpdate(_ end: LinkEnd, now: Duration) {
    guard let index = controllers[end.slot].linkIndex(end.handle),
      controllers[end.slot].state.suggestedOctets > DataLength.initial.transmitOctets
    else { return }
    requestDataLength(end, index, now: now)
  }

  mutating func requestDataLength(_ end: LinkEnd, _ index: Int, now: Duration) {
    send(.control(.lengthRequest(controllers[end.slot].state.links[index].wantedLength)), end.slot, index, now: now)
  }

  private mutating func agreeOnLength(_ length: DataLength, _ end: LinkEnd, _ index: Int) {
    let agreed = controllers[end.slot].state.links[index].wantedLength.agreed(with: length)
    guard agreed != controllers[end.slot].state.links[index].length else { return }
    controllers[end.slot].state.links[index].length = agreed
    let event = LEDataLengthChange(
      connectionHandle: end.handle, maximumTransmitOctets: agreed.transmitOctets,
      maximumTransmitTime: agreed.transmitTime, maximumReceiveOctets: agreed.receiveOctets,
      maximumReceiveTime: agreed.receiveTime)
    emit(.le(.dataLengthChange(event)), to: end.slot)
  }
}

extension VirtualLink {
  fileprivate mutating func change(_ interval: UInt16, _ latency: UInt16, _ timeout: UInt16, now: Duration) {
    self.interval = interval
    self.latency = latency
    supervisionTimeout = timeout
    anchor = now
    lostAt = nil
    sampleAt = nil
  }

  /// What waits for an event of the old interval is scheduled anew; one that is due already is still served.
  fileprivate mutating func forgetEvents(after now: Duration) {
    if let at = tryAt, at > now { tryAt = nil }
  }
}
