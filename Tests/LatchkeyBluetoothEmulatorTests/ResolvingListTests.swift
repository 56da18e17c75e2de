import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothEmulator

/// Core 6.0 Vol 4 Part E 7.8.38 to 7.8.45, 7.8.77.
@Suite("The resolving list of a controller") struct ResolvingListTests {
  typealias Exchange = VirtualControllerCommandTests.Exchange

  private static let first = "01 0B 0B 00 00 00 C0"
  private static let second = "00 0C 0C 00 00 00 00"
  private static let keys = "101112131415161718191A1B1C1D1E1F 202122232425262728292A2B2C2D2E2F"
  private static let otherKeys = "303132333435363738393A3B3C3D3E3F 202122232425262728292A2B2C2D2E2F"
  private static let noKeys = String(repeating: "00", count: 32)

  static let exchanges: [Exchange] = [
    Exchange("its size", "01 2A 20 00", "04 0e 05 01 2a 20 00 02"),
    Exchange("a device that is not there", "01 28 20 07 \(first)", "04 0e 04 01 28 20 02"),
    Exchange("the privacy of one that is not there", "01 4E 20 08 \(first) 01", "04 0e 04 01 4e 20 02"),
    Exchange("the address of one that is not there", "01 2B 20 07 \(first)", "04 0e 04 01 2b 20 02"),
    Exchange("the own address for one that is not there", "01 2C 20 07 \(first)", "04 0e 04 01 2c 20 02"),
    Exchange("a device", "01 27 20 27 \(first) \(keys)", "04 0e 04 01 27 20 00"),
    Exchange("the same one", "01 27 20 27 \(first) \(otherKeys)", "04 0e 04 01 27 20 12"),
    Exchange("another one with its IRK", "01 27 20 27 \(second) \(keys)", "04 0e 04 01 27 20 12"),
    Exchange("an identity of no kind", "01 27 20 27 02 0B 0B 00 00 00 C0 \(otherKeys)", "04 0e 04 01 27 20 12"),
    Exchange("one without an IRK", "01 27 20 27 \(second) \(noKeys)", "04 0e 04 01 27 20 00"),
    Exchange("one too many", "01 27 20 27 01 0D 0D 00 00 00 C0 \(otherKeys)", "04 0e 04 01 27 20 07"),
    Exchange("device privacy", "01 4E 20 08 \(first) 01", "04 0e 04 01 4e 20 00"),
    Exchange("a reserved mode", "01 4E 20 08 \(first) 02", "04 0e 04 01 4e 20 12"),
    Exchange("the address of one that was not heard", "01 2B 20 07 \(first)", "04 0e 0a 01 2b 20 00 00 00 00 00 00 00"),
    Exchange(
      "the own address for one without a key", "01 2C 20 07 \(second)", "04 0e 0a 01 2c 20 00 00 00 00 00 00 00"),
    Exchange("a device that is there", "01 28 20 07 \(second)", "04 0e 04 01 28 20 00"),
    Exchange("room again", "01 27 20 27 01 0D 0D 00 00 00 C0 \(otherKeys)", "04 0e 04 01 27 20 00"),
    Exchange("a timeout of nothing", "01 2E 20 02 00 00", "04 0e 04 01 2e 20 12"),
    Exchange("a timeout above an hour", "01 2E 20 02 11 0E", "04 0e 04 01 2e 20 12"),
    Exchange("an hour", "01 2E 20 02 10 0E", "04 0e 04 01 2e 20 00"),
    Exchange("a second", "01 2E 20 02 01 00", "04 0e 04 01 2e 20 00"),
    Exchange("resolution on", "01 2D 20 01 01", "04 0e 04 01 2d 20 00"),
    Exchange("all removed while nothing is on", "01 29 20 00", "04 0e 04 01 29 20 00"),
    Exchange("a removed device", "01 28 20 07 \(first)", "04 0e 04 01 28 20 02"),
    Exchange("resolution off", "01 2D 20 01 00", "04 0e 04 01 2d 20 00"),
  ]

  private func add(
    _ bench: RadioBench, size: Int = 16, features: ControllerConfiguration.Features = [.privacy]
  ) -> ControllerID {
    bench.addReady(alice, ControllerConfiguration(features: features, resolvingListSize: size))
  }

  @Test("answers in the specification's bytes") func bytes() throws {
    let bench = RadioBench()
    let id = add(bench, size: 2)
    for step in Self.exchanges {
      try bench.send(step.command, id)
      #expect(bench.dequeueHex(id) == step.answers, "\(step.name)")
    }
  }

  @Test("is there with the feature alone") func feature() throws {
    let bench = RadioBench()
    let (with, without) = (add(bench), add(bench, features: .standard))
    #expect(try bench.run(HCILEReadLocalSupportedFeatures(), with).features.contains(.privacy))
    #expect(!(try bench.run(HCILEReadLocalSupportedFeatures(), without).features.contains(.privacy)))
    for step in Self.exchanges {
      try bench.send(step.command, without)
      let opcode = step.command.replacing(" ", with: "").prefix(6).suffix(4).lowercased()
      #expect(bench.dequeueHex(without) == ["040f0401" + "01\(opcode)"], "\(step.name)")
    }
    let commands = try bench.run(HCIReadLocalSupportedCommands(), with).commands
    let none = try bench.run(HCIReadLocalSupportedCommands(), without).commands
    for opcode in VirtualController.privacyCommands { #expect(commands.contains(opcode) && !none.contains(opcode)) }
  }

  enum Activity: CaseIterable { case advertising, set, scanning, initiating }

  private func begin(_ activity: Activity, _ bench: RadioBench, _ id: ControllerID) throws {
    switch activity {
    case .advertising: bench.send(HCILESetAdvertisingEnable(isEnabled: true), id)
    case .set: try bench.advertise(id, [])
    case .scanning:
      bench.send(HCILESetScanParameters(ownAddressKind: .public), id)
      bench.send(HCILESetScanEnable(isEnabled: true), id)
    case .initiating:
      bench.send(HCILECreateConnection(peer: BluetoothAddress(carol, kind: .public), ownAddressKind: .public), id)
    }
    _ = bench.dequeue(id)
  }

  @Test("does not change while it is in use, and resolution not while anything is on", arguments: Activity.allCases)
  func exclusions(_ activity: Activity) throws {
    for isEnabled in [false, true] {
      let bench = RadioBench()
      let id = add(bench, features: .all)
      let identity = BluetoothAddress(0xC000_0000_0B0B, kind: .random)
      let key = try #require(SecurityKey([UInt8](1...16)))
      let addition = HCILEAddDeviceToResolvingList(identity: identity, peerResolvingKey: key)
      #expect(try bench.status(addition, id) == .success)
      #expect(try bench.status(HCILESetAddressResolutionEnable(isEnabled: isEnabled), id) == .success)
      try begin(activity, bench, id)
      let expected: HCIStatus = isEnabled ? .commandDisallowed : .success
      #expect(try bench.status(HCILESetPrivacyMode(identity: identity, mode: .device), id) == expected)
      #expect(try bench.status(HCILERemoveDeviceFromResolvingList(identity: identity), id) == expected)
      #expect(try bench.status(addition, id) == expected)
      #expect(try bench.status(HCILEClearResolvingList(), id) == expected)
      for other in [false, true] {
        #expect(try bench.status(HCILESetAddressResolutionEnable(isEnabled: other), id) == .commandDisallowed)
      }
      // Reading, and the timeout, are allowed at any time.
      #expect(try bench.status(HCILESetResolvablePrivateAddressTimeout(seconds: 60), id) == .success)
      #expect(try bench.status(HCILEReadResolvingListSize(), id) == .success)
    }
  }

  @Test("is empty, and off, after a reset") func reset() throws {
    let bench = RadioBench()
    let id = add(bench, size: 1)
    let key = try #require(SecurityKey([UInt8](1...16)))
    for _ in 0..<2 {
      for number in 0..<2 as Range<UInt64> {
        let identity = BluetoothAddress(0xC000_0000_0000 + number, kind: .random)
        let status = try bench.status(HCILEAddDeviceToResolvingList(identity: identity, peerResolvingKey: key), id)
        #expect(status == (number == 0 ? .success : .memoryCapacityExceeded))
      }
      #expect(try bench.status(HCILESetAddressResolutionEnable(isEnabled: true), id) == .success)
      bench.send(HCIReset(), id)
      bench.unmask(id)
    }
  }
}
