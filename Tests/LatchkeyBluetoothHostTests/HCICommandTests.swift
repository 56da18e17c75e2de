import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

/// Packets by the tables of Core 6.0 Vol 4 Part E 7: indicator, opcode, length, parameters.
@Suite struct HCICommandTests {
  private let random = BluetoothAddress(0xC0FF_EE00_0001, kind: .random)
  private let `public` = BluetoothAddress(0x0011_2233_4455, kind: .public)

  @Test("Link control commands have the specification's bytes") func linkControl() throws {
    try expectCommand(HCIDisconnect(connectionHandle: 0x0040), "01 0604 03 4000 13")
    try expectCommand(HCIDisconnect(connectionHandle: 0x0EFF, reason: .remotePowerOff), "01 0604 03 FF0E 15")
    try expectCommand(HCIReadRemoteVersionInformation(connectionHandle: 0x0102), "01 1D04 02 0201")
    try expectCommand(HCIReadRSSI(connectionHandle: 0x0102), "01 0514 02 0201")
    try expectReturn(HCIReadRSSI.self, .init(connectionHandle: 0x0102, rssi: -60), "00 0201 C4")
  }

  @Test("Encryption commands have the specification's bytes") func encryption() throws {
    let key = try #require(SecurityKey([UInt8](0x10...0x1F)))
    try expectCommand(
      HCILEEnableEncryption(
        connectionHandle: 0x0102, randomNumber: 0x0807_0605_0403_0201, encryptedDiversifier: 0x0A09, longTermKey: key),
      "01 1920 1C 0201 0102030405060708 090A 101112131415161718191A1B1C1D1E1F")
    try expectCommand(
      HCILELongTermKeyRequestReply(connectionHandle: 0x0102, longTermKey: key),
      "01 1A20 12 0201 101112131415161718191A1B1C1D1E1F")
    try expectReturn(HCILELongTermKeyRequestReply.self, .init(connectionHandle: 0x0102), "00 0201")
    try expectCommand(HCILELongTermKeyRequestNegativeReply(connectionHandle: 0x0102), "01 1B20 02 0201")
    try expectReturn(HCILELongTermKeyRequestNegativeReply.self, .init(connectionHandle: 0x0102), "00 0201")
  }

  @Test("Commands with a key print none of its bytes") func keysDoNotPrint() throws {
    let key = try #require(SecurityKey(Array(repeating: 0xA5, count: 16)))
    let commands: [any HCICommand] = [
      HCILEEnableEncryption(connectionHandle: 1, longTermKey: key),
      HCILELongTermKeyRequestReply(connectionHandle: 1, longTermKey: key),
    ]
    for command in commands {
      var dumped = ""
      dump(command, to: &dumped)
      for text in ["\(command)", String(reflecting: command), dumped] {
        #expect(text.contains("a secret"))
        #expect(!text.contains("165") && !text.lowercased().contains("a5"))
      }
    }
  }

  @Test("Controller commands have the specification's bytes") func controllerAndBaseband() throws {
    try expectCommand(HCIReset(), "01 030C 00")
    try expectReturn(HCIReset.self, .init(), "00")
    try expectCommand(HCISetEventMask(mask: 0x2000_1FFF_FFFF_FFFF), "01 010C 08 FFFFFFFFFF1F0020")
    try expectReturn(HCISetEventMask.self, .init(), "00")
    try expectCommand(HCISetEventMaskPage2(mask: 1 << 25), "01 630C 08 0000000200000000")
    try expectReturn(HCISetEventMaskPage2.self, .init(), "00")
  }

  @Test("Host flow control commands have the specification's bytes") func hostFlowControl() throws {
    try expectCommand(HCISetControllerToHostFlowControl(isOnForACL: true), "01 310C 01 01")
    try expectCommand(HCISetControllerToHostFlowControl(isOnForACL: false), "01 310C 01 00")
    try expectReturn(HCISetControllerToHostFlowControl.self, .init(), "00")
    try expectCommand(
      HCIHostBufferSize(aclPacketLength: 0x0400, synchronousPacketLength: 0x40, aclPacketCount: 0x0102),
      "01 330C 07 0004 40 0201 0000")
    try expectReturn(HCIHostBufferSize.self, .init(), "00")
    try expectCommand(HCIHostNumberOfCompletedPackets([]), "01 350C 01 00")
    let one = HCIHostNumberOfCompletedPackets([.init(connectionHandle: 0x0040, count: 3)])
    try expectCommand(one, "01 350C 05 01 4000 0300")
    #expect(HCIHostNumberOfCompletedPackets.packet(0x0040, count: 3) == one.packet)
    try expectCommand(
      HCIHostNumberOfCompletedPackets([
        .init(connectionHandle: 0x0040, count: 3), .init(connectionHandle: 0x0041, count: 0x0100),
      ]), "01 350C 09 02 4000 0300 4100 0001")
  }

  @Test("The bit of synchronous flow control is ignored") func flowControlForSynchronousDataToo() throws {
    #expect(try decode(HCISetControllerToHostFlowControl.self, "01 310C 01 02") == .init(isOnForACL: false))
    #expect(try decode(HCISetControllerToHostFlowControl.self, "01 310C 01 03") == .init(isOnForACL: true))
    refuse(HCISetControllerToHostFlowControl.self, "01 310C 01 04")
  }

  @Test("Informational commands have the specification's bytes") func informational() throws {
    try expectCommand(HCIReadLocalVersionInformation(), "01 0110 00")
    try expectReturn(
      HCIReadLocalVersionInformation.self,
      .init(
        hciVersion: 0x0E, hciSubversion: 0x0201, lmpVersion: 0x0D, companyIdentifier: 0x05F1, lmpSubversion: 0x0403),
      "00 0E 0102 0D F105 0304")
    try expectCommand(HCIReadLocalSupportedFeatures(), "01 0310 00")
    try expectReturn(
      HCIReadLocalSupportedFeatures.self, .init(features: 0x0000_0060_0000_0000), "00 0000000060000000")
    try expectCommand(HCIReadBufferSize(), "01 0510 00")
    try expectReturn(
      HCIReadBufferSize.self,
      .init(aclPacketLength: 0x03FD, synchronousPacketLength: 0x40, aclPacketCount: 7, synchronousPacketCount: 8),
      "00 FD03 40 0700 0800")
    try expectCommand(HCIReadBDADDR(), "01 0910 00")
    try expectReturn(HCIReadBDADDR.self, .init(address: `public`), "00 554433221100")
  }

  @Test("LE controller commands have the specification's bytes") func leController() throws {
    try expectCommand(HCILESetEventMask(mask: 0x1F), "01 0120 08 1F00000000000000")
    try expectReturn(HCILESetEventMask.self, .init(), "00")
    try expectCommand(HCILEReadBufferSize(), "01 0220 00")
    try expectReturn(HCILEReadBufferSize.self, .init(aclPacketLength: 0x00FB, aclPacketCount: 15), "00 FB00 0F")
    try expectCommand(HCILEReadBufferSizeV2(), "01 6020 00")
    try expectReturn(
      HCILEReadBufferSizeV2.self,
      .init(aclPacketLength: 0x00FB, aclPacketCount: 15, isoPacketLength: 0x0102, isoPacketCount: 4),
      "00 FB00 0F 0201 04")
    try expectCommand(HCILEReadLocalSupportedFeatures(), "01 0320 00")
    try expectReturn(
      HCILEReadLocalSupportedFeatures.self, .init(features: [.encryption, .dataPacketLengthExtension, .phy2M]),
      "00 2101000000000000")
    try expectCommand(HCILESetRandomAddress(address: random), "01 0520 06 010000EEFFC0")
    try expectReturn(HCILESetRandomAddress.self, .init(), "00")
    try expectCommand(HCILERand(), "01 1820 00")
    try expectReturn(HCILERand.self, .init(number: 0x0807_0605_0403_0201), "00 0102030405060708")
    try expectCommand(HCILEReadSupportedStates(), "01 1C20 00")
    try expectReturn(HCILEReadSupportedStates.self, .init(states: 0x0000_03FF_FFFF_FFFF), "00 FFFFFFFFFF030000")
  }

  @Test("LE advertising commands have the specification's bytes") func leAdvertising() throws {
    try expectCommand(
      HCILESetAdvertisingParameters(
        minimumInterval: 0x00A0, maximumInterval: 0x00F0, type: .directedLowDutyCycle, ownAddressKind: .random,
        peer: `public`, channelMap: 0x05, filterPolicy: 0x03),
      "01 0620 0F A000 F000 04 01 00 554433221100 05 03")
    try expectReturn(HCILESetAdvertisingParameters.self, .init(), "00")
    try expectCommand(HCILEReadAdvertisingPhysicalChannelTxPower(), "01 0720 00")
    try expectReturn(HCILEReadAdvertisingPhysicalChannelTxPower.self, .init(level: -8), "00 F8")
    let data = try #require(LegacyAdvertisingData([0x02, 0x01, 0x06]))
    let zeros = String(repeating: "00", count: 28)
    try expectCommand(HCILESetAdvertisingData(data: data), "01 0820 20 03 020106" + zeros)
    try expectReturn(HCILESetAdvertisingData.self, .init(), "00")
    try expectCommand(HCILESetScanResponseData(data: data), "01 0920 20 03 020106" + zeros)
    try expectReturn(HCILESetScanResponseData.self, .init(), "00")
    let full = try #require(LegacyAdvertisingData(Array(repeating: 0xAA, count: 31)))
    try expectCommand(HCILESetAdvertisingData(data: full), "01 0820 20 1F" + String(repeating: "AA", count: 31))
    #expect(LegacyAdvertisingData(Array(repeating: 0, count: 32)) == nil)
    try expectCommand(HCILESetAdvertisingEnable(isEnabled: true), "01 0A20 01 01")
    try expectReturn(HCILESetAdvertisingEnable.self, .init(), "00")
  }

  @Test("LE scanning commands have the specification's bytes") func leScanning() throws {
    try expectCommand(
      HCILESetScanParameters(isActive: true, interval: 0x0060, window: 0x0030, ownAddressKind: .random),
      "01 0B20 07 01 6000 3000 01 00")
    try expectReturn(HCILESetScanParameters.self, .init(), "00")
    try expectCommand(HCILESetScanEnable(isEnabled: true, filtersDuplicates: true), "01 0C20 02 01 01")
    try expectCommand(HCILESetScanEnable(isEnabled: false), "01 0C20 02 00 00")
    try expectReturn(HCILESetScanEnable.self, .init(), "00")
  }

  @Test("LE connection commands have the specification's bytes") func leConnections() throws {
    let parameters = ConnectionParameters(
      minimumInterval: 6, maximumInterval: 0x0C80, latency: 0x01F3, supervisionTimeout: 0x0A0B)
    let length = ConnectionEventLength(minimum: 1, maximum: 0x0203)
    try expectCommand(
      HCILECreateConnection(
        scanInterval: 0x0060, scanWindow: 0x0030, peer: random, ownAddressKind: .public, parameters: parameters,
        eventLength: length),
      "01 0D20 19 6000 3000 00 01 010000EEFFC0 00 0600 800C F301 0B0A 0100 0302")
    try expectCommand(HCILECreateConnectionCancel(), "01 0E20 00")
    try expectReturn(HCILECreateConnectionCancel.self, .init(), "00")
    try expectCommand(
      HCILEConnectionUpdate(connectionHandle: 0x0040, parameters: parameters, eventLength: length),
      "01 1320 0E 4000 0600 800C F301 0B0A 0100 0302")
    try expectCommand(HCILEReadRemoteFeatures(connectionHandle: 0x0040), "01 1620 02 4000")
    try expectCommand(
      HCILERemoteConnectionParameterRequestReply(
        connectionHandle: 0x0040, parameters: parameters, eventLength: length),
      "01 2020 0E 4000 0600 800C F301 0B0A 0100 0302")
    try expectReturn(
      HCILERemoteConnectionParameterRequestReply.self, .init(connectionHandle: 0x0040), "00 4000")
    try expectCommand(
      HCILERemoteConnectionParameterRequestNegativeReply(connectionHandle: 0x0040), "01 2120 03 4000 3B")
    try expectReturn(
      HCILERemoteConnectionParameterRequestNegativeReply.self, .init(connectionHandle: 0x0040), "00 4000")
  }

  @Test("LE accept list commands have the specification's bytes") func leFilterAcceptList() throws {
    try expectCommand(HCILEReadFilterAcceptListSize(), "01 0F20 00")
    try expectReturn(HCILEReadFilterAcceptListSize.self, .init(size: 16), "00 10")
    try expectCommand(HCILEClearFilterAcceptList(), "01 1020 00")
    try expectReturn(HCILEClearFilterAcceptList.self, .init(), "00")
    try expectCommand(HCILEAddDeviceToFilterAcceptList(address: random), "01 1120 07 01 010000EEFFC0")
    try expectReturn(HCILEAddDeviceToFilterAcceptList.self, .init(), "00")
    try expectCommand(HCILERemoveDeviceFromFilterAcceptList(address: `public`), "01 1220 07 00 554433221100")
    try expectReturn(HCILERemoveDeviceFromFilterAcceptList.self, .init(), "00")
  }

  @Test("LE data length commands have the specification's bytes") func leDataLength() throws {
    try expectCommand(
      HCILESetDataLength(connectionHandle: 0x0040, maximumTransmitOctets: 251, maximumTransmitTime: 2120),
      "01 2220 06 4000 FB00 4808")
    try expectReturn(HCILESetDataLength.self, .init(connectionHandle: 0x0040), "00 4000")
    try expectCommand(HCILEReadSuggestedDefaultDataLength(), "01 2320 00")
    try expectReturn(
      HCILEReadSuggestedDefaultDataLength.self, .init(maximumTransmitOctets: 27, maximumTransmitTime: 328),
      "00 1B00 4801")
    try expectCommand(
      HCILEWriteSuggestedDefaultDataLength(maximumTransmitOctets: 251, maximumTransmitTime: 2120),
      "01 2420 04 FB00 4808")
    try expectReturn(HCILEWriteSuggestedDefaultDataLength.self, .init(), "00")
    try expectCommand(HCILEReadMaximumDataLength(), "01 2F20 00")
    try expectReturn(
      HCILEReadMaximumDataLength.self,
      .init(
        maximumTransmitOctets: 251, maximumTransmitTime: 17040, maximumReceiveOctets: 27, maximumReceiveTime: 328),
      "00 FB00 9042 1B00 4801")
  }

  @Test("Reserved values are refused") func reservedValuesAreRefused() throws {
    refuse(HCILESetAdvertisingEnable.self, "01 0A20 01 02")
    refuse(HCILESetScanEnable.self, "01 0C20 02 01 02")
    refuse(HCILESetScanParameters.self, "01 0B20 07 02 6000 3000 01 00")
    refuse(HCILESetScanParameters.self, "01 0B20 07 01 6000 3000 04 00")
    refuse(HCILESetAdvertisingParameters.self, "01 0620 0F A000 F000 05 01 00 554433221100 05 03")
    refuse(HCILESetAdvertisingParameters.self, "01 0620 0F A000 F000 00 01 FF 554433221100 05 03")
    refuse(HCILESetAdvertisingData.self, "01 0820 20 20" + String(repeating: "AA", count: 31))
    refuse(HCILEAddDeviceToFilterAcceptList.self, "01 1120 07 FF 000000000000")
    refuse(HCILECreateConnection.self, "01 0D20 19 6000 3000 02 01 010000EEFFC0 00 0600 800C F301 0B0A 0100 0302")
  }

  @Test("A peer's identity address type means public or random") func typesOfIdentityAddresses() throws {
    for (type, kind) in [("02", BluetoothAddress.Kind.public), ("03", .random)] {
      let command = try decode(HCILEAddDeviceToFilterAcceptList.self, "01 1120 07 \(type) 010000EEFFC0")
      #expect(command.address == BluetoothAddress(0xC0FF_EE00_0001, kind: kind))
    }
  }

  @Test("Own addresses are of four kinds, of which two are private") func ownAddresses() throws {
    let kinds: [OwnAddressKind] = [.public, .random, .privateOrPublic, .privateOrRandom]
    for (type, kind) in kinds.enumerated() {
      try expectCommand(HCILESetScanParameters(ownAddressKind: kind), "01 0B20 07 01 1000 1000 0\(type) 00")
      #expect(kind.isPrivate == (type > 1))
      #expect(kind.fixed == (type % 2 == 0 ? .public : .random))
    }
  }

  /// Bytes after the significant part of advertising data are not part of it.
  @Test("The padding of advertising data is ignored") func paddingOfAdvertisingDataIsIgnored() throws {
    let command = try decode(HCILESetAdvertisingData.self, "01 0820 20 01 AA" + String(repeating: "BB", count: 30))
    #expect(command.data.bytes == [0xAA])
  }

  @Test("Other packets are no commands") func otherPacketsAreNoCommands() {
    for indicator: UInt8 in [0x00, 0x02, 0x03, 0x04, 0x05, 0xFF] {
      #expect(throws: ByteCodingError.invalidValue(field: "packet indicator")) {
        try HCICommandPacket(decoding: [indicator, 0x03, 0x0C, 0x00])
      }
    }
    #expect(HCIPacketType(of: []) == nil)
    #expect(HCIPacketType(of: [0x06]) == nil)
    #expect(HCIPacketType(of: [0x05, 0x00]) == .isochronous)
  }

  @Test("Supported commands are found by their bits") func supportedCommandsByTheirBits() throws {
    // Octet and bit (6.27): Disconnect 0.5, Reset 5.7, Read BD_ADDR 15.1, LE Set Event Mask 25.0, LE Rand 27.7,
    // LE Read Buffer Size V2 41.5, Set Event Mask Page 2 22.2, LE Enable Encryption 28.0, the answers to Long Term Key
    // Request 28.1 and 28.2.
    let places: [(HCIOpcode, octet: Int, bit: Int)] = [
      (.disconnect, 0, 5), (.reset, 5, 7), (.readBDADDR, 15, 1), (.leSetEventMask, 25, 0), (.leRand, 27, 7),
      (.leReadBufferSizeV2, 41, 5), (.setEventMaskPage2, 22, 2), (.leEnableEncryption, 28, 0),
      (.leLongTermKeyRequestReply, 28, 1), (.leLongTermKeyRequestNegativeReply, 28, 2),
    ]
    for (opcode, octet, bit) in places {
      var bytes: [UInt8] = Array(repeating: 0, count: 64)
      bytes[octet] = 1 << bit
      let commands = HCISupportedCommands([opcode])
      try expectReturn(
        HCIReadLocalSupportedCommands.self, .init(commands: commands), "00" + Hexadecimal.encode(bytes))
      #expect(commands.contains(opcode))
      #expect(!commands.contains(.leReadRemoteFeatures))
    }
    try expectCommand(HCIReadLocalSupportedCommands(), "01 0210 00")
    #expect(!HCISupportedCommands([HCIOpcode(rawValue: 0xFC00)]).contains(HCIOpcode(rawValue: 0xFC00)))
  }

  private func decode<Command: HCICommand>(_ type: Command.Type, _ packet: String) throws -> Command {
    try HCICommandPacket(decoding: Hexadecimal.decode(packet)).decode(as: type)
  }

  private func refuse<Command: HCICommand>(
    _ type: Command.Type, _ packet: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(throws: ByteCodingError.self, sourceLocation: sourceLocation) { try decode(type, packet) }
  }
}
