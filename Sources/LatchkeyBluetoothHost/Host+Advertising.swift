extension Host {
  /// Starts advertising for a client; `advertisingStarted` reports the result. A second call replaces the parameters.
  ///
  /// Several advertising clients take turns: a controller without extended advertising has one set.
  ///
  /// - Parameter life: the life that the client knows of; nil for the current one.
  /// - Returns: whether the request was accepted. It is refused if the host is not powered on or that life is over.
  @discardableResult
  public mutating func startAdvertising(
    _ client: ClientID, _ parameters: AdvertisingParameters, life: HostLife? = nil, now: Duration
  ) -> Bool {
    guard accepts(client, life) else { return false }
    advertiser.start(client, parameters)
    // A device has one name: the advertised name is also what the GAP service returns from now on.
    if let name = parameters.localName { database.setDeviceName(name) }
    refreshAdvertising(now: now)
    flush(now: now)
    return true
  }

  /// Stops advertising for a client. Does nothing if it does not advertise.
  public mutating func stopAdvertising(_ client: ClientID, now: Duration) {
    guard advertiser.stop(client), state == .poweredOn else { return }
    refreshAdvertising(now: now)
    flush(now: now)
  }

  /// Whether a client asked to advertise and has not stopped.
  public func isAdvertising(_ client: ClientID) -> Bool { advertiser.isAdvertising(client) }

  /// Brings the controller's advertising to the state that the clients want.
  mutating func refreshAdvertising(now: Duration) {
    if advertiser.phase != .off {
      commands.enqueue(HCILESetAdvertisingEnable(isEnabled: false), tag: .ignored, now: now)
      advertiser.phase = .off
    }
    guard let parameters = advertiser.current?.parameters else { return }
    let payload = AdvertisingPayload(parameters)
    guard let advertisement = LegacyAdvertisingData(payload.advertisement.encode()),
      let scanResponse = LegacyAdvertisingData(payload.scanResponse.encode())
    else { return }
    let round = advertiser.beginRound(now: now)
    commands.enqueue(
      HCILESetAdvertisingParameters(
        minimumInterval: parameters.interval, maximumInterval: parameters.interval, ownAddressKind: .random),
      tag: .advertisingSetUp(round), now: now)
    commands.enqueue(HCILESetAdvertisingData(data: advertisement), tag: .advertisingSetUp(round), now: now)
    commands.enqueue(HCILESetScanResponseData(data: scanResponse), tag: .advertisingSetUp(round), now: now)
    commands.enqueue(HCILESetAdvertisingEnable(isEnabled: true), tag: .advertisingEnable(round), now: now)
  }

  mutating func advertisingSetUpFailed(_ status: HCIStatus, in round: Advertiser.Round) {
    guard advertiser.isCurrent(round) else { return }
    advertiser.setUpFailure = advertiser.setUpFailure ?? status
  }

  mutating func advertisingAnswered(_ status: HCIStatus, in round: Advertiser.Round, now: Duration) {
    guard advertiser.isCurrent(round) else { return }
    let status = advertiser.setUpFailure ?? status
    let client = advertiser.answered(status)
    if let client { emit(client, .advertisingStarted(status)) }
    // The previous client advertises again. Each failure removes one request, so this terminates.
    if status != .success, client != nil || advertiser.current == nil {
      refreshAdvertising(now: now)
    } else {
      rotateAdvertising(now: now)
    }
  }

  /// Switches to the next client when the turn of the current one has ended.
  mutating func rotateAdvertising(now: Duration) {
    if advertiser.handleTimeout(now: now) { refreshAdvertising(now: now) }
  }

  /// Handles the end of advertising by an incoming connection; the clients still want to advertise.
  mutating func advertisingEndedByConnection(now: Duration) {
    guard advertiser.phase != .off else { return }
    // While advertising is being set up it may still be enabled: it is off only after the controller was commanded so.
    if advertiser.phase == .on { advertiser.phase = .off }
    refreshAdvertising(now: now)
  }

  /// Resumes advertising after a link ended: a controller that refused to advertise for lack of resources may do so
  /// now.
  mutating func resumeAdvertising(now: Duration) {
    guard state == .poweredOn, advertiser.current != nil else { return }
    if advertiser.phase == .off || advertiser.phase == .unclear { refreshAdvertising(now: now) }
  }
}
