extension Host {
  /// Starts a scan for a client: for devices that advertise one of `services`, or for all; besides, for devices that
  /// solicit one of `solicitedServices`.
  ///
  /// A new scan of the same client replaces its old one.
  ///
  /// - Parameter life: the life that the client knows of; nil for the current one.
  /// - Returns: whether the request was accepted. It is refused if the host is not powered on or that life is over.
  @discardableResult
  public mutating func startScan(
    _ client: ClientID, services: [BluetoothUUID]?, solicitedServices: [BluetoothUUID] = [], allowDuplicates: Bool,
    life: HostLife? = nil, now: Duration
  ) -> Bool {
    guard accepts(client, life) else { return false }
    scanner.start(
      client, services: services, solicitedServices: solicitedServices, allowDuplicates: allowDuplicates)
    shareRadio(now: now)
    if !isScanningPaused { restartScanning(now: now) }
    flush(now: now)
    return true
  }

  /// Stops a client's scan. Does nothing if it does not scan.
  public mutating func stopScan(_ client: ClientID, now: Duration) {
    scanner.stop(client)
    guard state == .poweredOn else { return }
    adaptScanning(now: now)
    flush(now: now)
  }

  /// Brings the controller's scanning to the state that the clients, and the host itself, want.
  mutating func adaptScanning(now: Duration) {
    shareRadio(now: now)
    if !scanner.isActive {
      if scanningInController != nil { setScanning(nil, now: now) }
    } else if scanningInController != scanner.filtersDuplicates, !isScanningPaused {
      restartScanning(now: now)
    }
  }

  /// Whether any client scans.
  package var isAnyScanning: Bool { scanner.hasClients }

  // MARK: A radio that cannot scan and initiate at once

  /// Whether scans wait for an initiation to end: some controllers cannot do both (Core 6.0 Vol 4 Part E 7.8.27).
  private var isScanningPaused: Bool { !capabilities.scansWhileInitiating && initiator.isInitiating }

  /// Makes initiations leave time for scans where the controller cannot do both.
  mutating func shareRadio(now: Duration) {
    initiator.setSharesRadio(scanner.isActive && !capabilities.scansWhileInitiating, now: now)
  }

  /// Pauses scanning before a connection is initiated.
  mutating func pauseScanning(now: Duration) {
    if scanningInController != nil, !capabilities.scansWhileInitiating { setScanning(nil, now: now) }
  }

  /// Resumes scans that were paused.
  mutating func resumeScanning(now: Duration) {
    if state == .poweredOn, !isScanningPaused { restartScanning(now: now) }
  }

  /// Handles a controller's refusal to scan. Some controllers that cannot scan while initiating report it only now.
  mutating func scanningRefused(_ status: HCIStatus, now: Duration) {
    guard status == .commandDisallowed, initiator.isInitiating, capabilities.scansWhileInitiating else { return }
    capabilities.scansWhileInitiating = false
    scanningInController = nil
    shareRadio(now: now)
  }

  /// Restarts scanning: a controller that filters duplicates clears its filter only then.
  private mutating func restartScanning(now: Duration) {
    if scanningInController != nil { setScanning(nil, now: now) }
    // 30 ms in 40 ms, in units of 0.625 ms: most of the airtime, with the rest free for connections.
    let (interval, window): (UInt16, UInt16) = (0x0040, 0x0030)
    if capabilities.extendedAdvertising == nil {
      commands.enqueue(
        HCILESetScanParameters(
          isActive: scanner.hasClients, interval: interval, window: window, ownAddressKind: .random),
        tag: .ignored, now: now)
    } else {
      // Two physical layers share that airtime: each has its window in an interval as long as theirs together.
      let phys = capabilities.features.primaryPHYs
      let scan = HCILESetExtendedScanParameters.Scan(
        isActive: scanner.hasClients, interval: interval * UInt16(phys.all.count), window: window)
      commands.enqueue(
        HCILESetExtendedScanParameters(ownAddressKind: .random, phys: phys, scan: scan), tag: .ignored, now: now)
    }
    setScanning(scanner.filtersDuplicates, now: now)
  }

  /// Starts or stops the controller's scanning.
  mutating func setScanning(_ filtersDuplicates: Bool?, now: Duration) {
    scanningInController = filtersDuplicates
    let tag: CommandTag = filtersDuplicates == nil ? .ignored : .startScanning
    if capabilities.extendedAdvertising == nil {
      commands.enqueue(
        HCILESetScanEnable(isEnabled: filtersDuplicates != nil, filtersDuplicates: filtersDuplicates ?? false),
        tag: tag, now: now)
    } else {
      commands.enqueue(
        HCILESetExtendedScanEnable(
          isEnabled: filtersDuplicates != nil, duplicateFilter: filtersDuplicates == true ? .on : .off),
        tag: tag, now: now)
    }
  }

  mutating func received(_ reports: [LEAdvertisingReport], now: Duration) {
    for report in reports {
      guard let report = identified(report, now: now) else {
        ignored.reports += 1
        continue
      }
      for (client, discovery) in scanner.receive(report) { emit(client, .discovered(discovery)) }
    }
  }
}
