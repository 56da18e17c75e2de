internal import LatchkeyEnrollmentStore
internal import Logging

/// The maintenance of each minute: deletes what has expired, so that a store does not grow with every login and transfer: tokens,
/// challenges, nonces, stored answers;
/// and notes the ends of the audit chains, a last time at the end.
struct Maintenance: Sendable {
  /// So many of each in one transaction: others wait for no more.
  static let batch = 500

  let services: Services
  let interval: Duration
  /// The ends of the audit chains are noted each time, as far as there is anything new.
  private let heads: AuditHeads

  init(services: Services, interval: Duration = .seconds(60)) {
    self.services = services
    self.interval = interval
    heads = AuditHeads(services: services)
  }

  /// Cleans up again and again, until cancelled. What goes wrong is tried again the next time.
  func run() async {
    while !Task.isCancelled {
      do {
        try await clean()
      } catch {
        services.logger.warning("what has ended could not be forgotten", metadata: ["error": "\(error)"])
      }
      do {
        try await heads.note()
      } catch {
        services.logger.warning("the audit chains' ends could not be noted", metadata: ["error": "\(error)"])
      }
      do { try await Task.sleep(for: interval) } catch { break }
    }
    // What came since the last time: else it could be cut while no server runs. Not in this task, whose writes are cancelled.
    do {
      try await Task { try await heads.note() }.value
    } catch {
      services.logger.warning("the audit chains' ends could not be noted at the end", metadata: ["error": "\(error)"])
    }
  }

  /// Forgets all that has ended by now, a batch at a time.
  func clean() async throws {
    let now = services.now
    while try await services.store.write({ try $0.forgetEnded(now: now, limit: Self.batch) }) >= Self.batch {
      guard !Task.isCancelled else { return }
    }
  }
}
