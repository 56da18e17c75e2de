import Foundation
import LatchkeyBluetoothEmulator
import LatchkeyBluetoothHost
import Synchronization
import Testing

@testable import LatchkeyBluetoothTransports

struct OwnAddressTests {
  @Test("A virtual host has the same address in every process") func aVirtualHostHasTheSameAddressInEveryProcess() {
    let address = OwnAddress.virtual(radio: "", controller: "central")
    #expect(address == OwnAddress.virtual(radio: "", controller: "central"))
    #expect(address.kind == .random)
    #expect(address.value >> 46 == 0b11)
  }

  @Test("Different names give different addresses") func differentNamesGiveDifferentAddresses() {
    let names = [("", "central"), ("", "peripheral"), ("a", "central"), ("ab", "c"), ("a", "bc"), ("b", "peripheral")]
    let addresses = names.map { OwnAddress.virtual(radio: $0.0, controller: $0.1) }
    #expect(Set(addresses).count == names.count)
  }

  @Test(
    "A drawn address is never all zeros or ones", arguments: [0, .max, 0x3FFF_FFFF_FFFF, 0xC000_0000_0000] as [UInt64])
  func aDrawnAddressIsNeverAllZerosOrOnes(number: UInt64) {
    let address = OwnAddress.drawn { number }
    #expect(address.value >> 46 == 0b11)
    #expect(![0, 0x3FFF_FFFF_FFFF].contains(address.value & 0x3FFF_FFFF_FFFF))
  }
}

struct RadioRegistryTests {
  private let registry = RadioRegistry()

  @Test("A host whose address ends with the process stores no bond, and does not claim to") func transientBonds() throws
  {
    let bond = Bond(identity: .staticRandom(2), isPersistent: true)
    let (kept, known) = (MemoryBondStore(), BluetoothAddress.staticRandom(1))
    let transient = RadioRegistry.bondStore({ _ in kept }, of: nil)
    #expect(throws: TransientBondStore.Refusal.self) { try transient.save(bond) }
    #expect(try transient.load() == [] && kept.load() == [])
    #expect(try transient.resolvingKey { nil } == nil)
    try RadioRegistry.bondStore({ _ in kept }, of: known).save(bond)
    #expect(kept.load() == [bond])
    // Without a store at all, bonds last as long as the host.
    try RadioRegistry.bondStore(nil, of: nil).save(bond)
  }

  @Test("Managers of one specification and role share one host") func managersOfOneTextAndRoleShareOneHost() throws {
    let specification = try ControllerSpecification("virtual")
    let central = registry.driver(for: specification, role: .central)
    #expect(registry.driver(for: specification, role: .central) === central)
    #expect(registry.driver(for: specification, role: .peripheral) !== central)
    #expect(registry.radio(named: nil).controllerNames == ["central", "peripheral"])
    #expect(central.withHost { host, _ in host.state } == .poweredOn)
    registry.removeAll()
    #expect(central.withHost { host, _ in host.state } == .poweredOff)
  }

  @Test("Another name is another radio") func anotherNameIsAnotherRadio() throws {
    let one = registry.driver(for: .virtual(name: "one"), role: .central)
    let two = registry.driver(for: .virtual(name: "two"), role: .central)
    #expect(one !== two)
    #expect(registry.radio(named: "one") !== registry.radio(named: "two"))
    registry.remove(.virtual(name: "one"))
    #expect(one.withHost { host, _ in host.state } == .poweredOff)
    #expect(two.withHost { host, _ in host.state } == .poweredOn)
    #expect(registry.driver(for: .virtual(name: "one"), role: .central) !== one)
    registry.removeAll()
  }

  @Test("Both roles share a controller that is not virtual") func bothRolesShareAControllerThatIsNotVirtual() {
    // There is no listener: the driver is created nevertheless, and its host is powered off in the end.
    let specification = ControllerSpecification.stream(.unix(path: temporarySocketPath()))
    let driver = registry.driver(for: specification, role: .central)
    #expect(registry.driver(for: specification, role: .peripheral) === driver)
    registry.removeAll()
    #expect(registry.driver(for: specification, role: .central) !== driver)
    registry.removeAll()
  }

  @Test("Own addresses of real controllers are drawn once") func ownAddressesOfRealControllersAreDrawnOnce()
    async throws
  {
    let draws = Atomic(0)
    let registry = RadioRegistry { UInt64(draws.add(1, ordering: .relaxed).newValue) }
    let specification = ControllerSpecification.stream(.unix(path: temporarySocketPath()))
    _ = registry.driver(for: specification, role: .central)
    _ = registry.driver(for: specification, role: .peripheral)
    _ = registry.driver(for: .virtual(name: nil), role: .central)
    #expect(draws.load(ordering: .relaxed) == 1)
    registry.removeAll()
  }

  @Test("A named controller serves both roles and is removed with its radio")
  func aNamedControllerServesBothRolesAndGoesWithItsRadio() throws {
    let lamp = ControllerSpecification.virtual(name: "lab", controller: "lamp")
    let driver = registry.driver(for: lamp, role: .central)
    #expect(registry.driver(for: lamp, role: .peripheral) === driver)
    let lantern = registry.driver(for: .virtual(name: "lab", controller: "lantern"), role: .peripheral)
    #expect(lantern !== driver)
    #expect(registry.radio(named: "lab").controllerNames == ["lamp", "lantern"])
    let other = registry.driver(for: .virtual(name: "hall", controller: "lamp"), role: .central)
    registry.remove(.virtual(name: "lab"))
    let states = [driver, lantern, other].map { $0.withHost { host, _ in host.state } }
    #expect(states == [.poweredOff, .poweredOff, .poweredOn])
    registry.removeAll()
  }

  @Test("A real controller's host uses the given own address") func theOwnAddressOfARealControllerIsTheGivenOne() {
    let specification = ControllerSpecification.stream(.unix(path: temporarySocketPath()))
    let asked = Atomic(0)
    for _ in 0..<2 {
      _ = registry.driver(for: specification, role: .central) {
        asked.add(1, ordering: .relaxed)
        return .staticRandom(77)
      }
    }
    #expect(asked.load(ordering: .relaxed) == 1)
    registry.removeAll()
  }

  @Test("A test can replace the radio") func aTestPutsItsOwnRadioInPlace() throws {
    let old = registry.driver(for: .virtual(name: "lab"), role: .central)
    let clock = VirtualClock()
    let radio = VirtualRadio(configuration: RadioConfiguration(rssi: -33), scheduler: clock)
    registry.replace(radio, named: "lab")
    #expect(old.withHost { host, _ in host.state } == .poweredOff)
    #expect(registry.radio(named: "lab") === radio)
    let driver = registry.driver(for: .virtual(name: "lab"), role: .central)
    clock.advance(by: .seconds(5))
    #expect(driver.withHost { _, now in now } == .seconds(5))
    registry.removeAll()
  }

  @Test("A test can replace the driver") func aTestPutsItsOwnDriverInPlace() {
    let specification = ControllerSpecification.virtual(name: "lab")
    let driver = Fixture.idleDriver()
    registry.replace(driver, for: specification, role: .central)
    #expect(registry.driver(for: specification, role: .central) === driver)
    registry.removeAll()
  }

  @Test("A capture has all controllers in one file") func aCaptureHasAllControllersInOneFile() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).btsnoop").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try registry.capture(to: path)
    #expect(FileManager.default.fileExists(atPath: path))
    _ = registry.driver(for: .virtual(name: nil), role: .peripheral)
    _ = registry.driver(for: .virtual(name: nil), role: .central)
    _ = registry.driver(for: .virtual(name: nil), role: .central)
    registry.removeAll()
    let records = try MonitorRecord.all(in: path)
    for index in [0, 1] as [UInt16] {
      let opcodes = records.filter { $0.index == index }.map(\.opcode)
      #expect(opcodes.first == 0)
      #expect(opcodes.last == 1)
      #expect(opcodes.count { $0 == 2 } > 3)
      #expect(opcodes.count { $0 == 3 } > 3)
    }
    #expect(Set(records.map(\.index)) == [0, 1])
    #expect(
      records.filter { $0.opcode == 0 }.map { String(decoding: $0.data.suffix(8), as: UTF8.self) }.sorted() == [
        "central\0", "peripher",
      ])
    #expect(!FileManager.default.fileExists(atPath: path + ".2"))
  }

  @Test("A capture that cannot be created throws at once") func aCaptureThatCannotBeMadeIsAnErrorAtOnce() {
    #expect(throws: PacketTraceError.self) { try registry.capture(to: "/nonexistent/capture") }
  }
}

@Suite(.timeLimit(.minutes(5)))
struct RadioOverSocketTests {
  /// A server of a virtual radio, and two processes' worth of hosts that join it.
  @Test("Hosts of two connections meet on the server's radio") func hostsOfTwoConnectionsMeetOnTheServersRadio()
    async throws
  {
    let server = RadioServer(radio: VirtualRadio())
    let path = temporarySocketPath()
    let place = try await server.start(at: ListenSpecification("unix-server:\(path)"))
    // Two registries: two processes, each with a controller of its own.
    let (near, far) = (RadioRegistry(), RadioRegistry())
    let (events, continuation) = AsyncStream<HostEvent>.makeStream()
    let service: BluetoothUUID = 0x1234
    let peripheral = TestManager(near.driver(for: place.clientSpecification, role: .peripheral)) { manager, event in
      if case .stateChanged(.poweredOn, _) = event {
        manager.driver.withHost { host, now in
          host.startAdvertising(
            manager.client, AdvertisingParameters(localName: "Lamp", services: [service]), now: now)
        }
      }
    }
    let central = TestManager(far.driver(for: place.clientSpecification, role: .central)) { manager, event in
      manager.driver.withHost { host, now in
        switch event {
        case .stateChanged(.poweredOn, _):
          host.startScan(manager.client, services: [service], allowDuplicates: false, now: now)
        case .discovered(let discovery): host.connect(manager.client, to: discovery.address, now: now)
        default: break
        }
      }
      continuation.yield(event)
    }
    var link: LinkID?
    for await event in events {
      if case .connected(let connected, _, .central) = event {
        link = connected
        break
      }
    }
    let found = await withCheckedContinuation { continuation in
      let link = link ?? LinkID(0)
      central.driver.submit(.discoverServices([service]), client: central.client, link: link) { outcome in
        continuation.resume(returning: outcome)
      }
    }
    // Nothing was added to the database, so the search ends, well formed, with nothing.
    guard case .services(let services) = found else {
      Issue.record("no answer: \(found)")
      return
    }
    #expect(services.isEmpty)
    near.removeAll()
    #expect(peripheral.driver.withHost { host, _ in host.state } == .poweredOff)
    far.removeAll()
    await server.shutDown()
  }
}

private enum Fixture {
  static func idleDriver() -> HostDriver {
    HostDriver(
      configuration: HostConfiguration(ownAddress: .staticRandom(1)), transport: ScriptedController(),
      scheduler: VirtualClock())
  }
}
