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
    restartScanning(now: now)
    flush(now: now)
    return true
  }

  /// A client stops to scan. Harmless if it does not scan.
  public mutating func stopScan(_ client: ClientID, now: Duration) {
    scanner.stop(client)
    guard state == .poweredOn else { return }
    if !scanner.isActive {
      if scanningInController != nil { setScanning(nil, now: now) }
    } else if scanningInController != scanner.filtersDuplicates {
      restartScanning(now: now)
    }
    flush(now: now)
  }

  /// Whether any client scans.
  package var isAnyScanning: Bool { scanner.isActive }

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
      tag: .unheeded, now: now)
  }

  mutating func received(_ reports: [LEAdvertisingReport]) {
    for report in reports {
      for (client, discovery) in scanner.receive(report) { tell(client, .discovered(discovery)) }
    }
  }
}
