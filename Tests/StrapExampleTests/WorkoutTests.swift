import CoreBluetooth
import Foundation
import LatchkeyBluetoothTesting
import StrapApp
import Testing

/// Hours with the strap.
@Suite(.timeLimit(.minutes(2)))
struct WorkoutTests {
  @Test("An hour at a measurement a second has its average, its maximum and its zone")
  func steadyHour() throws {
    let (bench, _) = try StrapBench.measuring(.strap(bpm: 120))
    bench.radio.advance(by: .seconds(3600))
    let workout = bench.app.workout
    #expect(workout.duration.rounded() == 3600, "\(bench)")
    #expect(workout.average == 120 && workout.maximum == 120, "\(bench)")
    // 120 of 190 is in the second zone, which begins at 60 %.
    #expect(workout.zones.map { $0.rounded() } == [0, 3600, 0, 0, 0], "\(bench)")
    #expect(workout.text == "60 min, average 120, maximum 120, minutes in zones 1 to 5: 0, 60, 0, 0, 0")
  }

  @Test("An hour of three efforts has its time in three zones")
  func efforts() throws {
    let rates: [UInt16] = [100, 140, 180]
    var definition = DeviceDefinition.strap()
    // Twenty minutes each, a measurement every five seconds.
    let values = rates.flatMap { Array(repeating: DeviceDefinition.heartRateMeasurement(bpm: $0), count: 240) }
    definition.services[0].characteristics[0].behavior = .notifyEvery(.seconds(5), values)
    let (bench, _) = try StrapBench.measuring(definition)
    bench.radio.advance(by: .seconds(3600))
    let workout = bench.app.workout
    #expect(workout.zones.map { $0.rounded() } == [1200, 0, 1200, 0, 1200], "\(bench)")
    #expect(workout.average == 140 && workout.maximum == 180, "\(bench)")
  }

  @Test("An hour in which the strap is lost every ten minutes counts what was measured")
  func interruptedHour() throws {
    let (bench, strap) = try StrapBench.measuring(.strap(bpm: 120, every: .seconds(5)))
    for _ in 0..<6 {
      bench.radio.advance(by: .seconds(590))
      strap.loseLinks()
      bench.radio.advance(by: .seconds(10))
    }
    let workout = bench.app.workout
    // Each loss costs the time since the last measurement, the pause, and the strap's first interval.
    #expect(bench.app.statuses.filter { $0 == .waiting(1) }.count == 6, "\(bench)")
    #expect(
      (3540...3570).contains(workout.duration), "the time without the strap is counted: \(workout.duration) s\n\(bench)"
    )
    #expect(workout.average == 120, "\(bench)")
    #expect(bench.app.status == .measuring && bench.app.alerts.isEmpty, "\(bench)")
  }
}
