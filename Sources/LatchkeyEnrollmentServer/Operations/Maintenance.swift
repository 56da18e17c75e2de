internal import LatchkeyEnrollmentStore
internal import Logging

/// The maintenance of each minute: deletes what has expired, so that a store does not grow with every login and transfer: tokens,
/// challenges, nonces, stored answers;
/// and notes the ends of the audit chains, a last time at the end.
struct Maintenance: Sendable {
  /// The number of rows of each kind per transaction, which bounds the wait of others.
  static let batch = 500
  /// The number of transactions for each service and minute, also where a service says each time that there is more.
  static let mostBatches = 100

  let services: Services
  let interval: Duration
  /// Records the ends of the audit chains if there are new entries.
  private let heads: AuditHeads

  init(services: Services, interval: Duration = .seconds(60)) {
    self.services = services
    self.interval = interval
    heads = AuditHeads(services: services)
  }

  /// Runs until canceled. Failures are retried the next time.
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
      do {
        try await StoreGauges(services: services).refresh()
      } catch {
        services.logger.warning("the store's metrics could not be read", metadata: ["error": "\(error)"])
      }
      do { try await Task.sleep(for: interval) } catch { break }
    }
    // Records the entries since the last time, which could otherwise be cut off while no server runs. Not in this task, whose
    // writes are canceled.
    do {
      try await Task { try await heads.note() }.value
    } catch {
      services.logger.warning("the audit chains' ends could not be noted at the end", metadata: ["error": "\(error)"])
    }
  }

  /// Deletes all expired rows, in batches.
  func clean() async throws {
    let now = services.now
    while try await services.store.write({ try $0.forgetEnded(now: now, limit: Self.batch) }) >= Self.batch {
      guard !Task.isCancelled else { return }
    }
    for service in services.configuration.services {
      // One that fails is not in the way of the others.
      do { try await clean(service, now: now) } catch {
        services.logger.warning(
          "what has ended could not be forgotten", metadata: ["service": "\(service.name)", "error": "\(error)"])
      }
    }
  }

  private func clean(_ service: any DeviceService, now: Int64) async throws {
    let watch = services.serviceWatch
    for _ in 0..<Self.mostBatches where !Task.isCancelled {
      let count = try await services.store.write { store in
        let transaction = ServiceTransaction(store, service: service.name, now: now)
        defer { transaction.end() }
        return try watch.run(service.name, "forgetEnded") {
          try service.forgetEnded(in: transaction, limit: Self.batch)
        }
      }
      guard count >= Self.batch else { return }
    }
  }
}
