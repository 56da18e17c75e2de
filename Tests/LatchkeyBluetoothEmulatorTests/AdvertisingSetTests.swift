import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothEmulator

@Suite("Commands of advertising sets") struct AdvertisingSetTests {
  typealias Exchange = VirtualControllerCommandTests.Exchange

  /// A set's whole life, in the specification's bytes: each is sent after the ones before it.
  static let life: [Exchange] = [
    Exchange("Read Maximum Advertising Data Length", "01 3A 20 00", "04 0e 06 01 3a 20 00 72 06"),
    Exchange("Read Number of Supported Advertising Sets", "01 3B 20 00", "04 0e 05 01 3b 20 00 10"),
    Exchange("no set yet: data", "01 37 20 07 01 03 01 03 02 01 06", "04 0e 04 01 37 20 42"),
    Exchange("no set yet: scan response", "01 38 20 07 01 03 01 03 02 0A 00", "04 0e 04 01 38 20 42"),
    Exchange("no set yet: random address", "01 35 20 07 01 01 02 03 04 05 C6", "04 0e 04 01 35 20 42"),
    Exchange("no set yet: enable", "01 39 20 06 01 01 01 00 00 00", "04 0e 04 01 39 20 42"),
    Exchange("no set yet: disable", "01 39 20 06 00 01 01 00 00 00", "04 0e 04 01 39 20 42"),
    Exchange("no set yet: remove", "01 3C 20 01 01", "04 0e 04 01 3c 20 42"),
    Exchange(
      "Set Extended Advertising Parameters",
      "01 36 20 19 01 13 00 A0 00 00 A0 00 00 07 01 00 00 00 00 00 00 00 00 7F 01 00 01 05 00",
      "04 0e 05 01 36 20 00 00"),
    Exchange("no random address", "01 39 20 06 01 01 01 00 00 00", "04 0e 04 01 39 20 12"),
    Exchange("Set Advertising Set Random Address", "01 35 20 07 01 01 02 03 04 05 C6", "04 0e 04 01 35 20 00"),
    Exchange("Set Extended Advertising Data", "01 37 20 07 01 03 01 03 02 01 06", "04 0e 04 01 37 20 00"),
    Exchange("Set Extended Scan Response Data", "01 38 20 07 01 03 01 03 02 0A 00", "04 0e 04 01 38 20 00"),
    Exchange("Set Extended Advertising Enable", "01 39 20 06 01 01 01 00 00 00", "04 0e 04 01 39 20 00"),
    Exchange(
      "enabled: parameters", "01 36 20 19 01 13 00 A0 00 00 A0 00 00 07 01 00 00 00 00 00 00 00 00 7F 01 00 01 05 00",
      "04 0e 04 01 36 20 0c"),
    Exchange("enabled and connectable: random address", "01 35 20 07 01 01 02 03 04 05 C6", "04 0e 04 01 35 20 0c"),
    Exchange("the controller's random address is another", "01 05 20 06 01 02 03 04 05 C7", "04 0e 04 01 05 20 00"),
    Exchange("enabled: remove", "01 3C 20 01 01", "04 0e 04 01 3c 20 0c"),
    Exchange("enabled: clear", "01 3D 20 00", "04 0e 04 01 3d 20 0c"),
    Exchange("enabled: data", "01 37 20 07 01 03 01 03 02 01 04", "04 0e 04 01 37 20 00"),
    Exchange("disable another", "01 39 20 0A 00 02 01 00 00 00 02 00 00 00", "04 0e 04 01 39 20 42"),
    Exchange("enabled still", "01 3C 20 01 01", "04 0e 04 01 3c 20 0c"),
    Exchange("disable all", "01 39 20 02 00 00", "04 0e 04 01 39 20 00"),
    Exchange("enable none", "01 39 20 02 01 00", "04 0e 04 01 39 20 12"),
    Exchange("enable one twice", "01 39 20 0A 01 02 01 00 00 00 01 00 00 00", "04 0e 04 01 39 20 12"),
    Exchange("Remove Advertising Set", "01 3C 20 01 01", "04 0e 04 01 3c 20 00"),
    Exchange("removed", "01 3C 20 01 01", "04 0e 04 01 3c 20 42"),
    Exchange("Clear Advertising Sets", "01 3D 20 00", "04 0e 04 01 3d 20 00"),
    Exchange("handle 0xF0", "01 3C 20 01 F0", "04 0e 04 01 3c 20 12"),
    Exchange("enable list cut short", "01 39 20 05 01 01 01 00 00", "04 0e 04 01 39 20 12"),
    Exchange("enable list too long", "01 39 20 07 01 01 01 00 00 00 00", "04 0e 04 01 39 20 12"),
    Exchange("operation 5", "01 37 20 07 01 05 01 03 02 01 06", "04 0e 04 01 37 20 12"),
    Exchange("data shorter than they say", "01 37 20 07 01 03 01 04 02 01 06", "04 0e 04 01 37 20 12"),
  ]

  @Test("answer in a set's life with the specification's bytes") func bytes() throws {
    let bench = RadioBench()
    let id = bench.addExtended(alice)
    for step in Self.life {
      try bench.send(step.command, id)
      #expect(bench.dequeueHex(id) == step.answers, "\(step.name)")
    }
  }

  // MARK: Parameters

  struct Refusal: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var status: HCIStatus
    var change: @Sendable (inout HCILESetExtendedAdvertisingParameters) -> Void

    init(
      _ name: String, _ status: HCIStatus = .invalidParameters,
      _ change: @escaping @Sendable (inout HCILESetExtendedAdvertisingParameters) -> Void
    ) {
      testDescription = name
      self.status = status
      self.change = change
    }
  }

  static let refusals: [Refusal] = [
    Refusal("legacy connectable that is not scannable") { $0.properties = [.legacy, .connectable] },
    Refusal("legacy directed and scannable") { $0.properties = [.legacy, .scannable, .directed] },
    Refusal("legacy high duty cycle that is not directed") { $0.properties = [.legacy, .highDutyCycle] },
    Refusal("legacy anonymous") { $0.properties = [.legacy, .anonymous] },
    Refusal("legacy with power") { $0.properties = [.legacy, .includesTxPower] },
    Refusal("extended connectable and scannable") { $0.properties = [.connectable, .scannable] },
    Refusal("extended high duty cycle") { $0.properties = [.connectable, .directed, .highDutyCycle] },
    Refusal("anonymous and connectable") { $0.properties = [.anonymous, .connectable] },
    Refusal("anonymous and scannable") { $0.properties = [.anonymous, .scannable] },
    Refusal("a reserved property") { $0.properties = AdvertisingEventProperties(rawValue: 0x80) },
    Refusal("no channel") { $0.channelMap = 0 },
    Refusal("a fourth channel") { $0.channelMap = 0x0F },
    Refusal("filter policy 4") { $0.filterPolicy = 4 },
    Refusal("set identifier 16") { $0.setIdentifier = 16 },
    Refusal("21 dBm") { $0.txPower = 21 },
    Refusal("-128 dBm") { $0.txPower = -128 },
    Refusal("intervals upside down") { ($0.minimumInterval, $0.maximumInterval) = (0xA1, 0xA0) },
    Refusal("intervals too short", .unsupportedFeatureOrParameter) { $0.minimumInterval = 0x1F },
    Refusal("LE 2M on the primary channels", .unsupportedFeatureOrParameter) { $0.primaryPHY = .le2M },
    Refusal("legacy packets on LE Coded") { ($0.properties, $0.primaryPHY) = ([.legacy], .leCoded) },
  ]

  @Test("refuse parameters, and make no set then", arguments: refusals) func refused(_ refusal: Refusal) throws {
    let bench = RadioBench()
    let id = bench.addExtended(alice)
    let handle = AdvertisingHandle(rawValue: 7)
    var parameters = HCILESetExtendedAdvertisingParameters(
      handle: handle, properties: [], minimumInterval: 0xA0, maximumInterval: 0xA0, ownAddressKind: .public)
    refusal.change(&parameters)
    #expect(try bench.status(parameters, id) == refusal.status)
    #expect(try bench.status(HCILERemoveAdvertisingSet(handle: handle), id) == .unknownAdvertisingIdentifier)
  }

  @Test("refuse physical layers that the controller has not", arguments: [LEPHY.le2M, .leCoded])
  func layers(_ phy: LEPHY) throws {
    let bench = RadioBench()
    let id = bench.addExtended(alice, features: [.extendedAdvertising])
    var parameters = HCILESetExtendedAdvertisingParameters(
      handle: AdvertisingHandle(rawValue: 0), properties: [], ownAddressKind: .public, secondaryPHY: phy)
    #expect(try bench.status(parameters, id) == .unsupportedFeatureOrParameter)
    // With legacy packets there is no secondary channel.
    parameters.properties = [.legacy]
    #expect(try bench.status(parameters, id) == .success)
  }

  @Test("select the power that the host prefers, up to the controller's own") func power() throws {
    let bench = RadioBench()
    let id = bench.addReady(alice, ControllerConfiguration(features: .all, transmitPower: 8))
    for (preferred, selected) in [(127, 8), (20, 8), (8, 8), (-20, -20)] as [(Int8, Int8)] {
      let parameters = HCILESetExtendedAdvertisingParameters(
        handle: AdvertisingHandle(rawValue: 0), ownAddressKind: .public, txPower: preferred)
      #expect(try bench.run(parameters, id).selectedTxPower == selected)
    }
  }

  @Test("make as many sets as there is memory for, of any handles") func memory() throws {
    let bench = RadioBench()
    let id = bench.addExtended(alice, advertisingSets: 3)
    #expect(try bench.run(HCILEReadNumberOfSupportedAdvertisingSets(), id).count == 3)
    func status(_ handle: UInt8) throws -> HCIStatus? {
      try bench.status(
        HCILESetExtendedAdvertisingParameters(handle: AdvertisingHandle(rawValue: handle), ownAddressKind: .public), id)
    }
    for handle: UInt8 in [0xEF, 0x00, 0x80] { #expect(try status(handle) == .success) }
    #expect(try status(0x01) == .memoryCapacityExceeded)
    #expect(try status(0x80) == .success)
    #expect(try bench.status(HCILERemoveAdvertisingSet(handle: AdvertisingHandle(rawValue: 0)), id) == .success)
    #expect(try status(0x01) == .success)
    #expect(try bench.status(HCILEClearAdvertisingSets(), id) == .success)
    for handle: UInt8 in 0..<3 { #expect(try status(handle) == .success) }
    bench.send(HCIReset(), id)
    _ = bench.dequeue(id)
    #expect(
      try bench.status(HCILERemoveAdvertisingSet(handle: AdvertisingHandle(rawValue: 0)), id)
        == .unknownAdvertisingIdentifier)
  }

  // MARK: Two families

  private static let legacy: [any HCICommand] = [
    HCILESetAdvertisingParameters(ownAddressKind: .public), HCILEReadAdvertisingPhysicalChannelTxPower(),
    HCILESetAdvertisingEnable(isEnabled: false), HCILESetScanParameters(ownAddressKind: .public),
    HCILESetScanEnable(isEnabled: false),
    HCILECreateConnection(peer: BluetoothAddress(bob, kind: .public), ownAddressKind: .public),
  ]

  private static let extended: [any HCICommand] = [
    HCILESetExtendedAdvertisingParameters(handle: AdvertisingHandle(rawValue: 0), ownAddressKind: .public),
    HCILEReadMaximumAdvertisingDataLength(), HCILEReadNumberOfSupportedAdvertisingSets(),
    HCILESetExtendedAdvertisingEnable(isEnabled: false, sets: []), HCILEClearAdvertisingSets(),
    HCILESetExtendedScanParameters(ownAddressKind: .public, scan: .init()),
    HCILESetExtendedScanEnable(isEnabled: false),
    HCILEExtendedCreateConnection(ownAddressKind: .public, peer: BluetoothAddress(bob, kind: .public)),
  ]

  @Test("The first command of one family disallows all of the other, until a reset") func families() throws {
    let bench = RadioBench()
    let id = bench.addExtended(alice)
    for (own, other) in [(Self.legacy, Self.extended), (Self.extended, Self.legacy)] {
      for first in own {
        bench.send(HCIReset(), id)
        _ = bench.dequeue(id)
        #expect(try bench.status(first, id) == .success, "\(first)")
        for command in other { #expect(try bench.status(command, id) == .commandDisallowed, "\(first), \(command)") }
        #expect(try bench.status(HCILERand(), id) == .success)
        #expect(try bench.status(HCILEClearFilterAcceptList(), id) == .success)
      }
    }
  }

  @Test("A refused command of one family disallows the other, too") func refusedFamily() throws {
    let bench = RadioBench()
    let id = bench.addExtended(alice)
    try bench.send("01 3C 20 01 00", id)
    #expect(bench.dequeueHex(id) == ["040e04013c2042"])
    #expect(try bench.status(HCILESetScanEnable(isEnabled: true), id) == .commandDisallowed)
  }

  @Test("A controller without extended advertising does not know its commands, and is not changed by them")
  func unknown() throws {
    let bench = RadioBench()
    let id = bench.addReady(alice)
    #expect(!(try bench.run(HCILEReadLocalSupportedFeatures(), id).features.contains(.extendedAdvertising)))
    let without = try bench.run(HCIReadLocalSupportedCommands(), id).commands
    for command in Self.extended {
      #expect(!without.contains(type(of: command).opcode))
      #expect(try bench.status(command, id) == .unknownCommand)
    }
    #expect(try bench.status(HCILESetScanEnable(isEnabled: true), id) == .success)
    let other = bench.addExtended(bob)
    #expect(try bench.run(HCILEReadLocalSupportedFeatures(), other).features.contains(.extendedAdvertising))
    let with = try bench.run(HCIReadLocalSupportedCommands(), other).commands
    for command in Self.extended { #expect(with.contains(type(of: command).opcode)) }
  }
}
