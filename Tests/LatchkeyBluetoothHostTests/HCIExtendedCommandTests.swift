import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

/// Packets of extended advertising by the tables of Core 6.0 Vol 4 Part E 7.8.52 to 7.8.66: indicator, opcode, length,
/// parameters.
@Suite struct HCIExtendedCommandTests {
  private let random = BluetoothAddress(0xC0FF_EE00_0001, kind: .random)
  private let `public` = BluetoothAddress(0x0011_2233_4455, kind: .public)
  private let highest = AdvertisingHandle(rawValue: 0xEF)
  private let one = AdvertisingHandle(rawValue: 0x01)

  @Test("The random address of a set has the specification's bytes") func randomAddress() throws {
    try expectCommand(
      HCILESetAdvertisingSetRandomAddress(handle: highest, address: random), "01 3520 07 EF 010000EEFFC0")
    try expectReturn(HCILESetAdvertisingSetRandomAddress.self, .init(), "00")
  }

  @Test("The parameters of a set have the specification's bytes") func parameters() throws {
    try expectCommand(
      HCILESetExtendedAdvertisingParameters(
        handle: .init(rawValue: 0x02), properties: [.directed, .anonymous, .includesTxPower],
        minimumInterval: 0x01_0203, maximumInterval: 0x04_0506, channelMap: 0x05, ownAddressKind: .random,
        peer: `public`, filterPolicy: 0x03, txPower: -20, primaryPHY: .leCoded, secondaryMaximumSkip: 7,
        secondaryPHY: .le2M, setIdentifier: 0x0F, reportsScanRequests: true),
      "01 3620 19 02 6400 030201 060504 05 01 00 554433221100 03 EC 03 07 02 0F 01")
    try expectReturn(HCILESetExtendedAdvertisingParameters.self, .init(selectedTxPower: -127), "00 81")
    try expectReturn(HCILESetExtendedAdvertisingParameters.self, .init(selectedTxPower: 20), "00 14")
  }

  /// What a host sends for ADV_IND, and each field's largest value.
  @Test("Parameters may be the defaults and the limits") func extremeParameters() throws {
    try expectCommand(
      HCILESetExtendedAdvertisingParameters(handle: .init(rawValue: 0), ownAddressKind: .public),
      "01 3620 19 00 1300 000800 000800 07 00 00 000000000000 00 7F 01 00 01 00 00")
    try expectCommand(
      HCILESetExtendedAdvertisingParameters(
        handle: highest, properties: .init(rawValue: 0xFFFF), minimumInterval: 0xFF_FFFF, maximumInterval: 0xFF_FFFF,
        channelMap: 0xFF, ownAddressKind: .random, peer: random, filterPolicy: 0xFF, txPower: -1,
        primaryPHY: .le1M, secondaryMaximumSkip: 0xFF, secondaryPHY: .leCoded, setIdentifier: 0xFF),
      "01 3620 19 EF FFFF FFFFFF FFFFFF FF 01 01 010000EEFFC0 FF FF 01 FF 03 FF 00")
  }

  @Test("The data of a set have the specification's bytes") func data() throws {
    let whole = try #require(AdvertisingDataFragment(handle: one, data: [0x02, 0x01, 0x06]))
    try expectCommand(HCILESetExtendedAdvertisingData(whole), "01 3720 07 01 03 01 03 020106")
    try expectReturn(HCILESetExtendedAdvertisingData.self, .init(), "00")
    let first = try #require(
      AdvertisingDataFragment(handle: one, operation: .first, avoidsFragmentation: false, data: [0x02, 0x01, 0x06]))
    try expectCommand(HCILESetExtendedScanResponseData(first), "01 3820 07 01 01 00 03 020106")
    try expectReturn(HCILESetExtendedScanResponseData.self, .init(), "00")
    let unchanged = try #require(AdvertisingDataFragment(handle: highest, operation: .unchanged, data: []))
    try expectCommand(HCILESetExtendedAdvertisingData(unchanged), "01 3720 04 EF 04 01 00")
    let full = try #require(
      AdvertisingDataFragment(handle: one, operation: .intermediate, data: Array(repeating: 0xAA, count: 251)))
    // The largest command that there is.
    let bytes = "01 00 01 FB" + String(repeating: "AA", count: 251)
    try expectCommand(HCILESetExtendedAdvertisingData(full), "01 3720 FF" + bytes)
    try expectCommand(HCILESetExtendedScanResponseData(full), "01 3820 FF" + bytes)
  }

  @Test("Commands about sets have the specification's bytes") func sets() throws {
    try expectCommand(
      HCILESetExtendedAdvertisingEnable(
        isEnabled: true,
        sets: [.init(handle: one, duration: 0x0102, maximumEvents: 3), .init(handle: highest)]),
      "01 3920 0A 01 02 01 0201 03 EF 0000 00")
    try expectCommand(HCILESetExtendedAdvertisingEnable(isEnabled: false, sets: []), "01 3920 02 00 00")
    let most = (0..<63).map { HCILESetExtendedAdvertisingEnable.AdvertisingSet(handle: .init(rawValue: $0)) }
    try expectCommand(
      HCILESetExtendedAdvertisingEnable(isEnabled: true, sets: most),
      "01 3920 FE 01 3F" + (0..<63).map { Hexadecimal.encode([UInt8($0), 0, 0, 0]) }.joined())
    try expectReturn(HCILESetExtendedAdvertisingEnable.self, .init(), "00")
    try expectCommand(HCILEReadMaximumAdvertisingDataLength(), "01 3A20 00")
    try expectReturn(HCILEReadMaximumAdvertisingDataLength.self, .init(length: 1650), "00 7206")
    try expectCommand(HCILEReadNumberOfSupportedAdvertisingSets(), "01 3B20 00")
    try expectReturn(HCILEReadNumberOfSupportedAdvertisingSets.self, .init(count: 240), "00 F0")
    try expectCommand(HCILERemoveAdvertisingSet(handle: .init(rawValue: 0x10)), "01 3C20 01 10")
    try expectReturn(HCILERemoveAdvertisingSet.self, .init(), "00")
    try expectCommand(HCILEClearAdvertisingSets(), "01 3D20 00")
    try expectReturn(HCILEClearAdvertisingSets.self, .init(), "00")
  }

  @Test("Extended scanning commands have the specification's bytes") func scanning() throws {
    var both = HCILESetExtendedScanParameters(
      ownAddressKind: .random, filterPolicy: 0x02, phys: [.le1M, .leCoded],
      scan: .init(isActive: true, interval: 0x0010, window: 0x0008))
    try expectCommand(both, "01 4120 0D 01 02 05 01 1000 0800 01 1000 0800")
    both.scans[1] = .init(isActive: false, interval: 0x0102, window: 0x0103)
    try expectCommand(both, "01 4120 0D 01 02 05 01 1000 0800 00 0201 0301")
    try expectCommand(
      HCILESetExtendedScanParameters(
        ownAddressKind: .public, phys: .leCoded, scan: .init(isActive: true, interval: 0x0060, window: 0x0030)),
      "01 4120 08 00 00 04 01 6000 3000")
    try expectReturn(HCILESetExtendedScanParameters.self, .init(), "00")
    try expectCommand(
      HCILESetExtendedScanEnable(
        isEnabled: true, duplicateFilter: .renewedEachPeriod, duration: 0x0102, period: 0x0304),
      "01 4220 06 01 02 0201 0403")
    try expectCommand(
      HCILESetExtendedScanEnable(isEnabled: true, duplicateFilter: .on), "01 4220 06 01 01 0000 0000")
    try expectCommand(HCILESetExtendedScanEnable(isEnabled: false), "01 4220 06 00 00 0000 0000")
    try expectReturn(HCILESetExtendedScanEnable.self, .init(), "00")
  }

  @Test("Connecting over several layers has the specification's bytes") func connecting() throws {
    var command = HCILEExtendedCreateConnection(
      ownAddressKind: .random, peer: `public`, phys: [.le1M, .le2M, .leCoded],
      initiation: .init(
        scanInterval: 0x0010, scanWindow: 0x0011,
        parameters: .init(minimumInterval: 6, maximumInterval: 0x0C80, latency: 0x01F3, supervisionTimeout: 0x0A0B),
        eventLength: .init(minimum: 1, maximum: 0x0203)))
    #expect(command.initiations.count == 3)
    command.initiations[1] = .init(
      scanInterval: 0x0020, scanWindow: 0x0021,
      parameters: .init(minimumInterval: 7, maximumInterval: 9, latency: 0, supervisionTimeout: 12),
      eventLength: .init(minimum: 2, maximum: 4))
    command.initiations[2] = .init(
      scanInterval: 0x0030, scanWindow: 0x0031,
      parameters: .init(minimumInterval: 8, maximumInterval: 10, latency: 1, supervisionTimeout: 13),
      eventLength: .init(minimum: 3, maximum: 5))
    let first = "1000 1100 0600 800C F301 0B0A 0100 0302"
    let second = "2000 2100 0700 0900 0000 0C00 0200 0400"
    let third = "3000 3100 0800 0A00 0100 0D00 0300 0500"
    try expectCommand(command, "01 4320 3A 00 01 00 554433221100 07" + first + second + third)
    command.phys = [.le1M, .leCoded]
    command.initiations.remove(at: 1)
    try expectCommand(command, "01 4320 2A 00 01 00 554433221100 05" + first + third)
    command.phys = .le1M
    command.initiations.removeLast()
    command.usesFilterAcceptList = true
    command.ownAddressKind = .public
    command.peer = random
    try expectCommand(command, "01 4320 1A 01 00 01 010000EEFFC0 01" + first)
  }

  @Test("Commands of extended advertising are found by their bits") func supportedCommands() throws {
    // Opcode, octet and bit (6.27).
    let places: [(HCIOpcode, UInt16, octet: Int, bit: Int)] = [
      (.leSetAdvertisingSetRandomAddress, 0x2035, 36, 1), (.leSetExtendedAdvertisingParameters, 0x2036, 36, 2),
      (.leSetExtendedAdvertisingData, 0x2037, 36, 3), (.leSetExtendedScanResponseData, 0x2038, 36, 4),
      (.leSetExtendedAdvertisingEnable, 0x2039, 36, 5), (.leReadMaximumAdvertisingDataLength, 0x203A, 36, 6),
      (.leReadNumberOfSupportedAdvertisingSets, 0x203B, 36, 7), (.leRemoveAdvertisingSet, 0x203C, 37, 0),
      (.leClearAdvertisingSets, 0x203D, 37, 1), (.leSetExtendedScanParameters, 0x2041, 37, 5),
      (.leSetExtendedScanEnable, 0x2042, 37, 6), (.leExtendedCreateConnection, 0x2043, 37, 7),
    ]
    for (opcode, number, octet, bit) in places {
      #expect(opcode.rawValue == number)
      var bytes: [UInt8] = Array(repeating: 0, count: 64)
      bytes[octet] = 1 << bit
      let commands = HCISupportedCommands([opcode])
      try expectReturn(
        HCIReadLocalSupportedCommands.self, .init(commands: commands), "00" + Hexadecimal.encode(bytes))
      for (other, _, _, _) in places { #expect(commands.contains(other) == (other == opcode)) }
    }
  }
}
