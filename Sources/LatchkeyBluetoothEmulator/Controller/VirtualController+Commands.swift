import LatchkeyBluetoothHost
import LatchkeyByteCoding

// Execution of a command by the controller's own state (Core 6.0 Vol 4 Part E 7). The radio performs effects on others,
// after the answer.

extension VirtualController {
  /// Executes a command that the controller supports.
  ///
  /// - Throws: the error of its parameters, their length included.
  mutating func execute(
    _ command: HCICommandPacket, random: inout SplitMix64
  ) throws(ByteCodingError) -> CommandOutcome {
    guard admits(command.opcode) else { return failed(command.opcode, .commandDisallowed) }
    return switch command.opcode {
    case .reset, .setEventMask, .leSetEventMask, .setControllerToHostFlowControl, .hostBufferSize, .leRand:
      try executeControl(command, random: &random)
    case .readLocalVersionInformation, .readLocalSupportedCommands, .readLocalSupportedFeatures, .readBufferSize,
      .readBDADDR, .leReadBufferSize, .leReadBufferSizeV2, .leReadLocalSupportedFeatures, .leReadSupportedStates,
      .leReadAdvertisingPhysicalChannelTxPower, .leReadFilterAcceptListSize, .leReadSuggestedDefaultDataLength,
      .leReadMaximumDataLength, .leReadMaximumAdvertisingDataLength, .leReadNumberOfSupportedAdvertisingSets,
      .leReadResolvingListSize:
      try readInformation(command)
    case .leSetRandomAddress, .leSetAdvertisingParameters, .leSetAdvertisingData, .leSetScanResponseData,
      .leSetAdvertisingEnable, .leSetScanParameters, .leSetScanEnable:
      try executeAir(command)
    case .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
      .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable, .leRemoveAdvertisingSet,
      .leClearAdvertisingSets:
      try executeAdvertisingSets(command)
    case .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection:
      try executeExtendedScanning(command)
    case .leClearFilterAcceptList, .leAddDeviceToFilterAcceptList, .leRemoveDeviceFromFilterAcceptList:
      try executeFilterAcceptList(command)
    case .leAddDeviceToResolvingList, .leRemoveDeviceFromResolvingList, .leClearResolvingList,
      .leReadPeerResolvableAddress, .leReadLocalResolvableAddress, .leSetAddressResolutionEnable,
      .leSetResolvablePrivateAddressTimeout, .leSetPrivacyMode:
      try executePrivacy(command, random: &random)
    case .leCreateConnection:
      initiate(VirtualInitiator(try command.decode(as: HCILECreateConnection.self)), command.opcode)
    case .leCreateConnectionCancel:
      try cancelConnection(command)
    default:
      try executeLink(command)
    }
  }

  // MARK: Controller

  private mutating func executeControl(
    _ command: HCICommandPacket, random: inout SplitMix64
  ) throws(ByteCodingError) -> CommandOutcome {
    switch command.opcode {
    case .reset:
      _ = try command.decode(as: HCIReset.self)
      return done(HCIReset.self, then: .reset)
    case .setEventMask:
      state.eventMask = try command.decode(as: HCISetEventMask.self).mask
      return done(HCISetEventMask.self)
    case .leSetEventMask:
      state.leEventMask = try command.decode(as: HCILESetEventMask.self).mask
      return done(HCILESetEventMask.self)
    case .setControllerToHostFlowControl:
      let request = try command.decode(as: HCISetControllerToHostFlowControl.self)
      guard state.links.isEmpty else { return failed(command.opcode, .commandDisallowed) }
      state.hostFlow.isOn = request.isOnForACL
      return done(HCISetControllerToHostFlowControl.self)
    case .hostBufferSize:
      let size = try command.decode(as: HCIHostBufferSize.self)
      guard size.aclPacketLength >= 27, size.aclPacketCount > 0 else {
        return failed(command.opcode, .invalidParameters)
      }
      state.hostFlow.packetLength = Int(size.aclPacketLength)
      state.hostFlow.packetCount = Int(size.aclPacketCount)
      return done(HCIHostBufferSize.self)
    default:
      _ = try command.decode(as: HCILERand.self)
      return returned(HCILERand.self, .init(number: random.next()))
    }
  }

  // MARK: Filter accept list

  private mutating func executeFilterAcceptList(_ command: HCICommandPacket) throws(ByteCodingError) -> CommandOutcome {
    // Not while anything uses the list (7.8.15 to 7.8.17).
    let isInUse =
      state.advertisers.contains { $0.isEnabled && $0.filterPolicy != 0 }
      || state.scanner.isEnabled && state.scanner.usesFilterAcceptList
      || state.initiator?.request.usesFilterAcceptList == true
    switch command.opcode {
    case .leClearFilterAcceptList:
      _ = try command.decode(as: HCILEClearFilterAcceptList.self)
      guard !isInUse else { return failed(command.opcode, .commandDisallowed) }
      state.filterAcceptList = []
      return done(HCILEClearFilterAcceptList.self)
    case .leAddDeviceToFilterAcceptList:
      let address = try command.decode(as: HCILEAddDeviceToFilterAcceptList.self).address
      guard !isInUse else { return failed(command.opcode, .commandDisallowed) }
      if !state.filterAcceptList.contains(address) {
        guard state.filterAcceptList.count < configuration.filterAcceptListSize else {
          return failed(command.opcode, .memoryCapacityExceeded)
        }
        state.filterAcceptList.append(address)
      }
      return done(HCILEAddDeviceToFilterAcceptList.self)
    default:
      let address = try command.decode(as: HCILERemoveDeviceFromFilterAcceptList.self).address
      guard !isInUse else { return failed(command.opcode, .commandDisallowed) }
      state.filterAcceptList.removeAll { $0 == address }
      return done(HCILERemoveDeviceFromFilterAcceptList.self)
    }
  }
}
