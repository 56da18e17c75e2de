import LatchkeyBluetoothHost
import LatchkeyByteCoding

/// The outcome of a command: the answer, then the effect on the air.
struct CommandOutcome {
  /// Nil only where the specification requires none.
  var reply: HCIEvent?
  var action: CommandAction?

  init(_ reply: HCIEvent?, then action: CommandAction? = nil) {
    self.reply = reply
    self.action = action
  }
}

/// An action that involves other controllers.
enum CommandAction {
  case reset
  /// Starts the advertisers of these handles, of which nil is legacy advertising.
  case startAdvertising([AdvertisingHandle?])
  case startScanning
  case startListening
  /// Begins the time of the private addresses anew.
  case restartPrivateAddresses
  case reportCancelledConnection
  case encrypt(HCILEEnableEncryption)
  case provideKey(ConnectionHandle, SecurityKey)
  case refuseKey(ConnectionHandle)
  case disconnect(ConnectionHandle, HCIStatus)
  case readRemoteVersion(ConnectionHandle)
  case readRemoteFeatures(ConnectionHandle)
  case updateConnection(ConnectionHandle, ConnectionParameters)
  case acceptParameters(ConnectionHandle, ConnectionParameters)
  case rejectParameters(ConnectionHandle, HCIStatus)
  case updateDataLength(ConnectionHandle)
}

extension VirtualController {
  /// Num_HCI_Command_Packets of each answer.
  var commandCredits: UInt8 { faults.commandCreditDelay == nil ? 1 : 0 }

  /// Success of a command that returns only that.
  func done<Command: HCISynchronousCommand>(
    _ command: Command.Type, then action: CommandAction? = nil
  ) -> CommandOutcome where Command.ReturnParameters == HCIStatusReturnParameters {
    returned(command, HCIStatusReturnParameters(), then: action)
  }

  /// The return parameters of a command.
  func returned<Command: HCISynchronousCommand>(
    _ command: Command.Type, _ parameters: Command.ReturnParameters, then action: CommandAction? = nil
  ) -> CommandOutcome {
    CommandOutcome(.complete(command, parameters, credits: commandCredits), then: action)
  }

  /// A command that continues: it ends with an event of its own.
  func pending(_ opcode: HCIOpcode, then action: CommandAction?) -> CommandOutcome {
    CommandOutcome(.commandStatus(.success, credits: commandCredits, opcode: opcode), then: action)
  }

  /// A command that failed, in the event that its kind ends with. Of the return parameters only the status is defined
  /// then, and only it is sent.
  func failed(_ opcode: HCIOpcode, _ status: HCIStatus) -> CommandOutcome {
    guard supportedCommands.contains(opcode), !Self.commandsEndedByEvents.contains(opcode) else {
      return CommandOutcome(.commandStatus(status, credits: commandCredits, opcode: opcode))
    }
    let parameters = ByteReader([status.rawValue])
    return CommandOutcome(.commandComplete(credits: commandCredits, opcode: opcode, parameters: parameters))
  }

  private static let commandsEndedByEvents: Set<HCIOpcode> = [
    .disconnect, .readRemoteVersionInformation, .leCreateConnection, .leConnectionUpdate, .leReadRemoteFeatures,
    .leEnableEncryption, .leExtendedCreateConnection,
  ]

  /// Commands that change no deadline: a host may send many of them.
  static let timelessCommands: Set<HCIOpcode> = [
    .setEventMask, .hostBufferSize, .setControllerToHostFlowControl, .readLocalVersionInformation,
    .readLocalSupportedCommands, .readLocalSupportedFeatures, .readBufferSize, .readBDADDR, .readRSSI, .leSetEventMask,
    .leReadBufferSize, .leReadBufferSizeV2, .leReadLocalSupportedFeatures, .leReadAdvertisingPhysicalChannelTxPower,
    .leReadFilterAcceptListSize, .leRand, .leReadSupportedStates, .leReadSuggestedDefaultDataLength,
    .leWriteSuggestedDefaultDataLength, .leReadMaximumDataLength, .leReadMaximumAdvertisingDataLength,
    .leReadNumberOfSupportedAdvertisingSets, .leReadResolvingListSize, .leReadPeerResolvableAddress,
    .leReadLocalResolvableAddress,
  ]

  /// The commands that a controller with these features supports.
  static func commands(for features: LEFeatures) -> Set<HCIOpcode> {
    var commands = Set(commonCommands)
    if features.contains(.encryption) { commands.formUnion(encryptionCommands) }
    if features.contains(.connectionParametersRequest) { commands.formUnion(parameterRequestCommands) }
    if features.contains(.dataPacketLengthExtension) { commands.formUnion(dataLengthCommands) }
    if features.contains(.privacy) { commands.formUnion(privacyCommands) }
    if features.contains(.extendedAdvertising) { commands.formUnion(AirCommandFamily.extendedCommands) }
    return commands
  }

  private static let commonCommands: [HCIOpcode] = [
    .disconnect, .readRemoteVersionInformation, .setEventMask, .reset, .setControllerToHostFlowControl,
    .hostBufferSize, .hostNumberOfCompletedPackets, .readLocalVersionInformation, .readLocalSupportedCommands,
    .readLocalSupportedFeatures, .readBufferSize, .readBDADDR, .readRSSI, .leSetEventMask, .leReadBufferSize,
    .leReadBufferSizeV2, .leReadLocalSupportedFeatures, .leSetRandomAddress, .leSetAdvertisingParameters,
    .leReadAdvertisingPhysicalChannelTxPower, .leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable,
    .leSetScanParameters, .leSetScanEnable, .leCreateConnection, .leCreateConnectionCancel,
    .leReadFilterAcceptListSize, .leClearFilterAcceptList, .leAddDeviceToFilterAcceptList,
    .leRemoveDeviceFromFilterAcceptList, .leConnectionUpdate, .leReadRemoteFeatures, .leRand, .leReadSupportedStates,
  ]

  private static let encryptionCommands: [HCIOpcode] = [
    .leEnableEncryption, .leLongTermKeyRequestReply, .leLongTermKeyRequestNegativeReply,
  ]

  private static let parameterRequestCommands: [HCIOpcode] = [
    .leRemoteConnectionParameterRequestReply, .leRemoteConnectionParameterRequestNegativeReply,
  ]

  private static let dataLengthCommands: [HCIOpcode] = [
    .leSetDataLength, .leReadSuggestedDefaultDataLength, .leWriteSuggestedDefaultDataLength, .leReadMaximumDataLength,
  ]
}
