/// How costly new passcodes are made, and how cheap those in a file may be.
package struct PasscodeCost: Hashable, Sendable {
  private let fixedRounds: Int?

  /// Calibrated to this machine, never below the floor; or, for tests alone, a fixed N that may lie below it. With a fixed
  /// N weak passcodes are taken too.
  package init(rounds: Int? = nil) { fixedRounds = rounds }

  /// What keychains have outside of tests: about 250 ms a guess.
  package static let calibrated = PasscodeCost()

  /// The least N of a record that is opened.
  package var minimumRounds: Int { min(fixedRounds ?? ScryptParameters.floor, ScryptParameters.floor) }

  /// Whether short passcodes are taken.
  package var takesWeakPasscodes: Bool { fixedRounds != nil }

  /// Parameters for a new passcode.
  package func newParameters() -> ScryptParameters {
    ScryptParameters(rounds: fixedRounds ?? Self.calibratedRounds())
  }

  /// The N that takes about 250 ms here: the floor is timed, and doubled while there is room for it. At most 2^18, which
  /// takes 256 MiB.
  private static func calibratedRounds() -> Int {
    let clock = ContinuousClock()
    let sample = ScryptParameters(rounds: ScryptParameters.floor)
    let time = clock.measure { _ = sample.derive([0x70, 0x61, 0x73, 0x73, 0x63, 0x6F, 0x64, 0x65]) }
    return rounds(timeAtFloor: time)
  }

  /// The N for a machine that takes this time at the floor: the power of two nearest to 250 ms.
  static func rounds(timeAtFloor: Duration) -> Int {
    var rounds = ScryptParameters.floor
    var time = timeAtFloor
    while time < .milliseconds(167), rounds < 1 << 18 {
      rounds *= 2
      time *= 2
    }
    return rounds
  }
}
