import LatchkeyProvisioningProtocol
import Testing

/// A peer's stream with one byte changed, cut off or repeated.
@Suite struct LegacySessionMutationTests {
  private func session(_ role: LegacySession.Role, _ vector: Vectors.Session) throws -> LegacySession {
    let key = role == .app ? vector.appPrivate : vector.devicePrivate
    return LegacySession(role: role, privateKey: try Secp192k1.PrivateKey(bytes: hex(key)))
  }

  /// The frames that a session of this role receives.
  private func stream(to role: LegacySession.Role, _ vector: Vectors.Session) -> [UInt8] {
    vector.transcript.filter { $0.isFromApp == (role == .device) }.flatMap { hex($0.frame) }
  }

  /// Whether an output is a failure.
  private func isFailure(_ output: LegacySession.Output) -> Bool {
    if case .failed = output { true } else { false }
  }

  /// Expects that a failure is the last output, and ends the session.
  private func checkFailure(_ outputs: [LegacySession.Output], _ session: inout LegacySession, _ comment: Comment) {
    let failures = outputs.filter(isFailure)
    #expect(failures.count <= 1, comment)
    #expect(session.isOver == (failures.count == 1), comment)
    guard let failure = failures.first else { return }
    #expect(outputs.last == failure, comment)
    #expect(session.nextDeadline == nil && !session.isEstablished, comment)
    #expect(session.receive([1, 0, 48], now: .zero).isEmpty, comment)
    #expect(session.handleTimeout(now: .seconds(100)).isEmpty, comment)
  }

  @Test(
    "A changed byte ends a session once or changes a message, and nothing follows a failure",
    arguments: LegacySession.Role.allCases)
  func changedByte(role: LegacySession.Role) throws {
    let vector = try #require(Vectors.all.sessions.first)
    let stream = stream(to: role, vector)
    for offset in stream.indices {
      for mask: UInt8 in [1, 0x80] {
        var changed = stream
        changed[offset] ^= mask
        var session = try session(role, vector)
        let outputs = session.receive(changed, now: .zero)
        checkFailure(outputs, &session, "\(offset), \(mask)")
        // A stream that lacks the end of a frame has a deadline.
        let late = session.handleTimeout(now: .seconds(5))
        #expect(late.isEmpty || late == [.failed(.timedOut)], "\(offset), \(mask)")
      }
    }
  }

  @Test("A second key ends a session, even with the same bytes", arguments: LegacySession.Role.allCases)
  func secondKey(role: LegacySession.Role) throws {
    let vector = try #require(Vectors.all.sessions.first)
    let key = Array(stream(to: role, vector).prefix(51))
    var session = try session(role, vector)
    #expect(!session.receive(key, now: .zero).contains(where: isFailure))
    let outputs = session.receive(key, now: .zero)
    #expect(outputs.last == .failed(.frameOutOfPlace(role == .app ? .deviceKey : .appKey)))
    checkFailure(outputs, &session, "a second key")
  }

  @Test("Two sessions of one role agree on no key", arguments: LegacySession.Role.allCases)
  func bothAlike(role: LegacySession.Role) throws {
    let vector = try #require(Vectors.all.sessions.first)
    let other = try session(role == .app ? .device : .app, vector)
    // The other end has the other key, and this side's types of frames.
    let type: LegacyFrameType = role == .app ? .appKey : .deviceKey
    let frame = try LegacyFrame(type: type, payload: other.keyFrame.payload)
    var session = try session(role, vector)
    let outputs = session.receive(frame.encoded, now: .zero)
    #expect(outputs.last == .failed(.frameOutOfPlace(type)))
    checkFailure(outputs, &session, "both alike")
  }

  @Test("Data after the end of a session are ignored, and a frame cut off by the end is not continued")
  func afterEnd() throws {
    let vector = try #require(Vectors.all.sessions.first)
    let stream = stream(to: .device, vector)
    for cut in [1, 2, 3, 50, 51, 52, stream.count - 1] {
      var session = try session(.device, vector)
      _ = session.receive(Array(stream[..<cut]), now: .zero)
      session.end()
      #expect(session.receive(Array(stream[cut...]), now: .zero).isEmpty, "\(cut)")
      #expect(session.nextDeadline == nil && session.handleTimeout(now: .seconds(5)).isEmpty, "\(cut)")
    }
  }
}
