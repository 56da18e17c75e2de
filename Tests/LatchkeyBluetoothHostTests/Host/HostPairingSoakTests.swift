import LatchkeyBluetoothEmulator
import Testing

@testable import LatchkeyBluetoothHost

/// Pairing, encryption, requests and channels while everything fails at random: a sample, or 10 000 connections and an hour
/// of virtual time where LATCHKEY_SOAK is set.
@Suite("Hosts that pair while everything fails") struct HostPairingSoakTests {
  private static let connections = Stage.count(sample: 60, soak: 10_000)
  private static let seconds = Stage.count(sample: 60, soak: 3600)

  @Test(
    "end each wait once, serve no secret in clear, and are left with nothing", arguments: 1...2 as ClosedRange<UInt64>)
  func hour(_ seed: UInt64) throws {
    let village = try PairingVillage(phones: 8, seed: seed)
    let end = village.stage.simulation.now + .seconds(Self.seconds)
    var rounds = 0
    while village.connections < Self.connections || village.stage.simulation.now < end {
      for _ in 0...village.pick(6) { village.happen() }
      village.stage.advance(.milliseconds(village.pick(1200)))
      village.record()
      village.answerUsers()
      rounds += 1
      try #require(rounds < 100 * Self.connections, "\(village.connections) connections")
      guard rounds % 100 == 0 else { continue }
      // Of each link its two objects and 64 channels at most are there.
      let links = village.actors.reduce(0) { count, actor in count + actor.with { host, _ in host.links.count } }
      #expect(village.leaks.alive() <= 66 * links)
    }
    #expect(village.pairings > Self.connections / 50)
    calm(village)
    expectNothing(of: village)
    try expectService(of: village)
  }

  /// Everybody behaves again, and goes.
  private func calm(_ village: PairingVillage) {
    for actor in village.actors { actor.setFaults(ControllerFaults()) }
    village.hub.isAnswering = true
    village.answerRequests()
    for _ in 0..<60 {
      village.stage.advance(.seconds(1))
      village.record()
    }
    village.answerRequests()
    for phone in village.phones { phone.actor.disconnect(phone.app, from: village.hub) }
    village.hub.with { host, now in host.stopAdvertising(village.device, now: now) }
    for _ in 0..<60 {
      village.stage.advance(.seconds(1))
      village.record()
    }
  }

  private func expectNothing(of village: PairingVillage) {
    for (number, actor) in village.actors.enumerated() {
      let rest = actor.with { host, _ in Self.rest(of: host, phones: village.phones.count) }
      #expect(rest.isEmpty, "host \(number)")
    }
    #expect(village.stage.simulation.nextDeadline == nil)
    #expect(village.hubLedger.isEmpty, "\(village.hubLedger)")
    for phone in village.phones {
      #expect(phone.ledger.isEmpty, "\(phone.ledger)")
      #expect(phone.outcomes.values.allSatisfy { $0 == 1 })
      #expect(Set(phone.outcomes.keys) == Set(phone.actor.submitted))
    }
    #expect(village.leaks.alive() == 0)
  }

  /// What a host without links and requests should not have.
  private static func rest(of host: borrowing Host, phones: Int) -> [String] {
    var rest: [String] = []
    if !host.links.isEmpty { rest.append("links") }
    if let deadline = host.nextDeadline { rest.append("the deadline \(deadline)") }
    if !host.commands.isIdle { rest.append("commands") }
    if !host.waitingNotifiers.isEmpty || !host.returningLinks.isEmpty { rest.append("waiters") }
    if host.window.held != 0 || host.isRefusingKeys { rest.append("packets or answers") }
    if host.pairingAttempts.count > phones || host.bondedPeers.count > phones { rest.append("peers") }
    let channels = host.channels
    for client in host.clients where !channels.channels(of: client).isEmpty { rest.append("channels of \(client)") }
    return rest
  }

  /// Each that is in earnest pairs and is served.
  private func expectService(of village: PairingVillage) throws {
    let hub = village.hub
    // All waiting intervals end.
    village.stage.advance(.seconds(1300))
    village.setTerms(nil, hub, village.device)
    village.advertise()
    for (number, phone) in village.phones.enumerated() {
      let address = phone.actor.address
      phone.actor.with { host, now in _ = host.removeBond(with: hub.address, now: now) }
      hub.with { host, now in _ = host.removeBond(with: address, now: now) }
      village.setTerms(nil, phone.actor, phone.app)
      phone.actor.connect(phone.app, to: hub)
      village.stage.wait { village.link(phone) != nil }
      let link = try #require(village.link(phone))
      let outcome = phone.actor.run(.read(village.values[1]), phone.app, link)
      #expect(outcome?.failure == nil, "phone \(number): \(String(describing: outcome))")
    }
  }
}
