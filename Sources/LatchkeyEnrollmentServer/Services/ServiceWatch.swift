internal import Logging
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// The closures of services that run now. Nobody can stop one that does not return: the log names it, and so does the error with which the
/// server stops.
final class ServiceWatch: Sendable {
  private struct Running {
    let service: String
    let name: String
    let since: ContinuousClock.Instant
    var isOverdue = false
  }

  private struct State {
    var running: [UInt64: Running] = [:]
    var count: UInt64 = 0
    /// Gets an element for each closure that returns, while a stop waits.
    var returned: AsyncStream<Void>.Continuation?
  }

  private let state = Mutex(State())
  private let longest: Duration
  private let logger: Logger
  private let metrics: ServerMetrics

  /// - Parameter longest: the time after which a closure is overdue.
  init(longest: Duration, logger: Logger, metrics: ServerMetrics) {
    (self.longest, self.logger, self.metrics) = (longest, logger, metrics)
  }

  /// Runs a closure of a service.
  ///
  /// - Parameter name: what runs: the method and path of a route.
  func run<Value>(_ service: String, _ name: String, _ body: () throws -> Value) rethrows -> Value {
    let number = state.withLock { state in
      state.count += 1
      state.running[state.count] = Running(service: service, name: name, since: .now)
      return state.count
    }
    defer { end(number) }
    return try body()
  }

  private func end(_ number: UInt64) {
    let (ended, returned) = state.withLock { ($0.running.removeValue(forKey: number), $0.returned) }
    returned?.yield()
    guard let ended, ended.isOverdue else { return }
    logger.notice(
      "a service has returned",
      metadata: metadata(of: ended, seconds: (ContinuousClock.now - ended.since).components.seconds))
  }

  private func metadata(of running: Running, seconds: Int64) -> Logger.Metadata {
    ["service": "\(running.service)", "of": "\(running.name)", "seconds": "\(seconds)"]
  }

  /// What has not returned in its time, sorted.
  var overdue: [String] {
    let now = ContinuousClock.now
    return state.withLock { state in
      state.running.values.filter { now - $0.since >= longest }.map { "\($0.name) of the service \($0.service)" }
        .sorted()
    }
  }

  /// What has not returned in its time, nor in the `grace` after it: a closure whose statement was ended at the limit, or that works
  /// statement by statement, is about to return. Waits no longer than for the last of them, and also in a canceled task.
  func overdue(after grace: Duration) async -> [String] {
    guard !overdue.isEmpty else { return [] }
    // A task of its own, which nobody cancels: a canceled one reads no stream.
    return await Task { await waitForOverdue(grace) }.value
  }

  private func waitForOverdue(_ grace: Duration) async -> [String] {
    let (returns, returned) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { $0.returned = returned }
    defer { state.withLock { $0.returned = nil } }
    // On an event loop, for the reason of `watch()`.
    let end = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: TimeAmount(grace)) { returned.finish() }
    defer { end.cancel() }
    // One may have returned before the stream was there.
    returned.yield()
    for await _ in returns where overdue.isEmpty { return [] }
    return overdue
  }

  /// Notes once in the log what has not returned in its time.
  private func check() {
    let now = ContinuousClock.now
    let late = state.withLock { state in
      var late: [Running] = []
      for (number, running) in state.running where !running.isOverdue && now - running.since >= longest {
        state.running[number]?.isOverdue = true
        late.append(running)
      }
      return late
    }
    for running in late {
      metrics.noteDecision(of: running.service, "overdue")
      logger.error(
        "a service has not returned: it holds a thread, and in a transaction a connection, until the server starts anew",
        metadata: metadata(of: running, seconds: (now - running.since).components.seconds))
    }
  }

  /// Checks until canceled: on an event loop, since closures without end may hold the threads of all tasks.
  func watch() async {
    let pause = TimeAmount.nanoseconds(max(10_000_000, min(1_000_000_000, Int64(longest / .nanoseconds(4)))))
    let checks = MultiThreadedEventLoopGroup.singleton.any().scheduleRepeatedTask(initialDelay: pause, delay: pause) {
      [self] _ in check()
    }
    while !Task.isCancelled { do { try await Task.sleep(for: .seconds(3600)) } catch { break } }
    checks.cancel()
  }
}
