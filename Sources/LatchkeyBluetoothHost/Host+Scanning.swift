extension Host {
  /// A client scans: for devices that advertise one of `services`, or for all.
  ///
  /// A new scan of the same client replaces its old one.
  ///
  /// - Parameter life: the life that the client has heard of; nil for whichever this is.
  /// - Returns: whether it was taken; not if the host is not powered on, or that life is over.
  @discardableResult
  public mutating func startScan(
    _ client: ClientID, services: [BluetoothUUID]?, allowDuplicates: Bool, life: HostLife? = nil, now: Duration
  ) -> Bool {
    guard takes(client, life) else { return false }
    scanner.start(client, services: services, allowDuplicates: allowDuplicates)
    shareRadio(now: now)
    if !isScanningPaused { restartScanning(now: now) }
    flush(now: now)
    return true
  }

  /// A client stops to scan. Harmless if it does not scan.
  public mutating func stopScan(_ client: ClientID, now: Duration) {
    scanner.stop(client)
    guard state == .poweredOn else { return }
    shareRadio(now: now)
    if !scanner.isActive {
      if scanningInController != nil { setScanning(nil, now: now) }
    } else if scanningInController != scanner.filtersDuplicates, !isScanningPaused {
      restartScanning(now: now)
    }
    flush(now: now)
  }

  /// Whether any client scans.
  package var isAnyScanning: Bool { scanner.isActive }

  // MARK: A radio that cannot scan and initiate at once

  /// Whether scans wait for an initiation to end: controllers exist that cannot do both (Core 6.0 Vol 4 Part E 7.8.27).
  private var isScanningPaused: Bool { !capabilities.scansWhileInitiating && initiator.isInitiating }

  /// Has initiations leave time for scans, if they need it.
  mutating func shareRadio(now: Duration) {
    initiator.setSharesRadio(scanner.isActive && !capabilities.scansWhileInitiating, now: now)
  }

  /// A connection is about to be initiated.
  mutating func pauseScanning(now: Duration) {
    if scanningInController != nil, !capabilities.scansWhileInitiating { setScanning(nil, now: now) }
  }

  /// Goes on with scans that were paused.
  mutating func resumeScanning(now: Duration) {
    if state == .poweredOn, !isScanningPaused { restartScanning(now: now) }
  }

  /// The controller did not begin to scan. Some that cannot do it while they initiate say so only now.
  mutating func scanningRefused(_ status: HCIStatus, now: Duration) {
    guard status == .commandDisallowed, initiator.isInitiating, capabilities.scansWhileInitiating else { return }
    capabilities.scansWhileInitiating = false
    scanningInController = nil
    shareRadio(now: now)
  }

  /// A controller that filters duplicates forgets what it reported only when scanning starts anew.
  private mutating func restartScanning(now: Duration) {
    if scanningInController != nil { setScanning(nil, now: now) }
    // 40 ms and 30 ms in units of 0.625 ms: most of the air, and room for connections.
    commands.enqueue(
      HCILESetScanParameters(isActive: true, interval: 0x0040, window: 0x0030, ownAddressKind: .random),
      tag: .unheeded, now: now)
    setScanning(scanner.filtersDuplicates, now: now)
  }

  private mutating func setScanning(_ filtersDuplicates: Bool?, now: Duration) {
    scanningInController = filtersDuplicates
    commands.enqueue(
      HCILESetScanEnable(isEnabled: filtersDuplicates != nil, filtersDuplicates: filtersDuplicates ?? false),
      tag: filtersDuplicates == nil ? .unheeded : .startScanning, now: now)
  }

  mutating func received(_ reports: [LEAdvertisingReport]) {
    for report in reports {
      for (client, discovery) in scanner.receive(report) { tell(client, .discovered(discovery)) }
    }
  }
}
