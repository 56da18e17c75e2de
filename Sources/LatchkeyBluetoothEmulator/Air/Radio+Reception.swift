import LatchkeyBluetoothHost

// The reception of advertising events: reports to the host, and connections (Core 6.0 Vol 6 Part B 4.4.3, 4.4.4, Vol 4
// Part E 7.7.65.2, 7.7.65.13).

extension Radio {
  /// Delivers one advertising event to one listener, or loses it.
  mutating func deliverAdvertisement(_ listener: Int, _ place: AdvertiserPlace, now: Duration) {
    let loss = air.loss(controllers[listener].id, controllers[place.slot].id)
    guard !random.happens(loss) else { return }
    if couldReport(listener, place), isInWindow(listener, place) { report(listener, place, loss: loss) }
    if couldConnect(listener, place),
      controllers[place.slot].state.links.count < controllers[place.slot].configuration.maximumLinks
    {
      connect(central: listener, to: place, now: now)
    }
    // It may not react to the same advertiser again, nor to another of the same address.
    if controllers[listener].state.scanner.filtersDuplicates {
      for index in controllers[place.slot].state.advertisers.indices {
        refreshListener(listener, to: AdvertiserPlace(slot: place.slot, index: index))
      }
    } else {
      refreshListener(listener, to: place)
    }
  }

  /// Whether a scanner receives when the advertisement is sent, by chance.
  private mutating func isInWindow(_ listener: Int, _ place: AdvertiserPlace) -> Bool {
    guard timing.hasScanWindows,
      let scan = controllers[listener].state.scanner.scan(on: self[place].primaryPHY), scan.interval > 0
    else { return true }
    return random.happens(Double(scan.window) / Double(scan.interval))
  }

  private mutating func report(_ listener: Int, _ place: AdvertiserPlace, loss: Double) {
    let advertiser = self[place]
    guard let address = controllers[place.slot].address(of: advertiser), let peer = peer(at: place, heardBy: listener)
    else { return }
    if peer.isResolved { controllers[listener].state.resolvingList.note(address, of: peer.address) }
    var report = advertiser.report(
      peer, target: controllers[place.slot].target(of: advertiser), form: controllers[listener].reportForm)
    report.rssi = air.rssi(controllers[listener].id, controllers[place.slot].id)
    let identity = advertiser.identity(peer.address)
    let forgetsOthers = controllers[listener].state.scanner.forgetsOthers(
      for: identity, dataIdentifier: advertiser.sentDataIdentifier)
    if forgetsOthers { listenerTable.change(listener) }
    deliver(
      report, advertiser.carriesData ? advertiser.data.bytes : [], of: advertiser, identity, to: listener, loss: loss)
    guard let scanner = scanRequest(to: place, peer, from: listener), !random.happens(loss) else { return }
    reportScanRequest(place, scanner)
    guard !random.happens(loss) else { return }
    report.eventType.insert(.scanResponse)
    deliver(report, advertiser.scanResponse.bytes, of: advertiser, identity, to: listener, loss: loss)
  }

  /// Sends an advertisement or a scan response to a host, unless the scanner's filter of duplicates drops it. Long data
  /// are several reports; when a packet of their chain is lost, the rest is lost with it.
  private mutating func deliver(
    _ report: LEAdvertisingReport, _ data: [UInt8], of advertiser: VirtualAdvertiser,
    _ identity: VirtualScanner.Advertiser, to listener: Int, loss: Double
  ) {
    let capacity = LEAdvertisingReport.extendedDataCapacity
    let starts = Array(stride(from: 0, to: max(data.count, 1), by: capacity))
    let received = 1 + starts.dropFirst().prefix { _ in !random.happens(loss) }.count
    let isWhole = received == starts.count
    guard
      controllers[listener].state.scanner.admits(
        identity, dataIdentifier: advertiser.sentDataIdentifier,
        isScanResponse: report.eventType.contains(.scanResponse), isWhole: isWhole)
    else { return }
    for start in starts.prefix(received) {
      var part = report
      part.data = Array(data[start..<min(start + capacity, data.count)])
      let isLast = start == starts[received - 1]
      part.dataStatus = !isLast ? .incomplete : isWhole ? .complete : .truncated
      emit(.le(.advertisingReports([part])), to: listener)
    }
  }

  // MARK: Scan requests

  /// The scanner as the advertiser knows it, where a scan request is sent and answered; nil where none is.
  private func scanRequest(
    to place: AdvertiserPlace, _ peer: ResolvingList.Peer, from listener: Int
  ) -> ResolvingList.Peer? {
    let advertiser = self[place]
    let scanner = controllers[listener].state.scanner
    guard advertiser.isScannable, scanner.scan(on: advertiser.primaryPHY)?.isActive == true,
      let own = controllers[listener].ownAddress(scanner.parameters.ownAddressKind, for: peer.address),
      let sender = controllers[place.slot].state.resolvingList.peer(at: own)
    else { return nil }
    let isAccepted =
      !advertiser.filtersScanRequests || controllers[place.slot].state.filterAcceptList.contains(sender.address)
    return isAccepted ? sender : nil
  }

  /// Informs the host of a set of a scan request, if it wants to know (7.7.65.19).
  private mutating func reportScanRequest(_ place: AdvertiserPlace, _ scanner: ResolvingList.Peer) {
    guard self[place].reportsScanRequests, let handle = self[place].handle else { return }
    emit(.le(.scanRequestReceived(LEScanRequestReceived(handle: handle, scanner: scanner.address))), to: place.slot)
  }
}

extension VirtualAdvertiser {
  /// A report of this advertiser's packets, without data and signal strength. Legacy packets name no set and no power.
  fileprivate func report(
    _ advertiser: ResolvingList.Peer, target: BluetoothAddress, form: LEAdvertisingReport.Form
  ) -> LEAdvertisingReport {
    LEAdvertisingReport(
      form: form, eventType: eventType, address: isAnonymous ? nil : advertiser.address,
      isResolved: advertiser.isResolved, directAddress: isDirected ? target : nil,
      primaryPHY: primaryPHY, secondaryPHY: isLegacy ? nil : secondaryPHY,
      setIdentifier: isLegacy ? nil : setIdentifier, rssi: 0,
      txPower: properties.contains(.includesTxPower) ? txPower : 127, data: [])
  }

  /// The event type in reports of this advertiser's packets.
  private var eventType: LEAdvertisingReport.EventType {
    var type: LEAdvertisingReport.EventType = []
    if isConnectable { type.insert(.connectable) }
    if isScannable { type.insert(.scannable) }
    if isDirected { type.insert(.directed) }
    if isLegacy { type.insert(.legacy) }
    return type
  }
}
