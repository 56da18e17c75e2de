import LatchkeyBluetoothEmulator
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

@Suite("A host that encrypts its links") struct HostEncryptionTests {
  /// A couple with a service more, of values that need an encrypted and an authenticated link.
  private struct Guarded {
    let couple: Couple
    let secret: AttributeHandle
    let personal: AttributeHandle
    let guarded: GATTServicePlacement

    init(
      leastKeySize: Int = 7, controller: ControllerConfiguration = ControllerConfiguration(),
      faults: ControllerFaults = ControllerFaults()
    ) throws {
      couple = try Couple(leastKeySize: leastKeySize, controller: controller, faults: faults)
      let (peripheral, device) = (couple.peripheral, couple.device)
      var notifying = GATTCharacteristicDefinition(uuid: 0xFFD3, properties: .notify, permissions: [])
      notifying.needsEncryptionToSubscribe = true
      let definition = GATTServiceDefinition(
        uuid: 0xFFD0,
        characteristics: [
          GATTCharacteristicDefinition(uuid: 0xFFD1, properties: .read, permissions: .readEncryptionRequired),
          GATTCharacteristicDefinition(uuid: 0xFFD2, properties: .read, permissions: .readAuthenticationRequired),
          notifying,
        ])
      guarded = try peripheral.with { host, now in try host.addService(definition, client: device, now: now) }
      (secret, personal) = (guarded.valueHandles[0], guarded.valueHandles[1])
      peripheral.values[secret] = [0x51]
      peripheral.values[personal] = [0x52]
    }

    func read(_ handle: AttributeHandle) -> GATTOutcome? { couple.central.run(.read(handle), couple.app, couple.link) }

    /// The code of a refused read; 0 for one that succeeds.
    func refusal(_ handle: AttributeHandle) -> UInt8? {
      switch read(handle) {
      case .value: 0
      case .failed(.refused(let code, _)): code.rawValue
      default: nil
      }
    }

    /// Gives both hosts a key, or one of them.
    func setKey(
      _ number: UInt8, central: Bool = true, peripheral: Bool = true, authenticated: Bool = false, size: Int = 16,
      rand: UInt64 = 0
    ) throws {
      let key = LongTermKey(
        key: try HostEncryptionTests.key(number), size: size, isAuthenticated: authenticated,
        isSecureConnections: rand == 0, randomNumber: rand)
      for (actor, link, isChosen) in [
        (couple.central, couple.link, central), (couple.peripheral, couple.peripheralLink, peripheral),
      ] where isChosen {
        let isSet = actor.with { host, _ in host.setKey(key, for: link) }
        #expect(isSet)
      }
    }

    @discardableResult
    func encrypt(rand: UInt64 = 0) -> Bool {
      let begins = couple.central.with { host, now in host.encrypt(couple.link, randomNumber: rand, now: now) }
      couple.stage.advance(.seconds(1))
      return begins
    }

    var central: LinkSecurity? { couple.central.with { host, _ in host.security(of: couple.link) } }
    var peripheral: LinkSecurity? { couple.peripheral.with { host, _ in host.security(of: couple.peripheralLink) } }

    /// Gives the peripheral's host an event of its controller, and returns the commands that come of it.
    func inject(_ hexadecimal: String) throws -> [String] {
      let packet = try Hexadecimal.decode(hexadecimal)
      return couple.peripheral.with { host, now in
        host.receive(packet, now: now)
        return host.dequeueOutputs().compactMap { output -> String? in
          guard case .packet(let packet) = output, packet.first == 0x01 else { return nil }
          return Hexadecimal.encode(packet)
        }
      }
    }
  }

  private static func key(_ number: UInt8) throws -> SecurityKey {
    try #require(SecurityKey((0..<16).map { $0 ^ number }))
  }

  private static func longTermKey(_ number: UInt8) throws -> LongTermKey {
    LongTermKey(key: try key(number), size: 16, isAuthenticated: false, isSecureConnections: true)
  }

  private static let disconnect = "01060403010005"

  @Test("reads a protected value, once the link is encrypted") func encrypts() throws {
    let guarded = try Guarded()
    #expect(guarded.refusal(guarded.secret) == 0x05)
    try guarded.setKey(1)
    #expect(guarded.refusal(guarded.secret) == 0x0F)
    #expect(guarded.central == LinkSecurity())
    #expect(guarded.encrypt())
    #expect(guarded.read(guarded.secret)?.value == [0x51])
    var expected = LinkSecurity()
    expected.isEncrypted = true
    expected.usesSecureConnections = true
    expected.keySize = 16
    #expect(guarded.central == expected)
    #expect(guarded.peripheral == expected)
    #expect(guarded.refusal(guarded.personal) == 0x05)
  }

  @Test("gets another key while it is encrypted") func refresh() throws {
    let guarded = try Guarded()
    try guarded.setKey(1)
    guarded.encrypt()
    try guarded.setKey(2, authenticated: true, rand: 77)
    #expect(guarded.encrypt(rand: 77))
    #expect(guarded.read(guarded.personal)?.value == [0x52])
    #expect(guarded.central?.isAuthenticated == true && guarded.peripheral?.isAuthenticated == true)
    #expect(guarded.central?.usesSecureConnections == false)
    // The older key is worth less again.
    #expect(guarded.encrypt())
    #expect(guarded.refusal(guarded.personal) == 0x05)
    #expect(guarded.refusal(guarded.secret) == 0)
  }

  @Test("loses the link to a peer with another key") func wrongKey() throws {
    let guarded = try Guarded()
    try guarded.setKey(1, peripheral: false)
    try guarded.setKey(2, central: false)
    guarded.encrypt()
    #expect(guarded.couple.central.heard(guarded.couple.app).last == "disconnected 2 3d")
    #expect(guarded.couple.peripheral.heard(guarded.couple.device).last == "disconnected 1 3d")
    #expect(guarded.central == nil && guarded.peripheral == nil)
  }

  @Test("goes on in clear with a peer without the key, and may try again") func noKey() throws {
    let guarded = try Guarded()
    try guarded.setKey(1, peripheral: false)
    #expect(guarded.encrypt())
    #expect(guarded.central == LinkSecurity() && guarded.peripheral == LinkSecurity())
    #expect(guarded.refusal(guarded.secret) == 0x05)
    // A key of other numbers is another key.
    try guarded.setKey(1, central: false, rand: 9)
    guarded.encrypt()
    #expect(guarded.central == LinkSecurity())
    try guarded.setKey(1, central: false)
    #expect(guarded.encrypt())
    #expect(guarded.refusal(guarded.secret) == 0)
  }

  @Test("loses an encrypted link whose peer has no other key: it is never used in clear again") func noKeyOfRefresh()
    throws
  {
    let guarded = try Guarded()
    try guarded.setKey(1)
    guarded.encrypt()
    try guarded.setKey(2, peripheral: false, rand: 5)
    guarded.encrypt(rand: 5)
    #expect(guarded.couple.central.heard(guarded.couple.app).last == "disconnected 2 06")
    #expect(guarded.couple.peripheral.heard(guarded.couple.device).last == "disconnected 1 06")
  }

  @Test("begins as a central, with a key, once at a time, on a link that is up") func refusedBeginnings() throws {
    let guarded = try Guarded()
    let couple = guarded.couple
    #expect(!guarded.encrypt())
    try guarded.setKey(1)
    #expect(!couple.peripheral.with { host, now in host.encrypt(couple.peripheralLink, now: now) })
    #expect(!couple.central.with { host, now in host.encrypt(couple.link, encryptedDiversifier: 1, now: now) })
    #expect(!couple.central.with { host, now in host.encrypt(LinkID(99), now: now) })
    let both = couple.central.with { host, now in
      [host.encrypt(couple.link, now: now), host.encrypt(couple.link, now: now)]
    }
    #expect(both == [true, false])
    let key = try Self.longTermKey(1)
    couple.stage.advance(.seconds(1))
    let isClosing = couple.central.with { host, now -> [Bool] in
      host.disconnect(couple.app, from: couple.peripheral.address, now: now)
      return [host.setKey(key, for: couple.link), host.encrypt(couple.link, now: now)]
    }
    #expect(isClosing == [false, false])
    #expect(!guarded.encrypt())
    #expect(!couple.central.with { host, _ in host.setKey(key, for: couple.link) })
  }

  @Test("accepts no key of a size out of range, and none of zeros") func refusedKeys() throws {
    let couple = try Couple()
    let zero = SecurityKey(number: 0)
    let high = try #require(SecurityKey(Array(repeating: 0, count: 8) + Array(1...8)))
    let good = try Self.key(1)
    for (key, size) in [(good, 6), (good, 17), (good, -1), (zero, 16), (high, 7)] {
      let key = LongTermKey(key: key, size: size, isAuthenticated: true, isSecureConnections: true)
      #expect(!couple.central.with { host, _ in host.setKey(key, for: couple.link) })
    }
  }

  @Test("refuses a key that is shorter than it demands") func shortKey() throws {
    let guarded = try Guarded(leastKeySize: 16)
    try guarded.setKey(1, size: 15)
    guarded.encrypt()
    #expect(guarded.peripheral?.keySize == 15)
    #expect(guarded.refusal(guarded.secret) == 0x0C)
    try guarded.setKey(1)
    guarded.encrypt()
    #expect(guarded.refusal(guarded.secret) == 0)
  }

  @Test("lets a peer subscribe to protected values on an encrypted link only") func subscription() throws {
    let guarded = try Guarded()
    let couple = guarded.couple
    let handle = guarded.guarded.valueHandles[2]
    let record = GATTCharacteristicRecord(
      uuid: 0xFFD3, declaration: handle - 1, valueHandle: handle, end: guarded.guarded.range.end, properties: .notify)
    let refused = couple.central.run(.configureNotifications(record, enabled: true), couple.app, couple.link)
    #expect(refused?.failure == .refused(.insufficientAuthentication, handle: handle + 1))
    let send = {
      couple.peripheral.with { host, now in
        host.updateValue([7], of: handle, links: nil, client: couple.device, now: now)
      }
    }
    #expect(send())
    try guarded.setKey(1)
    guarded.encrypt()
    let accepted = couple.central.run(.configureNotifications(record, enabled: true), couple.app, couple.link)
    #expect(accepted?.isWritten == true)
    #expect(couple.central.notifications(couple.app).isEmpty)
    #expect(send())
    couple.stage.advance(.seconds(1))
    #expect(couple.central.notifications(couple.app) == [[7]])
  }

  // MARK: Events out of turn

  /// Encryption Change or Key Refresh of link 1: off; failed; on with no key given; off in version 2; refresh failed;
  /// refresh with no key given.
  static let downgrades = [
    "0408040001 0000", "0408040601 0000", "0459050001 000000", "043003060100", "043003000100",
  ].map { $0.filter { $0 != " " } }

  @Test("closes an encrypted link that would go on in clear", arguments: downgrades) func downgrade(_ event: String)
    throws
  {
    let guarded = try Guarded()
    try guarded.setKey(1)
    guarded.encrypt()
    #expect(try guarded.inject(event) == [Self.disconnect])
    #expect(guarded.peripheral == LinkSecurity())
    #expect(guarded.couple.peripheral.with { host, _ in host.links.first?.isClosing } == true)
  }

  @Test(
    "closes a link that its controller encrypts with no key of the host",
    arguments: ["04080400010001", "0459050001000110", "043003000100", "04080400010000"])
  func unexplained(_ event: String) throws {
    let guarded = try Guarded()
    try guarded.setKey(1)
    #expect(try guarded.inject(event) == [Self.disconnect])
    #expect(guarded.peripheral == LinkSecurity())
  }

  @Test("ignores and counts events of links that it does not have", arguments: ["04080400770001", "043003007700"])
  func unknownLinks(_ event: String) throws {
    let guarded = try Guarded()
    let before = guarded.couple.peripheral.with { host, _ in host.ignored.events }
    #expect(try guarded.inject(event).isEmpty)
    #expect(guarded.couple.peripheral.with { host, _ in host.ignored.events } == before + 1)
    #expect(guarded.refusal(guarded.secret) == 0x05)
  }

  @Test("stays encrypted when both versions of the event come; the smaller size counts") func bothVersions() throws {
    let guarded = try Guarded()
    try guarded.setKey(1)
    guarded.encrypt()
    #expect(try guarded.inject("0459050001000107").isEmpty)
    #expect(guarded.peripheral?.isEncrypted == true)
    #expect(guarded.peripheral?.keySize == 7)
  }

  @Test("answers each request for a key, one at a time, where no link explains it, too") func keyRequests() throws {
    let numbers = "00000000000000000000"
    let guarded = try Guarded()
    // Of no link; again, before the controller replied; and after.
    #expect(try guarded.inject("043e0d057700" + numbers) == ["011b20027700"])
    #expect(try guarded.inject("043e0d057700" + numbers).isEmpty)
    #expect(try guarded.inject("040e06011b20027700").isEmpty)
    #expect(try guarded.inject("043e0d057700" + numbers) == ["011b20027700"])
    _ = try guarded.inject("040e06011b20027700")
    // Of a link: no key; not twice while the answer is under way.
    #expect(try guarded.inject("043e0d050100" + numbers) == ["011b20020100"])
    #expect(try guarded.inject("043e0d050100" + numbers).isEmpty)
    #expect(try guarded.inject("040e06011b20000100").isEmpty)
    try guarded.setKey(0x10)
    let answers = try guarded.inject("043e0d050100" + numbers)
    #expect(answers == ["011a20120100" + "101112131415161718191a1b1c1d1e1f"])
  }

  @Test("gives no key to its own controller as a central, nor on a link that is being closed") func refusedRequests()
    throws
  {
    let guarded = try Guarded()
    try guarded.setKey(1)
    let handle = guarded.couple.central.with { host, _ in host.links.first?.handle.rawValue }
    let digits = Hexadecimal.encode([UInt8(try #require(handle)), 0])
    let request = try Hexadecimal.decode("043e0d05" + digits + "00000000000000000000")
    let commands = guarded.couple.central.with { host, now in
      let ignored = host.ignored.events
      host.receive(request, now: now)
      #expect(host.ignored.events == ignored + 1)
      return host.dequeueOutputs().compactMap { output -> String? in
        if case .packet(let packet) = output { Hexadecimal.encode(packet) } else { nil }
      }
    }
    #expect(commands == ["011b2002" + digits])
    let closing = try Hexadecimal.decode("043e0d05010000000000000000000000")
    let answers = guarded.couple.peripheral.with { host, now -> [String] in
      guard let link = host.links.first else { return [] }
      host.close(link, now: now)
      host.receive(closing, now: now)
      // The controller takes the command that ends the link.
      host.receive([0x04, 0x0F, 0x04, 0x00, 0x01, 0x06, 0x04], now: now)
      return host.dequeueOutputs().compactMap { output -> String? in
        if case .packet(let packet) = output { Hexadecimal.encode(packet) } else { nil }
      }
    }
    #expect(answers == ["01060403010013", "011b20020100"])
  }

  @Test("takes no encryption for its own whose key the controller did not take") func refusedReply() throws {
    let guarded = try Guarded()
    try guarded.setKey(1)
    #expect(try guarded.inject("043e0d05010000000000000000000000").count == 1)
    #expect(try guarded.inject("040e06011a200c0100").isEmpty)
    #expect(try guarded.inject("04080400010001") == [Self.disconnect])
  }

  @Test("counts the size that its controller reports, if it is the smaller one") func reportedSize() throws {
    let guarded = try Guarded()
    try guarded.setKey(1, size: 12)
    for (size, counts) in [("09", 9), ("10", 9), ("07", 7)] as [(String, UInt8)] {
      if guarded.peripheral == LinkSecurity() {
        _ = try guarded.inject("043e0d05010000000000000000000000")
        _ = try guarded.inject("040e06011a20000100")
      }
      #expect(try guarded.inject("04590500010001\(size)").isEmpty)
      #expect(guarded.peripheral?.keySize == counts)
    }
  }

  /// Key Refresh of link 1, failed and successful, and whether the link is encrypted before.
  @Test("closes a link whose key is not refreshed, or that has none to refresh, although it gave one")
  func failedRefresh() throws {
    for (event, isEncrypted) in [("043003060100", true), ("043003000100", false)] {
      let guarded = try Guarded()
      try guarded.setKey(1)
      if isEncrypted { guarded.encrypt() }
      #expect(try guarded.inject("043e0d05010000000000000000000000").count == 1)
      _ = try guarded.inject("040e06011a20000100")
      #expect(try guarded.inject(event) == [Self.disconnect])
      #expect(guarded.peripheral == LinkSecurity())
    }
  }

  // MARK: Faults

  @Test("keeps nothing of a link that is lost in between") func lostLink() throws {
    let guarded = try Guarded()
    let couple = guarded.couple
    try guarded.setKey(1)
    guarded.encrypt()
    let (oldLink, oldPeripheralLink) = couple.peripheral.with { host, _ in (host.links.first, host.links.first?.id) }
    let node = couple.peripheral.node
    couple.stage.simulation.withRadio { radio, now in radio.dropLinks(of: node, now: now) }
    couple.stage.advance(.seconds(1))
    #expect(oldLink?.keys.isEmpty == true)
    #expect(oldLink?.security == LinkSecurity())
    couple.central.clearLog()
    couple.central.connect(couple.app, to: couple.peripheral)
    couple.stage.wait { couple.central.link(couple.app) != nil }
    let link = try #require(couple.central.link(couple.app))
    #expect(couple.peripheral.with { host, _ in host.links.first?.id } != oldPeripheralLink)
    let outcome = couple.central.run(.read(guarded.secret), couple.app, link)
    #expect(outcome?.failure == .refused(.insufficientAuthentication, handle: guarded.secret))
    #expect(!couple.central.with { host, now in host.encrypt(link, now: now) })
  }

  @Test("loses a link whose controller never sees the key, and waits for nothing then") func lostReply() throws {
    var faults = ControllerFaults()
    faults.silentCommands = [0x201A]
    let guarded = try Guarded(faults: faults)
    try guarded.setKey(1)
    guarded.encrypt()
    #expect(guarded.central == LinkSecurity())
    guarded.couple.stage.advance(.seconds(41))
    #expect(guarded.couple.central.heard(guarded.couple.app).last == "disconnected 2 22")
    #expect(guarded.central == nil && guarded.peripheral == nil)
  }

  @Test("does without encryption where its controller refuses the command") func refusedCommand() throws {
    var faults = ControllerFaults()
    faults.refusedCommands = [0x2019: .unknownCommand]
    let guarded = try Guarded(faults: faults)
    try guarded.setKey(1)
    #expect(guarded.encrypt())
    #expect(guarded.central == LinkSecurity())
    // The refusal ends the procedure: it may begin again.
    #expect(guarded.encrypt())
    #expect(
      guarded.couple.central.run(.read(guarded.couple.placement[.plain]), guarded.couple.app, guarded.couple.link)
        != nil)
  }

  @Test("serves 100 links, each with a key of its own") func manyLinks() throws {
    let stage = Stage()
    let lamp = stage.addActor(1, controller: ControllerConfiguration(maximumLinks: 128))
    let device = lamp.addClient()
    let definition = GATTServiceDefinition(
      uuid: 0xFFD0,
      characteristics: [
        GATTCharacteristicDefinition(uuid: 0xFFD1, properties: .read, permissions: .readEncryptionRequired)
      ])
    let placement = try lamp.with { host, now in try host.addService(definition, client: device, now: now) }
    lamp.values[placement.valueHandles[0]] = [0x51]
    lamp.advertise(device)
    var apps: [(actor: Actor, client: ClientID)] = []
    for number in 0..<100 {
      let actor = stage.addActor(UInt64(number + 2))
      let client = actor.addClient()
      apps.append((actor, client))
      actor.connect(client, to: lamp)
      stage.wait { actor.link(client) != nil && lamp.with { host, _ in host.links.count } == number + 1 }
    }
    for (number, app) in apps.enumerated() {
      // Every tenth has another key than the lamp's.
      let own = try Self.longTermKey(UInt8(number))
      let other = try Self.longTermKey(UInt8(number % 10 == 9 ? 200 : number))
      let link = try #require(app.actor.link(app.client))
      let address = app.actor.address
      lamp.with { host, _ in
        guard let id = host.links.first(where: { $0.peer == address })?.id else { return }
        host.setKey(own, for: id)
      }
      app.actor.with { host, now in
        host.setKey(other, for: link)
        _ = host.encrypt(link, now: now)
      }
    }
    stage.advance(.seconds(2))
    for (number, app) in apps.enumerated() {
      let link = try #require(app.actor.link(app.client))
      let value = app.actor.run(.read(placement.valueHandles[0]), app.client, link)?.value
      #expect(value == (number % 10 == 9 ? nil : [0x51]))
    }
    #expect(lamp.with { host, _ in host.links.count } == 90)
    #expect(lamp.with { host, _ in host.links.allSatisfy(\.security.isEncrypted) })
  }
}
