import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothEmulator

@Suite("A controller's commands") struct VirtualControllerCommandTests {
  /// Command, answers: as bytes, from the specification.
  struct Exchange: Sendable, CustomTestStringConvertible {
    var name: String
    var command: String
    var answers: [String]
    var testDescription: String { name }

    init(_ name: String, _ command: String, _ answers: String...) {
      self.name = name
      self.command = command
      self.answers = answers.map { $0.replacing(" ", with: "") }
    }
  }

  static let fresh: [Exchange] = [
    Exchange("Reset", "01 03 0C 00", "04 0e 04 01 03 0c 00"),
    Exchange("Set Event Mask", "01 01 0C 08 FF FF FF FF FF FF FF FF", "04 0e 04 01 01 0c 00"),
    Exchange("LE Set Event Mask", "01 01 20 08 FF FF FF FF FF FF FF FF", "04 0e 04 01 01 20 00"),
    Exchange("Read Local Version", "01 01 10 00", "04 0e 0c 01 01 10 00 09 01 00 09 ff ff 01 00"),
    Exchange(
      "Read Local Supported Commands", "01 02 10 00",
      """
      04 0e 44 01 02 10 00 20 00 80 00 00 c0 00 00 00 00 e0 00 00 00 a8 22 00 00 00 00 00 00 00 00 00 f7 ff a7 \
      0f 00 00 00 00 f0 01 08 00 00 00 00 00 20 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
      """),
    Exchange("Read Local Supported Features", "01 03 10 00", "04 0e 0c 01 03 10 00 00 00 00 00 60 00 00 00"),
    Exchange("Read Buffer Size", "01 05 10 00", "04 0e 0b 01 05 10 00 00 00 00 00 00 00 00"),
    Exchange("Read BD_ADDR", "01 09 10 00", "04 0e 0a 01 09 10 00 0a 0a 00 00 00 00"),
    Exchange("LE Read Buffer Size", "01 02 20 00", "04 0e 07 01 02 20 00 fb 00 20"),
    Exchange("LE Read Buffer Size v2", "01 60 20 00", "04 0e 0a 01 60 20 00 fb 00 20 00 00 00"),
    Exchange("LE Read Local Features", "01 03 20 00", "04 0e 0c 01 03 20 00 2b 00 00 00 00 00 00 00"),
    Exchange("LE Set Random Address", "01 05 20 06 01 02 03 04 05 C6", "04 0e 04 01 05 20 00"),
    Exchange("LE Read Tx Power", "01 07 20 00", "04 0e 05 01 07 20 00 00"),
    Exchange("LE Read Filter Accept List Size", "01 0F 20 00", "04 0e 05 01 0f 20 00 10"),
    Exchange("LE Clear Filter Accept List", "01 10 20 00", "04 0e 04 01 10 20 00"),
    Exchange("LE Add Device", "01 11 20 07 01 01 02 03 04 05 C6", "04 0e 04 01 11 20 00"),
    Exchange("LE Remove Device", "01 12 20 07 01 01 02 03 04 05 C6", "04 0e 04 01 12 20 00"),
    Exchange("LE Read Supported States", "01 1C 20 00", "04 0e 0c 01 1c 20 00 ff ff ff ff ff 03 00 00"),
    Exchange("LE Read Suggested Data Length", "01 23 20 00", "04 0e 08 01 23 20 00 1b 00 48 01"),
    Exchange("LE Write Suggested Data Length", "01 24 20 04 FB 00 48 08", "04 0e 04 01 24 20 00"),
    Exchange("LE Read Maximum Data Length", "01 2F 20 00", "04 0e 0c 01 2f 20 00 fb 00 48 08 fb 00 48 08"),
    Exchange("Host flow control", "01 31 0C 01 01", "04 0e 04 01 31 0c 00"),
    Exchange("Host Buffer Size", "01 33 0C 07 FB 00 00 04 00 00 00", "04 0e 04 01 33 0c 00"),
    Exchange("Host Number Of Completed Packets has no answer", "01 35 0C 05 01 01 00 01 00"),
    Exchange(
      "LE Set Advertising Parameters", "01 06 20 0F A0 00 A0 00 00 00 00 00 00 00 00 00 00 07 00",
      "04 0e 04 01 06 20 00"),
    Exchange("LE Set Scan Parameters", "01 0B 20 07 01 10 00 10 00 00 00", "04 0e 04 01 0b 20 00"),
    Exchange("LE Set Scan Enable", "01 0C 20 02 01 01", "04 0e 04 01 0c 20 00"),
    Exchange("LE Set Advertising Enable", "01 0A 20 01 01", "04 0e 04 01 0a 20 00"),
    Exchange(
      "LE Create Connection",
      "01 0D 20 19 60 00 30 00 00 00 0B 0B 00 00 00 00 00 18 00 28 00 00 00 2A 00 00 00 00 00",
      "04 0f 04 00 01 0d 20"),
  ]

  static let refused: [Exchange] = [
    Exchange("no such command", "01 00 FC 00", "04 0f 04 01 01 00 fc"),
    Exchange("LE Encrypt is not there", "01 17 20 00", "04 0f 04 01 01 17 20"),
    Exchange(
      "LE Enable Encryption without a link", "01 19 20 1C 01 00" + String(repeating: " 00", count: 26),
      "04 0f 04 02 01 19 20"),
    Exchange(
      "LE Enable Encryption cut short", "01 19 20 1B 01 00" + String(repeating: " 00", count: 25),
      "04 0f 04 12 01 19 20"),
    Exchange(
      "a key without a link", "01 1A 20 12 01 00" + String(repeating: " 00", count: 16), "04 0e 04 01 1a 20 02"),
    Exchange("no key without a link", "01 1B 20 02 01 00", "04 0e 04 01 1b 20 02"),
    Exchange("Reset with a parameter", "01 03 0C 01 00", "04 0e 04 01 03 0c 12"),
    Exchange("event mask cut short", "01 01 0C 07 FF FF FF FF FF FF FF", "04 0e 04 01 01 0c 12"),
    Exchange("Disconnect cut short", "01 06 04 02 01 00", "04 0f 04 12 01 06 04"),
    Exchange("Disconnect without a link", "01 06 04 03 01 00 13", "04 0f 04 02 01 06 04"),
    Exchange("Read Remote Version without a link", "01 1D 04 02 01 00", "04 0f 04 02 01 1d 04"),
    Exchange("Read RSSI without a link", "01 05 14 02 01 00", "04 0e 04 01 05 14 02"),
    Exchange("Read Remote Features without a link", "01 16 20 02 01 00", "04 0f 04 02 01 16 20"),
    Exchange("Set Data Length without a link", "01 22 20 06 01 00 FB 00 48 08", "04 0e 04 01 22 20 02"),
    Exchange("parameter reply without a link", "01 21 20 03 01 00 3B", "04 0e 04 01 21 20 02"),
    Exchange("suggested length too short", "01 24 20 04 1A 00 48 08", "04 0e 04 01 24 20 12"),
    Exchange("cancel of nothing", "01 0E 20 00", "04 0e 04 01 0e 20 0c"),
    Exchange(
      "random advertising without an address, parameters are taken",
      "01 06 20 0F A0 00 A0 00 00 01 00 00 00 00 00 00 00 07 00", "04 0e 04 01 06 20 00"),
    Exchange(
      "advertising interval too short", "01 06 20 0F 1F 00 A0 00 00 00 00 00 00 00 00 00 00 07 00",
      "04 0e 04 01 06 20 12"),
    Exchange(
      "advertising interval upside down", "01 06 20 0F A1 00 A0 00 00 00 00 00 00 00 00 00 00 07 00",
      "04 0e 04 01 06 20 12"),
    Exchange(
      "no advertising channel", "01 06 20 0F A0 00 A0 00 00 00 00 00 00 00 00 00 00 00 00",
      "04 0e 04 01 06 20 12"),
    Exchange(
      "advertising type 5", "01 06 20 0F A0 00 A0 00 05 00 00 00 00 00 00 00 00 07 00",
      "04 0e 04 01 06 20 12"),
    Exchange(
      "advertising data of 32 bytes", "01 08 20 20 20" + String(repeating: " 00", count: 31),
      "04 0e 04 01 08 20 12"),
    Exchange("scan window longer than interval", "01 0B 20 07 01 10 00 11 00 00 00", "04 0e 04 01 0b 20 12"),
    Exchange("host buffers of nothing", "01 33 0C 07 FB 00 00 00 00 00 00", "04 0e 04 01 33 0c 12"),
    Exchange(
      "supervision timeout shorter than the interval allows",
      "01 0D 20 19 60 00 30 00 00 00 0B 0B 00 00 00 00 00 80 0C 80 0C 00 00 0A 00 00 00 00 00",
      "04 0f 04 12 01 0d 20"),
    Exchange(
      "Create Connection with a random address that was never set",
      "01 0D 20 19 60 00 30 00 00 00 0B 0B 00 00 00 00 01 18 00 28 00 00 00 2A 00 00 00 00 00",
      "04 0f 04 12 01 0d 20"),
  ]

  @Test("are answered", arguments: fresh + refused) func answers(_ exchange: Exchange) throws {
    let bench = RadioBench()
    let id = bench.add(alice)
    try bench.send(exchange.command, id)
    #expect(bench.dequeueHex(id) == exchange.answers)
  }

  @Test("in the wrong state are disallowed") func wrongState() throws {
    let bench = RadioBench()
    let id = bench.addReady(alice)
    let request = HCILECreateConnection(peer: BluetoothAddress(bob, kind: .public), ownAddressKind: .public)
    let steps: [(any HCICommand, UInt8)] = [
      (HCILESetAdvertisingParameters(ownAddressKind: .random), 0x00),
      (HCILESetAdvertisingEnable(isEnabled: true), 0x12),
      (HCILESetRandomAddress(address: .staticRandom(1)), 0x00),
      (HCILESetAdvertisingEnable(isEnabled: true), 0x00),
      (HCILESetAdvertisingEnable(isEnabled: true), 0x00),
      (HCILESetAdvertisingParameters(ownAddressKind: .public), 0x0C),
      (HCILESetRandomAddress(address: .staticRandom(2)), 0x0C),
      (HCILESetAdvertisingEnable(isEnabled: false), 0x00),
      (HCILESetScanEnable(isEnabled: true), 0x00),
      (HCILESetScanParameters(ownAddressKind: .public), 0x0C),
      (HCILESetRandomAddress(address: .staticRandom(2)), 0x0C),
      (HCILESetScanEnable(isEnabled: false), 0x00),
      (request, 0x00),
      (request, 0x0C),
      (HCILESetRandomAddress(address: .staticRandom(2)), 0x0C),
      (HCILECreateConnectionCancel(), 0x00),
      (HCILECreateConnectionCancel(), 0x0C),
    ]
    for (number, (command, expected)) in steps.enumerated() {
      bench.send(command, id)
      #expect(try status(bench.dequeueEvents(id).first) == expected, "step \(number)")
    }
  }

  private func status(_ event: HCIEvent?) -> UInt8? {
    switch event {
    case .commandStatus(let status, _, _): status.rawValue
    case .commandComplete(_, _, let parameters): parameters.peek()
    default: nil
    }
  }

  @Test("Cancel ends in a Connection Complete") func cancel() throws {
    let bench = RadioBench()
    let id = bench.addReady(alice)
    bench.send(HCILECreateConnection(peer: BluetoothAddress(bob, kind: .public), ownAddressKind: .public), id)
    _ = bench.dequeue(id)
    bench.send(HCILECreateConnectionCancel(), id)
    #expect(
      bench.dequeueHex(id) == [
        "040e04010e2000", "043e130102" + "0000" + "00" + "00000000000000" + "0000" + "0000" + "0000" + "00",
      ])
  }

  @Test("The filter accept list fills up, and is locked while in use") func filterAcceptList() throws {
    let bench = RadioBench()
    let id = bench.addReady(alice, ControllerConfiguration(filterAcceptListSize: 1))
    let first = HCILEAddDeviceToFilterAcceptList(address: .staticRandom(1))
    #expect(try bench.run(first, id).status == .success)
    #expect(try bench.run(first, id).status == .success)
    let second = HCILEAddDeviceToFilterAcceptList(address: .staticRandom(2))
    #expect(try bench.run(second, id).status == .memoryCapacityExceeded)
    #expect(try bench.run(HCILESetScanParameters(ownAddressKind: .public, filterPolicy: 0x01), id).status == .success)
    #expect(try bench.run(HCILESetScanEnable(isEnabled: true), id).status == .success)
    #expect(try bench.run(HCILEClearFilterAcceptList(), id).status == .commandDisallowed)
    let removal = HCILERemoveDeviceFromFilterAcceptList(address: .staticRandom(1))
    #expect(try bench.run(removal, id).status == .commandDisallowed)
    #expect(try bench.run(HCILESetScanEnable(isEnabled: false), id).status == .success)
    #expect(try bench.run(removal, id).status == .success)
    #expect(try bench.run(second, id).status == .success)
  }

  @Test("LE Rand is decided by the seed") func random() throws {
    func numbers(seed: UInt64) throws -> [UInt64] {
      let bench = RadioBench(RadioConfiguration(seed: seed))
      let id = bench.add(alice)
      return try (0..<4).map { _ in try bench.run(HCILERand(), id).number }
    }
    #expect(try numbers(seed: 7) == numbers(seed: 7))
    #expect(try numbers(seed: 7) != numbers(seed: 8))
    #expect(Set(try numbers(seed: 7)).count == 4)
  }

  @Test("A controller without a feature does not know its commands") func features() throws {
    let bench = RadioBench()
    let id = bench.add(alice, ControllerConfiguration(features: []))
    #expect(try bench.run(HCILEReadLocalSupportedFeatures(), id).features == [])
    let commands = try bench.run(HCIReadLocalSupportedCommands(), id).commands
    #expect(commands.contains(.leCreateConnection))
    #expect(!commands.contains(.leSetDataLength))
    #expect(!commands.contains(.leEnableEncryption))
    #expect(!commands.contains(.leLongTermKeyRequestReply))
    #expect(!commands.contains(.leRemoteConnectionParameterRequestReply))
    try bench.send("01 2F 20 00", id)
    #expect(bench.dequeueHex(id) == ["040f0401012f20"])
  }

  @Test("Buffers shared with BR/EDR are reported by Read Buffer Size") func sharedBuffers() throws {
    let bench = RadioBench()
    let buffers = ACLBuffers(length: 1021, count: 8)
    let id = bench.add(alice, ControllerConfiguration(buffers: buffers, sharesBuffersWithClassic: true))
    let le = try bench.run(HCILEReadBufferSize(), id)
    #expect(le.aclPacketLength == 0 && le.aclPacketCount == 0)
    let classic = try bench.run(HCIReadBufferSize(), id)
    #expect(classic.aclPacketLength == 1021 && classic.aclPacketCount == 8)
  }
}
