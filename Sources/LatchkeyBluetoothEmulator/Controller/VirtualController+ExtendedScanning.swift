import LatchkeyBluetoothHost
import LatchkeyByteCoding

// Extended scanning and initiating commands (Core 6.0 Vol 4 Part E 7.8.64 to 7.8.66).

extension VirtualController {
  mutating func executeExtendedScanning(_ command: HCICommandPacket) throws(ByteCodingError) -> CommandOutcome {
    switch command.opcode {
    case .leSetExtendedScanParameters:
      setScanParameters(try command.decode(as: HCILESetExtendedScanParameters.self))
    case .leSetExtendedScanEnable:
      enableScanning(try command.decode(as: HCILESetExtendedScanEnable.self))
    default:
      createConnection(try command.decode(as: HCILEExtendedCreateConnection.self))
    }
  }

  private mutating func setScanParameters(_ parameters: HCILESetExtendedScanParameters) -> CommandOutcome {
    typealias Command = HCILESetExtendedScanParameters
    guard !state.scanner.isEnabled else { return failed(Command.opcode, .commandDisallowed) }
    guard parameters.phys.isSubset(of: supportedPHYs) else {
      return failed(Command.opcode, .unsupportedFeatureOrParameter)
    }
    let isValid = parameters.scans.allSatisfy { $0.window >= 0x0004 && $0.window <= $0.interval }
    // Filter policies 2 and 3 are another feature, which no controller here has.
    guard isValid, parameters.filterPolicy <= 0x01 else { return failed(Command.opcode, .invalidParameters) }
    state.scanner.parameters = parameters
    return done(Command.self)
  }

  private mutating func enableScanning(_ request: HCILESetExtendedScanEnable) -> CommandOutcome {
    typealias Command = HCILESetExtendedScanEnable
    guard request.isEnabled else {
      state.scanner.isEnabled = false
      return done(Command.self)
    }
    // The period means nothing without a duration; units of 1.28 s and 10 ms.
    let hasPeriods = request.duration > 0 && request.period > 0
    guard hasPeriods || request.duplicateFilter != .renewedEachPeriod,
      !hasPeriods || Int(request.duration) < Int(request.period) * 128
    else { return failed(Command.opcode, .invalidParameters) }
    if let refusal = refusalToScan { return failed(Command.opcode, refusal) }
    state.scanner.start(request, isExtended: true)
    return done(Command.self, then: .startScanning)
  }

  private mutating func createConnection(_ request: HCILEExtendedCreateConnection) -> CommandOutcome {
    guard request.phys.isSubset(of: supportedPHYs) else {
      return failed(HCILEExtendedCreateConnection.opcode, .unsupportedFeatureOrParameter)
    }
    return initiate(VirtualInitiator(request), HCILEExtendedCreateConnection.opcode)
  }
}
