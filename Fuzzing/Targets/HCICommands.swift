// modules: LatchkeyByteCoding LatchkeyBluetoothHost
import LatchkeyBluetoothHost
import LatchkeyByteCoding

/// Reads the input as the parameters of a command that its first byte chooses, as a controller does, and as what that command
/// returns, as a host does. What decodes must encode to bytes of the same length that decode to the same value.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHCICommands(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let choice = input.first, count <= 256 else { return 0 }
  let parameters = Array(input.dropFirst())
  let index = Int(choice) % (synchronous.count + others.count)
  if index < synchronous.count {
    let type = synchronous[index]
    checkCommand(type, parameters)
    checkReturn(type, parameters)
  } else {
    let type = others[index - synchronous.count]
    checkCommand(type, parameters)
  }
  return 0
}

/// Commands that end with Command Complete. A corpus names them by their places: new ones go to the end of the second list.
private let synchronous: [any HCISynchronousCommand.Type] = [
  HCILESetAdvertisingSetRandomAddress.self, HCILESetExtendedAdvertisingParameters.self,
  HCILESetExtendedAdvertisingData.self, HCILESetExtendedScanResponseData.self, HCILESetExtendedAdvertisingEnable.self,
  HCILEReadMaximumAdvertisingDataLength.self, HCILEReadNumberOfSupportedAdvertisingSets.self,
  HCILERemoveAdvertisingSet.self, HCILEClearAdvertisingSets.self, HCILESetExtendedScanParameters.self,
  HCILESetExtendedScanEnable.self, HCILESetAdvertisingParameters.self, HCILESetAdvertisingData.self,
  HCILESetScanResponseData.self, HCILESetAdvertisingEnable.self, HCILEReadAdvertisingPhysicalChannelTxPower.self,
  HCILESetScanParameters.self, HCILESetScanEnable.self, HCILESetEventMask.self, HCILEReadBufferSize.self,
  HCILEReadBufferSizeV2.self, HCILEReadLocalSupportedFeatures.self, HCILESetRandomAddress.self, HCILERand.self,
  HCILEReadSupportedStates.self, HCILECreateConnectionCancel.self, HCILERemoteConnectionParameterRequestReply.self,
  HCILERemoteConnectionParameterRequestNegativeReply.self, HCILELongTermKeyRequestReply.self,
  HCILELongTermKeyRequestNegativeReply.self, HCILEReadFilterAcceptListSize.self, HCILEClearFilterAcceptList.self,
  HCILEAddDeviceToFilterAcceptList.self, HCILERemoveDeviceFromFilterAcceptList.self, HCILESetDataLength.self,
  HCILEReadSuggestedDefaultDataLength.self, HCILEWriteSuggestedDefaultDataLength.self, HCILEReadMaximumDataLength.self,
  HCIReadRSSI.self, HCIReset.self, HCISetEventMask.self, HCISetEventMaskPage2.self,
  HCIReadLocalVersionInformation.self, HCIReadLocalSupportedCommands.self, HCIReadLocalSupportedFeatures.self,
  HCIReadBufferSize.self, HCIReadBDADDR.self, HCISetControllerToHostFlowControl.self, HCIHostBufferSize.self,
]

private let others: [any HCICommand.Type] = [
  HCILEExtendedCreateConnection.self, HCILECreateConnection.self, HCILEConnectionUpdate.self,
  HCILEReadRemoteFeatures.self, HCILEEnableEncryption.self, HCIDisconnect.self,
  HCIReadRemoteVersionInformation.self, HCIHostNumberOfCompletedPackets.self, HCILEAddDeviceToResolvingList.self,
  HCILERemoveDeviceFromResolvingList.self, HCILEClearResolvingList.self, HCILEReadResolvingListSize.self,
  HCILEReadPeerResolvableAddress.self, HCILEReadLocalResolvableAddress.self, HCILESetAddressResolutionEnable.self,
  HCILESetResolvablePrivateAddressTimeout.self, HCILESetPrivacyMode.self,
]

private func checkCommand<Command: HCICommand>(_ type: Command.Type, _ parameters: [UInt8]) {
  let opcode = Command.opcode.rawValue
  let header: [UInt8] = [0x01, UInt8(opcode & 0xFF), UInt8(opcode >> 8), UInt8(parameters.count)]
  guard let packet = try? HCICommandPacket(decoding: header + parameters) else { fatalError("no packet") }
  guard let command = try? packet.decode(as: type) else { return }
  let encoded = command.packet
  guard encoded.count == header.count + parameters.count, Array(encoded.prefix(4)) == header else {
    fatalError("another length or opcode: \(encoded)")
  }
  guard let again = try? HCICommandPacket(decoding: encoded).decode(as: type), again == command else {
    fatalError("reads as another command: \(command)")
  }
}

private func checkReturn<Command: HCISynchronousCommand>(_ type: Command.Type, _ parameters: [UInt8]) {
  guard let returned = HCIReply.complete(ByteReader(parameters)).returned(by: type) else { return }
  var writer = ByteWriter()
  returned.encode(into: &writer)
  guard writer.bytes.count == parameters.count,
    HCIReply.complete(ByteReader(writer.bytes)).returned(by: type) == returned
  else { fatalError("reads as another reply: \(returned)") }
}
