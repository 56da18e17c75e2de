import CoreBluetooth
import Dispatch
import Foundation
import LatchkeyBluetoothTesting
import Testing

/// `settle()` waits for exactly what moves.
@Suite(.timeLimit(.minutes(5)))
struct SettlingTests {
  @Test("A manager has its first state once the radio has settled, and no time has passed")
  func firstState() {
    let radio = TestRadio()
    let app = App()
    radio.use { app.start() }
    #expect(app.log.isEmpty)
    radio.settle()
    #expect(app.log == ["state 5"])
    #expect(radio.now == .zero)
  }

  @Test("An app finds, connects, discovers and reads without any time on its side, a hundred times the same")
  func wholeExchange() throws {
    var logs: Set<[String]> = []
    for _ in 0..<100 {
      let started = try Started(.battery(level: 42))
      #expect(started.read("2A19") == Data([42]), "\(started.radio)")
      logs.insert(started.app.log)
    }
    #expect(logs.count == 1)
  }

  @Test(
    "All callbacks have come on each kind of queue",
    arguments: ["serial", "concurrent", "global", "target", "utility"])
  func queues(kind: String) throws {
    let queue =
      switch kind {
      case "concurrent": DispatchQueue(label: "app", attributes: .concurrent)
      case "global": DispatchQueue.global()
      case "target": DispatchQueue(label: "app", target: DispatchQueue(label: "below"))
      case "utility": DispatchQueue(label: "app", qos: .utility)
      default: DispatchQueue(label: "app")
      }
    let started = try Started(.battery(level: 7), queue: queue)
    for _ in 0..<20 { #expect(started.read("2A19") == Data([7]), "\(started.radio)") }
  }

  @Test("Callbacks for the main queue come while its thread waits in settle()")
  @MainActor
  func mainQueue() throws {
    let started = try Started(.battery(level: 9), queue: nil)
    #expect(started.read("2A19") == Data([9]), "\(started.radio)")
  }

  @Test("Callbacks for the main queue come while an asynchronous test waits")
  @MainActor
  func mainQueueAsynchronously() async throws {
    let radio = TestRadio()
    try radio.add(.battery(level: 9))
    let app = App(queue: nil)
    radio.use { app.start() }
    await radio.settled()
    await radio.advanced(by: .seconds(1))
    #expect(app.isReady, "\(radio)")
    app.read("2A19")
    await radio.settled()
    #expect(app.values(of: "2A19") == [Data([9])])
  }

  @Test("Callbacks for the main queue come when another thread waits")
  func mainQueueFromElsewhere() throws {
    let radio = TestRadio()
    try radio.add(.battery(level: 9))
    let app = App(queue: nil)
    radio.use { app.start() }
    radio.advance(by: .seconds(1))
    #expect(app.isReady, "\(radio)")
  }

  @Test("What a callback puts on its own queue is done, and so is what follows from it")
  func blocksOnTheOwnQueue() throws {
    let started = try Started(.battery(level: 3))
    let app = started.app
    app.onValue = { app, _ in
      app.onValue = nil
      app.queue?.async { app.read("2A19") }
    }
    app.read("2A19")
    started.radio.settle()
    #expect(app.values(of: "2A19").count == 2)
  }

  @Test("What such blocks put on their queue is done, eight deep", arguments: ["serial", "concurrent"])
  func blocksOfBlocks(kind: String) throws {
    let queue = DispatchQueue(label: "app", attributes: kind == "serial" ? [] : .concurrent)
    let started = try Started(.battery(level: 3), queue: queue)
    let app = started.app
    app.onValue = { app, _ in
      app.onValue = nil
      Self.hop(8, on: queue) { app.read("2A19") }
    }
    app.read("2A19")
    started.radio.settle()
    #expect(app.values(of: "2A19").count == 2)
  }

  @Test("A block that puts itself on its queue for good does not keep the radio from its rest")
  func endlessBlocks() throws {
    let queue = DispatchQueue(label: "app")
    let started = try Started(.battery(level: 3), queue: queue)
    let isOver = Flag()
    @Sendable func again() { queue.async { if !isOver.isSet { again() } } }
    started.app.onValue = { _, _ in again() }
    started.app.read("2A19")
    #expect(started.radio.settle())
    isOver.set()
  }

  @Test("What the test has the app put on its queue is done")
  func blocksOfTheTest() throws {
    let started = try Started(.battery(level: 3))
    let app = started.app
    app.queue?.async { app.read("2A19") }
    started.radio.settle()
    #expect(app.values(of: "2A19") == [Data([3])])
  }

  @Test("What a timer of the app puts on its queue is done before the time goes on")
  func blocksOfTimers() throws {
    let started = try Started(.battery(level: 3))
    let (app, radio) = (started.app, started.radio)
    let due = radio.now + .seconds(5)
    radio.after(.seconds(5)) { app.queue?.async { app.read("2A19") } }
    radio.advance(by: .seconds(60))
    #expect(app.valueTimes == [due])
  }

  @Test("Blocks on a queue of the app that no manager has are done if the test names the queue")
  func watchedQueue() throws {
    let started = try Started(.battery(level: 3))
    let app = started.app
    let worker = DispatchQueue(label: "worker")
    started.radio.watch(worker)
    started.radio.watch(worker)
    app.onValue = { app, _ in
      app.onValue = nil
      worker.async { app.queue?.async { worker.async { app.read("2A19") } } }
    }
    app.read("2A19")
    started.radio.settle()
    #expect(app.values(of: "2A19").count == 2)
  }

  /// Calls a closure on a queue, by so many blocks of which each puts the next one there.
  private static func hop(_ count: Int, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
    queue.async { if count > 1 { hop(count - 1, on: queue, body) } else { body() } }
  }

  @Test("Settling waits for a callback that takes its time")
  func slowCallback() throws {
    let started = try Started(.battery(level: 3))
    let gate = DispatchSemaphore(value: 0)
    let isDone = Flag()
    started.app.onValue = { _, _ in
      gate.wait()
      isDone.set()
    }
    started.app.read("2A19")
    DispatchQueue(label: "releases").async { gate.signal() }
    started.radio.settle()
    #expect(isDone.isSet)
  }

  @Test("From inside a callback settle() returns at once and says that it did nothing")
  func fromACallback() throws {
    let started = try Started(.battery(level: 3))
    let radio = started.radio
    let answer = Answer()
    started.app.onValue = { _, _ in answer.set(radio.settle()) }
    started.app.read("2A19")
    radio.settle()
    #expect(answer.value == false)
  }

  @Test("A manager that goes before its first state hears nothing, and the radio settles")
  func releasedManager() {
    let radio = TestRadio()
    let app = App()
    radio.use { app.start() }
    app.stop()
    #expect(radio.settle())
    #expect(app.log.isEmpty)
  }
}

/// A flag that is set once.
final class Flag: @unchecked Sendable {
  private let lock = NSLock()
  private var value = false
  func set() { lock.withLock { value = true } }
  var isSet: Bool { lock.withLock { value } }
}

/// An answer that a callback got.
final class Answer: @unchecked Sendable {
  private let lock = NSLock()
  private var stored: Bool?
  func set(_ value: Bool) { lock.withLock { stored = value } }
  var value: Bool? { lock.withLock { stored } }
}
