import Dispatch
import Foundation
import Synchronization

/// What a command does at SIGINT and SIGTERM: its task is cancelled, so that it ends as after any failure, links and
/// advertisements taken down; then the process ends with 128 and the signal's number, as shells expect.
enum Interruption {
  private static let signals = [SIGINT, SIGTERM]

  /// Runs `body` in a task that the signals cancel.
  ///
  /// - Throws: what `body` throws, unless a signal came: then this ends the process after `body` has returned.
  static func cancelling(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let task = Task { try await body() }
    let received = Received()
    let sources = signals.map { number in
      // Without this the default action would still end the process.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        received.take(number)
        task.cancel()
      }
      source.activate()
      return source
    }
    let result = await task.result
    for source in sources { source.cancel() }
    if let number = received.number { Foundation.exit(128 + number) }
    try result.get()
  }

  private final class Received: Sendable {
    private let state = Mutex<Int32?>(nil)
    var number: Int32? { state.withLock { $0 } }
    func take(_ number: Int32) { state.withLock { $0 = $0 ?? number } }
  }
}
