import Glibc

/// The derivation cost of new passcodes, and the lowest cost that is accepted in a file.
package struct PasscodeCost: Hashable, Sendable {
  private let fixedRounds: Int?
  private let fixedMinimum: Int?

  /// Calibrated to this machine, never below the floor; or, for tests only, a fixed N that may be below it. With a fixed N weak
  /// passcodes are accepted too.
  package init(rounds: Int? = nil, minimum: Int? = nil) {
    fixedRounds = rounds
    fixedMinimum = minimum
  }

  /// The cost outside of tests: about 250 ms of processor time per guess, or more.
  package static let calibrated = PasscodeCost()

  /// The lowest N of a record that is opened.
  package var minimumRounds: Int {
    fixedMinimum ?? min(fixedRounds ?? ScryptParameters.least, ScryptParameters.least)
  }

  /// Whether short passcodes are accepted.
  package var takesWeakPasscodes: Bool { fixedRounds != nil }

  /// Parameters for a new passcode.
  package func newParameters() -> ScryptParameters {
    ScryptParameters(rounds: fixedRounds ?? Self.calibratedRounds)
  }

  /// Costlier parameters for a passcode whose derivation with `parameters` has just taken `time`; nil if the cost suffices.
  func raised(_ parameters: ScryptParameters, time: Duration) -> ScryptParameters? {
    let wanted =
      fixedRounds
      ?? (parameters.rounds >= ScryptParameters.floor
        ? Self.rounds(time: time, at: parameters.rounds) : ScryptParameters.floor)
    return wanted > parameters.rounds ? ScryptParameters(rounds: wanted) : nil
  }

  /// The N that takes about 250 ms on this machine: the floor is timed once per process, and doubled while it is fast enough.
  /// If an eighth of the floor already takes long enough, the floor itself is not timed.
  private static let calibratedRounds: Int = {
    func time(_ rounds: Int) -> Duration {
      let sample = ScryptParameters(rounds: rounds)
      return processorTime { _ = sample.derive([0x70, 0x61, 0x73, 0x73, 0x63, 0x6F, 0x64, 0x65]) }
    }
    let floor = ScryptParameters.floor
    if time(floor / 8) >= .milliseconds(167) { return floor }
    return rounds(time: time(floor), at: floor)
  }()

  /// The N for a machine that takes `time` at N = `timed`: the power of two nearest to 250 ms, at most 2^18, which takes 256
  /// MiB, and not below `timed`.
  static func rounds(time: Duration, at timed: Int) -> Int {
    var rounds = timed
    var time = time
    while time < .milliseconds(167), rounds < 1 << 18 {
      rounds *= 2
      time *= 2
    }
    return rounds
  }

  /// The processor time that this thread spends in `body`; the time of other programs does not count.
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
