import CoreBluetooth
import Foundation
import LatchkeyBluetoothTesting
import StrapApp
import Testing

/// What the strap answers, and what the app makes of it.
@Suite(.timeLimit(.minutes(2)))
struct StrapTests {
  @Test("A subscription that is refused twice is tried a third time")
  func refusedTwice() throws {
    let (bench, strap) = try StrapBench.started()
    strap.fail(.subscribe("2A37"), with: .insufficientResources, times: 2)
    #expect(bench.comesToMeasure(), "the app does not try again after a refused subscription\n\(bench)")
    #expect(bench.radio.now >= .seconds(3), "\(bench)")
  }

  @Test("A subscription that is refused for good is given up, and the strap is left")
  func refusedForGood() throws {
    let (bench, strap) = try StrapBench.started()
    strap.fail(.subscribe("2A37"), with: .insufficientResources)
    #expect(bench.comes(to: .failed(.subscriptionRefused)), "\(bench)")
    #expect(bench.app.alerts == [StrapProblem.subscriptionRefused.message])
    bench.radio.settle()
    #expect(strap.isAdvertising, "the app keeps a strap that it gave up\n\(bench)")
  }

  @Test("A strap that wants to be paired is paired, and measures")
  func pairing() throws {
    let (bench, strap) = try StrapBench.started()
    strap.fail(.subscribe("2A37"), with: .insufficientEncryption, times: 1)
    #expect(bench.comesToMeasure(), "\(bench)")
    #expect(bench.radio.exchange.contains { $0.hasSuffix("  encrypted") }, "\(bench)")
  }

  @Test("A strap that wants to be paired and refuses is given up")
  func refusedPairing() throws {
    var definition = DeviceDefinition.strap()
    definition.pairing = .refuse
    let (bench, strap) = try StrapBench.started(definition)
    strap.fail(.subscribe("2A37"), with: .insufficientEncryption)
    #expect(bench.comes(to: .failed(.pairingNeeded)), "\(bench)")
    #expect(bench.app.alerts == [StrapProblem.pairingNeeded.message])
  }

  @Test("A subscription that is never answered costs one attempt")
  func silentSubscription() throws {
    let (bench, strap) = try StrapBench.started()
    strap.drop(.subscribe("2A37"), times: 1)
    #expect(bench.comesToMeasure(), "\(bench)")
    #expect(bench.app.statuses.contains(.waiting(1)) && bench.radio.now >= .seconds(16), "\(bench)")
  }

  @Test("A low battery is warned of once, and once more after it was changed")
  func lowBattery() throws {
    let (bench, strap) = try StrapBench.measuring(.strap(battery: 20))
    for level in [16, 14, 13, 9, 100, 14] as [UInt8] {
      strap.notify(Data([level]), for: "2A19")
      bench.radio.settle()
    }
    let warnings = [
      "The strap's battery is at 14 %. Change it soon.", "The strap's battery is at 14 %. Change it soon.",
    ]
    #expect(bench.app.alerts == warnings, "the user is not warned once for each battery\n\(bench)")
  }

  @Test("A strap whose battery cannot be read measures all the same")
  func unreadableBattery() throws {
    let (bench, strap) = try StrapBench.started()
    strap.fail(.read("2A19"), with: .unlikelyError)
    #expect(bench.comesToMeasure(), "\(bench)")
    #expect(bench.app.batteryLevel == nil && bench.app.alerts.isEmpty, "\(bench)")
  }

  @Test("The button resets the energy")
  func energyReset() throws {
    let (bench, strap) = try StrapBench.measuring()
    strap.notify(DeviceDefinition.heartRateMeasurement(bpm: 72, energy: 500), for: "2A37")
    bench.radio.settle()
    #expect(bench.app.energy == 500)
    bench.app.resetEnergy()
    bench.radio.settle()
    #expect(strap.writes(to: "2A39") == [Data([0x01])], "the strap is not told to reset its energy\n\(bench)")
    #expect(bench.app.alerts == ["The energy counts from 0."], "\(bench)")
  }

  @Test("A strap that cannot reset its energy is told of, and measures on")
  func refusedEnergyReset() throws {
    let (bench, strap) = try StrapBench.measuring()
    strap.fail(.write("2A39"), with: ._0x80)
    bench.app.resetEnergy()
    bench.radio.advance(by: .seconds(2))
    #expect(bench.app.alerts == ["The strap does not reset its energy."], "\(bench)")
    #expect(bench.app.heartRate == 72)
  }

  @Test("Values that end too early change nothing")
  func malformedValues() throws {
    let (bench, strap) = try StrapBench.measuring()
    for value in [[], [0x01, 0x48], [0xFF], [0x08, 0x48, 0x01]] as [[UInt8]] {
      strap.notify(Data(value), for: "2A37")
      bench.radio.settle()
      #expect(bench.app.heartRate == 72, "\(bench)")
    }
    strap.notify(Data(), for: "2A19")
    bench.radio.settle()
    #expect(bench.app.batteryLevel == 80 && bench.app.alerts.isEmpty, "\(bench)")
  }

  @Test("Without contact to the skin there is no heart rate")
  func lostContact() throws {
    let (bench, strap) = try StrapBench.measuring(.strap(every: .seconds(10)))
    strap.notify(Data([0x04, 0x21]), for: "2A37")
    bench.radio.settle()
    #expect(bench.app.heartRate == nil && bench.app.status == .measuring, "\(bench)")
    #expect(bench.app.workout.maximum == 72)
    bench.radio.advance(by: .seconds(10))
    #expect(bench.app.heartRate == 72, "\(bench)")
  }
}
