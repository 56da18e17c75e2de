import CoreBluetooth
import Foundation
import LatchkeyBluetoothTesting
import StrapApp
import Testing

/// The app on a radio, in the radio's time.
final class StrapBench {
  let radio = TestRadio()
  /// What the app remembers from one launch to the next.
  let memory = Remembered()
  private(set) var app: StrapApp

  init() {
    app = Self.makeApp(radio, memory)
  }

  /// A bench with one strap, and an app that has begun.
  static func started(
    _ definition: DeviceDefinition = .strap(), like phone: Phone = .standard
  ) throws -> (bench: StrapBench, strap: TestDevice) {
    let bench = StrapBench()
    let strap = try bench.radio.add(definition)
    bench.start(like: phone)
    return (bench, strap)
  }

  /// The same, once the app shows a heart rate.
  static func measuring(
    _ definition: DeviceDefinition = .strap(), like phone: Phone = .standard
  ) throws -> (bench: StrapBench, strap: TestDevice) {
    let (bench, strap) = try started(definition, like: phone)
    try #require(bench.comesToMeasure(), "the app does not measure\n\(bench)")
    return (bench, strap)
  }

  /// The app's first launch.
  func start(like phone: Phone = .standard) { radio.use(like: phone) { app.start() } }

  /// Ends the app and launches it anew.
  func launchAgain() {
    app.stop()
    radio.advance(by: .seconds(1))
    app = Self.makeApp(radio, memory)
    start()
  }

  /// Lets time pass until the app shows a heart rate.
  func comesToMeasure(within limit: Duration = .seconds(30)) -> Bool {
    radio.advance(upTo: limit) { app.heartRate != nil }
  }

  /// Lets time pass until the app's status is this one.
  func comes(to status: StrapStatus, within limit: Duration = .seconds(120)) -> Bool {
    radio.advance(upTo: limit) { app.status == status }
  }

  private static func makeApp(_ radio: TestRadio, _ memory: Remembered) -> StrapApp {
    StrapApp(
      clock: AppClock(
        now: { [weak radio] in (radio?.now ?? .zero) / .seconds(1) },
        after: { [weak radio] seconds, body in radio?.after(.seconds(seconds), body) }),
      memory: StrapMemory(load: { memory.strap }, save: { memory.strap = $0 }))
  }
}

extension StrapBench: CustomStringConvertible {
  /// What a failed test shows: where the app is, what it told its user, and the end of the exchange.
  var description: String {
    let exchange = radio.exchange.suffix(60).joined(separator: "\n")
    return "status \(app.status) after \(app.statuses); alerts \(app.alerts)\n\(exchange)"
  }
}

/// The strap that an app remembers.
final class Remembered: @unchecked Sendable {
  private let lock = NSLock()
  private var identifier: UUID?

  var strap: UUID? {
    get { lock.withLock { identifier } }
    set { lock.withLock { identifier = newValue } }
  }
}

extension DeviceDefinition {
  /// A strap with a battery.
  static func strap(
    _ name: String = "Strap", bpm: UInt16 = 72, every interval: Duration = .seconds(1), battery: UInt8 = 80
  ) -> DeviceDefinition {
    var strap = DeviceDefinition.heartRate(bpm: bpm, every: interval).adding(.battery(level: battery))
    strap.name = name
    strap.advertisement.localName = name
    return strap
  }
}
