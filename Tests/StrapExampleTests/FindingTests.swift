import CoreBluetooth
import Foundation
import LatchkeyBluetoothTesting
import StrapApp
import Testing

/// Which strap the app takes, and when it gives up.
@Suite(.timeLimit(.minutes(2)))
struct FindingTests {
  @Test("The app finds the strap, and shows the heart rate and the battery")
  func firstLaunch() throws {
    let (bench, strap) = try StrapBench.measuring()
    #expect(bench.app.heartRate == 72 && bench.app.batteryLevel == 80, "\(bench)")
    #expect(bench.app.statuses == [.searching, .connecting, .preparing, .measuring], "\(bench)")
    // A heart of a mouse takes two bytes.
    strap.notify(DeviceDefinition.heartRateMeasurement(bpm: 300), for: "2A37")
    bench.radio.settle()
    #expect(bench.app.heartRate == 300, "the heart rate is not what the strap sent\n\(bench)")
  }

  @Test("A strap that is too far away is not taken until it comes nearer")
  func farStrap() throws {
    let (bench, strap) = try StrapBench.started()
    strap.rssi = -90
    bench.radio.advance(by: .seconds(20))
    #expect(bench.app.status == .searching, "the app takes a strap with a signal of -90 dBm\n\(bench)")
    strap.rssi = -60
    #expect(bench.comesToMeasure(), "\(bench)")
  }

  @Test("Of two straps the one on the user's body is taken")
  func otherStrap() throws {
    let bench = StrapBench()
    let other = try bench.radio.add(.strap("Other", bpm: 150))
    other.distance = 60
    try bench.radio.add(.strap("Own", bpm: 70))
    bench.start()
    #expect(bench.comesToMeasure(), "\(bench)")
    #expect(bench.app.heartRate == 70, "the app takes the strap of somebody else\n\(bench)")
  }

  @Test("Devices without a heart rate are not connected to")
  func otherDevices() throws {
    let bench = StrapBench()
    try bench.radio.add(.battery(level: 5))
    try bench.radio.add(.thermometer(celsius: 20))
    bench.start()
    bench.radio.advance(by: .seconds(59))
    #expect(bench.app.statuses == [.searching], "\(bench)")
  }

  @Test("After a minute without a strap the app gives up; a new try finds one")
  func noStrap() throws {
    let bench = StrapBench()
    bench.start()
    bench.radio.advance(by: .seconds(59))
    #expect(bench.app.status == .searching, "\(bench)")
    bench.radio.advance(by: .seconds(1))
    #expect(bench.app.status == .failed(.notFound), "\(bench)")
    #expect(bench.app.alerts == [StrapProblem.notFound.message], "\(bench)")
    try bench.radio.add(.strap())
    bench.app.retry()
    #expect(bench.comesToMeasure(), "\(bench)")
  }

  @Test("The next launch takes the strap of the last one, though only another one is near")
  func rememberedStrap() throws {
    let (bench, strap) = try StrapBench.measuring(.strap("Own", bpm: 70))
    try bench.radio.add(.strap("Other", bpm: 150))
    // So weak that a search does not take it.
    strap.rssi = -85
    bench.launchAgain()
    #expect(bench.comesToMeasure(), "\(bench)")
    #expect(bench.app.heartRate == 70, "the app takes another strap than the last time\n\(bench)")
  }

  @Test("A strap that is away is tried five times, at longer and longer pauses; then the app says so")
  func absentStrap() throws {
    let (bench, strap) = try StrapBench.measuring()
    strap.leaveRange()
    bench.launchAgain()
    // Five attempts of 10 s, and the pauses.
    bench.radio.advance(by: .seconds(65))
    let pauses = bench.app.statuses.compactMap { if case .waiting(let pause) = $0 { pause } else { nil } }
    #expect(pauses == [1, 2, 4, 8], "the pauses between attempts are not 1, 2, 4 and 8 s\n\(bench)")
    #expect(bench.app.status == .failed(.notReached), "the app does not give up\n\(bench)")
    #expect(bench.app.alerts.last == StrapProblem.notReached.message, "\(bench)")
  }

  @Test("The app measures on every kind of phone", arguments: ["smallest packets", "slow", "scans alone"])
  func phones(kind: String) throws {
    let phone: Phone
    switch kind {
    case "slow": phone = .slow
    case "scans alone": phone = .zephyr
    default: phone = .smallestPackets
    }
    let (bench, _) = try StrapBench.measuring(like: phone)
    #expect(bench.app.heartRate == 72, "\(bench)")
  }

  @Test("A device that has the service without its measurement is given up")
  func incompleteStrap() throws {
    let definition = DeviceDefinition(
      name: "Fake",
      services: [.init("180D", characteristics: [.init("2A38", .read, value: Data([1]))])])
    let (bench, _) = try StrapBench.started(definition)
    #expect(bench.comes(to: .failed(.noHeartRate)), "\(bench)")
    #expect(bench.memory.strap == nil)
  }
}
