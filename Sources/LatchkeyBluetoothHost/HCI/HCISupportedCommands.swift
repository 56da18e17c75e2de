package import LatchkeyByteCoding

/// The commands that a controller lists as supported: 64 octets, one bit for a command (Core 6.0 Vol 4 Part E 6.27).
///
/// A hint only: some controllers leave a command unanswered whose bit is set.
package struct HCISupportedCommands: Sendable, Equatable {
  /// How many octets there are.
  package static let count = 64

  private var octets: [UInt8]

  /// Sets the bits of these commands; those without a name here have no bit.
  package init(_ opcodes: some Sequence<HCIOpcode> = []) {
    octets = Array(repeating: 0, count: Self.count)
    for opcode in opcodes {
      guard let bit = Self.bits[opcode] else { continue }
      octets[bit / 8] |= 1 << (bit % 8)
    }
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    octets = try reader.bytes(Self.count, "Supported_Commands")
  }

  package func encode(into writer: inout ByteWriter) { writer.append(octets) }

  /// Whether the command's bit is set; false for commands without a name here.
  package func contains(_ opcode: HCIOpcode) -> Bool {
    guard let bit = Self.bits[opcode] else { return false }
    return octets[bit / 8] & 1 << (bit % 8) != 0
  }

  /// Octet times 8 plus bit, of every command in `HCIOpcode`.
  private static let bits: [HCIOpcode: Int] = [
    .disconnect: 0 * 8 + 5,
    .readRemoteVersionInformation: 2 * 8 + 7,
    .setEventMask: 5 * 8 + 6,
    .reset: 5 * 8 + 7,
    .setControllerToHostFlowControl: 10 * 8 + 5,
    .hostBufferSize: 10 * 8 + 6,
    .hostNumberOfCompletedPackets: 10 * 8 + 7,
    .readLocalVersionInformation: 14 * 8 + 3,
    .readLocalSupportedFeatures: 14 * 8 + 5,
    .readBufferSize: 14 * 8 + 7,
    .readBDADDR: 15 * 8 + 1,
    .readRSSI: 15 * 8 + 5,
    .setEventMaskPage2: 22 * 8 + 2,
    .leSetEventMask: 25 * 8 + 0,
    .leReadBufferSize: 25 * 8 + 1,
    .leReadLocalSupportedFeatures: 25 * 8 + 2,
    .leSetRandomAddress: 25 * 8 + 4,
    .leSetAdvertisingParameters: 25 * 8 + 5,
    .leReadAdvertisingPhysicalChannelTxPower: 25 * 8 + 6,
    .leSetAdvertisingData: 25 * 8 + 7,
    .leSetScanResponseData: 26 * 8 + 0,
    .leSetAdvertisingEnable: 26 * 8 + 1,
    .leSetScanParameters: 26 * 8 + 2,
    .leSetScanEnable: 26 * 8 + 3,
    .leCreateConnection: 26 * 8 + 4,
    .leCreateConnectionCancel: 26 * 8 + 5,
    .leReadFilterAcceptListSize: 26 * 8 + 6,
    .leClearFilterAcceptList: 26 * 8 + 7,
    .leAddDeviceToFilterAcceptList: 27 * 8 + 0,
    .leRemoveDeviceFromFilterAcceptList: 27 * 8 + 1,
    .leConnectionUpdate: 27 * 8 + 2,
    .leReadRemoteFeatures: 27 * 8 + 5,
    .leRand: 27 * 8 + 7,
    .leEnableEncryption: 28 * 8 + 0,
    .leLongTermKeyRequestReply: 28 * 8 + 1,
    .leLongTermKeyRequestNegativeReply: 28 * 8 + 2,
    .leReadSupportedStates: 28 * 8 + 3,
    .leRemoteConnectionParameterRequestReply: 33 * 8 + 4,
    .leRemoteConnectionParameterRequestNegativeReply: 33 * 8 + 5,
    .leSetDataLength: 33 * 8 + 6,
    .leReadSuggestedDefaultDataLength: 33 * 8 + 7,
    .leWriteSuggestedDefaultDataLength: 34 * 8 + 0,
    .leAddDeviceToResolvingList: 34 * 8 + 3,
    .leRemoveDeviceFromResolvingList: 34 * 8 + 4,
    .leClearResolvingList: 34 * 8 + 5,
    .leReadResolvingListSize: 34 * 8 + 6,
    .leReadPeerResolvableAddress: 34 * 8 + 7,
    .leReadLocalResolvableAddress: 35 * 8 + 0,
    .leSetAddressResolutionEnable: 35 * 8 + 1,
    .leSetResolvablePrivateAddressTimeout: 35 * 8 + 2,
    .leReadMaximumDataLength: 35 * 8 + 3,
    .leSetAdvertisingSetRandomAddress: 36 * 8 + 1,
    .leSetExtendedAdvertisingParameters: 36 * 8 + 2,
    .leSetExtendedAdvertisingData: 36 * 8 + 3,
    .leSetExtendedScanResponseData: 36 * 8 + 4,
    .leSetExtendedAdvertisingEnable: 36 * 8 + 5,
    .leReadMaximumAdvertisingDataLength: 36 * 8 + 6,
    .leReadNumberOfSupportedAdvertisingSets: 36 * 8 + 7,
    .leRemoveAdvertisingSet: 37 * 8 + 0,
    .leClearAdvertisingSets: 37 * 8 + 1,
    .leSetExtendedScanParameters: 37 * 8 + 5,
    .leSetExtendedScanEnable: 37 * 8 + 6,
    .leExtendedCreateConnection: 37 * 8 + 7,
    .leSetPrivacyMode: 39 * 8 + 2,
    .leReadBufferSizeV2: 41 * 8 + 5,
  ]
}
