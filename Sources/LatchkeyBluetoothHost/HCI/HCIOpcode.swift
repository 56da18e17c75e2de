package import LatchkeyByteCoding

/// A command's opcode: group in the upper six bits, command in the lower ten (Core 6.0 Vol 4 Part E 5.4.1).
package struct HCIOpcode: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    rawValue = try reader.uint16("opcode")
  }

  package func encode(into writer: inout ByteWriter) { writer.uint16(rawValue) }

  /// No command: a Command Complete or Command Status of it only grants credits.
  package static let none = HCIOpcode(rawValue: 0x0000)

  // Link control (7.1)
  package static let disconnect = HCIOpcode(rawValue: 0x0406)
  package static let readRemoteVersionInformation = HCIOpcode(rawValue: 0x041D)

  // Controller and baseband (7.3)
  package static let setEventMask = HCIOpcode(rawValue: 0x0C01)
  package static let reset = HCIOpcode(rawValue: 0x0C03)
  package static let setControllerToHostFlowControl = HCIOpcode(rawValue: 0x0C31)
  package static let hostBufferSize = HCIOpcode(rawValue: 0x0C33)
  package static let hostNumberOfCompletedPackets = HCIOpcode(rawValue: 0x0C35)
  package static let setEventMaskPage2 = HCIOpcode(rawValue: 0x0C63)

  // Informational parameters (7.4)
  package static let readLocalVersionInformation = HCIOpcode(rawValue: 0x1001)
  package static let readLocalSupportedCommands = HCIOpcode(rawValue: 0x1002)
  package static let readLocalSupportedFeatures = HCIOpcode(rawValue: 0x1003)
  package static let readBufferSize = HCIOpcode(rawValue: 0x1005)
  package static let readBDADDR = HCIOpcode(rawValue: 0x1009)

  // Status parameters (7.5)
  package static let readRSSI = HCIOpcode(rawValue: 0x1405)

  // LE controller (7.8)
  package static let leSetEventMask = HCIOpcode(rawValue: 0x2001)
  package static let leReadBufferSize = HCIOpcode(rawValue: 0x2002)
  package static let leReadLocalSupportedFeatures = HCIOpcode(rawValue: 0x2003)
  package static let leSetRandomAddress = HCIOpcode(rawValue: 0x2005)
  package static let leSetAdvertisingParameters = HCIOpcode(rawValue: 0x2006)
  package static let leReadAdvertisingPhysicalChannelTxPower = HCIOpcode(rawValue: 0x2007)
  package static let leSetAdvertisingData = HCIOpcode(rawValue: 0x2008)
  package static let leSetScanResponseData = HCIOpcode(rawValue: 0x2009)
  package static let leSetAdvertisingEnable = HCIOpcode(rawValue: 0x200A)
  package static let leSetScanParameters = HCIOpcode(rawValue: 0x200B)
  package static let leSetScanEnable = HCIOpcode(rawValue: 0x200C)
  package static let leCreateConnection = HCIOpcode(rawValue: 0x200D)
  package static let leCreateConnectionCancel = HCIOpcode(rawValue: 0x200E)
  package static let leReadFilterAcceptListSize = HCIOpcode(rawValue: 0x200F)
  package static let leClearFilterAcceptList = HCIOpcode(rawValue: 0x2010)
  package static let leAddDeviceToFilterAcceptList = HCIOpcode(rawValue: 0x2011)
  package static let leRemoveDeviceFromFilterAcceptList = HCIOpcode(rawValue: 0x2012)
  package static let leConnectionUpdate = HCIOpcode(rawValue: 0x2013)
  package static let leReadRemoteFeatures = HCIOpcode(rawValue: 0x2016)
  package static let leRand = HCIOpcode(rawValue: 0x2018)
  package static let leEnableEncryption = HCIOpcode(rawValue: 0x2019)
  package static let leLongTermKeyRequestReply = HCIOpcode(rawValue: 0x201A)
  package static let leLongTermKeyRequestNegativeReply = HCIOpcode(rawValue: 0x201B)
  package static let leReadSupportedStates = HCIOpcode(rawValue: 0x201C)
  package static let leRemoteConnectionParameterRequestReply = HCIOpcode(rawValue: 0x2020)
  package static let leRemoteConnectionParameterRequestNegativeReply = HCIOpcode(rawValue: 0x2021)
  package static let leSetDataLength = HCIOpcode(rawValue: 0x2022)
  package static let leReadSuggestedDefaultDataLength = HCIOpcode(rawValue: 0x2023)
  package static let leWriteSuggestedDefaultDataLength = HCIOpcode(rawValue: 0x2024)
  package static let leAddDeviceToResolvingList = HCIOpcode(rawValue: 0x2027)
  package static let leRemoveDeviceFromResolvingList = HCIOpcode(rawValue: 0x2028)
  package static let leClearResolvingList = HCIOpcode(rawValue: 0x2029)
  package static let leReadResolvingListSize = HCIOpcode(rawValue: 0x202A)
  package static let leReadPeerResolvableAddress = HCIOpcode(rawValue: 0x202B)
  package static let leReadLocalResolvableAddress = HCIOpcode(rawValue: 0x202C)
  package static let leSetAddressResolutionEnable = HCIOpcode(rawValue: 0x202D)
  package static let leSetResolvablePrivateAddressTimeout = HCIOpcode(rawValue: 0x202E)
  package static let leReadMaximumDataLength = HCIOpcode(rawValue: 0x202F)
  package static let leSetAdvertisingSetRandomAddress = HCIOpcode(rawValue: 0x2035)
  package static let leSetExtendedAdvertisingParameters = HCIOpcode(rawValue: 0x2036)
  package static let leSetExtendedAdvertisingData = HCIOpcode(rawValue: 0x2037)
  package static let leSetExtendedScanResponseData = HCIOpcode(rawValue: 0x2038)
  package static let leSetExtendedAdvertisingEnable = HCIOpcode(rawValue: 0x2039)
  package static let leReadMaximumAdvertisingDataLength = HCIOpcode(rawValue: 0x203A)
  package static let leReadNumberOfSupportedAdvertisingSets = HCIOpcode(rawValue: 0x203B)
  package static let leRemoveAdvertisingSet = HCIOpcode(rawValue: 0x203C)
  package static let leClearAdvertisingSets = HCIOpcode(rawValue: 0x203D)
  package static let leSetExtendedScanParameters = HCIOpcode(rawValue: 0x2041)
  package static let leSetExtendedScanEnable = HCIOpcode(rawValue: 0x2042)
  package static let leExtendedCreateConnection = HCIOpcode(rawValue: 0x2043)
  package static let leSetPrivacyMode = HCIOpcode(rawValue: 0x204E)
  package static let leReadBufferSizeV2 = HCIOpcode(rawValue: 0x2060)
}

extension HCIOpcode: CustomStringConvertible {
  /// `0x2006`.
  package var description: String {
    "0x" + Hexadecimal.encode([UInt8(rawValue >> 8), UInt8(truncatingIfNeeded: rawValue)]).uppercased()
  }
}
