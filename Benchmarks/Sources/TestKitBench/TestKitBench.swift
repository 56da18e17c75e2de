// What the test kit costs an app's tests, built as they are: without optimization. There is no peer: no other kit has such tests.
//
//   test-kit-bench tests [COUNT]               tests of scan, connect, discover, read and write, each on a radio of its own
//   test-kit-bench hour [DEVICES [SECONDS]]    an hour of virtual time with connected devices that notify every SECONDS

import CoreBluetooth
import Dispatch
import Foundation
import LatchkeyBluetoothTesting

@main
enum TestKitBench {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    let numbers = arguments.dropFirst().compactMap { Double($0) }
    switch arguments.first {
    case "tests": await tests(Int(numbers.first ?? 1000))
    case "hour": hour(devices: Int(numbers.first ?? 50), interval: numbers.dropFirst().first ?? 10)
    default:
      FileHandle.standardError.write(Data("usage: test-kit-bench tests [COUNT] | hour [DEVICES [SECONDS]]\n".utf8))
      exit(64)
    }
  }

  /// Several at once, as asynchronous tests run: while one waits for its app, another one goes on.
  private static func tests(_ count: Int) async {
    let started = Time()
    let passed = await withTaskGroup(of: Bool.self) { group in
      var passed = 0
      for number in 0..<count {
        if number >= ProcessInfo.processInfo.activeProcessorCount * 4, await group.next() == true { passed += 1 }
        group.addTask { await passes() }
      }
      for await hasPassed in group where hasPassed { passed += 1 }
      return passed
    }
    report("tests", count: count, started.elapsed, failures: count - passed)
  }

  private static func passes() async -> Bool {
    let radio = TestRadio()
    guard let strap = try? radio.add(.heartRate(bpm: 72)) else { return false }
    let app = App()
    radio.use { app.start() }
    await radio.advanced(by: .seconds(1))
    app.read("2A38")
    await radio.settled()
    app.write(Data([1]), to: "2A39")
    await radio.settled()
    return app.isReady && app.values == [Data([1])] && app.written == 1 && strap.writes(to: "2A39") == [Data([1])]
  }

  private static func hour(devices: Int, interval: Double) {
    let radio = TestRadio()
    var apps: [App] = []
    for index in 0..<devices {
      let app = App()
      var definition = DeviceDefinition.heartRate(bpm: 72, every: .seconds(interval))
      definition.name = "Strap \(index)"
      guard let strap = try? radio.add(definition) else { return report("hour", count: 0, (0, 0), failures: 1) }
      radio.use(as: "phone-\(index)") { app.start() }
      radio.advance(upTo: .seconds(10)) { app.isReady }
      strap.stopAdvertising()
      app.subscribe("2A37")
      apps.append(app)
    }
    radio.settle()
    let started = Time()
    radio.advance(by: .seconds(3600))
    let elapsed = started.elapsed
    let expected = Int(3600 / interval)
    let failures = apps.count { !(expected - 1...expected + 1).contains($0.values.count) }
    report("hour", count: devices, elapsed, failures: failures)
  }

  /// A moment: of the clock, and of the time that the process has used.
  private struct Time {
    private let clock = DispatchTime.now().uptimeNanoseconds
    private let processor = processorTime()

    var elapsed: (real: Double, processor: Double) {
      (Double(DispatchTime.now().uptimeNanoseconds - clock) / 1e9, processorTime() - processor)
    }
  }

  private static func processorTime() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
  }

  private static func report(_ name: String, count: Int, _ seconds: (real: Double, processor: Double), failures: Int) {
    print(
      """
      {"measure": "\(name)", "count": \(count), "value": \(seconds.real), "unit": "s", \
      "processor": \(seconds.processor), "failures": \(failures)}
      """)
    if failures > 0 { exit(1) }
  }
}
