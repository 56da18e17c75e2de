import LatchkeyBluetoothHost
import LatchkeyByteCoding

// Commands of advertising sets (Core 6.0 Vol 4 Part E 7.8.52 to 7.8.56, 7.8.59, 7.8.60).

extension VirtualController {
  mutating func executeAdvertisingSets(_ command: HCICommandPacket) throws(ByteCodingError) -> CommandOutcome {
    switch command.opcode {
    case .leSetAdvertisingSetRandomAddress:
      setRandomAddress(try command.decode(as: HCILESetAdvertisingSetRandomAddress.self))
    case .leSetExtendedAdvertisingParameters:
      setParameters(try command.decode(as: HCILESetExtendedAdvertisingParameters.self))
    case .leSetExtendedAdvertisingData:
      setData(try command.decode(as: HCILESetExtendedAdvertisingData.self).fragment)
    case .leSetExtendedScanResponseData:
      setScanResponse(try command.decode(as: HCILESetExtendedScanResponseData.self).fragment)
    case .leSetExtendedAdvertisingEnable:
      enableSets(try command.decode(as: HCILESetExtendedAdvertisingEnable.self))
    case .leRemoveAdvertisingSet:
      removeSet(try command.decode(as: HCILERemoveAdvertisingSet.self).handle)
    default:
      clearSets(try command.decode(as: HCILEClearAdvertisingSets.self))
    }
  }

  private func setIndex(_ handle: AdvertisingHandle) -> Int? { state.advertisers.firstIndex { $0.handle == handle } }

  // MARK: Parameters

  /// Sets the random address of a set; one that is enabled and connectable keeps the address that peers know.
  private mutating func setRandomAddress(_ request: HCILESetAdvertisingSetRandomAddress) -> CommandOutcome {
    typealias Command = HCILESetAdvertisingSetRandomAddress
    guard let index = setIndex(request.handle) else { return failed(Command.opcode, .unknownAdvertisingIdentifier) }
    guard !state.advertisers[index].isEnabled || !state.advertisers[index].isConnectable else {
      return failed(Command.opcode, .commandDisallowed)
    }
    state.advertisers[index].randomAddress = request.address
    return done(Command.self)
  }

  private mutating func setParameters(_ parameters: HCILESetExtendedAdvertisingParameters) -> CommandOutcome {
    typealias Command = HCILESetExtendedAdvertisingParameters
    let index = setIndex(parameters.handle)
    var advertiser = index.map { state.advertisers[$0] } ?? VirtualAdvertiser(handle: parameters.handle)
    guard !advertiser.isEnabled else { return failed(Command.opcode, .commandDisallowed) }
    if let refusal = refusal(of: parameters) { return failed(Command.opcode, refusal) }
    let power =
      parameters.txPower == Command.noPreferredTxPower
      ? configuration.transmitPower : min(parameters.txPower, configuration.transmitPower)
    advertiser.set(parameters, txPower: power)
    guard advertiser.fitsItsData else { return failed(Command.opcode, .invalidParameters) }
    if let index {
      state.advertisers[index] = advertiser
    } else {
      guard state.advertisers.count < configuration.advertisingSets else {
        return failed(Command.opcode, .memoryCapacityExceeded)
      }
      advertiser.dataIdentifier = nextDataIdentifier()
      state.advertisers.append(advertiser)
    }
    return returned(Command.self, .init(selectedTxPower: power))
  }

  /// The refusal of parameters, whatever data the set has; nil if there is none (7.8.53).
  private func refusal(of parameters: HCILESetExtendedAdvertisingParameters) -> HCIStatus? {
    let isPower =
      -127...20 ~= parameters.txPower || parameters.txPower == HCILESetExtendedAdvertisingParameters.noPreferredTxPower
    guard parameters.properties.isAllowed, 0x01...0x07 ~= parameters.channelMap, parameters.filterPolicy <= 0x03,
      parameters.setIdentifier <= 0x0F, isPower
    else { return .invalidParameters }
    if parameters.properties.contains(.legacy) {
      // The secondary physical layer means nothing then.
      guard parameters.primaryPHY == .le1M else { return .invalidParameters }
    } else {
      guard parameters.primaryPHY != .le2M, supportedPHYs.contains(LEPHYs(parameters.primaryPHY)),
        supportedPHYs.contains(LEPHYs(parameters.secondaryPHY))
      else { return .unsupportedFeatureOrParameter }
    }
    // High duty cycle directed advertising ignores the interval.
    guard !parameters.properties.contains(.highDutyCycle) else { return nil }
    guard parameters.minimumInterval >= 0x20, parameters.maximumInterval >= 0x20 else {
      return .unsupportedFeatureOrParameter
    }
    return parameters.minimumInterval <= parameters.maximumInterval ? nil : .invalidParameters
  }

  // MARK: Data

  private mutating func setData(_ fragment: AdvertisingDataFragment) -> CommandOutcome {
    typealias Command = HCILESetExtendedAdvertisingData
    guard let index = setIndex(fragment.handle) else { return failed(Command.opcode, .unknownAdvertisingIdentifier) }
    if let refusal = state.advertisers[index].refusal(ofData: fragment) { return failed(Command.opcode, refusal) }
    let status = state.advertisers[index].data.take(fragment)
    state.advertisers[index].dataIdentifier = nextDataIdentifier()
    return status == .success ? done(Command.self) : failed(Command.opcode, status)
  }

  private mutating func setScanResponse(_ fragment: AdvertisingDataFragment) -> CommandOutcome {
    typealias Command = HCILESetExtendedScanResponseData
    guard let index = setIndex(fragment.handle) else { return failed(Command.opcode, .unknownAdvertisingIdentifier) }
    if let refusal = state.advertisers[index].refusal(ofScanResponse: fragment) {
      return failed(Command.opcode, refusal)
    }
    let status = state.advertisers[index].scanResponse.take(fragment)
    state.advertisers[index].dataIdentifier = nextDataIdentifier()
    return status == .success ? done(Command.self) : failed(Command.opcode, status)
  }

  // MARK: Enabling

  /// Starts or ends the advertising of several sets: of all that are named, or of none.
  private mutating func enableSets(_ request: HCILESetExtendedAdvertisingEnable) -> CommandOutcome {
    typealias Command = HCILESetExtendedAdvertisingEnable
    guard request.isEnabled || !request.sets.isEmpty else {
      for index in state.advertisers.indices { state.advertisers[index].isEnabled = false }
      return done(Command.self)
    }
    guard !request.sets.isEmpty, Set(request.sets.map(\.handle)).count == request.sets.count else {
      return failed(Command.opcode, .invalidParameters)
    }
    for set in request.sets {
      guard let index = setIndex(set.handle) else { return failed(Command.opcode, .unknownAdvertisingIdentifier) }
      if request.isEnabled, let refusal = refusal(toEnable: state.advertisers[index], duration: set.duration) {
        return failed(Command.opcode, refusal)
      }
    }
    for set in request.sets {
      guard let index = setIndex(set.handle) else { continue }
      state.advertisers[index].isEnabled = request.isEnabled
      state.advertisers[index].duration = set.duration == 0 ? nil : .milliseconds(Int64(set.duration) * 10)
      state.advertisers[index].maximumEvents = Int(set.maximumEvents)
    }
    return done(Command.self, then: request.isEnabled ? .startAdvertising(request.sets.map(\.handle)) : nil)
  }

  /// The refusal to enable a set; nil if there is none (7.8.56).
  private func refusal(toEnable advertiser: VirtualAdvertiser, duration: UInt16) -> HCIStatus? {
    let longest = UInt16(VirtualAdvertiser.directedDuration / .milliseconds(10))
    if advertiser.isHighDutyCycle, duration == 0 || duration > longest { return .invalidParameters }
    guard !advertiser.data.isPartial, !advertiser.scanResponse.isPartial else { return .commandDisallowed }
    if !advertiser.isLegacy, advertiser.isScannable, advertiser.scanResponse.bytes.isEmpty {
      return .commandDisallowed
    }
    guard advertiser.data.bytes.count <= advertiser.dataCapacity, address(of: advertiser) != nil else {
      return .invalidParameters
    }
    return !advertiser.isConnectable || state.links.count < configuration.maximumLinks ? nil : .connectionLimitExceeded
  }

  // MARK: Removal

  private mutating func removeSet(_ handle: AdvertisingHandle) -> CommandOutcome {
    typealias Command = HCILERemoveAdvertisingSet
    guard let index = setIndex(handle) else { return failed(Command.opcode, .unknownAdvertisingIdentifier) }
    guard !state.advertisers[index].isEnabled else { return failed(Command.opcode, .commandDisallowed) }
    state.advertisers.remove(at: index)
    return done(Command.self)
  }

  private mutating func clearSets(_ request: HCILEClearAdvertisingSets) -> CommandOutcome {
    guard !state.advertisers.contains(where: \.isEnabled) else {
      return failed(HCILEClearAdvertisingSets.opcode, .commandDisallowed)
    }
    state.advertisers = []
    return done(HCILEClearAdvertisingSets.self)
  }
}
