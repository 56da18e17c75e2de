import LatchkeyBluetoothEmulator
import Testing

@testable import LatchkeyBluetoothHost

@Suite("A host that was reset") struct HostLifeTests {
  private let stage = Stage()

  /// A client that heard of a life, and whose host began another one since.
  private func behind() throws -> (actor: Actor, client: ClientID, heard: HostLife) {
    let actor = stage.addActor(1)
    let client = actor.addClient()
    let heard = actor.with { host, _ in host.life }
    stage.simulation.withRadio { radio, now in radio.raiseHardwareError(on: actor.node, now: now) }
    try #require(actor.with { host, _ in host.state } == .poweredOn)
    return (actor, client, heard)
  }

  @Test("begins a life each time that it is powered on, and reports it") func numbers() throws {
    let (actor, client, heard) = try behind()
    let now = actor.with { host, _ in host.life }
    #expect(now != heard)
    let reported = actor.log.compactMap { entry -> HostLife? in
      if entry.client == client, case .stateChanged(.poweredOn, let life) = entry.event { life } else { nil }
    }
    #expect(reported == [now])
    #expect(actor.heard(client) == ["resetting", "poweredOn"])
  }

  @Test("begins nothing for a client that has not heard of it yet") func staleCommands() throws {
    let (actor, client, heard) = try behind()
    let peer = stage.addActor(2)
    let device = peer.addClient()
    peer.advertise(device)
    actor.clearLog()
    let taken = actor.with { host, now in
      [
        host.connect(client, to: peer.address, life: heard, now: now),
        host.startScan(client, services: nil, allowDuplicates: true, life: heard, now: now),
        host.startAdvertising(client, AdvertisingParameters(localName: "Old"), life: heard, now: now),
      ]
    }
    #expect(taken == [false, false, false])
    stage.advance(.seconds(10))
    #expect(actor.heard(client) == [])
    #expect(actor.with { host, _ in host.connectedPeers.isEmpty && host.nextDeadline == nil })
    #expect(!actor.with { host, _ in host.isConnecting(client, to: peer.address) || host.isAdvertising(client) })
    #expect(peer.heard(device) == ["advertising 00"])
  }

  @Test("keeps what it began in this life from commands of the last one") func staleEnds() throws {
    let (actor, client, heard) = try behind()
    let peer = stage.addActor(2)
    actor.connect(client, to: peer)
    #expect(!actor.with { host, now in host.disconnect(client, from: peer.address, life: heard, now: now) })
    #expect(actor.with { host, _ in host.isConnecting(client, to: peer.address) })
    let life = actor.with { host, _ in host.life }
    #expect(actor.with { host, now in host.disconnect(client, from: peer.address, life: life, now: now) })
    #expect(!actor.with { host, _ in host.isConnecting(client, to: peer.address) })
  }

  /// Over USB data and events come by different ways: the last data of a link may come after the event of its end.
  @Test("drops late data of a link, though another peer has its handle by then") func lateData() throws {
    var host = Host(configuration: HostConfiguration(ownAddress: .staticRandom(9)))
    var radio = Radio()
    let controller = radio.addController()
    let device = host.addClient()
    /// Carries commands to a controller and its answers back; data stay.
    func settle(_ host: inout Host, now: Duration) -> [HostEvent] {
      var events: [HostEvent] = []
      while true {
        let outputs = host.dequeueOutputs()
        if outputs.isEmpty { return events }
        for output in outputs {
          switch output {
          case .packet(let packet): if packet.first == 0x01 { radio.receive(packet, from: controller, now: now) }
          case .event(let event, _): events.append(event)
          case .completion, .bondChanged, .notice: break
          }
        }
        for case .packet(let packet, _) in radio.dequeueOutputs() { host.receive(packet, now: now) }
      }
    }
    func connection(of peer: UInt64) -> [UInt8] {
      HCIEvent.le(
        .connectionComplete(
          LEConnectionComplete(connectionHandle: 0x40, role: .peripheral, peer: .staticRandom(peer)))
      ).encode()
    }
    host.start(now: .zero)
    let placement = try host.addService(
      GATTServiceDefinition(
        uuid: 0xFFF0,
        characteristics: [
          GATTCharacteristicDefinition(uuid: 0xFFF1, properties: [.write], permissions: [.writeable])
        ]), client: device, now: .zero)
    _ = settle(&host, now: .zero)
    host.receive(connection(of: 1), now: .zero)
    host.receive([0x04, 0x05, 0x04, 0x00, 0x40, 0x00, 0x13], now: .seconds(1))
    // A Write Request of the first peer, 1 ms late, and the next peer 0.4 s later.
    let write = [0x12, UInt8(placement.valueHandles[0] & 0xFF), 0, 119] as [UInt8]
    host.receive([0x02, 0x40, 0x20, 8, 0, 4, 0, 4, 0] + write, now: .milliseconds(1001))
    host.receive(connection(of: 2), now: .milliseconds(1400))
    let writes = settle(&host, now: .milliseconds(1400)).filter { if case .writeRequest = $0 { true } else { false } }
    #expect(writes.isEmpty)
    #expect(host.ignored.data == 1)
    // Its own are its own.
    host.receive([0x02, 0x40, 0x20, 8, 0, 4, 0, 4, 0] + write, now: .milliseconds(1500))
    let own = settle(&host, now: .milliseconds(1500)).contains { event in
      if case .writeRequest(let request) = event { request.peer == .staticRandom(2) } else { false }
    }
    #expect(own)
  }
}
