import CoreBluetooth
import Synchronization

/// One attempt to provision a device, under way since it was made. It is given up when nobody holds it any more.
public final class LegacyUnauthenticatedAttempt: Sendable {
  /// The steps, in their order; it ends with the attempt. It is meant for one reader.
  public let progress: AsyncStream<LegacyUnauthenticatedProgress>

  private let reporter: AttemptReporter
  private let operation = Mutex<CentralOperation?>(nil)

  init() {
    let (stream, continuation) = AsyncStream<LegacyUnauthenticatedProgress>.makeStream()
    progress = stream
    reporter = AttemptReporter(continuation)
  }

  deinit { cancel() }

  /// What the device answered, once the link is down again. Cancelling the calling task cancels the attempt.
  public func result() async throws(LegacyProvisioningError) -> LegacyUnauthenticatedResult {
    let result = await withTaskCancellationHandler {
      await reporter.result.value()
    } onCancel: {
      cancel()
    }
    return try result.get()
  }

  /// Gives the attempt up: it ends with `cancelled`, unless it has ended already; keys are erased and the link is taken down.
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

/// Where an attempt's progress and result arrive.
final class AttemptReporter: Sendable {
  typealias Outcome = Result<LegacyUnauthenticatedResult, LegacyProvisioningError>

  let result = Promise<Outcome>()
  private let reports: AsyncStream<LegacyUnauthenticatedProgress>.Continuation

  init(_ reports: AsyncStream<LegacyUnauthenticatedProgress>.Continuation) { self.reports = reports }

  func report(_ progress: LegacyUnauthenticatedProgress) { reports.yield(progress) }

  func end(_ outcome: Outcome) {
    result.keep(outcome)
    reports.finish()
  }
}
