internal import Foundation
internal import LatchkeyEnrollmentStore
internal import Logging
internal import Synchronization

/// Logs the causes of failed requests, which clients do not learn. Each cause is logged at once, and again at most every ten
/// seconds with the number of its occurrences since, so that a failing disk or store does not fill the log.
final class Trouble: Sendable {
  private struct Reason {
    var next: Date
    var silent = 0
  }

  private static let interval = 10.0
  /// The limit of distinct causes; further ones within the interval count as one.
  private static let most = 64
  private static let others = "several"

  private let logger: Logger
  private let reasons = Mutex<[String: Reason]>([:])

  private let clock: @Sendable () -> Date

  init(logger: Logger, clock: @escaping @Sendable () -> Date) {
    self.logger = logger
    self.clock = clock
  }

  /// Logs an error unless it is a refusal.
  ///
  /// - Parameter request: the request's ID in the log, if there is one.
  func note(_ error: any Error, of request: String? = nil) {
    guard let (event, reason) = Self.event(of: error), let before = turn(of: reason) else { return }
    var metadata: Logger.Metadata = ["reason": "\(reason)", "before": "\(before)"]
    if let request { metadata["request"] = "\(request)" }
    logger.error(event, metadata: metadata)
  }

  /// The number of occurrences since a cause was last logged; nil if it is not to be logged now.
  private func turn(of text: String) -> Int? {
    let now = clock()
    return reasons.withLock { reasons in
      if reasons.count >= Self.most { reasons = reasons.filter { now < $0.value.next } }
      let key = reasons.count < Self.most || reasons[text] != nil ? text : Self.others
      var reason = reasons[key] ?? Reason(next: now)
      defer { reasons[key] = reason }
      guard now >= reason.next else {
        reason.silent += 1
        return nil
      }
      let before = reason.silent
      reason = Reason(next: now.addingTimeInterval(Self.interval))
      return before
    }
  }

  private static func event(of error: any Error) -> (event: Logger.Message, reason: String)? {
    if let error = error as? EnrollmentStoreError {
      return reason(of: error).map { ("the store does not serve", $0) }
    }
    guard ProblemAnswer.problem(of: error) == nil else { return nil }
    return ("a request failed", String(reflecting: error))
  }

  private static func reason(of error: EnrollmentStoreError) -> String? {
    switch error {
    case .unavailable(let reason): reason
    case .contention: "others change the same rows all the time"
    case .damaged(let reason), .olderThanRevocations(let reason), .misuse(let reason): reason
    case .unsupportedVersion(let version): "version \(version) is not this program's"
    // The server is shutting down.
    case .closed: nil
    }
  }
}
