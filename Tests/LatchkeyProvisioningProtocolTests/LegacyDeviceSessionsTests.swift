import LatchkeyProvisioningProtocol
import Testing

@Suite struct LegacyDeviceSessionsTests {
  private func appSession(_ seed: UInt64) throws -> LegacySession {
    var generator = SeededGenerator(seed: seed)
    return LegacySession(role: .app, privateKey: try Secp192k1.PrivateKey(using: &generator))
  }

  /// The frame that an answer sends.
  private func sent(_ outputs: [LegacySession.Output]) throws -> [UInt8] {
    for case .send(let frame) in outputs { return frame.encoded }
    throw LegacySessionError.ended
  }

  @Test("Peers share no state") func peersDoNotShareState() throws {
    var generator = SeededGenerator(seed: 11)
    var device = LegacyDeviceSessions<String>()
    var one = try appSession(1)
    var other = try appSession(2)
    // Their key frames arrive interleaved, in halves.
    _ = device.receive(Array(one.keyFrame.encoded[..<30]), from: "one", now: .zero, using: &generator)
    _ = device.receive(Array(other.keyFrame.encoded[..<7]), from: "other", now: .zero, using: &generator)
    let toOne = device.receive(Array(one.keyFrame.encoded[30...]), from: "one", now: .zero, using: &generator)
    let toOther = device.receive(Array(other.keyFrame.encoded[7...]), from: "other", now: .zero, using: &generator)
    #expect(try sent(toOne) != sent(toOther))
    #expect(try one.receive(sent(toOne), now: .zero).last == .unauthenticatedKeyAgreed)
    #expect(try other.receive(sent(toOther), now: .zero).last == .unauthenticatedKeyAgreed)
    #expect(
      one.receive(try device.frame("for one", to: "one", now: .zero).encoded, now: .zero).compactMap(\.text) == [
        "for one"
      ])
    #expect(
      other.receive(try device.frame("hi", to: "other", now: .zero).encoded, now: .zero).compactMap(\.text) == ["hi"])
    #expect(throws: LegacySessionError.ended) { try device.frame("x", to: "absent", now: .zero) }
  }

  @Test("A failure does not affect other peers, and the next attempt succeeds")
  func aFailureLeavesTheOthersAndTheNextAttemptWorks() throws {
    var generator = SeededGenerator(seed: 12)
    var device = LegacyDeviceSessions<Int>()
    var good = try appSession(3)
    let answer = device.receive(good.keyFrame.encoded, from: 1, now: .zero, using: &generator)
    _ = good.receive(try sent(answer), now: .zero)
    #expect(
      device.receive([0xAA], from: 2, now: .zero, using: &generator)
        == [.failed(.malformedFrame(.unknownType(0xAA)))])
    // A second key ends the session; a third starts the next one, with another key of the device.
    #expect(
      device.receive(good.keyFrame.encoded, from: 1, now: .zero, using: &generator).last
        == .failed(.frameOutOfPlace(.appKey)))
    #expect(throws: LegacySessionError.ended) { try device.frame("x", to: 1, now: .zero) }
    let again = device.receive(good.keyFrame.encoded, from: 1, now: .zero, using: &generator)
    #expect(try sent(again) != sent(answer))
    let second = device.receive(good.keyFrame.encoded, from: 2, now: .zero, using: &generator)
    #expect(second.last == .unauthenticatedKeyAgreed)
  }

  @Test("The ninth peer is refused as busy") func ninthPeerIsBusy() throws {
    var generator = SeededGenerator(seed: 13)
    var device = LegacyDeviceSessions<Int>()
    let app = try appSession(4)
    for peer in 1...LegacyDeviceSessions<Int>.capacity {
      let outputs = device.receive(app.keyFrame.encoded, from: peer, now: .zero, using: &generator)
      #expect(outputs.last == .unauthenticatedKeyAgreed)
    }
    #expect(device.receive(app.keyFrame.encoded, from: 9, now: .zero, using: &generator).last == .failed(.busy))
    device.forget(9)
    device.forget(4)
    #expect(
      device.receive(app.keyFrame.encoded, from: 9, now: .zero, using: &generator).last == .unauthenticatedKeyAgreed)
    #expect(device.receive(app.keyFrame.encoded, from: 4, now: .zero, using: &generator).last == .failed(.busy))
  }

  @Test("The session that was idle for the longest ends first") func roomIsMadeByTheOneIdleForTheLongest() throws {
    var generator = SeededGenerator(seed: 15)
    var device = LegacyDeviceSessions<Int>()
    let app = try appSession(6)
    for peer in 1...4 { _ = device.receive(app.keyFrame.encoded, from: peer, now: .seconds(peer), using: &generator) }
    var ended = device.makeRoom(for: 9, now: .seconds(100))
    #expect(ended == nil, "there is room")
    // Those that have not agreed on a key, though they came later.
    for peer in 5...8 { _ = device.receive([0x10], from: peer, now: .seconds(peer), using: &generator) }
    ended = device.makeRoom(for: 8, now: .seconds(9))
    #expect(ended == nil, "it has a session")
    ended = device.makeRoom(for: 9, now: .seconds(6))
    #expect(ended == nil, "all are in use")
    ended = device.makeRoom(for: 9, now: .seconds(7)) { $0 != 5 }
    #expect(ended == nil, "the one that is idle may not go")
    ended = device.makeRoom(for: 9, now: .seconds(9))
    #expect(ended == 5)
    #expect(
      device.receive(app.keyFrame.encoded, from: 9, now: .seconds(9), using: &generator).last
        == .unauthenticatedKeyAgreed)
    for number in 10...12 {
      ended = device.makeRoom(for: number, now: .seconds(10))
      #expect(ended == number - 4)
      _ = device.receive(app.keyFrame.encoded, from: number, now: .seconds(10), using: &generator)
    }
    ended = device.makeRoom(for: 13, now: .seconds(20))
    #expect(ended == nil, "all have agreed on a key, and lately")
    ended = device.makeRoom(for: 13, now: .seconds(21))
    #expect(ended == 1)
  }

  @Test("Sessions in constant use may end after a minute") func thoseThatKeepWritingMakeRoomAfterAMinute() throws {
    var generator = SeededGenerator(seed: 16)
    var device = LegacyDeviceSessions<Int>()
    // A frame of each app, which it may send again and again.
    var frames: [[UInt8]] = []
    for peer in 1...8 {
      var app = try appSession(UInt64(peer))
      let answer = device.receive(app.keyFrame.encoded, from: peer, now: .seconds(peer), using: &generator)
      _ = app.receive(try sent(answer), now: .seconds(peer))
      frames.append(try app.frame("on").encoded)
    }
    func writeFromAll(at now: Duration) {
      for peer in 1...8 {
        let outputs = device.receive(frames[peer - 1], from: peer, now: now, using: &generator)
        #expect(outputs.compactMap(\.text) == ["on"], "\(peer)")
      }
    }
    for seconds in [19, 38, 57] { writeFromAll(at: .seconds(seconds)) }
    var ended = device.makeRoom(for: 9, now: .seconds(60))
    #expect(ended == nil, "none has had its minute")
    ended = device.makeRoom(for: 9, now: .seconds(61)) { $0 != 1 }
    #expect(ended == nil, "the one that has had it may not go")
    ended = device.makeRoom(for: 9, now: .seconds(62)) { $0 != 1 }
    #expect(ended == 2)
    // One that comes anew has a minute of its own.
    let app = try appSession(9)
    #expect(
      device.receive(app.keyFrame.encoded, from: 9, now: .seconds(62), using: &generator).last
        == .unauthenticatedKeyAgreed)
    for peer in [1, 3, 4, 5, 6, 7, 8] { _ = try device.frame("on", to: peer, now: .seconds(70)) }
    ended = device.makeRoom(for: 10, now: .seconds(75)) { $0 == 9 }
    #expect(ended == nil)
    ended = device.makeRoom(for: 10, now: .seconds(75))
    #expect(ended == 1, "the one that has been there for the longest")
    _ = device.receive(app.keyFrame.encoded, from: 10, now: .seconds(75), using: &generator)
    // One that is idle goes before those that are not, however long they have been there.
    for peer in [3, 4, 5, 6, 8, 9, 10] { _ = try device.frame("on", to: peer, now: .seconds(90)) }
    ended = device.makeRoom(for: 11, now: .seconds(91))
    #expect(ended == 7)
  }

  @Test("Silence and idleness end sessions") func silenceAndIdlenessEndSessions() throws {
    var generator = SeededGenerator(seed: 14)
    var device = LegacyDeviceSessions<Int>(idleLimit: .seconds(60))
    let app = try appSession(5)
    #expect(device.nextDeadline == nil)
    _ = device.receive(app.keyFrame.encoded, from: 1, now: .seconds(10), using: &generator)
    #expect(device.nextDeadline == .seconds(70))
    _ = device.receive([0x10], from: 2, now: .seconds(20), using: &generator)
    #expect(device.nextDeadline == .seconds(25))
    #expect(device.handleTimeout(now: .seconds(24)).isEmpty)
    #expect(device.handleTimeout(now: .seconds(25)) == [2])
    // Sending keeps a session alive as receiving does.
    _ = try device.frame("still here", to: 1, now: .seconds(50))
    #expect(device.nextDeadline == .seconds(110))
    let ended = device.handleTimeout(now: .seconds(110))
    #expect(ended == [1])
    #expect(device.nextDeadline == nil)
  }

  @Test("Bytes after the deadline open a new session") func lateBytesOpenANewSession() throws {
    var generator = SeededGenerator(seed: 15)
    var device = LegacyDeviceSessions<Int>()
    let app = try appSession(6)
    _ = device.receive(Array(app.keyFrame.encoded[..<40]), from: 1, now: .zero, using: &generator)
    let outputs = device.receive(app.keyFrame.encoded, from: 1, now: .seconds(5), using: &generator)
    #expect(outputs.last == .unauthenticatedKeyAgreed)
    #expect(device.receive([], from: 2, now: .zero, using: &generator).isEmpty)
    #expect(device.nextDeadline == .seconds(125))
  }
}

extension LegacySession.Output {
  /// The text of a message.
  fileprivate var text: String? {
    guard case .received(let message) = self else { return nil }
    return message.text
  }
}
