import LatchkeyBluetoothEmulator
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

@Suite("A channel that needs a secure link") struct HostChannelSecurityTests {
  /// The central's events of channels.
  private func events(_ couple: PairingCouple) -> [String] {
    couple.central.heard(couple.app).filter {
      $0.hasPrefix("opened") || $0.hasPrefix("not opened") || $0.hasPrefix("refused")
    }
  }

  private func publish(_ couple: PairingCouple) throws -> UInt16 {
    try #require(
      couple.peripheral.with { host, _ in
        host.publishChannel(couple.device, ChannelSecurity(needsEncryption: true))
      })
  }

  @discardableResult
  private func open(_ psm: UInt16, _ couple: PairingCouple) -> ChannelID {
    couple.central.with { host, now in host.openChannel(couple.app, to: psm, on: couple.link, now: now) }
  }

  /// Waits for the next event of a channel.
  private func next(_ couple: PairingCouple, after count: Int = 0) -> String? {
    couple.stage.wait(.seconds(120)) { events(couple).count > count }
    return events(couple).last
  }

  private func bonded() throws -> (PairingCouple, UInt16) {
    let couple = try PairingCouple()
    let psm = try publish(couple)
    #expect(couple.read(couple.secret)?.value == [0x51])
    couple.disconnect()
    return (couple, psm)
  }

  private func isIdle(_ couple: PairingCouple) -> Bool {
    couple.central.with { host, _ in host.links.allSatisfy { $0.channels.isEmpty } }
  }

  @Test("pairs the devices, and opens") func pairs() throws {
    let couple = try PairingCouple(guards: false)
    let psm = try publish(couple)
    open(psm, couple)
    #expect(next(couple)?.hasPrefix("opened") == true)
    #expect(couple.security?.isEncrypted == true)
    #expect(couple.pairings(couple.central) == ["pairing with 2: stored"])
    // The next one needs nothing.
    open(psm, couple)
    #expect(next(couple, after: 1)?.hasPrefix("opened") == true)
    #expect(couple.pairings(couple.central).count == 1)
  }

  @Test("opens after the link is encrypted with the key of the bond, and sends nothing in clear") func bondedLink()
    throws
  {
    let (couple, psm) = try bonded()
    var faults = ControllerFaults()
    faults.silentCommands = [0x201A]
    couple.peripheral.setFaults(faults)
    try couple.connect()
    let sent = couple.capture(couple.central, channel: 5) { host, _, now in
      _ = host.openChannel(couple.app, to: psm, on: couple.link, now: now)
    }
    #expect(sent == [])
    couple.stage.advance(.seconds(1))
    #expect(events(couple) == [])
    // The encryption never ends, and the channel with it.
    #expect(next(couple)?.contains("encryptionFailed") == true)
    #expect(events(couple).count == 1 && isIdle(couple))
    open(psm, couple)
    #expect(events(couple).count == 2 && events(couple).last?.contains("encryptionFailed") == true)
    couple.disconnect()
    couple.peripheral.setFaults(ControllerFaults())
    try couple.connect()
    open(psm, couple)
    #expect(next(couple)?.hasPrefix("opened") == true)
    #expect(couple.pairings(couple.central) == [])
  }

  @Test("fails where the peer lost its key, without a new pairing") func lostKey() throws {
    let (couple, psm) = try bonded()
    let address = couple.central.address
    #expect(couple.peripheral.with { host, now in host.removeBond(with: address, now: now) })
    try couple.connect()
    open(psm, couple)
    #expect(next(couple)?.contains("keyMissing") == true)
    #expect(couple.pairings(couple.central) == [] && isIdle(couple))
  }

  @Test("fails once with the peer's reason where no pairing succeeds, and requests go on") func noPairing() throws {
    var refusing = PairingPolicy()
    refusing.requiresSecureConnections = true
    let couple = try PairingCouple(.make(secure: false), refusing)
    let psm = try publish(couple)
    open(psm, couple)
    #expect(next(couple) == "refused 5")
    #expect(couple.pairings(couple.central).count == 1)
    #expect(couple.read(couple.plain)?.value == [0x50])
    #expect(events(couple).count == 1 && isIdle(couple))
  }

  @Test("fails at once on a host that does not pair") func noPolicy() throws {
    let couple = try PairingCouple(nil, PairingPolicy())
    open(try publish(couple), couple)
    #expect(next(couple) == "refused 5")
    #expect(couple.pairings(couple.central) == [] && couple.pairings(couple.peripheral) == [])
  }

  @Test("waits beside a request, and both go on by one pairing") func besideRequest() throws {
    let couple = try PairingCouple(users: (.displayYesNo, .displayYesNo))
    let psm = try publish(couple)
    open(psm, couple)
    let request = couple.begin(couple.personal)
    _ = try couple.question(couple.central)
    _ = try couple.question(couple.peripheral)
    #expect(events(couple) == [])
    try couple.answer(.accept, couple.peripheral)
    try couple.answer(.accept, couple.central)
    #expect(couple.wait(for: request)?.value == [0x52])
    #expect(next(couple)?.hasPrefix("opened") == true)
    #expect(couple.pairings(couple.central) == ["pairing with 2: stored"])
  }

  @Test("that is closed while it waits reports nothing, and frees its identifier") func closed() throws {
    let couple = try PairingCouple(users: (.displayYesNo, .displayYesNo))
    let psm = try publish(couple)
    let id = open(psm, couple)
    _ = try couple.question(couple.central)
    couple.central.with { host, now in host.closeChannel(id, now: now) }
    #expect(isIdle(couple))
    _ = try couple.question(couple.peripheral)
    try couple.answer(.accept, couple.peripheral)
    try couple.answer(.accept, couple.central)
    couple.stage.advance(.seconds(1))
    #expect(events(couple) == [] && isIdle(couple))
    #expect(couple.peripheral.heard(couple.device).allSatisfy { !$0.hasPrefix("opened") })
  }

  @Test("that waits ends once, with its link") func linkEnds() throws {
    let couple = try PairingCouple(users: (.displayYesNo, .displayYesNo))
    let psm = try publish(couple)
    open(psm, couple)
    open(psm, couple)
    _ = try couple.question(couple.central)
    couple.disconnect()
    #expect(events(couple) == ["not opened: disconnected", "not opened: disconnected"])
    #expect(isIdle(couple))
  }

  @Test("fails with the peer's reason where a pairing brings nothing more") func nothingToGain() throws {
    let couple = try PairingCouple()
    let psm = try publish(couple)
    #expect(couple.read(couple.secret)?.value == [0x51])
    let refusal: [[UInt8]] = [5, 7, 8, 6].map { [0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0, $0, 0] }
    for (index, tail) in refusal.enumerated() {
      let sent = couple.capture(couple.central, channel: 5) { host, _, now in
        _ = host.openChannel(couple.app, to: psm, on: couple.link, now: now)
      }
      let identifier = try #require(sent.first?[1])
      let answers = couple.capture(couple.central, channel: 5) { host, handle, now in
        host.receive(PairingCouple.packet([0x15, identifier] + tail, channel: 5, handle), now: now)
      }
      #expect(answers == [])
      #expect(events(couple).count == index + 1 && events(couple).last == "refused \(tail[10])")
    }
    #expect(couple.pairings(couple.central).count == 1 && isIdle(couple))
    #expect(couple.read(couple.secret)?.value == [0x51])
  }

  @Test("raises the security that the peer misses: an encrypted link, or a longer key", arguments: [7, 8] as [UInt8])
  func missing(_ result: UInt8) throws {
    let couple = try PairingCouple()
    let psm = try publish(couple)
    if result == 7 {
      let key = LongTermKey(
        key: try #require(SecurityKey(Array(1...16))), size: 7, isAuthenticated: false, isSecureConnections: true)
      couple.peripheral.with { host, _ in _ = host.setKey(key, for: couple.peripheralLink) }
      couple.central.with { host, now in
        host.setKey(key, for: couple.link)
        _ = host.encrypt(couple.link, now: now)
      }
      couple.stage.advance(.seconds(1))
    }
    let sent = couple.capture(couple.central, channel: 5) { host, _, now in
      _ = host.openChannel(couple.app, to: psm, on: couple.link, now: now)
    }
    let identifier = try #require(sent.first?[1])
    let refusal: [UInt8] = [0x15, identifier, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0, result, 0]
    let requests = couple.capture(couple.central) { host, handle, now in
      host.receive(PairingCouple.packet(refusal, channel: 5, handle), now: now)
    }
    #expect(requests.map(\.first) == [0x01] && events(couple) == [])
    // Meanwhile nothing else is sent.
    #expect(couple.central.with { host, _ in host.links.first?.client.isHeld } == true)
  }

  @Test("leaves a channel alone that is open already, whether the pairing succeeds or not", arguments: [true, false])
  func openBefore(_ succeeds: Bool) throws {
    let couple = try PairingCouple(.make(secure: succeeds), .make { $0.requiresSecureConnections = true })
    let plain = try #require(
      couple.peripheral.with { host, _ in host.publishChannel(couple.device, ChannelSecurity()) })
    let id = open(plain, couple)
    #expect(next(couple)?.hasPrefix("opened") == true)
    #expect(couple.read(couple.secret)?.value == (succeeds ? [0x51] : nil))
    couple.stage.advance(.seconds(1))
    #expect(events(couple).count == 1 && couple.pairings(couple.central).count == 1)
    let state = couple.central.with { host, _ in host.links.first?.channels.all.first { $0.id == id }?.state }
    #expect(state == .open)
  }
}
