// What the controller is commanded so that a set advertises (Core 6.0 Vol 4 Part E 7.8.5 to 7.8.9, 7.8.52 to 7.8.56).
extension Host {
  /// Ends the advertising of a set. Does nothing if it is not advertising.
  mutating func endAdvertising(in set: Int, now: Duration) {
    guard advertising[set].phase != .off else { return }
    if capabilities.extendedAdvertising == nil {
      commands.enqueue(HCILESetAdvertisingEnable(isEnabled: false), tag: .ignored, now: now)
    } else {
      let handle = AdvertisingHandle(rawValue: UInt8(set))
      commands.enqueue(
        HCILESetExtendedAdvertisingEnable(isEnabled: false, sets: [.init(handle: handle)]), tag: .ignored, now: now)
    }
    advertising[set].phase = .off
  }

  /// Sets up the one set of a controller without extended advertising.
  mutating func setUpLegacyAdvertising(
    _ parameters: AdvertisingParameters, round: Advertiser.Round, now: Duration
  ) {
    let payload = AdvertisingPayload(parameters)
    guard let advertisement = LegacyAdvertisingData(payload.advertisementBytes),
      let scanResponse = LegacyAdvertisingData(payload.scanResponseBytes)
    else { return }
    let isScannable = !payload.scanResponseBytes.isEmpty
    commands.enqueue(
      HCILESetAdvertisingParameters(
        minimumInterval: parameters.interval, maximumInterval: parameters.interval,
        type: parameters.isConnectable ? .connectable : isScannable ? .scannable : .nonConnectable,
        ownAddressKind: .random),
      tag: .advertisingSetUp(round), now: now)
    commands.enqueue(HCILESetAdvertisingData(data: advertisement), tag: .advertisingSetUp(round), now: now)
    commands.enqueue(HCILESetScanResponseData(data: scanResponse), tag: .advertisingSetUp(round), now: now)
    commands.enqueue(HCILESetAdvertisingEnable(isEnabled: true), tag: .advertisingEnable(round), now: now)
  }

  /// Sets up one set of a controller with extended advertising.
  ///
  /// - Parameter longest: the most data in an advertisement that the controller holds, in bytes.
  mutating func setUpAdvertising(
    _ parameters: AdvertisingParameters, in set: Int, longest: Int, round: Advertiser.Round, now: Duration
  ) {
    let handle = AdvertisingHandle(rawValue: UInt8(set))
    var command = HCILESetExtendedAdvertisingParameters(
      handle: handle, minimumInterval: UInt32(parameters.interval), maximumInterval: UInt32(parameters.interval),
      ownAddressKind: .random, setIdentifier: UInt8(set))
    let payload: AdvertisingPayload
    switch parameters.packets {
    case .legacy:
      payload = AdvertisingPayload(parameters)
      if !parameters.isConnectable {
        command.properties = payload.scanResponseBytes.isEmpty ? .legacy : [.legacy, .scannable]
      }
    case .extended(let primary, let secondary):
      command.properties = parameters.isConnectable ? .connectable : []
      (command.primaryPHY, command.secondaryPHY) = (primary, secondary)
      payload = AdvertisingPayload(parameters, extended: longest)
    }
    commands.enqueue(command, tag: .advertisingSetUp(round), now: now)
    commands.enqueue(
      HCILESetAdvertisingSetRandomAddress(handle: handle, address: localAddress.upcoming),
      tag: .advertisingSetUp(round), now: now)
    for fragment in AdvertisingDataFragment.fragments(of: payload.advertisementBytes, handle: handle) {
      commands.enqueue(HCILESetExtendedAdvertisingData(fragment), tag: .advertisingSetUp(round), now: now)
    }
    // A set with extended packets takes no scan requests here, and no data for them.
    if command.properties.contains(.scannable) {
      for fragment in AdvertisingDataFragment.fragments(of: payload.scanResponseBytes, handle: handle) {
        commands.enqueue(HCILESetExtendedScanResponseData(fragment), tag: .advertisingSetUp(round), now: now)
      }
    }
    commands.enqueue(
      HCILESetExtendedAdvertisingEnable(isEnabled: true, sets: [.init(handle: handle)]),
      tag: .advertisingEnable(round), now: now)
  }
}
