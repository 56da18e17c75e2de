import LatchkeyBluetoothEmulator
import Testing

@testable import LatchkeyBluetoothHost

@Suite("A host's advertising") struct HostAdvertisingTests {
  let stage = Stage()

  /// The devices that a scanner finds within a second.
  private func found(by scanner: Actor) -> Set<String> {
    let client = scanner.addClient()
    scanner.with { host, now in _ = host.startScan(client, services: nil, allowDuplicates: true, now: now) }
    stage.advance(.seconds(2))
    scanner.with { host, now in host.removeClient(client, now: now) }
    return Set(scanner.heard(client))
  }

  @Test("is each client's in turns, and one's alone when the others stop") func twoClients() {
    let (lamp, scanner) = (stage.addActor(1), stage.addActor(2))
    let (one, two) = (lamp.addClient(), lamp.addClient())
    lamp.advertise(one, name: "One")
    lamp.advertise(two, name: "Two")
    #expect(lamp.heard(one) == ["advertising 00"])
    #expect(lamp.heard(two) == ["advertising 00"])
    #expect(found(by: scanner) == ["found 1 One", "found 1 Two"])
    let three = lamp.addClient()
    lamp.advertise(three, name: "Three")
    #expect(lamp.heard(three) == ["advertising 00"])
    #expect(found(by: scanner) == ["found 1 One", "found 1 Two", "found 1 Three"])
    // A connection ends the advertising of the controller, not that of the clients.
    let central = stage.addActor(3)
    central.connect(central.addClient(), to: lamp)
    stage.advance(.seconds(1))
    #expect(found(by: scanner) == ["found 1 One", "found 1 Two", "found 1 Three"])
    lamp.with { host, now in host.stopAdvertising(three, now: now) }
    lamp.with { host, now in host.stopAdvertising(two, now: now) }
    #expect(found(by: scanner) == ["found 1 One"])
    for client in [one, two] { #expect(lamp.count(client, "advertising 00") == 1) }
    #expect(lamp.with { host, _ in host.nextDeadline } == nil)
    lamp.with { host, now in host.removeClient(one, now: now) }
    #expect(found(by: scanner) == [])
  }

  @Test(
    "reports a failure to the client, and gives the air back to the client that had it",
    arguments: [
      HCIOpcode.leSetAdvertisingParameters, .leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable,
    ]) func refused(_ opcode: HCIOpcode)
  {
    let (lamp, scanner) = (stage.addActor(1), stage.addActor(2))
    let (one, two) = (lamp.addClient(), lamp.addClient())
    lamp.advertise(one, name: "One")
    // A range of interval that no controller accepts, and commands that this one refuses once.
    lamp.with { host, now in
      host.startAdvertising(two, AdvertisingParameters(localName: "Two", interval: 1), now: now)
    }
    #expect(lamp.heard(two) == ["advertising 12"])
    #expect(found(by: scanner) == ["found 1 One"])
    var faults = ControllerFaults()
    faults.refusedCommands = [opcode.rawValue: .memoryCapacityExceeded]
    lamp.setFaults(faults)
    lamp.advertise(two, name: "Two")
    // A controller that cannot even be switched off accepts no parameters.
    let reason = opcode == .leSetAdvertisingEnable ? "0c" : "07"
    #expect(lamp.heard(two) == ["advertising 12", "advertising \(reason)"])
    #expect(!lamp.with { host, _ in host.isAdvertising(two) })
    #expect(lamp.with { host, _ in host.isAdvertising(one) })
    // The next that asks has its turns.
    lamp.setFaults(ControllerFaults())
    lamp.advertise(two, name: "Two")
    #expect(found(by: scanner) == ["found 1 One", "found 1 Two"])
    lamp.with { host, now in host.stopAdvertising(two, now: now) }
    #expect(found(by: scanner) == ["found 1 One"])
  }

  @Test("refuses bytes that its packets do not hold, and sends those that they hold") func givenBytes() {
    let (lamp, scanner) = (stage.addActor(1), stage.addActor(2))
    let client = lamp.addClient()
    func start(_ advertisement: Int, _ scanResponse: Int) {
      var parameters = AdvertisingParameters()
      func bytes(_ count: Int) -> [UInt8] { Array("\u{1E}\u{9}123456789012345678901234567890".utf8.prefix(count)) }
      parameters.payloads = .init(advertisement: bytes(advertisement), scanResponse: bytes(scanResponse))
      lamp.with { host, now in _ = host.startAdvertising(client, parameters, now: now) }
      stage.advance(.seconds(1))
    }
    start(32, 0)
    start(0, 32)
    #expect(lamp.heard(client) == ["advertising 11", "advertising 11"])
    start(31, 31)
    #expect(lamp.heard(client).last == "advertising 00")
    #expect(found(by: scanner) == ["found 1 12345678901234567890123456789"])
  }

  @Test("of a device that cannot be connected to is received, and says so", arguments: [[], [0x02, 0x0A, 0x00]])
  func notConnectable(scanResponse: [UInt8]) {
    let (lamp, scanner) = (stage.addActor(1), stage.addActor(2))
    let client = lamp.addClient()
    var parameters = AdvertisingParameters(localName: "Beacon")
    parameters.isConnectable = false
    if !scanResponse.isEmpty {
      parameters.payloads = .init(advertisement: [0x02, 0x09, 0x42], scanResponse: scanResponse)
    }
    lamp.with { host, now in _ = host.startAdvertising(client, parameters, now: now) }
    #expect(lamp.heard(client) == ["advertising 00"])
    #expect(found(by: scanner) == ["found 1 \(scanResponse.isEmpty ? "Beacon" : "B")"])
    let central = scanner.addClient()
    scanner.connect(central, to: lamp)
    stage.advance(.seconds(2))
    #expect(!scanner.heard(central).contains { $0.hasPrefix("connected") })
  }

  @Test(
    "reports a controller that does not answer, and works once it does",
    arguments: [
      HCIOpcode.leSetAdvertisingParameters, .leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable,
    ]) func unanswered(_ opcode: HCIOpcode)
  {
    let (lamp, scanner) = (stage.addActor(1), stage.addActor(2))
    let client = lamp.addClient()
    var faults = ControllerFaults()
    faults.silentCommands = [opcode.rawValue]
    lamp.setFaults(faults)
    lamp.advertise(client)
    stage.advance(.seconds(20))
    #expect(lamp.heard(client) == ["advertising 1f"])
    lamp.setFaults(ControllerFaults())
    lamp.advertise(client)
    #expect(lamp.heard(client) == ["advertising 1f", "advertising 00"])
    #expect(found(by: scanner) == ["found 1 Lamp"])
  }

  @Test("answers each asking by its own outcome, however fast they follow") func restarts() {
    let (lamp, scanner) = (stage.addActor(1), stage.addActor(2))
    let client = lamp.addClient()
    var faults = ControllerFaults()
    faults.commandCreditDelay = .milliseconds(10)
    lamp.setFaults(faults)
    lamp.with { host, now in
      // Refused by the controller; its answers come after the second was asked for.
      host.startAdvertising(client, AdvertisingParameters(localName: "One", interval: 1), now: now)
      host.stopAdvertising(client, now: now)
      host.startAdvertising(client, AdvertisingParameters(localName: "Two"), now: now)
    }
    stage.advance(.seconds(1))
    #expect(lamp.heard(client) == ["advertising 00"])
    #expect(found(by: scanner) == ["found 1 Two"])
    lamp.with { host, now in
      host.startAdvertising(client, AdvertisingParameters(localName: "Three"), now: now)
      host.stopAdvertising(client, now: now)
    }
    stage.advance(.seconds(1))
    #expect(lamp.heard(client) == ["advertising 00"])
    #expect(found(by: scanner) == [])
  }

  @Test("goes on while a central is connected, and after it has gone") func connections() throws {
    let couple = try Couple()
    let scanner = couple.stage.addActor(3)
    let client = scanner.addClient()
    scanner.with { host, now in host.startScan(client, services: nil, allowDuplicates: true, now: now) }
    #expect(scanner.heard(client).contains("found 2 Lamp"))
    couple.central.disconnect(couple.app, from: couple.peripheral)
    scanner.clearLog()
    couple.stage.advance(.seconds(1))
    #expect(scanner.count(client, "found 2 Lamp") > 10)
    // Each time it is set up anew, no client gets another event.
    #expect(couple.peripheral.count(couple.device, "advertising 00") == 1)
    couple.central.connect(couple.app, to: couple.peripheral)
    couple.stage.advance(.seconds(1))
    #expect(couple.central.heard(couple.app).last == "connected 2 as central")
  }

  @Test("comes back when a link ends, where the controller holds but one") func lastLink() {
    let one = ControllerConfiguration(maximumLinks: 1)
    let (lamp, first, second) = (stage.addActor(1, controller: one), stage.addActor(2), stage.addActor(3))
    let (device, a, b) = (lamp.addClient(), first.addClient(), second.addClient())
    lamp.advertise(device)
    first.connect(a, to: lamp)
    second.connect(b, to: lamp)
    stage.advance(.seconds(5))
    #expect(lamp.heard(device).filter { $0.hasPrefix("connected") }.count == 1)
    let isFirst = first.link(a) != nil
    (isFirst ? first : second).disconnect(isFirst ? a : b, from: lamp)
    stage.wait { (isFirst ? second.link(b) : first.link(a)) != nil }
  }

  @Test("is one's own choice when a connection comes while it is being changed", arguments: 0..<20)
  func raceWithConnection(_ step: Int) {
    // A connection comes at some step of setting up other parameters; each command takes 1 ms.
    let (lamp, central) = (stage.addActor(1), stage.addActor(2))
    let (device, app) = (lamp.addClient(), central.addClient())
    lamp.advertise(device, name: "One")
    var faults = ControllerFaults()
    faults.commandCreditDelay = .milliseconds(1)
    lamp.setFaults(faults)
    lamp.advertise(device, name: "Two")
    stage.advance(.microseconds(500 * step))
    central.connect(app, to: lamp)
    stage.wait { central.link(app) != nil }
    stage.advance(.seconds(1))
    #expect(lamp.heard(device).filter { $0.hasPrefix("advertising") } == ["advertising 00", "advertising 00"])
    #expect(found(by: stage.addActor(3)) == ["found 1 Two"])
  }
}
