import LatchkeyKeychainModel
import Testing

@testable import LatchkeyKeychainStore

@Suite("Wrong passcodes") struct KeysAttemptTests {
  /// Fails so many times, each with another passcode, waiting as long as is asked for.
  private func state(failures: Int, at now: inout Double) throws -> AttemptState {
    var state = AttemptState.none
    for number in 0..<failures {
      now += state.delayLeft(now: now)
      state = try state.beginning(now: now).failed(mark: mark(number))
    }
    return state
  }

  private func mark(_ number: Int) -> [UInt8] { [UInt8](repeating: UInt8(number + 1), count: 16) }

  @Test(
    "1 to 4 wrong passcodes cost no delay, 5 a minute, 6 five, 7 and 8 a quarter of an hour, 9 and more an hour",
    arguments: [
      (0, 0.0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 60), (6, 300), (7, 900), (8, 900), (9, 3600), (10, 3600),
      (50, 3600),
    ])
  func table(_ failures: Int, _ delay: Double) throws {
    var now = 1000.0
    let state = try state(failures: failures, at: &now)
    #expect(state.failures == UInt32(failures))
    #expect(state.delayLeft(now: now) == delay)
    #expect(state.attemptsBeforeDelay == max(0, 5 - failures))
    guard delay > 0 else {
      #expect(throws: Never.self) { try state.validateAttempt(now: now) }
      return
    }
    #expect(throws: StoreError.passcodeDelayed(seconds: delay)) { try state.validateAttempt(now: now) }
    #expect(throws: StoreError.passcodeDelayed(seconds: 1)) { try state.beginning(now: now + delay - 1) }
    #expect(throws: Never.self) { try state.validateAttempt(now: now + delay) }
  }

  @Test("a clock set back does not shorten the wait") func clockSetBack() throws {
    var now = 1_000_000.0
    let state = try state(failures: 5, at: &now)
    for earlier in [now - 1, now - 3600, 0, -1e12] {
      #expect(throws: StoreError.passcodeDelayed(seconds: 60)) { try state.validateAttempt(now: earlier) }
    }
  }

  @Test("a clock that was ahead by years does not lock out for years") func clockOnceAhead() throws {
    var ahead = 1e9
    let state = try state(failures: 5, at: &ahead)
    let now = 1000.0
    let anchored = state.anchored(now: now)
    #expect(anchored != state)
    #expect(throws: StoreError.passcodeDelayed(seconds: 60)) { try anchored.validateAttempt(now: now) }
    #expect(throws: Never.self) { try anchored.validateAttempt(now: now + 60) }
    #expect(anchored.anchored(now: now + 1) == anchored)
  }

  @Test("An attempt is counted before it is verified, so that ending the process gains nothing") func countedFirst()
    throws
  {
    let begun = try AttemptState.none.beginning(now: 5)
    #expect(begun.failures == 1)
    var now = 0.0
    let four = try state(failures: 4, at: &now)
    let fifth = try four.beginning(now: now)
    #expect(throws: StoreError.passcodeDelayed(seconds: 60)) { try fifth.validateAttempt(now: now) }
  }

  @Test("the same wrong passcode twice in a row counts once") func repeated() throws {
    let first = try AttemptState.none.beginning(now: 1).failed(mark: mark(1))
    let second = try first.beginning(now: 2).failed(mark: mark(1))
    #expect(second.failures == 1)
    let third = try second.beginning(now: 3).failed(mark: mark(2))
    #expect(third.failures == 2)
    let fourth = try third.beginning(now: 4).failed(mark: mark(1))
    #expect(fourth.failures == 3)
  }

  @Test("the first wrong passcode counts, even if its mark were zeros") func zeroMark() throws {
    #expect(try AttemptState.none.beginning(now: 1).failed(mark: [UInt8](repeating: 0, count: 16)).failures == 1)
  }

  @Test("the right passcode forgets the wrong ones") func succeeded() throws {
    var now = 0.0
    #expect(try state(failures: 3, at: &now).succeeded() == .none)
  }

  @Test("the count never wraps") func saturates() throws {
    let many = AttemptState(failures: .max, lastFailure: 0, lastMark: mark(1))
    #expect(try many.beginning(now: 1e6).failures == .max)
  }

  @Test("a state comes back as it was written; anything else is damaged") func coding() throws {
    var now = 7.5
    let state = try state(failures: 7, at: &now)
    let encoded = state.encoded
    #expect(encoded.count == AttemptState.byteCount)
    #expect(try AttemptState(encoded: encoded) == state)
    #expect(try AttemptState(encoded: AttemptState.none.encoded) == .none)
    for count in 0..<encoded.count {
      #expect(storeError { try AttemptState(encoded: Array(encoded.prefix(count))) }.isDamaged)
    }
    #expect(storeError { try AttemptState(encoded: encoded + [0]) }.isDamaged)
    let endless = AttemptState(failures: 1, lastFailure: .infinity, lastMark: mark(1))
    #expect(storeError { try AttemptState(encoded: endless.encoded) }.isDamaged)
    let nothing = AttemptState(failures: 1, lastFailure: .nan, lastMark: mark(1))
    #expect(storeError { try AttemptState(encoded: nothing.encoded) }.isDamaged)
  }
}
