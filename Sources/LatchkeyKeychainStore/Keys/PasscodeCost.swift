import Glibc

/// How costly new passcodes are made, and how cheap those in a file may be.
package struct PasscodeCost: Hashable, Sendable {
  private let fixedRounds: Int?
  private let fixedMinimum: Int?

  /// Calibrated to this machine, never below the floor; or, for tests alone, a fixed N that may lie below it. With a fixed
  /// N weak passcodes are taken too.
  package init(rounds: Int? = nil, minimum: Int? = nil) {
    fixedRounds = rounds
    fixedMinimum = minimum
  }

  /// What keychains have outside of tests: about 250 ms of a processor's time a guess, or more.
  package static let calibrated = PasscodeCost()

  /// The least N of a record that is opened.
  package var minimumRounds: Int {
    fixedMinimum ?? min(fixedRounds ?? ScryptParameters.least, ScryptParameters.least)
  }

  /// Whether short passcodes are taken.
  package var takesWeakPasscodes: Bool { fixedRounds != nil }

  /// Parameters for a new passcode.
  package func newParameters() -> ScryptParameters {
    ScryptParameters(rounds: fixedRounds ?? Self.calibratedRounds)
  }

  /// Costlier parameters for a passcode whose derivation by `parameters` has just taken `time`; nil if they cost enough.
  func raised(_ parameters: ScryptParameters, time: Duration) -> ScryptParameters? {
    let wanted =
      fixedRounds
      ?? (parameters.rounds >= ScryptParameters.floor
        ? Self.rounds(time: time, at: parameters.rounds) : ScryptParameters.floor)
    return wanted > parameters.rounds ? ScryptParameters(rounds: wanted) : nil
  }

  /// The N that takes about 250 ms here: the floor is timed once in a process, and doubled while there is room for it. Where an
  /// eighth of the floor takes more than enough already, the floor's own time makes no difference.
  private static let calibratedRounds: Int = {
    func time(_ rounds: Int) -> Duration {
      let sample = ScryptParameters(rounds: rounds)
      return processorTime { _ = sample.derive([0x70, 0x61, 0x73, 0x73, 0x63, 0x6F, 0x64, 0x65]) }
    }
    let floor = ScryptParameters.floor
    if time(floor / 8) >= .milliseconds(167) { return floor }
    return rounds(time: time(floor), at: floor)
  }()

  /// The N for a machine that takes this time at another: the power of two nearest to 250 ms, at most 2^18, which takes
  /// 256 MiB, and not below the one that was timed.
  static func rounds(time: Duration, at timed: Int) -> Int {
    var rounds = timed
    var time = time
    while time < .milliseconds(167), rounds < 1 << 18 {
      rounds *= 2
      time *= 2
    }
    return rounds
  }

  /// How long this thread has a processor for `body`: what other programs take of it does not count.
  static func processorTime(_ body: () -> Void) -> Duration {
    func now() -> Duration {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let begin = now()
    body()
    return now() - begin
  }
}
