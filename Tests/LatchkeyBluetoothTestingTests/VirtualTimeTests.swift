import CoreBluetooth
import Dispatch
import Foundation
import LatchkeyBluetoothTesting
import Testing

/// Time passes when the test says so, and each callback sees its own.
@Suite(.timeLimit(.minutes(5)))
struct VirtualTimeTests {
  @Test("A measurement comes at each second, and sees that second")
  func measurements() throws {
    let started = try Started(.heartRate(bpm: 72))
    started.subscribe("2A37")
    let start = started.radio.now
    started.radio.advance(by: .seconds(5))
    #expect(started.app.valueTimes == (1...5).map { start + .seconds($0) })
    #expect(started.app.values(of: "2A37") == Array(repeating: Data([0x06, 72]), count: 5))
  }

  @Test("A read without an answer ends after 30 seconds, and not before")
  func timeout() throws {
    let started = try Started(.battery())
    started.device.drop(.read("2A19"))
    started.app.read("2A19")
    started.radio.advance(by: .seconds(29.9))
    #expect(!started.app.log.contains { $0.hasPrefix("no value") })
    started.radio.advance(by: .seconds(0.2))
    #expect(started.app.log.contains { $0.hasPrefix("no value 2A19") }, "\(started.radio)")
    #expect(started.app.log.contains { $0.hasPrefix("disconnected") }, "\(started.radio)")
  }

  @Test("An hour with ten devices takes no hour")
  func anHour() throws {
    let radio = TestRadio()
    var apps: [App] = []
    for index in 0..<10 {
      let app = App()
      let name = "Strap \(index)"
      var definition = DeviceDefinition.heartRate(bpm: UInt16(60 + index), every: .seconds(10))
      definition.name = name
      let device = try radio.add(definition)
      radio.use(as: "phone-\(index)") { app.start(service: "180D") }
      try #require(radio.advance(upTo: .seconds(10)) { app.isReady }, "\(radio)")
      device.stopAdvertising()
      app.subscribe("2A37")
      apps.append(app)
    }
    radio.advance(by: .seconds(3600))
    for app in apps { #expect((359...361).contains(app.values(of: "2A37").count)) }
  }

  @Test("A timer of the app that asks the radio fires between the packets at its time")
  func timers() {
    let radio = TestRadio()
    let fired = Times()
    for seconds in [3, 1, 2] { radio.after(.seconds(seconds)) { fired.add(radio.now) } }
    let canceled = radio.after(.seconds(2)) { fired.add(.seconds(99)) }
    canceled.cancel()
    radio.advance(by: .seconds(2))
    #expect(fired.all == [.seconds(1), .seconds(2)])
    radio.advance(by: .seconds(1))
    #expect(fired.all == [.seconds(1), .seconds(2), .seconds(3)])
  }

  @Test("A task sleeps in the radio's time, and settling waits for what it does then")
  func sleepingTasks() async throws {
    let radio = TestRadio()
    let fired = Times()
    let task = Task(executorPreference: radio.taskExecutor) {
      for _ in 0..<3 {
        try await Task.sleep(for: .seconds(60), clock: radio.clock)
        fired.add(radio.now)
      }
    }
    radio.settle()
    radio.advance(by: .seconds(59))
    #expect(fired.all.isEmpty)
    radio.advance(by: .seconds(61))
    #expect(fired.all == [.seconds(60), .seconds(120)])
    radio.advance(by: .seconds(60))
    try await task.value
    #expect(fired.all == [.seconds(60), .seconds(120), .seconds(180)])
  }

  @Test("A task that is canceled while it sleeps wakes at once")
  func canceledSleep() async throws {
    let radio = TestRadio()
    let task = Task(executorPreference: radio.taskExecutor) {
      try await Task.sleep(for: .seconds(60), clock: radio.clock)
    }
    radio.settle()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(radio.now == .zero)
  }

  @Test("Advancing stops where its condition is true")
  func advancingToACondition() throws {
    let started = try Started(.heartRate(bpm: 72))
    started.subscribe("2A37")
    let (app, start) = (started.app, started.radio.now)
    #expect(started.radio.advance(upTo: .seconds(60)) { app.values(of: "2A37").count == 3 })
    #expect(started.radio.now == start + .seconds(3))
    #expect(!started.radio.advance(upTo: .seconds(2)) { false })
    #expect(started.radio.now == start + .seconds(5))
  }

  @Test("A radio in real time works without advancing")
  func realTime() throws {
    let radio = TestRadio(time: .real)
    try radio.add(.battery(level: 5))
    let app = App()
    radio.use { app.start() }
    #expect(radio.advance(upTo: .seconds(60)) { app.isReady }, "\(radio)")
  }
}

/// Times, in the order in which they came.
final class Times: @unchecked Sendable {
  private let lock = NSLock()
  private var list: [Duration] = []
  func add(_ time: Duration) { lock.withLock { list.append(time) } }
  var all: [Duration] { lock.withLock { list } }
}
