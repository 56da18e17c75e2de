import LatchkeyByteCoding
import Testing

@testable import LatchkeyProvisioningProtocol

@Suite struct SecureGuessingTests {
  @Test("Ten tries, with growing delays between them, and then only somebody at the device") func budget() throws {
    var rig = try SecureRig([.classical])
    for (number, wait) in [1, 2, 4, 8, 16, 32, 64, 64, 64].enumerated() {
      let id = UInt64(number * 2 + 1)
      try rig.connect(id, code: "27182818")
      #expect(rig.failure(id) == .wrongCode)
      rig.disconnect(id)
      try rig.connect(id + 1)
      #expect(rig.failure(id + 1) == .locked(for: .seconds(wait)))
      rig.disconnect(id + 1)
      rig.advance(.seconds(wait))
    }
    try rig.connect(50, code: "27182818")
    #expect(rig.failure(50) == .wrongCode)
    rig.disconnect(50)
    rig.advance(.seconds(100_000))
    try rig.connect(51)
    #expect(rig.failure(51) == .locked(for: nil))
    rig.disconnect(51)
    rig.context.attempts.reset()
    try rig.connect(52)
    #expect(rig.assurance(52) == .code)
  }

  @Test("A right code gives its own try back and no other, and the next try need not wait") func success() throws {
    var rig = try SecureRig([.classical])
    for id in 1...9 {
      try rig.connect(UInt64(id), code: "27182818")
      rig.disconnect(UInt64(id))
      rig.advance(.seconds(64))
    }
    #expect(rig.context.attempts.record.failures == 9)
    try rig.connect(20)
    #expect(rig.context.attempts.record.failures == 10, "counted before the proof")
    _ = rig.request(.status, 20)
    #expect(rig.context.attempts.record.failures == 9)
    rig.disconnect(20)
    try rig.connect(21)
    #expect(rig.assurance(21) == .code)
  }

  @Test("A guesser who guesses between the owner's sessions has ten tries, and not nine after each of them")
  func guessesBetweenSessions() throws {
    var rig = try SecureRig([.classical])
    var guesses = 0
    for round in 0..<20 {
      for guess in 0..<9 {
        let id = UInt64(round * 20 + guess + 1)
        try rig.connect(id, code: "27182818")
        if rig.failure(id) == .wrongCode { guesses += 1 }
        rig.disconnect(id)
        rig.advance(.seconds(64))
      }
      let owner = UInt64(round * 20 + 15)
      try rig.connect(owner)
      _ = rig.request(.status, owner)
      rig.disconnect(owner)
      rig.advance(.seconds(64))
    }
    #expect(guesses == AttemptBudget.limit)
    #expect(rig.context.attempts.record.failures == AttemptBudget.limit)
  }

  @Test("A success that follows an act at the device gives back no try that nobody made") func successAfterReset() {
    var budget = AttemptBudget(now: .zero)
    #expect(budget.begin(now: .zero) == .allowed)
    budget.reset()
    budget.succeeded()
    #expect(budget.record.failures == 0)
    #expect(budget.begin(now: .zero) == .allowed)
    #expect(budget.begin(now: .milliseconds(999)) == .wait(.milliseconds(1)))
    #expect(AttemptBudget(record: .init(failures: -3), now: .zero).record.failures == 0)
    #expect(AttemptBudget(record: .init(failures: 11), now: .zero).verdict(now: .seconds(1000)) == .locked)
    #expect(AttemptBudget(record: .init(failures: 3), now: .zero).verdict(now: .zero) == .wait(.seconds(4)))
  }

  @Test("An attempt counts before the reply is sent, and without any work of the peer's after it") func countedFirst()
    throws
  {
    var rig = try SecureRig([.classical])
    rig.carry = { _, value in value.isFromApp ? [value.bytes] : [] }
    try rig.connect()
    #expect(rig.context.attempts.record.failures == 1)
    rig.disconnect()
    #expect(rig.deviceEvents == [.wrongCode(ProvisioningLink(id: 1))])
  }

  /// A guesser that sends hellos as fast as it can, over eight links, reconnects, lets the device restart, and waits at times. It
  /// gets a tag to test a guess against only for a counted attempt.
  @Test("Ten thousand guesses over parallel links and restarts never pass the budget") func tenThousand() throws {
    var rig = try SecureRig([.classical])
    var generator = SeededGenerator(seed: 17)
    let hello = SecureMessage.Hello(
      suite: .classical, session: [UInt8](repeating: 3, count: 16),
      share: [9] + [UInt8](repeating: 0, count: 31), publicKey: []
    ).message
    let hellos = SecureFragments.values(of: hello.bytes, limit: 182)
    var links: [ProvisioningLink] = []
    var nextLink: UInt64 = 1
    for guess in 0..<10_000 {
      if links.count == 8 || (!links.isEmpty && UInt8.random(in: 0..<3, using: &generator) == 0) {
        let index = Int.random(in: links.indices, using: &generator)
        rig.device.disconnected(links.remove(at: index), context: &rig.context)
      }
      let link = ProvisioningLink(id: nextLink)
      nextLink += 1
      links.append(link)
      rig.context.notificationLimits = [link: 182]
      rig.device.subscribed(true, to: SecureService.receive, from: link, context: &rig.context)
      for value in hellos { rig.device.write(value, to: SecureService.transmit, from: link, context: &rig.context) }
      rig.run()
      if guess % 97 == 0 { rig.context.now += .seconds(Int.random(in: 1...70, using: &generator)) }
      if guess % 331 == 0 {
        try rig.restart()
        links = []
      }
    }
    let replies = rig.values.count { $0.bytes.count > 40 }
    #expect(replies == AttemptBudget.limit)
    #expect(rig.context.attempts.record.failures == AttemptBudget.limit)
    #expect(rig.openings == 0)
  }

  @Test("A hello that is not allowed, comes too early or finds the door shut costs no attempt") func free() throws {
    var rig = try SecureRig([.classical])
    rig.context.isPairing = false
    try rig.connect(1)
    #expect(rig.failure(1) == .notAuthorized)
    rig.disconnect(1)
    rig.context.isPairing = true
    rig.information = { $0[..<4] + [1] + $0[5...] }
    let other = SecureAppMachine(.init(code: try SecureCode(pin: SecureRig.pin), suites: [.hybrid]), randomness: .test)
    try rig.connect(2, other)
    #expect(rig.failure(2) == .unsupported("the device refuses the handshake's suite"))
    rig.disconnect(2)
    #expect(rig.context.attempts.record.failures == 0)
  }

  @Test("One handshake at a time: another link is told to come back") func oneAtATime() throws {
    var rig = try SecureRig([.classical])
    rig.carry = { _, value in value.isFromApp ? [value.bytes] : [] }
    try rig.connect(1)
    rig.carry = { _, value in [value.bytes] }
    try rig.connect(2)
    #expect(rig.failure(2) == .busy)
    #expect(rig.context.attempts.record.failures == 1)
    rig.disconnect(2)
    // The one that holds the place loses it in time.
    rig.advance(SecureDeviceMachine.handshakeTime)
    #expect(rig.deviceEvents.contains(.wrongCode(ProvisioningLink(id: 1))))
    try rig.connect(3)
    #expect(rig.assurance(3) == .code)
  }

  @Test("The budget is one for all protocols: another one's failures count") func shared() throws {
    var rig = try SecureRig([.classical])
    rig.context.attempts = AttemptBudget(record: .init(failures: 10), now: .zero)
    try rig.connect()
    #expect(rig.failure() == .locked(for: nil))
  }

  @Test("No more links than the machine has room for, and room again when one ends") func links() throws {
    var rig = try SecureRig([.classical])
    for id in 1...(SecureDeviceMachine.linkLimit + 1) {
      let link = ProvisioningLink(id: UInt64(id))
      rig.device.subscribed(true, to: SecureService.receive, from: link, context: &rig.context)
    }
    rig.device.write(
      [0x80, 0, 52, 1], to: SecureService.transmit,
      from: ProvisioningLink(id: UInt64(SecureDeviceMachine.linkLimit + 1)), context: &rig.context)
    rig.run()
    #expect(rig.refusals == [0x11])
    rig.disconnect(1)
    let link = ProvisioningLink(id: UInt64(SecureDeviceMachine.linkLimit + 1))
    rig.device.subscribed(true, to: SecureService.receive, from: link, context: &rig.context)
    rig.device.write([0x80, 0, 52, 1], to: SecureService.transmit, from: link, context: &rig.context)
    rig.run()
    #expect(rig.refusals == [0x11])
  }
}
