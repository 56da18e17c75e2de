extension Host {
  /// A client advertises; `advertisingStarted` tells it how that went. A second call replaces the parameters.
  ///
  /// Where several clients advertise they take turns: a controller without extended advertising has one set.
  ///
  /// - Parameter life: the life that the client has heard of; nil for whichever this is.
  /// - Returns: whether it was taken; not if the host is not powered on, or that life is over.
  @discardableResult
  public mutating func startAdvertising(
    _ client: ClientID, _ parameters: AdvertisingParameters, life: HostLife? = nil, now: Duration
  ) -> Bool {
    guard takes(client, life) else { return false }
    advertiser.start(client, parameters)
    // A device is called one thing: what it advertises is what the GAP service answers from then on.
    if let name = parameters.localName { database.setDeviceName(name) }
    refreshAdvertising(now: now)
    flush(now: now)
    return true
  }

  /// A client stops to advertise. Harmless if it does not.
  public mutating func stopAdvertising(_ client: ClientID, now: Duration) {
    guard advertiser.stop(client), state == .poweredOn else { return }
    refreshAdvertising(now: now)
    flush(now: now)
  }

  /// Whether a client asked for advertising and has not stopped it.
  public func isAdvertising(_ client: ClientID) -> Bool { advertiser.isAdvertising(client) }

  /// Brings the controller to what the clients want now.
  mutating func refreshAdvertising(now: Duration) {
    if advertiser.phase != .off {
      commands.enqueue(HCILESetAdvertisingEnable(isEnabled: false), tag: .unheeded, now: now)
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
    let told = advertiser.answered(status)
    if let told { tell(told, .advertisingStarted(status)) }
    // The client that had the air before has it again. Each failure takes one request away, so this ends.
    if status != .success, told != nil || advertiser.current == nil {
      refreshAdvertising(now: now)
    } else {
      takeTurns(now: now)
    }
  }

  /// Gives the air to the next client, if the one that has it had its time.
  mutating func takeTurns(now: Duration) {
    if advertiser.handleTimeout(now: now) { refreshAdvertising(now: now) }
  }

  /// A controller stops advertising when it is connected to; the clients still want it.
  mutating func advertisingEndedByConnection(now: Duration) {
    guard advertiser.phase != .off else { return }
    // While it is being set up it may yet be enabled: then it is off only after it was told so.
    if advertiser.phase == .on { advertiser.phase = .off }
    refreshAdvertising(now: now)
  }

  /// A link ended: a controller that had no room for another one, and refused to advertise, may have it now.
  mutating func resumeAdvertising(now: Duration) {
    guard state == .poweredOn, advertiser.current != nil else { return }
    if advertiser.phase == .off || advertiser.phase == .unclear { refreshAdvertising(now: now) }
  }
}
