import Dispatch
import Foundation
import LatchkeyBluetoothEmulator
import LatchkeyBluetoothHost
import Synchronization
import Testing

@testable import LatchkeyBluetoothTransports

/// Two hosts on one radio, on one clock that stands still: a peripheral that serves one characteristic, and a central.
private struct TwoHosts {
  static let service: BluetoothUUID = 0x1234
  static let characteristic: BluetoothUUID = 0x5678

  let clock = VirtualClock()
  let radio: VirtualRadio
  let central: TestManager
  let peripheral: TestManager
  let peripheralAddress = BluetoothAddress.staticRandom(0x02)
  let received: Received
  let handle: AttributeHandle

  final class Received: Sendable {
    private let values = Mutex<[[UInt8]]>([])
    var all: [[UInt8]] { values.withLock { $0 } }
    func add(_ value: [UInt8]) { values.withLock { $0.append(value) } }
  }

  init(trace: PacketTrace? = nil) throws {
    radio = VirtualRadio(scheduler: clock)
    let received = Received()
    self.received = received
    central = TestManager(Self.driver(radio, "central", 0x01, clock, trace))
    peripheral = TestManager(Self.driver(radio, "peripheral", 0x02, clock, nil)) { manager, event in
      switch event {
      case .readRequest(let request):
        manager.driver.withHost { host, now in
          host.respond(to: request.id, with: .value(Array("value".utf8).dropFirst(request.offset).map { $0 }), now: now)
        }
      case .writeRequest(let request):
        for part in request.parts { received.add(part.value) }
        manager.driver.withHost { host, now in
          if let id = request.id {
            host.respond(to: id, with: .written, now: now)
          } else {
            host.consumed(1, on: request.link, client: manager.client, now: now)
          }
        }
      default: break
      }
    }
    let client = peripheral.client
    let definition = GATTServiceDefinition(
      uuid: Self.service,
      characteristics: [
        GATTCharacteristicDefinition(
          uuid: Self.characteristic, properties: [.read, .write, .writeWithoutResponse],
          permissions: [.readable, .writeable])
      ])
    let placement = try peripheral.driver.withHost { host, now throws(GATTDatabaseError) in
      try host.addService(definition, client: client, now: now)
    }
    handle = try #require(placement.valueHandles.first)
  }

  static func driver(
    _ radio: VirtualRadio, _ name: String, _ address: UInt64, _ clock: any Scheduler, _ trace: PacketTrace?
  ) -> HostDriver {
    HostDriver(
      configuration: HostConfiguration(ownAddress: .staticRandom(address)), transport: radio.makeTransport(name),
      scheduler: clock, trace: trace)
  }

  /// Both hosts ready and linked.
  func connect() throws -> LinkID {
    central.driver.start()
    peripheral.driver.start()
    peripheral.driver.withHost { host, now in
      host.startAdvertising(peripheral.client, AdvertisingParameters(localName: "Lamp"), now: now)
    }
    central.driver.withHost { host, now in host.connect(central.client, to: peripheralAddress, now: now) }
    clock.advance(by: .seconds(1))
    return try #require(central.link)
  }

  func read(_ link: LinkID, _ outcomes: Outcomes) {
    central.driver.submit(.read(handle), client: central.client, link: link) { outcomes.add($0) }
  }

  func shutDown() {
    central.driver.shutDown()
    peripheral.driver.shutDown()
  }
}

struct HostDriverTests {
  @Test("A host is initialized within the call that starts it") func aHostIsInitializedWithinTheCallThatStartsIt()
    throws
  {
    let hosts = try TwoHosts()
    hosts.central.driver.start()
    #expect(hosts.central.states == [.unknown, .poweredOn])
    #expect(hosts.radio.controllerNames == ["central"])
    hosts.shutDown()
  }

  @Test("A read is answered within its own call") func aReadIsAnsweredWithinTheCallThatAsks() throws {
    let hosts = try TwoHosts()
    let link = try hosts.connect()
    let outcomes = Outcomes()
    hosts.read(link, outcomes)
    hosts.read(link, outcomes)
    #expect(outcomes.values == [Array("value".utf8), Array("value".utf8)])
    hosts.shutDown()
  }

  @Test("Writes without response arrive in order") func writesWithoutResponseArriveInOrder() throws {
    let hosts = try TwoHosts()
    let link = try hosts.connect()
    for number in 0..<200 as Range<UInt8> {
      let isTaken = hosts.central.driver.withHost { host, now in
        host.writeCommand([number], to: hosts.handle, client: hosts.central.client, link: link, now: now)
      }
      #expect(isTaken)
    }
    #expect(hosts.received.all == (0..<200).map { [$0] })
    hosts.shutDown()
  }

  @Test("Many threads read and write at the same time") func manyThreadsReadAndWriteAtOnce() throws {
    let hosts = try TwoHosts()
    let link = try hosts.connect()
    let outcomes = Outcomes()
    let group = DispatchGroup()
    for thread in 0..<4 as Range<UInt8> {
      DispatchQueue(label: "manager \(thread)").async(group: group) {
        for number in 0..<50 as Range<UInt8> {
          hosts.read(link, outcomes)
          hosts.central.driver.submit(
            .write(hosts.handle, [thread, number]), client: hosts.central.client, link: link
          ) { outcomes.add($0) }
        }
      }
    }
    group.wait()
    #expect(outcomes.all.count == 400)
    for thread in 0..<4 as Range<UInt8> {
      #expect(hosts.received.all.filter { $0.first == thread } == (0..<50).map { [thread, $0] })
    }
    hosts.shutDown()
  }

  @Test("Switching a radio off and on takes its host down and back up") func switchedOffAndOn() throws {
    let hosts = try TwoHosts()
    let link = try hosts.connect()
    hosts.radio.setPowered(false, "central")
    #expect(hosts.central.states == [.unknown, .poweredOn, .poweredOff])
    #expect(hosts.central.disconnections == 1)
    let outcomes = Outcomes()
    hosts.read(link, outcomes)
    #expect(outcomes.values == [nil])
    #expect(hosts.peripheral.disconnections == 0)
    hosts.clock.advance(by: .seconds(40))
    #expect(hosts.peripheral.disconnections == 1)
    hosts.radio.setPowered(true, "central")
    #expect(hosts.central.states.suffix(2) == [.unknown, .poweredOn])
    hosts.shutDown()
  }

  @Test("A host starts when its controller is switched on later") func aControllerThatIsOffWhenItsHostComes() throws {
    let hosts = try TwoHosts()
    hosts.radio.setPowered(false, "central")
    hosts.central.driver.start()
    #expect(hosts.central.states == [.unknown, .poweredOff])
    hosts.radio.setPowered(true, "central")
    #expect(hosts.central.states.last == .poweredOn)
    hosts.shutDown()
  }

  @Test("A silent peer times out in virtual time") func aPeerWhoseControllerSaysNothingTimesOutInVirtualTime() throws {
    let hosts = try TwoHosts()
    var faults = ControllerFaults()
    faults.silentCommands = [0x0C03]
    hosts.radio.setFaults(faults, on: "central")
    #expect(hosts.radio.faults(of: "central").silentCommands == [0x0C03])
    hosts.central.driver.start()
    #expect(hosts.central.states == [.unknown])
    hosts.clock.advance(by: .seconds(60))
    #expect(hosts.central.states.count > 1)
    #expect(hosts.central.states.last == .unsupported)
    #expect(hosts.central.driver.reasonOfLoss == "the controller does not answer the command 0x0C03")
    hosts.shutDown()
  }

  @Test("A controller that refuses what it must do is named with its status")
  func aControllerThatRefusesIsNamed() throws {
    let hosts = try TwoHosts()
    var faults = ControllerFaults()
    faults.refusedCommands = [0x0C03: .hardwareFailure]
    hosts.radio.setFaults(faults, on: "central")
    hosts.central.driver.start()
    #expect(hosts.central.states.last == .unsupported)
    #expect(
      hosts.central.driver.reasonOfLoss == "the controller refuses the command 0x0C03 with the status 0x03")
    hosts.radio.setFaults(ControllerFaults(), on: "central")
    hosts.radio.setPowered(false, "central")
    hosts.radio.setPowered(true, "central")
    #expect(hosts.central.states.last == .poweredOn)
    #expect(hosts.central.driver.reasonOfLoss == nil)
    hosts.shutDown()
  }

  @Test("Settings before the managers are created apply to them") func whatIsSetBeforeTheManagersAreMadeHolds() throws {
    let hosts = try TwoHosts()
    hosts.radio.setRSSI(-71, between: "central", and: "peripheral")
    hosts.peripheral.driver.start()
    hosts.central.driver.start()
    hosts.peripheral.driver.withHost { host, now in
      host.startAdvertising(hosts.peripheral.client, AdvertisingParameters(localName: "Lamp"), now: now)
    }
    hosts.central.driver.withHost { host, now in
      host.startScan(hosts.central.client, services: nil, allowDuplicates: false, now: now)
    }
    hosts.clock.advance(by: .seconds(1))
    #expect(Set(hosts.central.discoveries.map(\.rssi)) == [-71])
    hosts.shutDown()
  }

  @Test("A second host is refused by the same controller") func twoHostsCannotHaveOneController() throws {
    let hosts = try TwoHosts()
    hosts.central.driver.start()
    let second = TestManager(TwoHosts.driver(hosts.radio, "central", 0x03, hosts.clock, nil))
    second.driver.start()
    #expect(second.states == [.unknown, .poweredOff])
    second.driver.shutDown()
    #expect(hosts.radio.controllerNames == ["central"])
    hosts.shutDown()
    #expect(hosts.radio.controllerNames == [])
  }

  @Test("Shutting down ends everything once") func shuttingDownEndsEverythingOnce() throws {
    let hosts = try TwoHosts()
    let link = try hosts.connect()
    hosts.central.driver.shutDown()
    hosts.central.driver.shutDown()
    #expect(hosts.central.states == [.unknown, .poweredOn, .poweredOff])
    #expect(hosts.central.disconnections == 1)
    #expect(hosts.radio.controllerNames == ["peripheral"])
    // A driver that is shut down stays so.
    hosts.central.driver.transportOpened()
    let outcomes = Outcomes()
    hosts.read(link, outcomes)
    #expect(outcomes.values == [nil])
    #expect(hosts.central.states.last == .poweredOff)
    hosts.peripheral.driver.shutDown()
    // A timer that the radio had still armed finds nothing to do, and arms nothing.
    hosts.clock.advance(by: .seconds(60))
    #expect(hosts.clock.nextDeadline == nil)
  }

  @Test("A driver can be shut down from a callback") func aDriverMayBeShutDownFromACallback() throws {
    let hosts = try TwoHosts()
    let link = try hosts.connect()
    let outcomes = Outcomes()
    hosts.central.driver.submit(.read(hosts.handle), client: hosts.central.client, link: link) { outcome in
      outcomes.add(outcome)
      hosts.shutDown()
    }
    #expect(outcomes.values == [Array("value".utf8)])
    #expect(hosts.radio.controllerNames == [])
  }

  @Test("A driver is released after its shutdown") func aDriverThatIsShutDownIsLetGoOf() throws {
    weak var driver: HostDriver?
    do {
      let hosts = try TwoHosts()
      _ = try hosts.connect()
      driver = hosts.central.driver
      hosts.shutDown()
    }
    #expect(driver == nil)
  }

  @Test("A released sink gets no events") func aSinkThatIsGoneIsNotMissed() throws {
    let hosts = try TwoHosts()
    weak var sink: TestManager?
    do {
      let manager = TestManager(hosts.central.driver)
      sink = manager
    }
    #expect(sink == nil)
    hosts.central.driver.start()
    #expect(hosts.central.states == [.unknown, .poweredOn])
    hosts.shutDown()
  }

  @Test("A removed client gets no events") func aClientThatWasRemovedHearsNothing() throws {
    let hosts = try TwoHosts()
    let manager = TestManager(hosts.central.driver)
    hosts.central.driver.removeClient(manager.client)
    hosts.central.driver.start()
    #expect(manager.events.isEmpty)
    hosts.shutDown()
  }

  @Test("A trace has every packet in order") func aTraceHasEveryPacketInOrder() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).btsnoop").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let hosts = try TwoHosts(trace: try PacketTrace(path: path))
    let link = try hosts.connect()
    hosts.read(link, Outcomes())
    hosts.shutDown()
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    #expect(Array(bytes.prefix(16)) == SnoopFormat.fileHeader(.h4))
    // The first two records: Reset, and its Command Complete.
    #expect(Array(bytes[40..<44]) == [0x01, 0x03, 0x0C, 0x00])
    #expect(bytes[27] == 2)
    #expect(Array(bytes[68..<71]) == [0x04, 0x0E, 0x04])
    #expect(bytes[55] == 3)
    var records: [[UInt8]] = []
    var rest = bytes.dropFirst(16)
    while rest.count >= 24 {
      let length = rest.dropFirst(4).prefix(4).reduce(0) { $0 << 8 | Int($1) }
      records.append(Array(rest.dropFirst(24).prefix(length)))
      rest = rest.dropFirst(24 + length)
    }
    #expect(rest.isEmpty)
    // ATT_READ_RSP, behind the headers of ACL data and L2CAP (Core 6.0 Vol 3 Part F 3.4.4.4).
    let answer: [UInt8] = [0x06, 0x00, 0x04, 0x00, 0x0B] + Array("value".utf8)
    #expect(records.contains { $0.suffix(answer.count) == answer[...] && $0.first == 0x02 })
  }
}
