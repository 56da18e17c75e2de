import LatchkeyBluetoothHost
import LatchkeyByteCoding

// Information about the controller (Core 6.0 Vol 4 Part E 7.4, 7.8).

extension VirtualController {
  /// BR/EDR Not Supported (bit 37) and LE Supported (bit 38) (Vol 2 Part C 3.3).
  private static let lmpFeatures: UInt64 = 1 << 37 | 1 << 38
  /// Every combination of states and roles (Vol 4 Part E 7.8.27).
  private static let leStates: UInt64 = 0x03FF_FFFF_FFFF
  /// Passive and active scanning, each with initiating.
  private static let scanningAndInitiating: UInt64 = 1 << 22 | 1 << 23

  func readInformation(_ command: HCICommandPacket) throws(ByteCodingError) -> CommandOutcome {
    // None of these commands has parameters.
    try command.parameters.finish("command parameters")
    let ownBuffers = configuration.sharesBuffersWithClassic ? nil : buffers
    let classicBuffers = configuration.sharesBuffersWithClassic ? buffers : nil
    switch command.opcode {
    case .readLocalVersionInformation:
      return returned(
        HCIReadLocalVersionInformation.self,
        .init(
          hciVersion: Radio.version, hciSubversion: Radio.subversion, lmpVersion: Radio.version,
          companyIdentifier: Radio.companyIdentifier, lmpSubversion: Radio.subversion))
    case .readLocalSupportedCommands:
      return returned(HCIReadLocalSupportedCommands.self, .init(commands: HCISupportedCommands(supportedCommands)))
    case .readLocalSupportedFeatures:
      return returned(HCIReadLocalSupportedFeatures.self, .init(features: Self.lmpFeatures))
    case .readBufferSize:
      return returned(
        HCIReadBufferSize.self,
        .init(
          aclPacketLength: UInt16(classicBuffers?.length ?? 0), synchronousPacketLength: 0,
          aclPacketCount: UInt16(classicBuffers?.count ?? 0), synchronousPacketCount: 0))
    case .readBDADDR:
      return returned(HCIReadBDADDR.self, .init(address: address))
    case .leReadBufferSize:
      return returned(
        HCILEReadBufferSize.self,
        .init(aclPacketLength: UInt16(ownBuffers?.length ?? 0), aclPacketCount: UInt8(ownBuffers?.count ?? 0)))
    case .leReadBufferSizeV2:
      return returned(
        HCILEReadBufferSizeV2.self,
        .init(
          aclPacketLength: UInt16(ownBuffers?.length ?? 0), aclPacketCount: UInt8(ownBuffers?.count ?? 0),
          isoPacketLength: 0, isoPacketCount: 0))
    case .leReadLocalSupportedFeatures:
      return returned(HCILEReadLocalSupportedFeatures.self, .init(features: features))
    case .leReadSupportedStates:
      let lacking = configuration.scansWhileInitiating ? 0 : Self.scanningAndInitiating
      return returned(HCILEReadSupportedStates.self, .init(states: Self.leStates & ~lacking))
    case .leReadAdvertisingPhysicalChannelTxPower:
      return returned(HCILEReadAdvertisingPhysicalChannelTxPower.self, .init(level: configuration.transmitPower))
    case .leReadFilterAcceptListSize:
      return returned(HCILEReadFilterAcceptListSize.self, .init(size: UInt8(configuration.filterAcceptListSize)))
    case .leReadResolvingListSize:
      return returned(HCILEReadResolvingListSize.self, .init(size: UInt8(configuration.resolvingListSize)))
    case .leReadMaximumAdvertisingDataLength:
      return returned(
        HCILEReadMaximumAdvertisingDataLength.self, .init(length: UInt16(AdvertisingDataFragment.totalCapacity)))
    case .leReadNumberOfSupportedAdvertisingSets:
      return returned(
        HCILEReadNumberOfSupportedAdvertisingSets.self, .init(count: UInt8(configuration.advertisingSets)))
    case .leReadSuggestedDefaultDataLength:
      return returned(
        HCILEReadSuggestedDefaultDataLength.self,
        .init(maximumTransmitOctets: state.suggestedOctets, maximumTransmitTime: state.suggestedTime))
    default:
      let most = maximumDataLength
      return returned(
        HCILEReadMaximumDataLength.self,
        .init(
          maximumTransmitOctets: most.transmitOctets, maximumTransmitTime: most.transmitTime,
          maximumReceiveOctets: most.receiveOctets, maximumReceiveTime: most.receiveTime))
    }
  }
}
