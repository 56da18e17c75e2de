extension Host {
  /// A client advertises; `advertisingStarted` tells it how that went. A second call replaces the parameters.
  ///
  /// Ignored unless the host is powered on.
  public mutating func startAdvertising(_ client: ClientID, _ parameters: AdvertisingParameters, now: Duration) {
    guard state == .poweredOn, clients.contains(client) else { return }
    advertiser.start(client, parameters)
    // A device is called one thing: what it advertises is what the GAP service answers from then on.
    if let name = parameters.localName { database.setDeviceName(name) }
    refreshAdvertising(now: now)
    flush(now: now)
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
      commands.enqueue(HCILESetAdvertisingEnable(isEnabled: false), tag: .optional, now: now)
      advertiser.phase = .off
    }
    guard let parameters = advertiser.current?.parameters else { return }
    let payload = AdvertisingPayload(parameters)
    guard let advertisement = LegacyAdvertisingData(payload.advertisement.encode()),
      let scanResponse = LegacyAdvertisingData(payload.scanResponse.encode())
    else { return }
    advertiser.phase = .starting
    advertiser.setUpFailure = nil
    commands.enqueue(
      HCILESetAdvertisingParameters(
        minimumInterval: parameters.interval, maximumInterval: parameters.interval, ownAddressKind: .random),
      tag: .advertisingSetUp, now: now)
    commands.enqueue(HCILESetAdvertisingData(data: advertisement), tag: .advertisingSetUp, now: now)
    commands.enqueue(HCILESetScanResponseData(data: scanResponse), tag: .advertisingSetUp, now: now)
    commands.enqueue(HCILESetAdvertisingEnable(isEnabled: true), tag: .advertisingEnable, now: now)
  }

  mutating func advertisingAnswered(_ status: HCIStatus, now: Duration) {
    guard advertiser.phase == .starting else { return }
    let status = advertiser.setUpFailure ?? status
    if advertiser.setUpFailure != nil {
      commands.enqueue(HCILESetAdvertisingEnable(isEnabled: false), tag: .optional, now: now)
    }
    for client in advertiser.answered(status) { tell(client, .advertisingStarted(status)) }
  }

  /// A controller stops advertising when it is connected to; the clients still want it.
  mutating func advertisingEndedByConnection(now: Duration) {
    guard advertiser.phase != .off else { return }
    advertiser.phase = .off
    refreshAdvertising(now: now)
  }
}
