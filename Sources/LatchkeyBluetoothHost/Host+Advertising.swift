extension Host {
  /// Starts advertising for a client; `advertisingStarted` reports the result. A second call replaces the parameters.
  ///
  /// Each client has an advertising set of its own where the controller has enough; elsewhere they take turns. A controller
  /// without extended advertising has one set, and refuses extended packets.
  ///
  /// - Parameter life: the life that the client knows of; nil for the current one.
  /// - Returns: whether the request was accepted. It is refused if the host is not powered on or that life is over.
  @discardableResult
  public mutating func startAdvertising(
    _ client: ClientID, _ parameters: AdvertisingParameters, life: HostLife? = nil, now: Duration
  ) -> Bool {
    guard accepts(client, life) else { return false }
    guard supports(parameters.packets), holds(parameters) else {
      emit(client, .advertisingStarted(.unsupportedFeatureOrParameter))
      return true
    }
    let set = advertising.start(client, parameters)
    // A device has one name: the advertised name is also what the GAP service returns from now on.
    if let name = parameters.localName { database.setDeviceName(name) }
    refreshAdvertising(in: set, now: now)
    flush(now: now)
    return true
  }

  /// Stops advertising for a client. Does nothing if it does not advertise.
  public mutating func stopAdvertising(_ client: ClientID, now: Duration) {
    guard let set = advertising.index(of: client), advertising[set].stop(client), state == .poweredOn else { return }
    refreshAdvertising(in: set, now: now)
    flush(now: now)
  }

  /// Whether a client asked to advertise and has not stopped.
  public func isAdvertising(_ client: ClientID) -> Bool { advertising.index(of: client) != nil }

  /// Whether the host uses its controller's extended advertising, scans and connections. False before it is powered on.
  package var usesExtendedAdvertising: Bool { capabilities.extendedAdvertising != nil }

  /// Whether the controller sends such packets.
  private func supports(_ packets: AdvertisingParameters.Packets) -> Bool {
    switch packets {
    case .legacy: true
    case .extended(let primary, let secondary):
      capabilities.extendedAdvertising != nil && primary != .le2M
        && [primary, secondary].allSatisfy(capabilities.features.supports)
    }
  }

  /// Whether the payloads that a client gave, if it gave any, fit into its packets.
  private func holds(_ parameters: AdvertisingParameters) -> Bool {
    guard let payloads = parameters.payloads else { return true }
    switch parameters.packets {
    case .legacy:
      return max(payloads.advertisement.count, payloads.scanResponse.count) <= AdvertisingPayload.capacity
    case .extended:
      let capacity = min(capabilities.extendedAdvertising?.dataCapacity ?? 0, AdvertisingPayload.extendedCapacity)
      return payloads.advertisement.count <= capacity && payloads.scanResponse.isEmpty
    }
  }

  /// Brings the controller's advertising in a set to the state that its clients want.
  mutating func refreshAdvertising(in set: Int, now: Duration) {
    endAdvertising(in: set, now: now)
    guard let parameters = advertising[set].current?.parameters else { return }
    let round = advertising[set].beginRound(now: now)
    if let extended = capabilities.extendedAdvertising {
      setUpAdvertising(parameters, in: set, longest: extended.dataCapacity, round: round, now: now)
    } else {
      setUpLegacyAdvertising(parameters, round: round, now: now)
    }
  }

  mutating func advertisingSetUpFailed(_ status: HCIStatus, in round: Advertiser.Round) {
    let set = Int(round.set)
    guard advertising[set].isCurrent(round) else { return }
    advertising[set].setUpFailure = advertising[set].setUpFailure ?? status
  }

  mutating func advertisingAnswered(_ status: HCIStatus, in round: Advertiser.Round, now: Duration) {
    let set = Int(round.set)
    guard advertising[set].isCurrent(round) else { return }
    let status = advertising[set].setUpFailure ?? status
    let client = advertising[set].answered(status)
    if let client { emit(client, .advertisingStarted(status)) }
    // The previous client advertises again. Each failure removes one request, so this terminates.
    if status != .success, client != nil || advertising[set].current == nil {
      refreshAdvertising(in: set, now: now)
    } else {
      rotateAdvertising(in: set, now: now)
    }
  }

  /// Switches to the next client of each set when the turn of the current one has ended.
  mutating func rotateAdvertising(now: Duration) {
    for set in advertising.indices { rotateAdvertising(in: set, now: now) }
  }

  private mutating func rotateAdvertising(in set: Int, now: Duration) {
    if advertising[set].handleTimeout(now: now) { refreshAdvertising(in: set, now: now) }
  }

  /// Handles the end of legacy advertising by an incoming connection; the clients still want to advertise.
  mutating func advertisingEndedByConnection(now: Duration) {
    // With sets, an event of its own tells which one ended.
    if capabilities.extendedAdvertising == nil { advertisingEnded(in: 0, now: now) }
  }

  /// Handles the end of a set's advertising by an incoming connection, or by itself.
  mutating func received(_ event: LEAdvertisingSetTerminated, now: Duration) {
    let set = Int(event.handle.rawValue)
    guard capabilities.extendedAdvertising != nil, advertising.indices.contains(set) else { return ignored.events += 1 }
    advertisingEnded(in: set, now: now)
  }

  private mutating func advertisingEnded(in set: Int, now: Duration) {
    guard advertising[set].phase != .off else { return }
    // While advertising is being set up it may still be enabled: it is off only after the controller was commanded so.
    if advertising[set].phase == .on { advertising[set].phase = .off }
    refreshAdvertising(in: set, now: now)
  }

  /// Resumes advertising after a link ended: a controller that refused to advertise for lack of resources may do so
  /// now.
  mutating func resumeAdvertising(now: Duration) {
    guard state == .poweredOn else { return }
    for set in advertising.indices where advertising[set].current != nil {
      if advertising[set].phase == .off || advertising[set].phase == .unclear { refreshAdvertising(in: set, now: now) }
    }
  }
}
