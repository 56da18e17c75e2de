import LatchkeyBluetoothHost
import LatchkeyByteCoding

// Advertising, scanning and initiating commands (Core 6.0 Vol 4 Part E 7.8.4 to 7.8.13).

extension VirtualController {
  mutating func executeAir(_ command: HCICommandPacket) throws(ByteCodingError) -> CommandOutcome {
    switch command.opcode {
    case .leSetRandomAddress:
      let address = try command.decode(as: HCILESetRandomAddress.self).address
      guard !state.advertiser.isEnabled, !state.scanner.isEnabled, state.initiator == nil else {
        return failed(command.opcode, .commandDisallowed)
      }
      state.randomAddress = address
      return done(HCILESetRandomAddress.self)
    case .leSetAdvertisingParameters:
      return setAdvertisingParameters(try command.decode(as: HCILESetAdvertisingParameters.self))
    case .leSetAdvertisingData:
      state.advertiser.data = try command.decode(as: HCILESetAdvertisingData.self).data.bytes
      return done(HCILESetAdvertisingData.self)
    case .leSetScanResponseData:
      state.advertiser.scanResponse = try command.decode(as: HCILESetScanResponseData.self).data.bytes
      return done(HCILESetScanResponseData.self)
    case .leSetAdvertisingEnable:
      return enableAdvertising(try command.decode(as: HCILESetAdvertisingEnable.self).isEnabled)
    case .leSetScanParameters:
      return setScanParameters(try command.decode(as: HCILESetScanParameters.self))
    default:
      return enableScanning(try command.decode(as: HCILESetScanEnable.self))
    }
  }

  // MARK: Advertising

  private mutating func setAdvertisingParameters(_ parameters: HCILESetAdvertisingParameters) -> CommandOutcome {
    let opcode = HCILESetAdvertisingParameters.opcode
    guard !state.advertiser.isEnabled else { return failed(opcode, .commandDisallowed) }
    let hasInterval =
      0x0020...0x4000 ~= parameters.minimumInterval && 0x0020...0x4000 ~= parameters.maximumInterval
      && parameters.minimumInterval <= parameters.maximumInterval
    // High duty cycle directed advertising ignores the interval (7.8.5).
    guard hasInterval || parameters.type == .directedHighDutyCycle, 0x01...0x07 ~= parameters.channelMap,
      parameters.filterPolicy <= 0x03
    else { return failed(opcode, .invalidParameters) }
    state.advertiser.parameters = parameters
    return done(HCILESetAdvertisingParameters.self)
  }

  private mutating func enableAdvertising(_ isEnabled: Bool) -> CommandOutcome {
    let opcode = HCILESetAdvertisingEnable.opcode
    guard isEnabled, !state.advertiser.isEnabled else {
      state.advertiser.isEnabled = isEnabled
      return done(HCILESetAdvertisingEnable.self)
    }
    guard ownAddress(state.advertiser.parameters.ownAddressKind) != nil else {
      return failed(opcode, .invalidParameters)
    }
    guard !state.advertiser.isConnectable || state.links.count < configuration.maximumLinks else {
      return failed(opcode, .connectionLimitExceeded)
    }
    state.advertiser.isEnabled = true
    return done(HCILESetAdvertisingEnable.self, then: .startAdvertising)
  }

  // MARK: Scanning

  private mutating func setScanParameters(_ parameters: HCILESetScanParameters) -> CommandOutcome {
    let opcode = HCILESetScanParameters.opcode
    guard !state.scanner.isEnabled else { return failed(opcode, .commandDisallowed) }
    // Filter policies 2 and 3 need link layer privacy.
    guard isValidScan(interval: parameters.interval, window: parameters.window), parameters.filterPolicy <= 0x01 else {
      return failed(opcode, .invalidParameters)
    }
    state.scanner.parameters = parameters
    return done(HCILESetScanParameters.self)
  }

  private func isValidScan(interval: UInt16, window: UInt16) -> Bool {
    0x0004...0x4000 ~= interval && 0x0004...0x4000 ~= window && window <= interval
  }

  private mutating func enableScanning(_ request: HCILESetScanEnable) -> CommandOutcome {
    guard request.isEnabled else {
      state.scanner.isEnabled = false
      return done(HCILESetScanEnable.self)
    }
    guard ownAddress(state.scanner.parameters.ownAddressKind) != nil else {
      return failed(HCILESetScanEnable.opcode, .invalidParameters)
    }
    guard state.initiator == nil || scansWhileInitiating else {
      return failed(HCILESetScanEnable.opcode, .commandDisallowed)
    }
    state.scanner.start(filteringDuplicates: request.filtersDuplicates)
    return done(HCILESetScanEnable.self, then: .startListening)
  }

  // MARK: Initiating

  private var scansWhileInitiating: Bool {
    configuration.scansWhileInitiating && !faults.refusesScanningWhileInitiating
  }

  mutating func createConnection(_ request: HCILECreateConnection) -> CommandOutcome {
    let opcode = HCILECreateConnection.opcode
    guard state.initiator == nil, !state.scanner.isEnabled || scansWhileInitiating else {
      return failed(opcode, .commandDisallowed)
    }
    guard isValidScan(interval: request.scanInterval, window: request.scanWindow), request.parameters.isValid,
      ownAddress(request.ownAddressKind) != nil
    else { return failed(opcode, .invalidParameters) }
    guard state.links.count < configuration.maximumLinks else { return failed(opcode, .connectionLimitExceeded) }
    if !request.usesFilterAcceptList, state.links.contains(where: { $0.peerAddress == request.peer }) {
      return failed(opcode, .connectionAlreadyExists)
    }
    state.initiator = request
    return pending(opcode, then: .startListening)
  }

  mutating func cancelConnection(_ command: HCICommandPacket) throws(ByteCodingError) -> CommandOutcome {
    _ = try command.decode(as: HCILECreateConnectionCancel.self)
    guard state.initiator != nil else { return failed(command.opcode, .commandDisallowed) }
    state.initiator = nil
    return done(HCILECreateConnectionCancel.self, then: .reportCancelledConnection)
  }
}
