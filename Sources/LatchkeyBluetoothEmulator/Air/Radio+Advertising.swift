import LatchkeyBluetoothHost

// Advertising events and their receivers (Core 6.0 Vol 6 Part B 4.4).

extension VirtualController {
  /// The address in this controller's advertisements.
  var advertisingAddress: BluetoothAddress? { ownAddress(state.advertiser.parameters.ownAddressKind) }
}

extension Radio {
  /// Whether a controller could react to an event of this advertiser.
  func listens(_ listener: Int, to advertiser: Int) -> Bool {
    guard listener != advertiser, controllers[listener].isOnAir, controllers[advertiser].isOnAir,
      controllers[advertiser].state.advertiser.isEnabled,
      couldReport(listener, advertiser) || couldConnect(listener, advertiser)
    else { return false }
    return air.loss(controllers[listener].id, controllers[advertiser].id) < 1
  }

  private func couldReport(_ listener: Int, _ advertiser: Int) -> Bool {
    let scanner = controllers[listener].state.scanner
    let advertising = controllers[advertiser].state.advertiser
    guard scanner.isEnabled, let address = controllers[advertiser].advertisingAddress,
      scanner.wants(address, isScannable: advertising.isScannable)
    else { return false }
    if scanner.usesFilterAcceptList, !controllers[listener].state.filterAcceptList.contains(address) { return false }
    return !advertising.isDirected
      || advertising.parameters.peer == controllers[listener].ownAddress(scanner.parameters.ownAddressKind)
  }

  private func couldConnect(_ listener: Int, _ advertiser: Int) -> Bool {
    guard let request = controllers[listener].state.initiator,
      let own = controllers[listener].ownAddress(request.ownAddressKind),
      let address = controllers[advertiser].advertisingAddress
    else { return false }
    let advertising = controllers[advertiser].state.advertiser
    let isMeant =
      request.usesFilterAcceptList
      ? controllers[listener].state.filterAcceptList.contains(address) : request.peer == address
    guard isMeant, advertising.isConnectable, !advertising.isDirected || advertising.parameters.peer == own,
      !controllers[listener].state.links.contains(where: { $0.peerAddress == address })
    else { return false }
    return !advertising.filtersConnectionRequests || controllers[advertiser].state.filterAcceptList.contains(own)
  }

  // MARK: Events

  /// Starts advertising: the first event is at once.
  mutating func startAdvertising(_ slot: Int, now: Duration) {
    isDeadlineStale = true
    controllers[slot].state.advertiser.nextEvent = now
    let isShort = controllers[slot].state.advertiser.parameters.type == .directedHighDutyCycle
    controllers[slot].state.advertiser.endsAt = isShort ? now + VirtualAdvertiser.directedDuration : nil
    advertise(slot, now: now)
  }

  /// Starts listening: a controller receives the current advertisers at once, then with all other listeners.
  mutating func startListening(_ slot: Int, now: Duration) {
    isDeadlineStale = true
    refreshListeners()
    for advertiser in controllers.indices where listens(slot, to: advertiser) {
      deliverAdvertisement(slot, advertiser, now: now)
      // Without a listener no events happened, and their time passed.
      if controllers[advertiser].state.advertiser.nextEvent <= now { planNextEvent(advertiser, now: now) }
    }
  }

  /// Performs the due event of an advertiser.
  mutating func serveAdvertiser(_ slot: Int, now: Duration) {
    guard controllers[slot].state.advertiser.isEnabled else { return }
    if let end = controllers[slot].state.advertiser.endsAt, end <= now {
      controllers[slot].state.advertiser.isEnabled = false
      listenerTable.change(slot)
      announceFailure(.advertisingTimeout, role: .peripheral, slot: slot)
    } else if controllers[slot].state.advertiser.nextEvent <= now {
      advertise(slot, now: now)
    }
  }

  private mutating func advertise(_ slot: Int, now: Duration) {
    refreshListeners()
    // An event may end another controller's listening: it may connect.
    for listener in listenerTable.listeners(to: slot) where listens(listener, to: slot) {
      deliverAdvertisement(listener, slot, now: now)
    }
    planNextEvent(slot, now: now)
  }

  private mutating func planNextEvent(_ slot: Int, now: Duration) {
    let advertiser = controllers[slot].state.advertiser
    var next = advertiser.nextEvent + advertiser.interval
    if next <= now { next = now + advertiser.interval }
    if timing.hasAdvertisingDelay { next += .microseconds(Int64(random.next() % 10_000)) }
    controllers[slot].state.advertiser.nextEvent = next
  }

  // MARK: Reception

  /// Delivers one advertising event to one listener, or loses it.
  private mutating func deliverAdvertisement(_ listener: Int, _ advertiser: Int, now: Duration) {
    let loss = air.loss(controllers[listener].id, controllers[advertiser].id)
    guard !random.happens(loss) else { return }
    if couldReport(listener, advertiser), isInWindow(controllers[listener].state.scanner.parameters) {
      report(listener, advertiser, loss: loss)
    }
    if couldConnect(listener, advertiser),
      controllers[advertiser].state.links.count < controllers[advertiser].configuration.maximumLinks
    {
      connect(central: listener, peripheral: advertiser, now: now)
    }
    // It may not react to the same advertiser again.
    refreshListeners(listener, to: advertiser)
  }

  /// Whether a scanner receives when the advertisement is sent, by chance.
  private mutating func isInWindow(_ parameters: HCILESetScanParameters) -> Bool {
    guard timing.hasScanWindows, parameters.interval > 0 else { return true }
    return random.happens(Double(parameters.window) / Double(parameters.interval))
  }

  private mutating func report(_ listener: Int, _ advertiser: Int, loss: Double) {
    guard let address = controllers[advertiser].advertisingAddress else { return }
    let advertising = controllers[advertiser].state.advertiser
    var report = LEAdvertisingReport(
      form: controllers[listener].reportForm, eventType: advertising.eventType, address: address,
      directAddress: advertising.isDirected ? advertising.parameters.peer : nil,
      rssi: air.rssi(controllers[listener].id, controllers[advertiser].id),
      data: advertising.isDirected ? [] : advertising.data)
    // A new entry in the filter of duplicates may displace another, which is reported again.
    if controllers[listener].state.scanner.forgetsOne(for: address) { listenerTable.change(listener) }
    if controllers[listener].state.scanner.admits(address, isScanResponse: false) {
      emit(.le(.advertisingReports([report])), to: listener)
    }
    guard answersScan(advertiser, listener), !random.happens(loss), !random.happens(loss),
      controllers[listener].state.scanner.admits(address, isScanResponse: true)
    else { return }
    report.eventType.insert(.scanResponse)
    report.data = advertising.scanResponse
    emit(.le(.advertisingReports([report])), to: listener)
  }

  /// Whether a scan request is sent, and answered.
  private func answersScan(_ advertiser: Int, _ listener: Int) -> Bool {
    let scan = controllers[listener].state.scanner.parameters
    let advertising = controllers[advertiser].state.advertiser
    guard scan.isActive, advertising.isScannable else { return false }
    guard advertising.filtersScanRequests, let own = controllers[listener].ownAddress(scan.ownAddressKind) else {
      return !advertising.filtersScanRequests
    }
    return controllers[advertiser].state.filterAcceptList.contains(own)
  }
}

extension VirtualAdvertiser {
  /// The event type in reports of this advertiser's packets.
  var eventType: LEAdvertisingReport.EventType {
    switch parameters.type {
    case .connectable: [.legacy, .connectable, .scannable]
    case .directedHighDutyCycle, .directedLowDutyCycle: [.legacy, .connectable, .directed]
    case .scannable: [.legacy, .scannable]
    case .nonConnectable: [.legacy]
    }
  }
}
