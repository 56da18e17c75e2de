import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

/// Packets by the tables of Core 6.0 Vol 4 Part E 7.8.38 to 7.8.45 and 7.8.77.
@Suite("Commands of the resolving list") struct HCIResolvingListTests {
  private let random = BluetoothAddress(0xC0FF_EE00_0001, kind: .random)
  private let `public` = BluetoothAddress(0x0011_2233_4455, kind: .public)
  private static let peerKey = "101112131415161718191A1B1C1D1E1F"
  private static let localKey = "202122232425262728292A2B2C2D2E2F"
  private static let zeros = String(repeating: "00", count: 16)

  @Test("have the specification's bytes") func bytes() throws {
    let keys = try [
      #require(SecurityKey([UInt8](0x10...0x1F))), #require(SecurityKey([UInt8](0x20...0x2F))),
    ]
    try expectCommand(
      HCILEAddDeviceToResolvingList(identity: random, peerResolvingKey: keys[0], localResolvingKey: keys[1]),
      "01 2720 27 01 010000EEFFC0 \(Self.peerKey) \(Self.localKey)")
    try expectCommand(
      HCILEAddDeviceToResolvingList(identity: `public`, peerResolvingKey: keys[0]),
      "01 2720 27 00 554433221100 \(Self.peerKey) \(Self.zeros)")
    try expectReturn(HCILEAddDeviceToResolvingList.self, .init(), "00")
    try expectCommand(HCILERemoveDeviceFromResolvingList(identity: random), "01 2820 07 01 010000EEFFC0")
    try expectReturn(HCILERemoveDeviceFromResolvingList.self, .init(), "00")
    try expectCommand(HCILEClearResolvingList(), "01 2920 00")
    try expectReturn(HCILEClearResolvingList.self, .init(), "00")
    try expectCommand(HCILEReadResolvingListSize(), "01 2A20 00")
    try expectReturn(HCILEReadResolvingListSize.self, .init(size: 16), "00 10")
    let address = BluetoothAddress(0x4A0B_0C0D_0E0F, kind: .random)
    try expectCommand(HCILEReadPeerResolvableAddress(identity: `public`), "01 2B20 07 00 554433221100")
    try expectReturn(HCILEReadPeerResolvableAddress.self, .init(address: address), "00 0F0E0D0C0B4A")
    try expectCommand(HCILEReadLocalResolvableAddress(identity: random), "01 2C20 07 01 010000EEFFC0")
    try expectReturn(HCILEReadLocalResolvableAddress.self, .init(address: address), "00 0F0E0D0C0B4A")
    try expectCommand(HCILESetAddressResolutionEnable(isEnabled: true), "01 2D20 01 01")
    try expectCommand(HCILESetAddressResolutionEnable(isEnabled: false), "01 2D20 01 00")
    try expectReturn(HCILESetAddressResolutionEnable.self, .init(), "00")
    try expectCommand(HCILESetResolvablePrivateAddressTimeout(), "01 2E20 02 8403")
    try expectCommand(HCILESetResolvablePrivateAddressTimeout(seconds: 0x0E10), "01 2E20 02 100E")
    try expectReturn(HCILESetResolvablePrivateAddressTimeout.self, .init(), "00")
    try expectCommand(HCILESetPrivacyMode(identity: random, mode: .device), "01 4E20 08 01 010000EEFFC0 01")
    try expectCommand(HCILESetPrivacyMode(identity: `public`, mode: .network), "01 4E20 08 00 554433221100 00")
    try expectReturn(HCILESetPrivacyMode.self, .init(), "00")
  }

  @Test("name no device by a type that is no identity's", arguments: ["02", "03", "04", "FE", "FF"])
  func reservedTypes(type: String) {
    refuse(HCILEAddDeviceToResolvingList.self, "01 2720 27 \(type) 010000EEFFC0 \(Self.peerKey) \(Self.localKey)")
    refuse(HCILERemoveDeviceFromResolvingList.self, "01 2820 07 \(type) 010000EEFFC0")
    refuse(HCILEReadPeerResolvableAddress.self, "01 2B20 07 \(type) 010000EEFFC0")
    refuse(HCILEReadLocalResolvableAddress.self, "01 2C20 07 \(type) 010000EEFFC0")
    refuse(HCILESetPrivacyMode.self, "01 4E20 08 \(type) 010000EEFFC0 01")
  }

  @Test("have no reserved values", arguments: ["02", "03", "80", "FF"]) func reservedValues(value: String) {
    refuse(HCILESetAddressResolutionEnable.self, "01 2D20 01 \(value)")
    refuse(HCILESetPrivacyMode.self, "01 4E20 08 01 010000EEFFC0 \(value)")
  }

  @Test("print no byte of a key") func keysDoNotPrint() throws {
    let key = try #require(SecurityKey(Array(repeating: 0xA5, count: 16)))
    let command = HCILEAddDeviceToResolvingList(
      identity: BluetoothAddress(1, kind: .public), peerResolvingKey: key, localResolvingKey: key)
    var dumped = ""
    dump(command, to: &dumped)
    for text in ["\(command)", String(reflecting: command), dumped] {
      #expect(text.contains("a secret"))
      #expect(!text.contains("165") && !text.lowercased().contains("a5"))
    }
  }

  /// Octets 34, 35 and 39 (6.27).
  @Test(
    "have the specification's bits among the supported ones",
    arguments: [
      (.leAddDeviceToResolvingList, 34, 3), (.leRemoveDeviceFromResolvingList, 34, 4), (.leClearResolvingList, 34, 5),
      (.leReadResolvingListSize, 34, 6), (.leReadPeerResolvableAddress, 34, 7), (.leReadLocalResolvableAddress, 35, 0),
      (.leSetAddressResolutionEnable, 35, 1), (.leSetResolvablePrivateAddressTimeout, 35, 2),
      (.leSetPrivacyMode, 39, 2),
    ] as [(HCIOpcode, Int, Int)])
  func supported(opcode: HCIOpcode, octet: Int, bit: Int) {
    var bytes: [UInt8] = Array(repeating: 0, count: 64)
    bytes[octet] = 1 << bit
    var writer = ByteWriter()
    HCISupportedCommands([opcode]).encode(into: &writer)
    #expect(writer.bytes == bytes)
  }

  private func refuse<Command: HCICommand>(
    _ type: Command.Type, _ packet: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(throws: ByteCodingError.self, sourceLocation: sourceLocation) {
      try HCICommandPacket(decoding: Hexadecimal.decode(packet)).decode(as: type)
    }
  }
}
