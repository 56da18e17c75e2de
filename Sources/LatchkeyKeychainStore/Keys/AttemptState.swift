import LatchkeyByteCoding
package import LatchkeyKeychainModel

/// The count of consecutive wrong passcodes and the time of the last attempt. It is stored in the file, so a restart does not
/// reset it.
///
/// The order of an attempt: ``beginning(now:)`` is stored, the passcode is tried, then ``succeeded()`` or ``failed(mark:)`` is
/// stored. Killing the process in between uses up one attempt.
package struct AttemptState: Hashable, Sendable {
  /// The number of consecutive wrong passcodes.
  package private(set) var failures: UInt32
  /// When the last attempt began, in seconds since 2001.
  package private(set) var lastFailure: Double
  /// The mark that identifies the last wrong passcode (``PasscodeAttempt/mark``): 16 bytes, zeros if there is none. Guessing a
  /// passcode from it costs as much as from the keychain.
  package private(set) var lastMark: [UInt8]

  /// The state without wrong passcodes.
  package static let none = AttemptState(failures: 0, lastFailure: 0, lastMark: [UInt8](repeating: 0, count: 16))

  /// The size of ``encoded``.
  package static let byteCount = 28

  init(failures: UInt32, lastFailure: Double, lastMark: [UInt8]) {
    self.failures = failures
    self.lastFailure = lastFailure
    self.lastMark = lastMark
  }

  /// The delay after this number of wrong passcodes, in seconds (Apple Platform Security, "Passcodes and passwords").
  package static func delay(afterFailures failures: UInt32) -> Double {
    switch failures {
    case 0...4: 0
    case 5: 60
    case 6: 300
    case 7...8: 900
    default: 3600
    }
  }

  /// The number of wrong passcodes left before a delay.
  package var attemptsBeforeDelay: Int { max(0, 5 - Int(min(failures, 5))) }

  /// The seconds left before the next attempt; 0 if it is allowed now. A last attempt in the future (the clock was set back)
  /// counts as now.
  package func delayLeft(now: Double) -> Double {
    let passed = max(0, now - lastFailure)
    return max(0, Self.delay(afterFailures: failures) - passed)
  }

  /// - Throws: `.passcodeDelayed` if the next attempt must wait.
  package func validateAttempt(now: Double) throws(StoreError) {
    let left = delayLeft(now: now)
    if left > 0 { throw .passcodeDelayed(seconds: left) }
  }

  /// The state with a last attempt in the future moved to now. Storing it prevents a clock that once was years ahead from
  /// locking the user out for years.
  package func anchored(now: Double) -> AttemptState {
    guard lastFailure > now else { return self }
    return AttemptState(failures: failures, lastFailure: now, lastMark: lastMark)
  }

  /// The state to store before a passcode is tried: the attempt counts as failed until its result is known.
  ///
  /// - Throws: `.passcodeDelayed`.
  package func beginning(now: Double) throws(StoreError) -> AttemptState {
    try validateAttempt(now: now)
    return AttemptState(
      failures: failures == .max ? .max : failures + 1, lastFailure: now, lastMark: lastMark)
  }

  /// The state to store after a wrong passcode with this mark: repeating the same one counts once.
  package func failed(mark: [UInt8]) -> AttemptState {
    let isRepeated = failures > 1 && constantTimeEquals(mark, lastMark)
    return AttemptState(
      failures: isRepeated ? failures - 1 : failures, lastFailure: lastFailure,
      lastMark: mark.count == 16 ? mark : lastMark)
  }

  /// The state to store after the right passcode.
  package func succeeded() -> AttemptState { .none }

  /// The encoding: failures, time, mark.
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
