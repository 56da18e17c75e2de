import LatchkeyBluetoothEmulator
import Testing

@testable import LatchkeyBluetoothHost

/// Hosts on virtual controllers with extended advertising.
@Suite("Hosts with extended advertising") struct HostExtendedAdvertisingTests {
  private static let extended = ControllerConfiguration(features: .all)

  let stage = Stage()

  private func addActor(_ number: UInt64, sets: Int = 16) -> Actor {
    stage.addActor(number, controller: ControllerConfiguration(features: .all, advertisingSets: sets))
  }

  private func advertise(
    _ actor: Actor, _ client: ClientID, _ name: String, _ packets: AdvertisingParameters.Packets = .legacy
  ) {
    actor.with { host, now in
      _ = host.startAdvertising(client, AdvertisingParameters(localName: name, packets: packets), now: now)
    }
  }

  /// The devices that a scanner finds within some seconds.
  private func found(by scanner: Actor, within duration: Duration = .seconds(2)) -> Set<String> {
    let client = scanner.addClient()
    scanner.with { host, now in _ = host.startScan(client, services: nil, allowDuplicates: true, now: now) }
    stage.advance(duration)
    scanner.with { host, now in host.removeClient(client, now: now) }
    return Set(scanner.heard(client))
  }

  @Test("are all on the air at the same time, a set for each client") func sets() {
    let (lamp, scanner) = (addActor(1), addActor(2))
    let clients = (0..<5).map { _ in lamp.addClient() }
    for (index, client) in clients.enumerated() { advertise(lamp, client, "\(index)") }
    // A turn of one alone takes half a second.
    #expect(found(by: scanner, within: .milliseconds(250)) == Set((0..<5).map { "found 1 \($0)" }))
    #expect(lamp.with { host, _ in host.nextDeadline } == nil)
    // A connection to one of them ends none.
    let central = addActor(3)
    central.connect(central.addClient(), to: lamp)
    stage.advance(.seconds(1))
    #expect(lamp.with { host, _ in host.connectedPeers.count } == 1)
    #expect(found(by: scanner, within: .milliseconds(250)).count == 5)
    for client in clients.dropLast() { lamp.with { host, now in host.removeClient(client, now: now) } }
    #expect(found(by: scanner) == ["found 1 4"])
  }

  @Test("are found by the services of each client, by a scan that reports each device once", arguments: [true, false])
  func duplicateFilter(_ isExtended: Bool) {
    let lamp = isExtended ? addActor(1) : stage.addActor(1)
    let scanner = isExtended ? addActor(2) : stage.addActor(2)
    for service in [0xFFF0, 0xFFE0] as [BluetoothUUID] {
      lamp.advertise(lamp.addClient(), name: "\(service)", services: [service])
    }
    let clients = ([0xFFF0, 0xFFE0] as [BluetoothUUID]).map { service in
      let client = scanner.addClient()
      scanner.with { host, now in
        _ = host.startScan(client, services: [service], allowDuplicates: false, now: now)
      }
      return client
    }
    stage.advance(.seconds(5))
    for client in clients { #expect(!scanner.heard(client).isEmpty) }
  }

  @Test("take turns where the controller has too few sets") func fewSets() {
    let (lamp, scanner) = (addActor(1, sets: 2), addActor(2))
    let clients = (0..<5).map { _ in lamp.addClient() }
    for (index, client) in clients.enumerated() { advertise(lamp, client, "\(index)") }
    stage.advance(.seconds(1))
    for client in clients { #expect(lamp.heard(client) == ["advertising 00"]) }
    #expect(found(by: scanner, within: .seconds(4)) == Set((0..<5).map { "found 1 \($0)" }))
  }

  @Test(
    "find each other and connect, on each layer, where the other has it, too",
    arguments: [
      AdvertisingParameters.Packets.legacy, .extended(primary: .le1M, secondary: .le1M),
      .extended(primary: .le1M, secondary: .le2M), .extended(primary: .leCoded, secondary: .leCoded),
    ]) func layers(_ packets: AdvertisingParameters.Packets) throws
  {
    let (lamp, central, old) = (addActor(1), addActor(2), stage.addActor(3))
    advertise(lamp, lamp.addClient(), "Lamp", packets)
    #expect(found(by: central) == ["found 1 Lamp"])
    // A host on a controller without it hears legacy packets alone.
    #expect(found(by: old) == (packets == .legacy ? ["found 1 Lamp"] : []))
    for (actor, isHeard) in [(central, true), (old, packets == .legacy)] {
      let client = actor.addClient()
      actor.connect(client, to: lamp)
      stage.advance(.seconds(2))
      #expect(actor.heard(client) == (isHeard ? ["connected 1 as central"] : []))
    }
  }

  @Test("reach a device of legacy advertising, and serve a central without extended scans") func mixed() {
    let (lamp, central) = (stage.addActor(1), addActor(2))
    lamp.advertise(lamp.addClient(), name: "Lamp")
    #expect(found(by: central) == ["found 1 Lamp"])
    let client = central.addClient()
    central.connect(client, to: lamp)
    stage.advance(.seconds(1))
    #expect(central.heard(client) == ["connected 1 as central"])
  }

  @Test("change their private address in every set") func privateAddresses() throws {
    let lamp = stage.addActor(1, identity: try PairingIdentity.of(1), isPrivate: true, controller: Self.extended)
    let scanner = addActor(2)
    for name in ["One", "Two"] { advertise(lamp, lamp.addClient(), name) }
    var addresses: [BluetoothAddress] = []
    for _ in 0..<3 {
      let client = scanner.addClient()
      scanner.clearLog()
      scanner.with { host, now in _ = host.startScan(client, services: nil, allowDuplicates: true, now: now) }
      stage.advance(.seconds(1))
      let found = scanner.log.compactMap { entry in
        if case .discovered(let discovery) = entry.event { discovery } else { nil }
      }
      #expect(Set(found.map(\.address)) == [lamp.onAir])
      #expect(Set(found.map(\.data.localName)) == ["One", "Two"])
      addresses.append(lamp.onAir)
      scanner.with { host, now in host.removeClient(client, now: now) }
      stage.advance(.seconds(900))
    }
    #expect(Set(addresses).count == 3)
  }

  @Test("report a controller that refuses or ignores one of the commands", arguments: [true, false])
  func faults(_ isRefused: Bool) {
    let opcodes: [HCIOpcode] = [
      .leSetExtendedAdvertisingParameters, .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingData,
      .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable,
    ]
    for (index, opcode) in opcodes.enumerated() {
      let (lamp, scanner) = (addActor(UInt64(2 * index + 1)), addActor(UInt64(2 * index + 2)))
      let (one, two) = (lamp.addClient(), lamp.addClient())
      advertise(lamp, one, "One")
      var faults = ControllerFaults()
      if isRefused {
        faults.refusedCommands = [opcode.rawValue: .memoryCapacityExceeded]
      } else {
        faults.silentCommands = [opcode.rawValue]
      }
      lamp.setFaults(faults)
      advertise(lamp, two, "Two")
      stage.advance(.seconds(20))
      #expect(lamp.heard(two) == [isRefused ? "advertising 07" : "advertising 1f"], "\(opcode)")
      lamp.setFaults(ControllerFaults())
      advertise(lamp, two, "Two")
      let number = 2 * index + 1
      #expect(found(by: scanner).isSuperset(of: ["found \(number) One", "found \(number) Two"]), "\(opcode)")
      lamp.with { host, now in
        for client in [one, two] { host.removeClient(client, now: now) }
      }
    }
  }
}
