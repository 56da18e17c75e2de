import LatchkeyBluetoothHost
import LatchkeyByteCoding

// Legacy advertising, scanning and initiating commands (Core 6.0 Vol 4 Part E 7.8.4 to 7.8.13).

extension VirtualController {
  mutating func executeAir(_ command: HCICommandPacket) throws(ByteCodingError) -> CommandOutcome {
    switch command.opcode {
    case .leSetRandomAddress:
      return setRandomAddress(try command.decode(as: HCILESetRandomAddress.self).address)
    case .leSetAdvertisingParameters:
      return setAdvertisingParameters(try command.decode(as: HCILESetAdvertisingParameters.self))
    case .leSetAdvertisingData:
      let data = try command.decode(as: HCILESetAdvertisingData.self).data.bytes
      state.withLegacyAdvertiser { $0.data.bytes = data }
      return done(HCILESetAdvertisingData.self)
    case .leSetScanResponseData:
      let data = try command.decode(as: HCILESetScanResponseData.self).data.bytes
      state.withLegacyAdvertiser { $0.scanResponse.bytes = data }
      return done(HCILESetScanResponseData.self)
    case .leSetAdvertisingEnable:
      return enableAdvertising(try command.decode(as: HCILESetAdvertisingEnable.self).isEnabled)
    case .leSetScanParameters:
      return setScanParameters(try command.decode(as: HCILESetScanParameters.self))
    default:
      return enableScanning(try command.decode(as: HCILESetScanEnable.self))
    }
  }

  /// Sets the address of legacy advertising, of scanning and of initiating; advertising sets have their own.
  private mutating func setRandomAddress(_ address: BluetoothAddress) -> CommandOutcome {
    let isAdvertising = state.advertisers.contains { $0.handle == nil && $0.isEnabled }
    guard !isAdvertising, !state.scanner.isEnabled, state.initiator == nil else {
      return failed(HCILESetRandomAddress.opcode, .commandDisallowed)
    }
    state.randomAddress = address
    return done(HCILESetRandomAddress.self)
  }

  // MARK: Advertising

  private mutating func setAdvertisingParameters(_ parameters: HCILESetAdvertisingParameters) -> CommandOutcome {
    let opcode = HCILESetAdvertisingParameters.opcode
    guard !state.withLegacyAdvertiser({ $0.isEnabled }) else { return failed(opcode, .commandDisallowed) }
    let hasInterval =
      0x0020...0x4000 ~= parameters.minimumInterval && 0x0020...0x4000 ~= parameters.maximumInterval
      && parameters.minimumInterval <= parameters.maximumInterval
    // High duty cycle directed advertising ignores the interval (7.8.5).
    guard hasInterval || parameters.type == .directedHighDutyCycle, 0x01...0x07 ~= parameters.channelMap,
      parameters.filterPolicy <= 0x03
    else { return failed(opcode, .invalidParameters) }
    state.withLegacyAdvertiser { $0.set(parameters) }
    return done(HCILESetAdvertisingParameters.self)
  }

  private mutating func enableAdvertising(_ isEnabled: Bool) -> CommandOutcome {
    let opcode = HCILESetAdvertisingEnable.opcode
    let advertiser = state.withLegacyAdvertiser { $0 }
    guard isEnabled, !advertiser.isEnabled else {
      state.withLegacyAdvertiser { $0.isEnabled = isEnabled }
      return done(HCILESetAdvertisingEnable.self)
    }
    guard address(of: advertiser) != nil else { return failed(opcode, .invalidParameters) }
    guard !advertiser.isConnectable || state.links.count < configuration.maximumLinks else {
      return failed(opcode, .connectionLimitExceeded)
    }
    state.withLegacyAdvertiser {
      $0.isEnabled = true
      $0.duration = $0.isHighDutyCycle ? VirtualAdvertiser.directedDuration : nil
    }
    return done(HCILESetAdvertisingEnable.self, then: .startAdvertising([nil]))
  }

  // MARK: Scanning

  private mutating func setScanParameters(_ parameters: HCILESetScanParameters) -> CommandOutcome {
    let opcode = HCILESetScanParameters.opcode
    guard !state.scanner.isEnabled else { return failed(opcode, .commandDisallowed) }
    // Filter policies 2 and 3 are another feature, which no controller here has.
    guard 0x0004...0x4000 ~= parameters.interval, 0x0004...0x4000 ~= parameters.window,
      parameters.window <= parameters.interval, parameters.filterPolicy <= 0x01
    else { return failed(opcode, .invalidParameters) }
    state.scanner.parameters = HCILESetExtendedScanParameters(
      ownAddressKind: parameters.ownAddressKind, filterPolicy: parameters.filterPolicy,
      scan: .init(isActive: parameters.isActive, interval: parameters.interval, window: parameters.window))
    return done(HCILESetScanParameters.self)
  }

  private mutating func enableScanning(_ request: HCILESetScanEnable) -> CommandOutcome {
    guard request.isEnabled else {
      state.scanner.isEnabled = false
      return done(HCILESetScanEnable.self)
    }
    if let refusal = refusalToScan { return failed(HCILESetScanEnable.opcode, refusal) }
    state.scanner.start(
      HCILESetExtendedScanEnable(isEnabled: true, duplicateFilter: request.filtersDuplicates ? .on : .off),
      isExtended: false)
    return done(HCILESetScanEnable.self, then: .startScanning)
  }

  /// The refusal to start scanning; nil if there is none.
  var refusalToScan: HCIStatus? {
    guard ownAddress(state.scanner.parameters.ownAddressKind) != nil else { return .invalidParameters }
    return state.initiator == nil || scansWhileInitiating ? nil : .commandDisallowed
  }

  // MARK: Initiating

  private var scansWhileInitiating: Bool {
    configuration.scansWhileInitiating && !faults.refusesScanningWhileInitiating
  }

  /// Starts initiating, by a command of either family.
  mutating func initiate(_ initiator: VirtualInitiator, _ opcode: HCIOpcode) -> CommandOutcome {
    let request = initiator.request
    guard state.initiator == nil, !state.scanner.isEnabled || scansWhileInitiating else {
      return failed(opcode, .commandDisallowed)
    }
    let peer = request.usesFilterAcceptList ? nil : request.peer
    guard initiator.isValid, ownAddress(request.ownAddressKind, for: peer) != nil else {
      return failed(opcode, .invalidParameters)
    }
    guard state.links.count < configuration.maximumLinks else { return failed(opcode, .connectionLimitExceeded) }
    if let peer, state.links.contains(where: { $0.addresses.names(peer) }) {
      return failed(opcode, .connectionAlreadyExists)
    }
    state.initiator = initiator
    return pending(opcode, then: .startListening)
  }

  mutating func cancelConnection(_ command: HCICommandPacket) throws(ByteCodingError) -> CommandOutcome {
    _ = try command.decode(as: HCILECreateConnectionCancel.self)
    guard state.initiator != nil else { return failed(command.opcode, .commandDisallowed) }
    state.initiator = nil
    return done(HCILECreateConnectionCancel.self, then: .reportCancelledConnection)
  }
}
