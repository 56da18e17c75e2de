import LatchkeyByteCoding
package import LatchkeyKeychainModel

/// How often in a row a passcode was wrong, and since when. It stands in the file, so that a restart forgets nothing.
///
/// The order of an attempt: ``beginning(now:)`` is stored, the passcode is tried, then ``succeeded()`` or
/// ``failed(mark:)`` is stored. Anyone who ends the process in between has used up one attempt.
package struct AttemptState: Hashable, Sendable {
  /// Wrong passcodes in a row.
  package private(set) var failures: UInt32
  /// When the last attempt began, in seconds since 2001.
  package private(set) var lastFailure: Double
  /// What tells the last wrong passcode from others (``PasscodeAttempt/mark``): 16 bytes, zeros if there is none. It is as
  /// costly to guess a passcode from it as from the keychain.
  package private(set) var lastMark: [UInt8]

  /// No wrong passcode.
  package static let none = AttemptState(failures: 0, lastFailure: 0, lastMark: [UInt8](repeating: 0, count: 16))

  /// How many bytes ``encoded`` has.
  package static let byteCount = 28

  init(failures: UInt32, lastFailure: Double, lastMark: [UInt8]) {
    self.failures = failures
    self.lastFailure = lastFailure
    self.lastMark = lastMark
  }

  /// How long to wait after so many wrong passcodes, in seconds (Apple Platform Security, "Passcodes and passwords").
  package static func delay(afterFailures failures: UInt32) -> Double {
    switch failures {
    case 0...4: 0
    case 5: 60
    case 6: 300
    case 7...8: 900
    default: 3600
    }
  }

  /// How many more wrong passcodes are free of a delay.
  package var attemptsBeforeDelay: Int { max(0, 5 - Int(min(failures, 5))) }

  /// How many seconds are left before the next attempt; 0 if it may be made. A last attempt that lies in the future (the
  /// clock was set back) counts as now.
  package func delayLeft(now: Double) -> Double {
    let passed = max(0, now - lastFailure)
    return max(0, Self.delay(afterFailures: failures) - passed)
  }

  /// - Throws: `.passcodeDelayed` if the next attempt must wait.
  package func judge(now: Double) throws(StoreError) {
    let left = delayLeft(now: now)
    if left > 0 { throw .passcodeDelayed(seconds: left) }
  }

  /// The state with a last attempt in the future moved to now; to be stored where it differs, so that a clock that once
  /// was years ahead does not lock anybody out for years.
  package func anchored(now: Double) -> AttemptState {
    guard lastFailure > now else { return self }
    return AttemptState(failures: failures, lastFailure: now, lastMark: lastMark)
  }

  /// The state to store before a passcode is tried: the attempt counts as failed until it is known better.
  ///
  /// - Throws: `.passcodeDelayed`.
  package func beginning(now: Double) throws(StoreError) -> AttemptState {
    try judge(now: now)
    return AttemptState(
      failures: failures == .max ? .max : failures + 1, lastFailure: now, lastMark: lastMark)
  }

  /// The state to store after the passcode of this mark was wrong: the same one twice in a row counts once.
  package func failed(mark: [UInt8]) -> AttemptState {
    let isRepeated = failures > 1 && constantTimeEquals(mark, lastMark)
    return AttemptState(
      failures: isRepeated ? failures - 1 : failures, lastFailure: lastFailure,
      lastMark: mark.count == 16 ? mark : lastMark)
  }

  /// The state to store after the right passcode.
  package func succeeded() -> AttemptState { .none }

  /// Failures, time, mark.
  package var encoded: [UInt8] {
    var writer = ByteWriter(capacity: Self.byteCount)
    writer.uint32(failures)
    writer.uint64(lastFailure.bitPattern)
    writer.append(lastMark)
    return writer.bytes
  }

  /// Decodes ``encoded``.
  ///
  /// - Throws: `.damaged`.
  package init(encoded: [UInt8]) throws(StoreError) {
    var reader = ByteReader(encoded)
    do {
      failures = try reader.uint32("wrong passcodes")
      lastFailure = Double(bitPattern: try reader.uint64("time of the last wrong passcode"))
      lastMark = try reader.bytes(16, "mark of the last wrong passcode")
      try reader.finish("count of wrong passcodes")
    } catch {
      throw .damaged("the count of wrong passcodes: \(error)")
    }
    guard lastFailure.isFinite else { throw .damaged("the time of the last wrong passcode is none") }
  }
}
