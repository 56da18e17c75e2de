import Foundation
import LatchkeyProvisioningProtocol
import Testing

@testable import LatchkeyProvisioning

/// The device's machine as transcripts with several centrals.
@Suite struct LegacyDeviceMachineTests {
  private var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
  private static let first = LegacyDevicePeer(central: UUID(), service: .encrypted, connection: 1)
  private static let second = LegacyDevicePeer(central: UUID(), service: .encrypted, connection: 1)

  private func app() throws -> LegacySession {
    var random = SystemRandomNumberGenerator()
    return LegacySession(role: .app, privateKey: try Secp192k1.PrivateKey(using: &random))
  }

  private mutating func agree(
    _ machine: inout LegacyDeviceMachine, _ app: inout LegacySession, _ peer: LegacyDevicePeer, now: Duration = .zero
  ) throws {
    try machine.receive(app.keyFrame.encoded, from: peer, now: now, using: &random)
    for case .notify(peer, let bytes, false) in machine.dequeueActions() {
      #expect(app.receive(bytes, now: now).last == .unauthenticatedKeyAgreed)
    }
  }

  private func asked(_ actions: [LegacyDeviceMachine.Action]) -> (number: Int, bytes: [UInt8])? {
    for case .ask(_, let number, let bytes) in actions { return (number, bytes) }
    return nil
  }

  @Test("Centrals share no state") mutating func centralsShareNoState() throws {
    var machine = LegacyDeviceMachine(options: LegacyDeviceOptions())
    var one = try app()
    var two = try app()
    try agree(&machine, &one, Self.first)
    try agree(&machine, &two, Self.second)
    #expect(machine.latest(for: Self.first) != machine.latest(for: Self.second))
    try machine.receive(try one.frame("mine").encoded, from: Self.first, now: .zero, using: &random)
    let request = try #require(asked(machine.dequeueActions()))
    #expect(request.bytes == Array("mine".utf8))
    machine.answer(.text("yours"), to: Self.first, number: request.number, now: .zero)
    for case .notify(let peer, let bytes, _) in machine.dequeueActions() {
      #expect(peer == Self.first)
      let outputs = one.receive(bytes, now: .zero)
      guard case .received(let message)? = outputs.last else {
        Issue.record("the app got \(outputs)")
        return
      }
      #expect(message.text == "yours")
    }
    // A violation by one central does not affect the other.
    #expect(throws: LegacyRefusal.malformedFrame) {
      try machine.receive([0x7E], from: Self.second, now: .zero, using: &random)
    }
    try machine.receive(try one.frame("again").encoded, from: Self.first, now: .zero, using: &random)
  }

  @Test("A peer's payloads are handled one after the other") mutating func aPeersPayloadsAreHandledInTurn() throws {
    var machine = LegacyDeviceMachine(options: LegacyDeviceOptions())
    var one = try app()
    try agree(&machine, &one, Self.first)
    for text in ["a", "b"] {
      try machine.receive(try one.frame(text).encoded, from: Self.first, now: .zero, using: &random)
    }
    let first = try #require(asked(machine.dequeueActions()))
    #expect(first.bytes == Array("a".utf8))
    machine.handled(Self.first, number: first.number)
    #expect(asked(machine.dequeueActions())?.bytes == Array("b".utf8))
  }

  @Test("A payload beyond the limit of waiting ones is refused as busy") mutating func moreThanCanWaitIsBusy() throws {
    var machine = LegacyDeviceMachine(options: LegacyDeviceOptions())
    var one = try app()
    try agree(&machine, &one, Self.first)
    let frame = try one.frame("x").encoded
    // One is at work, the others wait.
    for _ in 0...LegacyDeviceMachine.maximumPending {
      try machine.receive(frame, from: Self.first, now: .zero, using: &random)
    }
    #expect(throws: LegacyRefusal.busy) {
      try machine.receive(frame, from: Self.first, now: .zero, using: &random)
    }
    #expect(machine.dequeueActions().contains(.abandon(Self.first)))
    #expect(machine.nextDeadline == nil, "the session is gone")
  }

  @Test("The ninth central is refused as busy until another one times out") mutating func theNinthCentralIsBusy() throws
  {
    var machine = LegacyDeviceMachine(options: LegacyDeviceOptions())
    for _ in 0..<LegacyDeviceSessions<UUID>.capacity {
      let peer = LegacyDevicePeer(central: UUID(), service: .encrypted, connection: 1)
      try machine.receive([0x10], from: peer, now: .zero, using: &random)
    }
    #expect(throws: LegacyRefusal.busy) {
      try machine.receive([0x10], from: Self.first, now: .zero, using: &random)
    }
    // After the others' silence a session is free.
    machine.handleTimeout(now: .seconds(5))
    try machine.receive([0x10], from: Self.first, now: .seconds(5), using: &random)
  }

  @Test("An idle session, or an old one, ends for the ninth central") mutating func roomIsMadeForTheNinthCentral()
    throws
  {
    var machine = LegacyDeviceMachine(options: LegacyDeviceOptions())
    var peers: [LegacyDevicePeer] = []
    // A frame of each app, which it may send again and again.
    var frames: [[UInt8]] = []
    func send(_ index: Int, at seconds: Int) throws {
      try machine.receive(frames[index], from: peers[index], now: .seconds(seconds), using: &random)
    }
    func comes(at seconds: Int) throws(LegacyRefusal) -> LegacyDevicePeer {
      let peer = LegacyDevicePeer(central: UUID(), service: .encrypted, connection: 1)
      try machine.receive([0x10], from: peer, now: .seconds(seconds), using: &random)
      return peer
    }
    for _ in 0..<LegacyDeviceSessions<UUID>.capacity {
      let peer = LegacyDevicePeer(central: UUID(), service: .encrypted, connection: 1)
      var app = try app()
      try agree(&machine, &app, peer)
      peers.append(peer)
      frames.append(try app.frame("on").encoded)
    }
    // The handler is at work for the first one.
    try send(0, at: 0)
    let request = try #require(asked(machine.dequeueActions()))
    #expect(throws: LegacyRefusal.busy) { try comes(at: 19) }
    _ = machine.dequeueActions()
    // The second one is idle for twenty seconds: it ends, and that is reported.
    for index in 2..<8 { try send(index, at: 19) }
    for case .ask(let peer, let number, _) in machine.dequeueActions() { machine.handled(peer, number: number) }
    let ninth = try comes(at: 20)
    #expect(machine.dequeueActions() == [.abandon(peers[1]), .report(.timedOut(peers[1].central))])
    // A session without a key cannot be replaced for two seconds.
    #expect(throws: LegacyRefusal.busy) { try comes(at: 21) }
    _ = machine.dequeueActions()
    let tenth = try comes(at: 22)
    #expect(machine.dequeueActions() == [.abandon(ninth), .report(.timedOut(ninth.central))])
    machine.forget(tenth)
    _ = machine.dequeueActions()
    var eleventh = try app()
    let last = LegacyDevicePeer(central: UUID(), service: .encrypted, connection: 1)
    try agree(&machine, &eleventh, last, now: .seconds(38))
    // Sessions in use cannot be replaced for a minute; the one with a running handler cannot be replaced at all.
    for seconds in [38, 57] {
      for index in 2..<8 { try send(index, at: seconds) }
      for case .ask(let peer, let number, _) in machine.dequeueActions() { machine.handled(peer, number: number) }
    }
    try machine.receive(try eleventh.frame("on").encoded, from: last, now: .seconds(57), using: &random)
    _ = machine.dequeueActions()
    #expect(throws: LegacyRefusal.busy) { try comes(at: 59) }
    _ = machine.dequeueActions()
    _ = try comes(at: 60)
    #expect(machine.dequeueActions() == [.abandon(peers[2]), .report(.timedOut(peers[2].central))])
    machine.answer(.text("done"), to: peers[0], number: request.number, now: .seconds(60))
    #expect(machine.dequeueActions().contains(.report(.answered(.text("done"), to: peers[0].central))))
  }

  @Test("An answer for an earlier state of a peer is dropped") mutating func answersForAnEarlierStateAreDropped() throws
  {
    var machine = LegacyDeviceMachine(options: LegacyDeviceOptions())
    var one = try app()
    try agree(&machine, &one, Self.first)
    try machine.receive(try one.frame("x").encoded, from: Self.first, now: .zero, using: &random)
    let request = try #require(asked(machine.dequeueActions()))
    machine.unsubscribed(Self.first)
    #expect(machine.dequeueActions() == [.abandon(Self.first), .report(.unsubscribed(Self.first.central, .encrypted))])
    machine.answer(.code(.accepted), to: Self.first, number: request.number, now: .zero)
    machine.handled(Self.first, number: request.number)
    #expect(machine.dequeueActions() == [])
    // Nor to the session that comes after it.
    var two = try app()
    try agree(&machine, &two, Self.first)
    machine.answer(.code(.accepted), to: Self.first, number: request.number, now: .zero)
    #expect(machine.dequeueActions() == [])
  }

  /// The same central by its next connection.
  private static let again = LegacyDevicePeer(central: first.central, service: .encrypted, connection: 2)

  @Test("A new connection starts a new session") mutating func aNewConnectionBeginsANewSession() throws {
    var machine = LegacyDeviceMachine(options: LegacyDeviceOptions())
    var one = try app()
    try agree(&machine, &one, Self.first)
    try machine.receive(try one.frame("x").encoded, from: Self.first, now: .zero, using: &random)
    let request = try #require(asked(machine.dequeueActions()))
    // The old connection's end was not reported yet.
    var two = try app()
    #expect(machine.latest(for: Self.again).isEmpty)
    try machine.receive(two.keyFrame.encoded, from: Self.again, now: .zero, using: &random)
    let actions = machine.dequeueActions()
    #expect(actions.first == .abandon(Self.first))
    for case .notify(Self.again, let bytes, false) in actions {
      let outputs = two.receive(bytes, now: .zero)
      #expect(outputs.last == .unauthenticatedKeyAgreed)
    }
    let isEstablished = two.isEstablished
    #expect(isEstablished)
    #expect(machine.latest(for: Self.first).isEmpty)
    // An answer for the old one is dropped, and its end does not affect the new one.
    machine.answer(.code(.accepted), to: Self.first, number: request.number, now: .zero)
    machine.handled(Self.first, number: request.number)
    #expect(machine.dequeueActions() == [])
    machine.unsubscribed(Self.first)
    #expect(machine.dequeueActions() == [.report(.unsubscribed(Self.first.central, .encrypted))])
    try machine.receive(try two.frame("y").encoded, from: Self.again, now: .zero, using: &random)
    #expect(asked(machine.dequeueActions())?.bytes == Array("y".utf8))
  }

  @Test("The end of the old connection may precede the new session")
  mutating func theEndOfTheOldConnectionMayComeFirst() throws {
    var machine = LegacyDeviceMachine(options: LegacyDeviceOptions())
    var one = try app()
    try agree(&machine, &one, Self.first)
    machine.unsubscribed(Self.first)
    #expect(machine.dequeueActions() == [.abandon(Self.first), .report(.unsubscribed(Self.first.central, .encrypted))])
    var two = try app()
    try agree(&machine, &two, Self.again)
    let isEstablished = two.isEstablished
    #expect(isEstablished)
    #expect(machine.nextDeadline == .seconds(120), "one session")
  }

  @Test("The connections of one central use one session") mutating func connectionsOfOneCentralUseOneSession() throws {
    var machine = LegacyDeviceMachine(options: LegacyDeviceOptions())
    for connection in 1...40 as ClosedRange<UInt32> {
      let peer = LegacyDevicePeer(central: Self.first.central, service: .encrypted, connection: connection)
      var app = try app()
      try agree(&machine, &app, peer)
      let isEstablished = app.isEstablished
      #expect(isEstablished)
    }
  }

  @Test("Silence within a frame, and idleness, erase the keys") mutating func silenceAndIdlenessEraseTheKeys() throws {
    var machine = LegacyDeviceMachine(options: LegacyDeviceOptions())
    var one = try app()
    try agree(&machine, &one, Self.first)
    #expect(machine.nextDeadline == .seconds(120))
    try machine.receive([0x20, 0x00], from: Self.first, now: .seconds(1), using: &random)
    #expect(machine.nextDeadline == .seconds(6))
    machine.handleTimeout(now: .seconds(6))
    #expect(machine.dequeueActions().suffix(2) == [.abandon(Self.first), .report(.timedOut(Self.first.central))])
    #expect(machine.latest(for: Self.first).isEmpty)
    #expect(machine.nextDeadline == nil)
  }

  @Test("An idle plain central is dropped for another one") mutating func plainCentralsMakeRoomForEachOther() throws {
    var machine = LegacyDeviceMachine(options: LegacyDeviceOptions())
    let peers = (0...LegacyDeviceMachine.maximumPlainPeers).map { _ in
      LegacyDevicePeer(central: UUID(), service: .plain, connection: 1)
    }
    var numbers: [Int] = []
    for peer in peers.dropLast() {
      try machine.receive([1], from: peer, now: .zero, using: &random)
      numbers.append(try #require(asked(machine.dequeueActions())).number)
    }
    let last = try #require(peers.last)
    #expect(throws: LegacyRefusal.busy) { try machine.receive([1], from: last, now: .zero, using: &random) }
    machine.answer(.text("done"), to: peers[3], number: numbers[3], now: .zero)
    machine.handled(peers[3], number: numbers[3])
    #expect(machine.latest(for: peers[3]) == Array("done".utf8))
    try machine.receive([1], from: last, now: .zero, using: &random)
    #expect(machine.latest(for: peers[3]).isEmpty, "the idle one made room")
  }
}
