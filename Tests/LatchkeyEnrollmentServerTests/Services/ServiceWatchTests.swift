import Foundation
import LatchkeyServerTestSupport
import Logging
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("The watch over closures of services", .timeLimit(.minutes(5))) struct ServiceWatchTests {
  private static func late(_ name: String) -> String {
    "a service has not returned: it holds a thread, and in a transaction a connection, until the server starts anew: \(name)"
  }

  private let metrics = PrometheusMetrics()
  private let lines = LoggedLines()

  /// A line's message, and what it is about.
  private static func text(_ line: LoggedLines.Line?) -> String? {
    line.map { "\($0.message): \($0.metadata["of"].map { "\($0)" } ?? "")" }
  }

  private func watch(_ longest: Duration) -> ServiceWatch {
    let handler = lines.handler
    return ServiceWatch(
      longest: longest, logger: Logger(label: "test") { _ in handler },
      metrics: ServerMetrics(factory: metrics))
  }

  @Test(
    "What does not return in its time is named and counted once, however often it is looked for, and when it returns")
  func overdue() async throws {
    let watch = watch(.zero)
    let watching = Task { await watch.watch() }
    let names = ["GET /a", "GET /b", "GET /c"]
    let halts = names.map { _ in Halt() }
    var seen = lines.stream.makeAsyncIterator()
    for (number, (name, halt)) in zip(names, halts).enumerated() {
      Thread.detachNewThread { watch.run("trial", name) { halt.wait() } }
      await halt.arrived()
      // Those before were looked at again, and are not in the log again.
      #expect(Self.text(await seen.next()) == Self.late(name))
      #expect(watch.overdue == names.prefix(number + 1).map { "\($0) of the service trial" })
    }
    for (name, halt) in zip(names, halts) {
      halt.release()
      #expect(Self.text(await seen.next()) == "a service has returned: \(name)")
    }
    #expect(watch.overdue.isEmpty)
    #expect(metrics.text.contains("latchkey_decisions_total{outcome=\"overdue\",service=\"trial\"} 3\n"))
    watching.cancel()
    await watching.value
  }

  @Test("What returns, or throws, in its time is in no log and is not overdue") func inTime() async throws {
    struct Refusal: Error {}
    let watch = watch(.seconds(3600))
    watch.run("trial", "GET /a") { #expect(watch.overdue.isEmpty) }
    #expect(throws: Refusal.self) { try watch.run("trial", "GET /b") { throw Refusal() } }
    #expect(lines.all.isEmpty)
    #expect(!metrics.text.contains("latchkey_decisions_total{"))
  }

  @Test("A stop waits for closures that return after their time, and names those that do not") func grace() async {
    let watch = watch(.zero)
    let names = ["GET /a", "GET /b", "GET /c"]
    let halts = names.map { _ in Halt() }
    let (returns, returned) = AsyncStream.makeStream(of: Void.self)
    for (name, halt) in zip(names, halts) {
      Thread.detachNewThread {
        watch.run("trial", name) { halt.wait() }
        returned.yield()
      }
      await halt.arrived()
    }
    halts[0].release()
    _ = await returns.first { true }
    // Waits for what does not return, and for no longer; also in a canceled task.
    let stuck = ["GET /b of the service trial", "GET /c of the service trial"]
    for isCanceled in [false, true] {
      let waited = Task {
        if isCanceled { withUnsafeCurrentTask { $0?.cancel() } }
        let start = ContinuousClock.now
        let names = await watch.overdue(after: .milliseconds(50))
        return (names, ContinuousClock.now - start)
      }
      let (names, time) = await waited.value
      #expect(names == stuck && time > .milliseconds(49))
    }
    Thread.detachNewThread { for halt in halts[1...] { halt.release() } }
    #expect(await watch.overdue(after: .seconds(3600)).isEmpty)
    #expect(await watch.overdue(after: .seconds(3600)).isEmpty)
  }
}
