import LatchkeyProvisioningProtocol
import Testing

/// Sessions of both roles, as transcripts: an input, the expected outputs.
@Suite struct LegacySessionTests {
  private func app(_ vector: Vectors.Session) throws -> LegacySession {
    LegacySession(role: .app, privateKey: try Secp192k1.PrivateKey(bytes: hex(vector.appPrivate)))
  }

  private func device(_ vector: Vectors.Session) throws -> LegacySession {
    LegacySession(role: .device, privateKey: try Secp192k1.PrivateKey(bytes: hex(vector.devicePrivate)))
  }

  private func message(_ step: Vectors.Session.Step) throws -> LegacyUnauthenticatedMessage {
    LegacyUnauthenticatedMessage(bytes: hex(try #require(step.zeroFilledHex)))
  }

  @Test("A vector's transcript holds on both sides", arguments: Vectors.all.sessions) func transcriptHoldsOnBothSides(
    _ vector: Vectors.Session
  ) throws {
    var app = try app(vector)
    var device = try device(vector)
    for step in vector.transcript {
      let frame = hex(step.frame)
      let length = vector.attPayload ?? 512
      let values = LegacyFrame.values(of: frame, maximumLength: length)
      if let attValues = step.attValues { #expect(values == attValues.map { hex($0) }) }

      let type = try #require(LegacyFrameType(rawValue: frame[0]))
      let read = LegacySession.Output.receivedFrame(try LegacyFrame(type: type, payload: Array(frame.dropFirst(3))))
      // Each side sends the transcript's frame, and the other side understands it.
      switch (step.isFromApp, step.plaintext) {
      case (true, nil):
        #expect(app.keyFrame.encoded == frame)
        let outputs = values.flatMap { device.receive($0, now: .zero) }
        let key = try LegacyFrame(type: .deviceKey, payload: hex(vector.devicePublic))
        #expect(outputs == [read, .send(key), .unauthenticatedKeyAgreed])
      case (false, nil):
        #expect(values.flatMap { app.receive($0, now: .zero) } == [read, .unauthenticatedKeyAgreed])
      case (true, let text?):
        #expect(try app.frame(text).encoded == frame)
        #expect(try values.flatMap { device.receive($0, now: .zero) } == [read, .received(message(step))])
      case (false, let text?):
        #expect(try device.frame(text).encoded == frame)
        #expect(try values.flatMap { app.receive($0, now: .zero) } == [read, .received(message(step))])
      }
      #expect(app.nextDeadline == nil && device.nextDeadline == nil)
    }
    #expect(app.isEstablished && device.isEstablished)
  }

  @Test("A stream may be cut anywhere") func streamsMayBeCutAnywhere() throws {
    let vector = try #require(Vectors.all.sessions.first)
    let toDevice = vector.transcript.filter(\.isFromApp).flatMap { hex($0.frame) }
    let toApp = vector.transcript.filter { !$0.isFromApp }.flatMap { hex($0.frame) }
    for cut in 0...toDevice.count {
      var device = try device(vector)
      let outputs =
        device.receive(Array(toDevice[..<cut]), now: .zero) + device.receive(Array(toDevice[cut...]), now: .zero)
      #expect(
        try outputs.results == [
          .send(device.keyFrame), .unauthenticatedKeyAgreed, .received(message(vector.transcript[2])),
        ])
      #expect(outputs.count == 5, "each frame is reported once")
    }
    for cut in 0...toApp.count {
      var app = try app(vector)
      let outputs = app.receive(Array(toApp[..<cut]), now: .zero) + app.receive(Array(toApp[cut...]), now: .zero)
      #expect(
        try outputs.results == [
          .unauthenticatedKeyAgreed, .received(message(vector.transcript[3])), .received(message(vector.transcript[4])),
        ])
    }
  }

  @Test("A device may offer its key first, and does not send it again") func deviceMayOfferItsKeyFirst() throws {
    let vector = try #require(Vectors.all.sessions.first)
    var app = try app(vector)
    var device = try device(vector)
    #expect(app.receive(device.offerKey().encoded, now: .zero).results == [.unauthenticatedKeyAgreed])
    #expect(device.receive(app.keyFrame.encoded, now: .zero).results == [.unauthenticatedKeyAgreed])
    #expect(device.receive(try app.frame("hi").encoded, now: .zero).results.count == 1)
  }

  /// The outputs of a device, with or without a key, for a value.
  private func deviceAnswer(_ value: [UInt8], established: Bool) throws -> [LegacySession.Output] {
    let vector = try #require(Vectors.all.sessions.first)
    var device = try device(vector)
    if established { _ = device.receive(hex(vector.transcript[0].frame), now: .zero) }
    let outputs = device.receive(value, now: .zero)
    // After any failure the keys are erased and input is ignored.
    #expect(device.isOver && !device.isEstablished && device.nextDeadline == nil)
    #expect(device.receive(hex(vector.transcript[0].frame), now: .zero).isEmpty)
    #expect(throws: LegacySessionError.ended) { try device.frame("x") }
    return outputs.results
  }

  @Test("A device refuses frames that are out of place") func deviceRefusesFramesOutOfPlace() throws {
    let vector = try #require(Vectors.all.sessions.first)
    let key = hex(vector.transcript[0].frame)
    let data = hex(vector.transcript[2].frame)
    #expect(try deviceAnswer(data, established: false) == [.failed(.frameOutOfPlace(.appData))])
    #expect(try deviceAnswer(key, established: true) == [.failed(.frameOutOfPlace(.appKey))])
    for established in [false, true] {
      #expect(
        try deviceAnswer(hex(vector.transcript[1].frame), established: established)
          == [.failed(.frameOutOfPlace(.deviceKey))])
      #expect(
        try deviceAnswer(hex(vector.transcript[3].frame), established: established)
          == [.failed(.frameOutOfPlace(.deviceData))])
    }
  }

  @Test("A device refuses malformed frames") func deviceRefusesMalformedFrames() throws {
    for established in [false, true] {
      #expect(try deviceAnswer([0x12], established: established) == [.failed(.malformedFrame(.unknownType(0x12)))])
      #expect(
        try deviceAnswer([0x20, 0, 15], established: established) == [.failed(.malformedFrame(.ciphertextLength(15)))])
      #expect(
        try deviceAnswer([0x20, 0xFF, 0xF0], established: established)
          == [.failed(.malformedFrame(.tooLong(length: 65_523, maximum: 4099)))])
    }
  }

  @Test(
    "An invalid public key ends the session on both sides",
    arguments: Vectors.all.invalidPublicKeys.filter { $0.public.count == 96 })
  func invalidKeysEndTheSession(_ vector: Vectors.InvalidPublicKey) throws {
    let key = hex(vector.public)
    #expect(try deviceAnswer([0x10, 0x00, 0x30] + key, established: false) == [.failed(.invalidKey)])
    var app = try app(#require(Vectors.all.sessions.first))
    #expect(app.receive([0x11, 0x00, 0x30] + key, now: .zero).results == [.failed(.invalidKey)])
    #expect(app.isOver == true)
  }

  @Test("A ciphertext that is not UTF-8 text is undecryptable") func garbageUnderTheKeyIsUndecryptable() throws {
    let vector = try #require(Vectors.all.sessions.first)
    let ciphertext = try LegacyMessageKey(bytes: hex(vector.sharedKey)).encrypt([0xFF, 0xFE])
    let frame = try LegacyFrame(type: .appData, payload: ciphertext).encoded
    #expect(try deviceAnswer(frame, established: true) == [.failed(.undecryptable)])
  }

  @Test("Frames before an error are handled") func framesBeforeAnErrorAreHandled() throws {
    let vector = try #require(Vectors.all.sessions.first)
    let data = hex(vector.transcript[2].frame)
    let received = LegacySession.Output.received(try message(vector.transcript[2]))
    #expect(
      try deviceAnswer(data + data + [0xEE] + data, established: true)
        == [received, received, .failed(.malformedFrame(.unknownType(0xEE)))])
  }

  @Test("An app refuses frames that are out of place") func appRefusesFramesOutOfPlace() throws {
    let vector = try #require(Vectors.all.sessions.first)
    let expectations: [(step: Int, afterKey: Bool, type: LegacyFrameType)] = [
      (3, false, .deviceData), (1, true, .deviceKey), (0, false, .appKey), (0, true, .appKey), (2, true, .appData),
    ]
    for (step, afterKey, type) in expectations {
      var app = try app(vector)
      if afterKey { _ = app.receive(hex(vector.transcript[1].frame), now: .zero) }
      #expect(app.receive(hex(vector.transcript[step].frame), now: .zero).results == [.failed(.frameOutOfPlace(type))])
      #expect(app.isOver == true)
    }
  }

  @Test("Silence within a frame times out after five seconds") func silenceWithinAFrameTimesOut() throws {
    let vector = try #require(Vectors.all.sessions.first)
    let key = hex(vector.transcript[0].frame)
    var device = try device(vector)
    #expect(device.nextDeadline == nil)
    #expect(device.receive(Array(key[..<20]), now: .seconds(100)).isEmpty)
    #expect(device.nextDeadline == .seconds(105))
    #expect(device.receive(Array(key[20..<40]), now: .seconds(104)).isEmpty)
    #expect(device.nextDeadline == .seconds(109))
    // A value without bytes does not extend the deadline.
    #expect(device.receive([], now: .seconds(108)).isEmpty)
    #expect(device.nextDeadline == .seconds(109))
    #expect(device.handleTimeout(now: .milliseconds(108_999)).isEmpty)
    #expect(device.handleTimeout(now: .seconds(109)) == [.failed(.timedOut)])
    #expect(device.isOver && device.nextDeadline == nil)
    #expect(device.handleTimeout(now: .seconds(110)).isEmpty)
  }

  @Test("Silence within a frame ends an established session, too") func silenceEndsAnEstablishedSessionToo() throws {
    let vector = try #require(Vectors.all.sessions.first)
    var app = try app(vector)
    _ = app.receive(hex(vector.transcript[1].frame), now: .seconds(1))
    #expect(app.nextDeadline == nil)
    _ = app.receive([0x21], now: .seconds(2))
    #expect(app.nextDeadline == .seconds(7))
    // The rest arrives too late, before the timeout was handled.
    let rest = Array(hex(vector.transcript[3].frame).dropFirst())
    #expect(app.receive(rest, now: .seconds(7)) == [.failed(.timedOut)])
    #expect(app.isEstablished == false)
    #expect(throws: LegacySessionError.ended) { try app.frame("x") }
  }

  @Test("Misuse has errors of its own") func misuseIsNamed() throws {
    let vector = try #require(Vectors.all.sessions.first)
    var app = try app(vector)
    #expect(throws: LegacySessionError.notEstablished) { try app.frame("early") }
    _ = app.receive(hex(vector.transcript[1].frame), now: .zero)
    #expect(throws: LegacySessionError.messageTooLong(65_520)) {
      try app.frame(String(repeating: "x", count: 65_520))
    }
    #expect(try app.frame(String(repeating: "x", count: 65_519)).encoded.count == 65_523)
    app.end()
    #expect(app.isOver && !app.isEstablished)
    #expect(app.receive(hex(vector.transcript[3].frame), now: .zero).isEmpty)
    #expect(throws: LegacySessionError.ended) { try app.frame("late") }
  }

  @Test("Refusals have their codes, and end an app's session") func refusalsHaveTheirCodes() throws {
    #expect(LegacyRefusal.allCases.map(\.rawValue) == [0x80, 0x81, 0x82, 0x83, 0x84])
    let errors: [LegacySessionError] = [
      .malformedFrame(.unknownType(0)), .frameOutOfPlace(.appKey), .invalidKey, .undecryptable, .busy,
    ]
    #expect(errors.map(\.refusal) == LegacyRefusal.allCases)
    for error in [LegacySessionError.timedOut, .refused(.busy), .notEstablished, .messageTooLong(1), .ended] {
      #expect(error.refusal == nil)
    }
    for refusal in LegacyRefusal.allCases {
      var app = try app(#require(Vectors.all.sessions.first))
      #expect(app.handle(refusal) == [.failed(.refused(refusal))])
      #expect(app.isOver && app.handle(refusal).isEmpty)
    }
  }

  @Test("Noise ends a session once") func noiseEndsOnceAndStays() throws {
    let vector = try #require(Vectors.all.sessions.first)
    var generator = SeededGenerator(seed: 10)
    for _ in 0..<10 {
      var device = try device(vector)
      var outputs: [LegacySession.Output] = []
      for _ in 0..<128 {
        let value = (0..<512).map { _ in UInt8.random(in: 0...255, using: &generator) }
        outputs += device.receive(value, now: .zero)
      }
      guard case .failed(let error) = try #require(outputs.last) else {
        Issue.record("the noise passed as frames")
        return
      }
      #expect(outputs.results.count == 1 && [.malformedFrame, .frameOutOfPlace].contains(error.refusal))
    }
  }
}

extension [LegacySession.Output] {
  /// The outputs after the frames that were read.
  fileprivate var results: Self {
    filter { output in
      if case .receivedFrame = output { return false }
      return true
    }
  }
}
