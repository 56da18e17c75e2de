import Dispatch
import Foundation
package import LatchkeyKeychainModel
import Synchronization

/// Handles SIGINT and SIGTERM: the command's task is canceled, so that it ends as after any failure, with links and
/// advertisements closed; then the process ends with 128 and the signal's number, as shells expect.
package enum Interruption {
  private static let signals = [SIGINT, SIGTERM]
  /// Canceled by the first signal.
  private static let arrival = Cancellation()

  /// Runs `body`, which blocks while a user is asked; a signal cancels `cancellation` meanwhile.
  package static func withdrawing<Value, Failure: Error>(
    _ cancellation: Cancellation, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try arrival.withHandler(onCancel: { cancellation.cancel() }, body)
  }

  /// Runs `body` in a task that the signals cancel.
  ///
  /// - Parameter isFailure: whether a signal ends the process with its own status, after `body` has returned; if not, what `body`
  ///   returns or throws counts.
  /// - Throws: what `body` throws.
  package static func cancelling(
    isFailure: Bool = true, _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    let received = Received()
    let sources = listen { number in
      received.record(number)
      arrival.cancel()
    }
    let task = Task { try await body() }
    received.cancel(task)
    let result = await task.result
    for source in sources { source.cancel() }
    if isFailure, let number = received.number { Foundation.exit(128 + number) }
    try result.get()
  }

  /// Calls `receive` for each signal from now on. Until the sources are registered, a signal ends the process: if the signals were
  /// ignored first, as is usual, one that comes in between would be lost.
  private static func listen(_ receive: @escaping @Sendable (Int32) -> Void) -> [any DispatchSourceSignal] {
    let registration = DispatchGroup()
    let sources = signals.map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { receive(number) }
      registration.enter()
      source.setRegistrationHandler { registration.leave() }
      source.activate()
      return source
    }
    registration.wait()
    for number in signals {
      var action = sigaction()
      // On Linux Dispatch has installed a handler, without which it would receive nothing.
      guard sigaction(number, nil, &action) == 0, action.__sigaction_handler.sa_handler == nil else { continue }
      signal(number, SIG_IGN)
    }
    return sources
  }

  /// The first signal, and the task that it cancels.
  private final class Received: Sendable {
    private let state = Mutex<(number: Int32?, task: Task<Void, any Error>?)>((nil, nil))
    var number: Int32? { state.withLock { $0.number } }

    func record(_ number: Int32) {
      let task = state.withLock { state in
        state.number = state.number ?? number
        return state.task
      }
      task?.cancel()
    }

    func cancel(_ task: Task<Void, any Error>) {
      let isLate = state.withLock { state in
        state.task = task
        return state.number != nil
      }
      if isLate { task.cancel() }
    }
  }
}
