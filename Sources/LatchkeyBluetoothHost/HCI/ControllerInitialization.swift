import LatchkeyByteCoding

/// Brings a controller from power-up to readiness, one command at a time (Core 6.0 Vol 6 Part D 2).
///
/// Only failures without which no link is possible are fatal: Reset, the event mask, buffers for data, an address.
/// Supported commands and features decide which commands are sent. A refused, malformed or missing reply to any of the
/// others is ignored.
package struct ControllerInitialization: Sendable {
  /// The next step.
  package enum Progress: Sendable {
    /// Send this command and pass its reply to `handle(_:)`.
    case send(any HCICommand)
    case ready(ControllerCapabilities)
    case failed(Failure)
  }

  /// Why a controller cannot be used.
  package enum Failure: Error, Sendable, Equatable {
    /// A command that must succeed was not answered.
    case unanswered(HCIOpcode)
    /// A command that must succeed failed.
    case refused(HCIOpcode, HCIStatus)
    /// It reports no buffers for LE data.
    case noBuffers
  }

  private enum Step: Int, Sendable, CaseIterable {
    case reset, version, commands, publicAddress, features, eventMask, eventMaskPage2, leEventMask
    case bufferSizeV2, leBufferSize, bufferSize, randomAddress
    case advertisingSets, advertisingDataLength
    case maximumDataLength, suggestDataLength, filterAcceptListSize, resolvingListSize, resolvingListProof
    case supportedStates, hostBufferSize, hostFlowControl
  }

  /// Bytes of data in one ACL packet to the host: more than any link layer packet holds.
  package static let hostPacketLength = 1024
  /// ACL packets that the controller may send before the host returns buffers.
  package static let hostPacketCount = 64

  /// The combination of active scanning and initiating among the LE states (7.8.27).
  private static let activeScanningAndInitiating: UInt64 = 1 << 23

  private let ownAddress: BluetoothAddress
  private let flowControl: HostFlowControl
  private let usesExtendedAdvertising: Bool
  private let usesControllerPrivacy: Bool
  private var step = Step.reset
  private var capabilities = ControllerCapabilities()
  private var quirks: ControllerQuirks = []
  private var maximumDataLength: HCILEReadMaximumDataLength.ReturnParameters?
  private var hasReadLEBuffers = false
  private var hasSetHostBuffers = false

  /// A start-up that sets `ownAddress` in the controller; a public one is the controller's own and not set.
  ///
  /// - Parameters:
  ///   - flowControl: whether the controller is asked to hold data back, if it can.
  ///   - usesExtendedAdvertising: whether the controller's extended advertising is used, if it has that.
  ///   - usesControllerPrivacy: whether the controller's resolving list is used, if it has one.
  package init(
    ownAddress: BluetoothAddress, flowControl: HostFlowControl = .whereKnownGood, usesExtendedAdvertising: Bool = true,
    usesControllerPrivacy: Bool = true
  ) {
    self.ownAddress = ownAddress
    self.flowControl = flowControl
    self.usesExtendedAdvertising = usesExtendedAdvertising
    self.usesControllerPrivacy = usesControllerPrivacy
  }

  /// Begins with Reset, whatever the state before.
  package mutating func start() -> Progress {
    self = ControllerInitialization(
      ownAddress: ownAddress, flowControl: flowControl, usesExtendedAdvertising: usesExtendedAdvertising,
      usesControllerPrivacy: usesControllerPrivacy)
    return .send(HCIReset())
  }

  /// Handles the reply to the last command.
  package mutating func handle(_ reply: HCIReply) -> Progress {
    if let failure = store(reply) { return .failed(failure) }
    while let next = Step(rawValue: step.rawValue + 1) {
      step = next
      if let command { return .send(command) }
    }
    return .ready(capabilities)
  }

  /// The command of this step; nil if it is not needed.
  private var command: (any HCICommand)? {
    switch step {
    case .reset: return HCIReset()
    case .version: return HCIReadLocalVersionInformation()
    case .commands: return HCIReadLocalSupportedCommands()
    case .publicAddress: return HCIReadBDADDR()
    case .features: return HCILEReadLocalSupportedFeatures()
    case .eventMask: return HCISetEventMask(mask: Self.eventMask)
    case .eventMaskPage2: return mayReportKeySizes ? HCISetEventMaskPage2(mask: Self.eventMaskPage2) : nil
    case .leEventMask: return HCILESetEventMask(mask: leEventMask)
    case .bufferSizeV2: return has(.leReadBufferSizeV2) ? HCILEReadBufferSizeV2() : nil
    case .leBufferSize: return hasReadLEBuffers ? nil : HCILEReadBufferSize()
    // Without buffers of its own, LE uses those of BR/EDR (7.8.2).
    case .bufferSize: return hasBuffers ? nil : HCIReadBufferSize()
    case .randomAddress: return ownAddress.kind == .random ? HCILESetRandomAddress(address: ownAddress) : nil
    case .advertisingSets: return hasExtendedAdvertising ? HCILEReadNumberOfSupportedAdvertisingSets() : nil
    case .advertisingDataLength: return hasExtendedAdvertising ? HCILEReadMaximumAdvertisingDataLength() : nil
    case .maximumDataLength:
      return capabilities.features.contains(.dataPacketLengthExtension) ? HCILEReadMaximumDataLength() : nil
    case .suggestDataLength:
      guard let maximumDataLength else { return nil }
      return HCILEWriteSuggestedDefaultDataLength(
        maximumTransmitOctets: maximumDataLength.maximumTransmitOctets,
        maximumTransmitTime: maximumDataLength.maximumTransmitTime)
    case .filterAcceptListSize:
      guard has(.leClearFilterAcceptList), has(.leAddDeviceToFilterAcceptList), has(.leReadFilterAcceptListSize) else {
        return nil
      }
      return HCILEReadFilterAcceptListSize()
    case .resolvingListSize: return hasResolvingList ? HCILEReadResolvingListSize() : nil
    // Some controllers list the commands, accept them, and resolve nothing: they do not miss a device that is not there.
    case .resolvingListProof:
      guard capabilities.resolvingListSize > 0 else { return nil }
      return HCILESetPrivacyMode(identity: .staticRandom(ownAddress.value), mode: .device)
    case .supportedStates: return has(.leReadSupportedStates) ? HCILEReadSupportedStates() : nil
    case .hostBufferSize:
      guard wantsFlowControl, has(.setControllerToHostFlowControl), has(.hostBufferSize),
        has(.hostNumberOfCompletedPackets)
      else { return nil }
      return HCIHostBufferSize(
        aclPacketLength: UInt16(Self.hostPacketLength), aclPacketCount: UInt16(Self.hostPacketCount))
    case .hostFlowControl: return hasSetHostBuffers ? HCISetControllerToHostFlowControl(isOnForACL: true) : nil
    }
  }

  /// Stores the content of the reply to this step's command. Returns a failure that ends the start-up.
  private mutating func store(_ reply: HCIReply) -> Failure? {
    switch step {
    case .reset: return require(reply, .reset)
    case .version:
      capabilities.version = reply.returned(by: HCIReadLocalVersionInformation.self)
      quirks = ControllerQuirks(manufacturer: capabilities.version?.companyIdentifier)
    case .commands:
      if let returned = reply.returned(by: HCIReadLocalSupportedCommands.self) {
        capabilities.commands = returned.commands
      }
    case .publicAddress:
      if let returned = reply.returned(by: HCIReadBDADDR.self), returned.address.value != 0 {
        capabilities.publicAddress = returned.address
      }
    case .features:
      if let returned = reply.returned(by: HCILEReadLocalSupportedFeatures.self) {
        capabilities.features = returned.features
        if quirks.contains(.codedPHYIsBroken) { capabilities.features.remove(.phyCoded) }
        if quirks.contains(.extendedAdvertisingIsBroken) { capabilities.features.remove(.extendedAdvertising) }
      }
    case .eventMask: return require(reply, .setEventMask)
    case .eventMaskPage2, .leEventMask: break
    case .bufferSizeV2:
      if let returned = reply.returned(by: HCILEReadBufferSizeV2.self) {
        keepBuffers(returned.aclPacketLength, UInt16(returned.aclPacketCount))
        hasReadLEBuffers = true
      }
    case .leBufferSize:
      guard let returned = reply.returned(by: HCILEReadBufferSize.self) else {
        return require(reply, .leReadBufferSize) ?? .noBuffers
      }
      keepBuffers(returned.aclPacketLength, UInt16(returned.aclPacketCount))
    case .bufferSize:
      if let returned = reply.returned(by: HCIReadBufferSize.self) {
        keepBuffers(returned.aclPacketLength, returned.aclPacketCount)
      }
      if !hasBuffers { return .noBuffers }
    case .randomAddress: return require(reply, .leSetRandomAddress)
    case .advertisingSets:
      var extended = ExtendedAdvertising()
      if let returned = reply.returned(by: HCILEReadNumberOfSupportedAdvertisingSets.self) {
        extended.setCount = Int(returned.count)
      }
      capabilities.extendedAdvertising = extended
    case .advertisingDataLength:
      if let returned = reply.returned(by: HCILEReadMaximumAdvertisingDataLength.self) {
        capabilities.extendedAdvertising?.dataCapacity = max(Int(returned.length), LegacyAdvertisingData.capacity)
      }
    case .maximumDataLength: maximumDataLength = reply.returned(by: HCILEReadMaximumDataLength.self)
    case .suggestDataLength: break
    case .filterAcceptListSize:
      capabilities.filterAcceptListSize = Int(reply.returned(by: HCILEReadFilterAcceptListSize.self)?.size ?? 0)
    case .resolvingListSize:
      capabilities.resolvingListSize = Int(reply.returned(by: HCILEReadResolvingListSize.self)?.size ?? 0)
    case .resolvingListProof:
      if reply.status != .unknownConnectionIdentifier { capabilities.resolvingListSize = 0 }
    case .supportedStates:
      if let states = reply.returned(by: HCILEReadSupportedStates.self)?.states {
        capabilities.scansWhileInitiating = states & Self.activeScanningAndInitiating != 0
      }
    case .hostBufferSize: hasSetHostBuffers = reply.returned(by: HCIHostBufferSize.self) != nil
    case .hostFlowControl:
      capabilities.usesHostFlowControl = reply.returned(by: HCISetControllerToHostFlowControl.self) != nil
    }
    return nil
  }

  private func require(_ reply: HCIReply, _ opcode: HCIOpcode) -> Failure? {
    guard let status = reply.status else { return .unanswered(opcode) }
    return status == .success ? nil : .refused(opcode, status)
  }

  private var wantsFlowControl: Bool {
    switch flowControl {
    case .never: false
    case .whereKnownGood: quirks.contains(.holdsDataBack)
    case .always: true
    }
  }

  private func has(_ opcode: HCIOpcode) -> Bool { capabilities.commands.contains(opcode) }

  /// Whether the host uses the extended commands: with only some of them, the legacy ones do all.
  private var hasExtendedAdvertising: Bool {
    usesExtendedAdvertising && capabilities.features.contains(.extendedAdvertising)
      && Self.extendedCommands.allSatisfy(has)
  }

  private static let extendedCommands: [HCIOpcode] = [
    .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
    .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable, .leReadMaximumAdvertisingDataLength,
    .leReadNumberOfSupportedAdvertisingSets, .leSetExtendedScanParameters, .leSetExtendedScanEnable,
    .leExtendedCreateConnection,
  ]

  /// Whether the controller has all that the host needs of a resolving list.
  private var hasResolvingList: Bool {
    usesControllerPrivacy && capabilities.features.contains(.privacy) && Self.privacyCommands.allSatisfy(has)
  }

  private static let privacyCommands: [HCIOpcode] = [
    .leAddDeviceToResolvingList, .leRemoveDeviceFromResolvingList, .leReadResolvingListSize,
    .leSetAddressResolutionEnable, .leSetPrivacyMode,
  ]

  private var hasBuffers: Bool { capabilities.aclPacketLength > 0 && capabilities.aclPacketCount > 0 }

  private mutating func keepBuffers(_ length: UInt16, _ count: UInt16) {
    capabilities.aclPacketLength = Int(length)
    capabilities.aclPacketCount = Int(count)
  }
}

// Event masks (Core 6.0 Vol 4 Part E 7.3.1, 7.8.1): the events that this host decodes, and no others.
extension ControllerInitialization {
  /// Disconnection Complete, Encryption Change, Read Remote Version Complete, Hardware Error, Data Buffer Overflow,
  /// Encryption Key Refresh Complete, LE Meta.
  static let eventMask: UInt64 = 1 << 4 | 1 << 7 | 1 << 11 | 1 << 15 | 1 << 25 | 1 << 47 | 1 << 61
  /// Version 2 of Encryption Change (7.3.69).
  static let eventMaskPage2: UInt64 = 1 << 25

  /// Whether the controller can have version 2 of Encryption Change, which came with Core 5.3.
  private var mayReportKeySizes: Bool {
    capabilities.features.contains(.encryption) && has(.setEventMaskPage2)
      && capabilities.version.map { $0.hciVersion >= 0x0C } ?? false
  }

  /// LE events that the controller can have by its features: some refuse unknown bits.
  private var leEventMask: UInt64 {
    // Connection Complete, Advertising Report, Connection Update Complete, Read Remote Features Complete.
    var mask: UInt64 = 0b1111
    let features = capabilities.features
    if features.contains(.encryption) { mask |= 1 << 4 }
    if features.contains(.connectionParametersRequest) { mask |= 1 << 5 }
    if features.contains(.dataPacketLengthExtension) { mask |= 1 << 6 }
    if features.contains(.privacy) { mask |= 1 << 9 }
    if features.contains(.extendedScanningFilterPolicies) { mask |= 1 << 10 }
    if !features.isDisjoint(with: [.phy2M, .phyCoded]) { mask |= 1 << 11 }
    if features.contains(.extendedAdvertising) { mask |= 1 << 12 }
    // Enhanced Connection Complete, Advertising Set Terminated.
    if hasExtendedAdvertising { mask |= 1 << 9 | 1 << 17 }
    return mask
  }
}

extension ControllerInitialization.Failure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unanswered(let command): "the controller does not answer the command \(command)"
    case .refused(let command, let status):
      "the controller refuses the command \(command) with the status 0x"
        + Hexadecimal.encode([status.rawValue]).uppercased()
    case .noBuffers: "the controller has no buffers for the data of LE links"
    }
  }
}
