import LatchkeyBluetoothEmulator
import Testing

@testable import LatchkeyBluetoothHost

@Suite("A host works with a controller") struct HostConditionsTests {
  /// Discovery, a long write and read back, subscription, notification, indication, Write Commands.
  private func story(_ couple: Couple, patience: Duration = .seconds(20)) throws {
    let (central, app, link, placement) = (couple.central, couple.app, couple.link, couple.placement)
    guard case .services(let services) = central.run(.discoverServices([0xFFF0]), app, link),
      case .characteristics(let found) = central.run(.discoverCharacteristics(services[0].range), app, link)
    else {
      Issue.record("not discovered")
      return
    }
    #expect(found.map(\.valueHandle) == placement.valueHandles)
    let long = (0..<400).map { UInt8(truncatingIfNeeded: $0) }
    #expect(central.run(.write(placement[.plain], long), app, link)?.isWritten == true)
    #expect(central.run(.read(placement[.plain]), app, link)?.value == long)
    for value in [Actor.Value.notifying, .indicating] {
      #expect(central.configure(value, of: placement, enabled: true, app, link)?.isWritten == true)
      let isTaken = couple.peripheral.with { host, now in
        host.updateValue([4, 2], of: placement[value], links: nil, client: couple.device, now: now)
      }
      #expect(isTaken)
    }
    couple.stage.wait(patience) { central.notifications(app) == [[4, 2], [4, 2]] }
    for byte in 0..<100 as Range<UInt8> {
      couple.stage.wait(patience) {
        central.with { host, now in
          host.writeCommand([byte], to: placement[.command], client: app, link: link, now: now)
        }
      }
    }
    couple.stage.wait(patience) { couple.peripheral.commands(couple.device).count == 100 }
    #expect(couple.peripheral.commands(couple.device).map { $0[0] } == Array(0..<100))
    central.disconnect(app, from: couple.peripheral)
    couple.stage.wait(patience) { central.heard(app).last == "disconnected 2 requested" }
  }

  @Test("of any buffers", arguments: [(27, 1), (27, 64), (28, 2), (251, 1), (1021, 8)], [23, 24, 185, 247, 517])
  func buffers(_ buffers: (length: Int, count: Int), _ mtu: Int) throws {
    let configuration = ControllerConfiguration(buffers: ACLBuffers(length: buffers.length, count: buffers.count))
    try story(Couple(mtu: mtu, controller: configuration))
  }

  @Test("that shares its buffers with BR/EDR, or reports events in the extended form") func forms() throws {
    try story(Couple(controller: ControllerConfiguration(sharesBuffersWithClassic: true)))
    try story(Couple(controller: ControllerConfiguration(eventForm: .extended)))
    try story(Couple(controller: ControllerConfiguration(features: [])))
  }

  @Test("that gives buffers back late", arguments: [5, 700]) func lateCredits(_ milliseconds: Int) throws {
    var faults = ControllerFaults()
    faults.credits = .late(.milliseconds(milliseconds))
    try story(Couple(controller: ControllerConfiguration(buffers: ACLBuffers(length: 27, count: 8)), faults: faults))
  }

  @Test("that loses a credit now and then, until its link ends") func lostCredits() throws {
    var faults = ControllerFaults()
    faults.credits = .everyLost(20)
    let couple = try Couple(faults: faults)
    try story(couple)
    // Lost credits came back with the end of the link.
    couple.central.setFaults(ControllerFaults())
    couple.peripheral.setFaults(ControllerFaults())
    couple.central.clearLog()
    couple.central.connect(couple.app, to: couple.peripheral)
    couple.stage.wait { couple.central.link(couple.app) != nil }
    let link = try #require(couple.central.link(couple.app))
    #expect(couple.central.run(.read(couple.placement[.plain]), couple.app, link)?.value?.count == 400)
  }

  @Test("that withholds all credits: nothing more is sent, and it goes on with them") func withheldCredits() throws {
    let couple = try Couple(controller: ControllerConfiguration(buffers: ACLBuffers(length: 27, count: 4)))
    var faults = ControllerFaults()
    faults.credits = .withheld
    couple.central.setFaults(faults)
    let requests = (0..<6).map { _ in
      couple.central.submit(.read(couple.placement[.plain]), couple.app, couple.link)
    }
    couple.stage.advance(.seconds(10))
    #expect(couple.central.simulation.dequeueOutcomes(of: couple.central.node).count == 4)
    let node = couple.central.node
    couple.stage.simulation.withRadio { radio, now in radio.releaseCredits(of: node, now: now) }
    #expect(couple.central.simulation.dequeueOutcomes(of: node).map(\.request) == Array(requests.suffix(2)))
  }

  @Test("that lets commands wait for credits") func commandCredits() throws {
    var faults = ControllerFaults()
    faults.commandCreditDelay = .milliseconds(50)
    try story(Couple(faults: faults))
  }

  static let optional: [HCIOpcode] = [
    .readLocalVersionInformation, .readLocalSupportedCommands, .readBDADDR, .leReadLocalSupportedFeatures,
    .leSetEventMask, .leReadBufferSizeV2, .leReadMaximumDataLength, .leWriteSuggestedDefaultDataLength, .hostBufferSize,
    .setControllerToHostFlowControl, .leSetDataLength, .leConnectionUpdate, .readRSSI,
  ]

  @Test(
    "that never answers one of the commands that are not needed, or refuses it", arguments: optional, [true, false])
  func optionalCommands(_ opcode: HCIOpcode, _ isSilent: Bool) throws {
    let stage = Stage()
    let (central, peripheral) = (stage.addActor(1), stage.addActor(2))
    var faults = ControllerFaults()
    if isSilent {
      faults.silentCommands = [opcode.rawValue]
    } else {
      faults.refusedCommands = [opcode.rawValue: .unknownCommand]
    }
    // Without its answer no other event is known to the host; a controller that does not know the command has no mask.
    for host in [central, peripheral] where opcode != .leSetEventMask || !isSilent {
      host.setFaults(faults)
      host.with { host, now in host.start(now: now) }
    }
    stage.wait { central.with { host, _ in host.state == .poweredOn } }
    stage.wait { peripheral.with { host, _ in host.state == .poweredOn } }
    let (app, device) = (central.addClient(), peripheral.addClient())
    let placement = try peripheral.publish(device)
    peripheral.advertise(device)
    central.connect(app, to: peripheral)
    stage.wait { central.link(app) != nil }
    let link = try #require(central.link(app))
    #expect(central.run(.write(placement[.plain], [1, 2, 3]), app, link)?.isWritten == true)
    central.with { host, now in host.readRSSI(app, link: link, now: now) }
    stage.wait { central.heard(app).contains { $0.hasPrefix("rssi") } }
    #expect(central.count(app, "rssi none") == (opcode == .readRSSI ? 1 : 0))
    central.disconnect(app, from: peripheral)
    stage.wait { central.heard(app).last == "disconnected 2 requested" }
  }
}
