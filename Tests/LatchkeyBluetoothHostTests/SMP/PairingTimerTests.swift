import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Core 6.0 Vol 3 Part H 3.4 and 2.3.6.
@Suite("The times of a pairing") struct PairingTimerTests {
  @Test(
    "Give a silent peer 30 s in every state, after which the link carries no SMP",
    arguments: PairingOrderTests.scenarios)
  func timeout(_ scenario: PairingOrderTests.Scenario) {
    let pair = scenario.run()
    let due = pair.now + .seconds(30)
    for (state, _) in pair.history where state.isPairing {
      var session = state
      #expect(session.nextDeadline == due)
      #expect(session.handleTimeout(now: due - .nanoseconds(1)).isEmpty)
      let outputs = session.handleTimeout(now: due)
      #expect(outputs.failures == [.timedOut] && outputs.count == 1)
      #expect(session.nextDeadline == nil && !session.isPairing)
      for code in SMPCode.allCases {
        #expect(session.receive(ByteReader(PairingOrderTests.sample(code)), now: due).isEmpty)
        #expect(session.receive(ByteReader([code.rawValue]), now: due).isEmpty)
      }
      #expect(session.answer(.accept, now: due).isEmpty && session.answer(.reject, now: due).isEmpty)
      #expect(session.encryptionChanged(isEncrypted: true, now: due).isEmpty)
      let again = session.begin(now: due + .seconds(10_000))
      #expect(again.failures == [.timedOut] && again.count == 1)
    }
  }

  @Test("End with the pairing") func stopped() {
    let pair = PairingOrderTests.scenarios[0].run()
    #expect(pair.central.nextDeadline == nil && pair.peripheral.nextDeadline == nil)
    var idle = PairingPair.session(.peripheral)
    #expect(idle.nextDeadline == nil && idle.handleTimeout(now: .seconds(1_000_000)).isEmpty)
  }

  @Test("Begin anew with each PDU that is sent, and not with one that is received") func restart() {
    var central = PairingPair.session(.central)
    _ = central.begin(now: .zero)
    #expect(central.nextDeadline == .seconds(30))
    _ = central.receive(ByteReader(PairingOrderTests.sample(.securityRequest)), now: .seconds(10))
    #expect(central.nextDeadline == .seconds(30))
    let outputs = central.receive(ByteReader([0x02, 0x03, 0x00, 0x09, 0x10, 0x00, 0x00]), now: .seconds(20))
    #expect(outputs.pdus.count == 1)
    #expect(central.nextDeadline == .seconds(50))
  }

  @Test("Grow with keypresses, a bounded number of times") func keypresses() {
    var pair = PairingPair(.make(.keyboardOnly, .required), .make(.displayOnly))
    pair.user = { role, question in role == .central ? .accept : nil }
    pair.run()
    var now = pair.now
    for _ in 0..<PairingSession.maximumKeypresses {
      now += .seconds(29)
      let outputs = pair.peripheral.receive(ByteReader([0x0E, 0x01]), now: now)
      guard case .keypress(.digitEntered) = outputs.first else {
        Issue.record("no keypress")
        return
      }
      #expect(pair.peripheral.nextDeadline == now + .seconds(30))
    }
    #expect(pair.peripheral.receive(ByteReader([0x0E, 0x02]), now: now + .seconds(1)).isEmpty)
    #expect(pair.peripheral.nextDeadline == now + .seconds(30))
    #expect(pair.peripheral.receive(ByteReader([0x0E, 0x05]), now: now).pdus == [[0x05, 0x0A]])
  }

  @Test("Grow with keypresses of the peer while the own user enters a passkey, too") func keypressesOfBoth() {
    var pair = PairingPair(.make(.keyboardOnly, .required), .make(.keyboardOnly))
    pair.user = { _, _ in .accept }
    pair.run()
    #expect(pair.questions.map(\.1) == [.enter, .enter])
    let outputs = pair.central.receive(ByteReader([0x0E, 0x01]), now: pair.now + .seconds(29))
    guard case .keypress(.digitEntered) = outputs.first else {
      Issue.record("no keypress")
      return
    }
    #expect(pair.central.nextDeadline == pair.now + .seconds(59))
  }

  @Test("Do not matter once the link has ended", arguments: PairingOrderTests.scenarios)
  func linkEnd(_ scenario: PairingOrderTests.Scenario) {
    let pair = scenario.run()
    for (state, next) in pair.history {
      var session = state
      #expect(session.linkEnded(now: pair.now).failures == (state.isPairing ? [.linkEnded] : []))
      #expect(session.linkEnded(now: pair.now).isEmpty)
      #expect(PairingPair.feed(next, to: &session, now: pair.now).isEmpty)
      #expect(session.nextDeadline == nil)
    }
  }

  // MARK: Repeated attempts

  private func failedPair() -> PairingPair {
    var pair = PairingPair(.make(.displayYesNo, .required), .make(.displayYesNo))
    pair.user = { role, _ in role == .central ? .accept : .reject }
    pair.run()
    #expect(pair.failures.count == 2)
    return pair
  }

  @Test("Hold back both ends after a failure: nothing is sent, and a request is refused") func waiting() {
    var pair = failedPair()
    let until = pair.now + .seconds(1)
    let begun = pair.central.begin(now: until - .nanoseconds(1))
    #expect(begun.failures == [.waiting(until: until)] && begun.count == 1)
    let request = ByteReader(RefusedPairingTests.request)
    let refused = pair.peripheral.receive(request, now: until - .nanoseconds(1))
    #expect(refused.pdus == [[0x05, 0x09]] && refused.count == 1)
    #expect(pair.peripheral.begin(now: until - .nanoseconds(1)).pdus.isEmpty)
    #expect(pair.central.begin(now: until).pdus.count == 1)
    #expect(pair.peripheral.receive(request, now: until).pdus.first?.first == 0x02)
  }

  @Test("Hold back the next link with the same peer") func nextLink() {
    let pair = failedPair()
    var next = PairingPair.session(.central, attempts: pair.central.attempts)
    #expect(next.begin(now: pair.now).pdus.isEmpty)
    #expect(next.begin(now: pair.now + .seconds(1)).pdus.count == 1)
  }

  @Test("Double with each failure up to 512 s, and are forgotten 600 s later") func doubling() throws {
    var attempts = PairingAttempts()
    #expect(!attempts.isWaiting(now: .zero) && attempts.isForgotten(now: .zero))
    var now = Duration.zero
    for seconds in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 512, 512] {
      attempts.fail(now: now)
      #expect(attempts.waitsUntil == now + .seconds(seconds))
      now = try #require(attempts.waitsUntil)
      #expect(!attempts.isWaiting(now: now) && attempts.isWaiting(now: now - .nanoseconds(1)))
    }
    #expect(!attempts.isForgotten(now: now + .seconds(599)))
    now += .seconds(600)
    #expect(attempts.isForgotten(now: now))
    attempts.fail(now: now)
    #expect(attempts.waitsUntil == now + .seconds(1))
  }

  @Test("Are forgotten by a success, and not begun by a refusal of features") func noWaiting() {
    var pair = failedPair()
    pair.now += .seconds(1)
    var next = PairingPair(.make(.displayYesNo, .required), .make(.displayYesNo))
    next.central = pair.central
    next.peripheral = pair.peripheral
    next.now = pair.now
    next.run()
    #expect(next.bonds.count == 2)
    #expect(next.central.attempts == PairingAttempts() && next.peripheral.attempts == PairingAttempts())

    var refused = PairingPair(.make(.keyboardDisplay, .required), .make())
    refused.run()
    #expect(refused.failures.count == 2)
    #expect(refused.central.attempts == PairingAttempts())
  }

  @Test("Are begun by a peer that leaves in the middle of the rounds") func abandoned() {
    let pair = PairingOrderTests.scenarios[3].run()
    for (state, next) in pair.history {
      guard case .pdu(let pdu) = next, pdu[0] == SMPCode.pairingRandom.rawValue else { continue }
      var session = state
      _ = session.linkEnded(now: pair.now)
      #expect(session.attempts.isWaiting(now: pair.now))
    }
  }
}
