internal import LatchkeyEnrollmentStore
internal import Logging
internal import Metrics

/// Shares the limits of clients with the other servers of the store: each second one statement that reads what they counted, and one that
/// writes what was counted here, if there is any. No request waits for it, and a store that is slow or gone leaves each server with its
/// own limits. Alone, a server asks from time to time whether it still is.
actor SharedLimits {
  static let interval = Duration.seconds(1)
  /// The interval at which other servers are looked for, as often as they renew their names.
  static let lookInterval = NodeLease.interval
  /// The most clients of each limit in one exchange, the most used first. Others stay counted for the next.
  static let mostClients = 256

  private let services: Services
  private var exchange: LimitExchange
  private var digests: ClientDigests?
  /// The servers, this one included.
  private(set) var servers = 1
  private var hasFailed = false
  private var last: Task<Void, Never>?
  private let outcomes: [Outcome: Counter]

  private enum Outcome: String, CaseIterable {
    case done, late, failed
  }

  init(services: Services) {
    self.services = services
    exchange = LimitExchange(node: services.configuration.node, session: services.random(16))
    outcomes = Dictionary(
      uniqueKeysWithValues: Outcome.allCases.map {
        ($0, services.metrics.counter("latchkey_limit_exchanges_total", [("outcome", $0.rawValue)]))
      })
  }

  /// Runs until canceled.
  func run() async {
    let clock = ContinuousClock()
    var looked: ContinuousClock.Instant?
    while !Task.isCancelled {
      if looked.map({ clock.now - $0 >= Self.lookInterval }) ?? true {
        await look()
        looked = clock.now
      }
      if servers > 1 { await trade() }
      do { try await Task.sleep(for: servers > 1 ? Self.interval : Self.lookInterval) } catch { return }
    }
  }

  /// Looks for other servers.
  func look() async { await afterOthers { await $0.looking() } }

  /// Exchanges counts once.
  func trade() async { await afterOthers { await $0.trading() } }

  /// One after the other, so that a report is not overwritten by an older one.
  private func afterOthers(_ body: @escaping @Sendable (SharedLimits) async -> Void) async {
    let task = Task { [last] in
      await last?.value
      await body(self)
    }
    last = task
    await task.value
  }

  private func looking() async {
    let (node, now) = (services.configuration.node, services.now)
    do {
      let others = try await services.store.read { try $0.countNodes(otherThan: node, now: now) }
      let count = 1 + min(max(0, others), LimitExchange.mostReports)
      if count > 1, digests == nil { digests = ClientDigests(key: try await digestKey()) }
      servers = count
      guard let digests else { return }
      services.rates.share(servers: count, digests)
      services.loginPlaces.share(servers: count, digests)
    } catch {
      // As far as this server knows, it is alone, and shares nothing.
      if servers > 1 { note(.failed, error) }
    }
  }

  /// The key that all servers have, from the store; made by the first.
  private func digestKey() async throws -> [UInt8] {
    let fresh = services.random(ClientDigests.keySize)
    return try await services.store.write { store in
      if let known = try store.setting(ClientDigests.setting), known.count == fresh.count { return known }
      try store.setSetting(ClientDigests.setting, to: fresh)
      return fresh
    }
  }

  private func trading() async {
    guard servers > 1 else { return }
    let began = ContinuousClock.now
    let time = services.time
    exchange.add(
      services.loginPlaces.collect(limit: Self.mostClients, now: time)
        + services.rates.collect(limit: Self.mostClients, now: time), now: services.now)
    do {
      if let report = exchange.report(now: services.now) {
        try await services.store.write { try $0.setLimitReport(report) }
        exchange.note(stored: report)
      }
      let (node, now) = (services.configuration.node, services.now)
      let reports = try await services.store.read {
        try $0.limitReports(otherThan: node, now: now, limit: LimitExchange.mostReports)
      }
      for use in exchange.news(in: reports) {
        services.rates.charge(use, now: services.time)
        services.loginPlaces.charge(use, now: services.time)
      }
      note(ContinuousClock.now - began > Self.interval ? .late : .done)
    } catch {
      note(.failed, error)
    }
  }

  /// Counts an exchange, and logs the first that fails and the first that succeeds again.
  private func note(_ outcome: Outcome, _ error: (any Error)? = nil) {
    outcomes[outcome]?.increment()
    if let error {
      if case .closed? = error as? EnrollmentStoreError { return }
      if !hasFailed {
        services.logger.warning(
          "limits are not shared with other servers: each counts for itself until the store answers again",
          metadata: ["error": "\(error)"])
      }
      hasFailed = true
    } else if hasFailed {
      hasFailed = false
      services.logger.notice("limits are shared with other servers again")
    }
  }
}
