internal import EnrollmentStore
internal import Foundation
internal import Logging
internal import Synchronization

/// Says in the log why the store does not do what it is asked: clients hear only that they are to try again. Each reason is logged
/// when it comes, and again at most every ten seconds with how often it came since, so that a full disk is not filled by its own log.
final class StoreTrouble: Sendable {
  private struct Reason {
    var next: Date
    var silent = 0
  }

  private static let interval = 10.0
  /// Reasons that are told apart.
  private static let most = 64

  private let logger: Logger
  private let reasons = Mutex<[String: Reason]>([:])

  private let clock: @Sendable () -> Date

  init(logger: Logger, clock: @escaping @Sendable () -> Date) {
    self.logger = logger
    self.clock = clock
  }

  /// An error was thrown; those of the store are logged.
  func note(_ error: any Error) {
    let now = clock()
    guard let error = error as? EnrollmentStoreError, let text = Self.text(of: error) else { return }
    let before: Int? = reasons.withLock { reasons in
      if reasons.count >= Self.most, reasons[text] == nil { reasons = [:] }
      var reason = reasons[text] ?? Reason(next: now)
      defer { reasons[text] = reason }
      guard now >= reason.next else {
        reason.silent += 1
        return nil
      }
      let before = reason.silent
      reason = Reason(next: now.addingTimeInterval(Self.interval))
      return before
    }
    guard let before else { return }
    logger.error("the store does not serve", metadata: ["reason": "\(text)", "before": "\(before)"])
  }

  private static func text(of error: EnrollmentStoreError) -> String? {
    switch error {
    case .unavailable(let reason): reason
    case .contention: "others change the same rows all the time"
    // The server ends; or the error has no problem for clients, and is logged with its request.
    case .closed, .damaged, .unsupportedVersion, .olderThanRevocations, .misuse: nil
    }
  }
}
