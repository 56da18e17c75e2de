import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

/// What a controller must not accept as a command of extended advertising (Core 6.0 Vol 4 Part E 7.8.52 to 7.8.66); other
/// lengths are refused in `HCIExtendedCommandTests`.
@Suite struct HCIExtendedRefusalTests {
  @Test("Advertising handles above 0xEF are refused", arguments: ["F0", "F1", "FF"])
  func reservedHandles(handle: String) {
    refuse(HCILESetAdvertisingSetRandomAddress.self, "01 3520 07 \(handle) 010000EEFFC0")
    refuse(
      HCILESetExtendedAdvertisingParameters.self,
      "01 3620 19 \(handle) 1300 000800 000800 07 00 00 000000000000 00 7F 01 00 01 00 00")
    refuse(HCILESetExtendedAdvertisingData.self, "01 3720 04 \(handle) 03 01 00")
    refuse(HCILESetExtendedScanResponseData.self, "01 3820 04 \(handle) 03 01 00")
    refuse(HCILESetExtendedAdvertisingEnable.self, "01 3920 0A 01 02 01 0201 03 \(handle) 0000 00")
    refuse(HCILERemoveAdvertisingSet.self, "01 3C20 01 \(handle)")
  }

  @Test(
    "Reserved values among a set's parameters are refused",
    arguments: [
      // Own and peer address type, primary and secondary layer, notification.
      "04 00 000000000000 00 7F 01 00 01 00 00", "FF 00 000000000000 00 7F 01 00 01 00 00",
      "00 04 000000000000 00 7F 01 00 01 00 00", "00 FF 000000000000 00 7F 01 00 01 00 00",
      "00 00 000000000000 00 7F 00 00 01 00 00", "00 00 000000000000 00 7F 04 00 01 00 00",
      "00 00 000000000000 00 7F FF 00 01 00 00", "00 00 000000000000 00 7F 01 00 00 00 00",
      "00 00 000000000000 00 7F 01 00 04 00 00", "00 00 000000000000 00 7F 01 00 FF 00 00",
      "00 00 000000000000 00 7F 01 00 01 00 02", "00 00 000000000000 00 7F 01 00 01 00 FF",
    ])
  func reservedParameters(end: String) {
    refuse(HCILESetExtendedAdvertisingParameters.self, "01 3620 19 02 1300 000800 000800 07" + end)
  }

  @Test("Reserved values and false lengths of data are refused") func reservedData() {
    for opcode in ["3720", "3820"] {
      // Operation, fragment preference; a length one above the data, one below, and 252, which no command can hold.
      let refused = [
        "04 01 05 01 00", "04 01 FF 01 00", "04 01 03 02 00", "04 01 03 FF 00", "06 01 03 01 03 0201",
        "06 01 03 01 01 0201", "FF 01 03 01 FC" + String(repeating: "AA", count: 251),
        "FF 01 03 01 FF" + String(repeating: "AA", count: 251),
      ]
      for parameters in refused {
        refuse(HCILESetExtendedAdvertisingData.self, "01 \(opcode) \(parameters)")
        refuse(HCILESetExtendedScanResponseData.self, "01 \(opcode) \(parameters)")
      }
    }
    #expect(AdvertisingDataFragment(handle: .init(rawValue: 0), data: Array(repeating: 0, count: 252)) == nil)
    #expect(AdvertisingDataFragment(handle: .init(rawValue: 0), data: Array(repeating: 0, count: 251)) != nil)
  }

  @Test("False numbers of sets are refused") func falseNumbersOfSets() {
    refuse(HCILESetExtendedAdvertisingEnable.self, "01 3920 02 02 00")
    refuse(HCILESetExtendedAdvertisingEnable.self, "01 3920 02 FF 00")
    refuse(HCILESetExtendedAdvertisingEnable.self, "01 3920 02 01 01")
    refuse(HCILESetExtendedAdvertisingEnable.self, "01 3920 06 01 00 01 0000 00")
    refuse(HCILESetExtendedAdvertisingEnable.self, "01 3920 06 01 02 01 0000 00")
    refuse(HCILESetExtendedAdvertisingEnable.self, "01 3920 FE 01 FF" + String(repeating: "01000000", count: 63))
  }

  /// LE 2M is no layer to scan on.
  @Test("Scans on no, unknown or impossible layers are refused") func layersOfScans() {
    for mask in ["00", "02", "03", "06", "07", "08", "09", "80", "FF"] {
      for count in 0...3 {
        let length = Hexadecimal.encode([UInt8(3 + 5 * count)])
        refuse(
          HCILESetExtendedScanParameters.self,
          "01 4120 \(length) 00 00 \(mask)" + String(repeating: "01 6000 3000", count: count))
      }
    }
    // One entry too few, one too many.
    refuse(HCILESetExtendedScanParameters.self, "01 4120 08 00 00 05 01 6000 3000")
    refuse(HCILESetExtendedScanParameters.self, "01 4120 0D 00 00 01 01 6000 3000 01 6000 3000")
  }

  @Test("Reserved values of scans are refused") func reservedScans() {
    refuse(HCILESetExtendedScanParameters.self, "01 4120 08 04 00 01 01 6000 3000")
    refuse(HCILESetExtendedScanParameters.self, "01 4120 08 FF 00 01 01 6000 3000")
    refuse(HCILESetExtendedScanParameters.self, "01 4120 08 00 00 01 02 6000 3000")
    refuse(HCILESetExtendedScanParameters.self, "01 4120 0D 00 00 05 01 6000 3000 02 6000 3000")
    refuse(HCILESetExtendedScanEnable.self, "01 4220 06 02 00 0000 0000")
    refuse(HCILESetExtendedScanEnable.self, "01 4220 06 FF 00 0000 0000")
    refuse(HCILESetExtendedScanEnable.self, "01 4220 06 01 03 0000 0000")
    refuse(HCILESetExtendedScanEnable.self, "01 4220 06 01 FF 0000 0000")
  }

  @Test("Connections over no or unknown layers are refused") func layersOfConnections() {
    let initiation = "1000 1000 0600 0C00 0000 C800 0000 0000"
    for mask in ["00", "08", "09", "0F", "80", "FF"] {
      for count in 0...4 {
        let length = Hexadecimal.encode([UInt8(10 + 16 * count)])
        refuse(
          HCILEExtendedCreateConnection.self,
          "01 4320 \(length) 00 00 00 554433221100 \(mask)" + String(repeating: initiation, count: count))
      }
    }
    // One entry too few, one too many.
    refuse(HCILEExtendedCreateConnection.self, "01 4320 1A 00 00 00 554433221100 03" + initiation)
    refuse(HCILEExtendedCreateConnection.self, "01 4320 2A 00 00 00 554433221100 01" + initiation + initiation)
  }

  @Test("Reserved values of connections are refused") func reservedConnections() {
    let initiation = "1000 1000 0600 0C00 0000 C800 0000 0000"
    for start in ["02 00 00", "FF 00 00", "00 04 00", "00 FF 00", "00 00 04", "00 00 FF"] {
      refuse(HCILEExtendedCreateConnection.self, "01 4320 1A \(start) 554433221100 01" + initiation)
    }
  }

  /// Only success has all return parameters.
  @Test("Failed commands return nothing") func failures() {
    for status: UInt8 in [0x01, 0x0C, 0x11, 0x12, 0x42, 0x43, 0xFF] {
      let parameters = HCIReply.complete(ByteReader([status, 0x01]))
      #expect(parameters.returned(by: HCILESetExtendedAdvertisingParameters.self) == nil)
      #expect(parameters.returned(by: HCILEReadNumberOfSupportedAdvertisingSets.self) == nil)
      let alone = HCIReply.complete(ByteReader([status]))
      #expect(alone.returned(by: HCILERemoveAdvertisingSet.self) == nil)
      #expect(alone.status == HCIStatus(rawValue: status))
    }
  }

  private func refuse<Command: HCICommand>(
    _ type: Command.Type, _ packet: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(throws: ByteCodingError.self, sourceLocation: sourceLocation) {
      // A packet whose own length is false would be refused for that alone.
      let bytes = try Hexadecimal.decode(packet)
      try #require(bytes.count == 4 + Int(bytes[3]), sourceLocation: sourceLocation)
      _ = try HCICommandPacket(decoding: bytes).decode(as: type)
    }
  }
}
