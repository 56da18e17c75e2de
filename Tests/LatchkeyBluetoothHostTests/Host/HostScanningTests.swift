import LatchkeyBluetoothEmulator
import Testing

@testable import LatchkeyBluetoothHost

@Suite("A host's scanning") struct HostScanningTests {
  let stage = Stage()

  private func scan(_ actor: Actor, _ client: ClientID, _ services: [BluetoothUUID]?, duplicates: Bool = false) {
    actor.with { host, now in
      host.startScan(client, services: services, allowDuplicates: duplicates, now: now)
    }
  }

  private func lamp(_ number: UInt64, _ name: String, _ services: [BluetoothUUID]) -> (Actor, ClientID) {
    let actor = stage.addActor(number)
    let client = actor.addClient()
    actor.advertise(client, name: name, services: services)
    return (actor, client)
  }

  @Test("reports to each client the devices that match its filter") func filters() {
    let scanner = stage.addActor(1)
    let (all, lamps, none) = (scanner.addClient(), scanner.addClient(), scanner.addClient())
    let (lamp, _) = lamp(2, "Lamp", [0xFFF0])
    _ = lamp
    _ = self.lamp(3, "Lock", [BluetoothUUID(high: 1, low: 2)])
    scan(scanner, all, nil)
    scan(scanner, lamps, [0x1234, 0xFFF0])
    scan(scanner, none, [0x1234])
    stage.advance(.seconds(2))
    #expect(Set(scanner.heard(all)) == ["found 2 Lamp", "found 3 Lock"])
    #expect(Set(scanner.heard(lamps)) == ["found 2 Lamp"])
    #expect(scanner.heard(none) == [])
  }

  @Test("treats an empty list of services as all") func emptyList() {
    let scanner = stage.addActor(1)
    let client = scanner.addClient()
    _ = lamp(2, "Lamp", [])
    scan(scanner, client, [])
    #expect(scanner.heard(client).contains("found 2 Lamp"))
  }

  @Test("reports a device once, and again when its scan response adds to it") func mergesScanResponse() {
    let scanner = stage.addActor(1)
    let client = scanner.addClient()
    // The name does not fit beside 16 bytes of UUID.
    _ = lamp(2, "A lamp in the hall", [BluetoothUUID(high: 1, low: 2)])
    scan(scanner, client, [BluetoothUUID(high: 1, low: 2)])
    stage.advance(.seconds(5))
    #expect(scanner.heard(client) == ["found 2 -", "found 2 A lamp in the hall"])
  }

  @Test("reports an advertisement once, though an empty scan response follows") func emptyScanResponse() {
    let scanner = stage.addActor(1)
    let client = scanner.addClient()
    _ = lamp(2, "Lamp", [0xFFF0])
    scan(scanner, client, nil)
    stage.advance(.seconds(5))
    #expect(scanner.heard(client) == ["found 2 Lamp"])
  }

  @Test("reports every advertisement to a client that wants duplicates, and to no other") func duplicates() {
    let scanner = stage.addActor(1)
    let (eager, calm) = (scanner.addClient(), scanner.addClient())
    _ = lamp(2, "Lamp", [0xFFF0])
    scan(scanner, calm, nil)
    scan(scanner, eager, nil, duplicates: true)
    stage.advance(.seconds(1))
    // Every 100 ms, advertisement and scan response.
    #expect(scanner.count(eager, "found 2 Lamp") >= 18)
    #expect(scanner.count(calm, "found 2 Lamp") <= 3)
    // When the eager one stops, the controller filters again.
    scanner.with { host, now in host.stopScan(eager, now: now) }
    scanner.clearLog()
    stage.advance(.seconds(1))
    #expect(scanner.heard(eager) == [])
    #expect(scanner.heard(calm) == [])
  }

  @Test("reports everything anew to a client that starts anew") func restart() {
    let scanner = stage.addActor(1)
    let (one, two) = (scanner.addClient(), scanner.addClient())
    _ = lamp(2, "Lamp", [0xFFF0])
    scan(scanner, one, nil)
    scan(scanner, two, nil)
    stage.advance(.seconds(1))
    scanner.clearLog()
    scan(scanner, one, nil)
    stage.advance(.seconds(1))
    #expect(scanner.heard(one).first == "found 2 Lamp")
    #expect(scanner.heard(two) == [])
  }

  @Test("ends with its client, and for that client alone") func stops() {
    let scanner = stage.addActor(1)
    let (one, two) = (scanner.addClient(), scanner.addClient())
    scan(scanner, one, nil, duplicates: true)
    scan(scanner, two, nil, duplicates: true)
    scanner.with { host, now in host.removeClient(one, now: now) }
    _ = lamp(2, "Lamp", [0xFFF0])
    stage.advance(.seconds(1))
    #expect(scanner.heard(one) == [])
    #expect(scanner.count(two, "found 2 Lamp") > 5)
    scanner.with { host, now in host.stopScan(two, now: now) }
    scanner.clearLog()
    stage.advance(.seconds(1))
    #expect(scanner.heard(two) == [])
    // No client scans: nothing is waited for.
    #expect(scanner.with { host, _ in host.nextDeadline } == nil)
  }

  @Test("reports a device that solicits a service to a client that looks for such devices") func solicitedServices() {
    let scanner = stage.addActor(1)
    let (looking, others, all) = (scanner.addClient(), scanner.addClient(), scanner.addClient())
    let wide = BluetoothUUID(high: 1, low: 2)
    scanner.with { host, now in
      host.startScan(looking, services: [0xFFF0], solicitedServices: [0x1805, wide], allowDuplicates: false, now: now)
      host.startScan(others, services: [0x1805, wide], solicitedServices: [0x1806], allowDuplicates: false, now: now)
      host.startScan(all, services: [], solicitedServices: [0x1806], allowDuplicates: false, now: now)
    }
    func report(_ number: UInt64, _ structure: AdvertisingData.Structure) -> [UInt8] {
      HCIEvent.le(
        .advertisingReports([
          LEAdvertisingReport(
            eventType: [.legacy, .connectable], address: .staticRandom(number), rssi: -40,
            data: AdvertisingData([structure]).encode())
        ])
      ).encode()
    }
    scanner.with { host, now in
      host.receive(report(5, .init(.solicitedServices16, [0x0A, 0x18, 0x05, 0x18])), now: now)
      host.receive(
        report(
          6, .init(.solicitedServices128, [2] + .init(repeating: 0, count: 7) + [1] + .init(repeating: 0, count: 7))),
        now: now)
      host.receive(report(7, .init(.solicitedServices16, [0x0A, 0x18])), now: now)
      host.receive(report(8, .init(.completeServices16, [0xF0, 0xFF])), now: now)
    }
    #expect(scanner.heard(looking) == ["found 5 -", "found 6 -", "found 8 -"])
    #expect(scanner.heard(others) == [])
    #expect(scanner.heard(all) == ["found 5 -", "found 6 -", "found 7 -", "found 8 -"])
  }

  @Test("understands extended reports") func extendedForm() {
    let scanner = stage.addActor(1, controller: ControllerConfiguration(eventForm: .extended))
    let client = scanner.addClient()
    _ = lamp(2, "Lamp", [0xFFF0])
    scan(scanner, client, [0xFFF0])
    #expect(scanner.heard(client).contains("found 2 Lamp"))
  }

  @Test("puts the pieces of a long extended advertisement together, and cuts it") func pieces() {
    let scanner = stage.addActor(1)
    let client = scanner.addClient()
    scan(scanner, client, nil)
    func piece(_ data: [UInt8], _ status: LEAdvertisingReport.DataStatus) -> [UInt8] {
      HCIEvent.le(
        .advertisingReports([
          LEAdvertisingReport(
            form: .extended, eventType: .connectable, dataStatus: status, address: .staticRandom(5), rssi: -40,
            data: data)
        ])
      ).encode()
    }
    scanner.with { host, now in
      host.receive(piece([0x05, 0x09, 0x4C], .incomplete), now: now)
      host.receive(piece([0x61, 0x6D, 0x70], .complete), now: now)
    }
    #expect(scanner.heard(client) == ["found 5 Lamp"])
    scanner.clearLog()
    scan(scanner, client, nil, duplicates: true)
    scanner.with { host, now in
      for _ in 0..<100 { host.receive(piece([UInt8](repeating: 1, count: 229), .incomplete), now: now) }
      host.receive(piece([], .truncated), now: now)
    }
    let sizes = scanner.log.map { entry in
      if case .discovered(let discovery) = entry.event { discovery.data.encode().count } else { 0 }
    }
    #expect(sizes.count == 1)
    #expect((1...Scanner.dataCapacity).contains(sizes.first ?? 0))
  }

  @Test("tells the sets of one device apart, also where their pieces come in between") func setsOfOneDevice() {
    let scanner = stage.addActor(1)
    let client = scanner.addClient()
    scan(scanner, client, nil, duplicates: true)
    func piece(_ set: UInt8?, _ data: [UInt8], _ status: LEAdvertisingReport.DataStatus) -> [UInt8] {
      HCIEvent.le(
        .advertisingReports([
          LEAdvertisingReport(
            form: .extended, eventType: .connectable, dataStatus: status, address: .staticRandom(5),
            primaryPHY: .leCoded, secondaryPHY: .le2M, setIdentifier: set, rssi: -40, data: data)
        ])
      ).encode()
    }
    scanner.with { host, now in
      host.receive(piece(1, [0x05, 0x09, 0x4C], .incomplete), now: now)
      host.receive(piece(2, [0x03, 0x09, 0x41, 0x42], .complete), now: now)
      host.receive(piece(1, [0x02, 0x0A, 0x07], .complete), now: now)
    }
    let found = scanner.log.compactMap { entry in
      if case .discovered(let discovery) = entry.event { discovery } else { nil }
    }
    // The rest of an advertisement that was cut off is one by itself, not the end of another.
    #expect(found.map(\.data.localName) == ["AB", nil])
    #expect(found.allSatisfy { $0.primaryPHY == .leCoded && $0.secondaryPHY == .le2M })
  }

  @Test("forgets the longest known of many devices, not the newest") func manyDevices() {
    let scanner = stage.addActor(1)
    let client = scanner.addClient()
    scan(scanner, client, nil)
    scanner.with { host, now in
      for number in 0..<(2 * Scanner.deviceCapacity) {
        let report = LEAdvertisingReport(
          eventType: [.legacy, .connectable], address: .staticRandom(UInt64(number)), rssi: 0, data: [])
        let event = HCIEvent.le(.advertisingReports([report])).encode()
        host.receive(event, now: now)
        host.receive(event, now: now)
      }
    }
    #expect(scanner.heard(client).count == 2 * Scanner.deviceCapacity)
  }

  @Test("survives the loss of its controller only by being asked for again") func powerCycle() {
    let scanner = stage.addActor(1)
    let client = scanner.addClient()
    scan(scanner, client, nil)
    stage.simulation.setPowered(false, scanner.node)
    stage.simulation.setPowered(true, scanner.node)
    _ = lamp(2, "Lamp", [0xFFF0])
    stage.advance(.seconds(1))
    #expect(!scanner.heard(client).contains { $0.hasPrefix("found") })
    scan(scanner, client, nil)
    #expect(scanner.heard(client).contains("found 2 Lamp"))
  }
}
