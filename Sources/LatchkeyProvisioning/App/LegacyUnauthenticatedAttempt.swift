import CoreBluetooth
import Synchronization

/// One attempt to provision a device. It starts at its creation, and is canceled when its last reference is released.
public final class LegacyUnauthenticatedAttempt: Sendable {
  /// The steps, in their order, for one reader; the stream ends with the attempt.
  public let progress: AsyncStream<LegacyUnauthenticatedProgress>

  private let reporter: AttemptReporter
  private let operation = Mutex<CentralOperation?>(nil)

  init() {
    let (stream, continuation) = AsyncStream<LegacyUnauthenticatedProgress>.makeStream()
    progress = stream
    reporter = AttemptReporter(continuation)
  }

  deinit { cancel() }

  /// Waits until the link has ended and returns the device's answers. Canceling the calling task cancels the attempt.
  public func result() async throws(LegacyProvisioningError) -> LegacyUnauthenticatedResult {
    let result = await withTaskCancellationHandler {
      await reporter.result.value()
    } onCancel: {
      cancel()
    }
    return try result.get()
  }

  /// Ends the attempt with `cancelled`, unless it has ended already; keys are erased and the link is disconnected.
  public func cancel() {
    operation.withLock { $0 }?.cancel()
  }

  func start(_ operation: CentralOperation) {
    self.operation.withLock { $0 = operation }
    operation.start(reporting: reporter)
  }

  func end(_ result: AttemptReporter.Outcome) {
    reporter.end(result)
  }
}

/// Receives an attempt's progress and result.
final class AttemptReporter: Sendable {
  typealias Outcome = Result<LegacyUnauthenticatedResult, LegacyProvisioningError>

  let result = Promise<Outcome>()
  private let reports: AsyncStream<LegacyUnauthenticatedProgress>.Continuation

  init(_ reports: AsyncStream<LegacyUnauthenticatedProgress>.Continuation) { self.reports = reports }

  func report(_ progress: LegacyUnauthenticatedProgress) { reports.yield(progress) }

  func end(_ outcome: Outcome) {
    result.fulfill(outcome)
    reports.finish()
  }
}
