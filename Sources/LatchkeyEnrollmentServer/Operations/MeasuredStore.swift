internal import LatchkeyEnrollmentStore
internal import Metrics
internal import Synchronization

/// A store whose calls are counted and timed, and whose audit entries are counted once they are committed: what a body of an attempt
/// that was undone has written counts nowhere.
struct MeasuredStore: EnrollmentStore, LimitedStore {
  private let base: any EnrollmentStore
  private let metrics: StoreMetrics

  init(_ base: any EnrollmentStore, factory: any MetricsFactory) {
    self.base = base
    metrics = StoreMetrics(factory: factory)
  }

  func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
    let began = ContinuousClock.now
    do {
      let result = try await base.read(body)
      metrics.reads.recordNanoseconds(Self.nanoseconds(since: began))
      return result
    } catch {
      metrics.note(error)
      throw error
    }
  }

  func write<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
    let began = ContinuousClock.now
    let attempts = Attempts()
    do {
      let result = try await base.write { store in
        attempts.begin()
        let result = try body(store)
        attempts.note((store as? SQLTransaction)?.audited ?? [])
        return result
      }
      metrics.writes.recordNanoseconds(Self.nanoseconds(since: began))
      metrics.note(attempts.entries, retries: attempts.count - 1)
      return result
    } catch {
      metrics.note([], retries: attempts.count - 1)
      metrics.note(error)
      throw error
    }
  }

  func close() async { await base.close() }

  func limitTransactions(to longest: Duration) { (base as? any LimitedStore)?.limitTransactions(to: longest) }

  private static func nanoseconds(since began: ContinuousClock.Instant) -> Int64 {
    let (seconds, attoseconds) = (ContinuousClock.now - began).components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  /// The attempts of one write.
  private final class Attempts: Sendable {
    private let state = Mutex<(count: Int, entries: [AuditEntry])>((0, []))

    var count: Int { state.withLock { $0.count } }
    var entries: [AuditEntry] { state.withLock { $0.entries } }
    func begin() { state.withLock { $0 = ($0.count + 1, []) } }
    func note(_ entries: [AuditEntry]) { if !entries.isEmpty { state.withLock { $0.entries = entries } } }
  }
}

/// What happened by the audit entries that were committed, and how the store did. Labels are words of this program.
final class StoreMetrics: Sendable {
  let reads: Timer
  let writes: Timer
  private let factory: any MetricsFactory
  private let retries: Counter
  private let counters = Mutex<[String: Counter]>([:])

  init(factory: any MetricsFactory) {
    self.factory = factory
    reads = Timer(label: "latchkey_store_seconds", dimensions: [("operation", "read")], factory: factory)
    writes = Timer(label: "latchkey_store_seconds", dimensions: [("operation", "write")], factory: factory)
    retries = Counter(label: "latchkey_store_retries_total", factory: factory)
    // These series are there from the start: a rate over one that appears with its first event misses that event.
    for method in ["password", "key", "certificate"] { count("latchkey_logins_total", "method", method, by: 0) }
    for reason in Self.refusals { count("latchkey_logins_refused_total", "reason", reason, by: 0) }
    for why in ["registration", "renewal"] { count("latchkey_certificates_issued_total", "by", why, by: 0) }
    for what in ["device", "certificate"] { count("latchkey_revocations_total", "of", what, by: 0) }
    for reason in ["contention", "unavailable", "damaged"] {
      count("latchkey_store_failures_total", "reason", reason, by: 0)
    }
    count("latchkey_users_locked_total", by: 0)
  }

  /// Counts what a committed write did.
  func note(_ entries: [AuditEntry], retries: Int) {
    if retries > 0 { self.retries.increment(by: retries) }
    for entry in entries { note(entry) }
  }

  /// Counts a failure of the store; a refusal of the body is none.
  func note(_ error: any Error) {
    guard let error = error as? EnrollmentStoreError else { return }
    switch error {
    case .contention: count("latchkey_store_failures_total", "reason", "contention")
    case .unavailable: count("latchkey_store_failures_total", "reason", "unavailable")
    case .damaged: count("latchkey_store_failures_total", "reason", "damaged")
    case .unsupportedVersion, .olderThanRevocations, .closed, .misuse: break
    }
  }

  private static let refusals = ["wrong password", "locked", "disabled", "unknown user", "other"]

  private func note(_ entry: AuditEntry) {
    switch entry.event {
    case "login.password": count("latchkey_logins_total", "method", "password")
    case "login.key": count("latchkey_logins_total", "method", "key")
    case "login.certificate": count("latchkey_logins_total", "method", "certificate")
    case "login.refused":
      let reason = entry.fields["reason"].flatMap { Self.refusals.contains($0) ? $0 : nil } ?? "other"
      count("latchkey_logins_refused_total", "reason", reason)
      // Those that had no entry of their own: of whatever reason.
      if let others = entry.fields["others"].flatMap({ Int($0) }), others > 0 {
        count("latchkey_logins_refused_total", "reason", "other", by: others)
      }
      if entry.fields["locked_until"] != nil { count("latchkey_users_locked_total") }
    case "device.registered": count("latchkey_certificates_issued_total", "by", "registration")
    case "certificate.renewed": count("latchkey_certificates_issued_total", "by", "renewal")
    case "device.revoked": count("latchkey_revocations_total", "of", "device")
    case "certificate.revoked": count("latchkey_revocations_total", "of", "certificate")
    default: break
    }
  }

  private func count(_ name: String, _ label: String? = nil, _ value: String = "", by amount: Int = 1) {
    let counter = counters.withLock { counters in
      let key = "\(name) \(value)"
      if let known = counters[key] { return known }
      let new = Counter(label: name, dimensions: label.map { [($0, value)] } ?? [], factory: factory)
      counters[key] = new
      return new
    }
    counter.increment(by: amount)
  }
}
