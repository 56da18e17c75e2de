package import LatchkeyEnrollmentProtocol
package import LatchkeyEnrollmentStore
internal import Synchronization

/// Maps certificates to devices and decides whether they are valid; used by every request.
///
/// Revocations by this server apply at once (``forget()``), those by others within the staleness: the store's revocation epoch
/// is read at that interval, by one shared request and ahead of time, so that under load no request waits for it. If the store
/// does not respond, no device is authenticated. Operations that move money verify again inside their transaction.
package final class DeviceDirectory: Sendable {
  private let store: any EnrollmentStore
  private let staleness: Duration
  private let takes: @Sendable (_ identityEvidence: String?) -> Bool
  private let clock: @Sendable () -> ContinuousClock.Instant
  private let state: Mutex<State>

  private struct State {
    var certificates: CertificateCache
    /// The epoch at which `certificates` were read.
    var epoch: Int64 = -1
    /// When the read that last confirmed the epoch began.
    var confirmed: ContinuousClock.Instant?
    /// The number of times that the cache was cleared; results read before must not be inserted afterwards.
    var generation = 0
    var refresh: Task<Void, any Error>?
  }

  /// Creates a directory over `store`.
  ///
  /// - Parameters:
  ///   - capacity: the approximate number of cached certificates.
  ///   - takes: whether a device is accepted whose key has this evidence.
  ///   - clock: for tests.
  package init(
    _ store: any EnrollmentStore, staleness: Duration, capacity: Int = 65_536,
    takes: @escaping @Sendable (_ identityEvidence: String?) -> Bool = { _ in true },
    clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.store = store
    self.staleness = staleness
    self.takes = takes
    self.clock = clock
    state = Mutex(State(certificates: CertificateCache(capacity: capacity)))
  }

  /// Looks up the device of a certificate.
  ///
  /// - Parameters:
  ///   - fingerprint: SHA-256 of the certificate.
  ///   - now: seconds since 1970.
  /// - Throws: ``Problem``: `.revoked`, `.notAuthenticated` for a certificate that was not issued here or has expired,
  ///   `.notPermitted` for a key that is not attested as the policy requires; errors of the store.
  package func device(fingerprint: Fingerprint, now: Int64) async throws -> AuthenticatedDevice {
    if let known = try cached(fingerprint: fingerprint, now: now) { return known }
    if !isConfirmed {
      try await refreshed()
      if let known = try cached(fingerprint: fingerprint, now: now) { return known }
    }
    return try counted(try await load(fingerprint).device(at: now))
  }

  /// The device of a certificate from the cache, without waiting; nil if ``device(fingerprint:now:)`` must be called.
  package func cached(fingerprint: Fingerprint, now: Int64) throws(Problem) -> AuthenticatedDevice? {
    let time = clock()
    let known: KnownCertificate? = state.withLock { state in
      guard let confirmed = state.confirmed else { return nil }
      let age = time - confirmed
      guard age < staleness else { return nil }
      if age * 2 >= staleness, state.refresh == nil { startRefresh(&state) }
      return state.certificates.find(fingerprint, at: time)
    }
    guard let device = try known?.device(at: now) else { return nil }
    return try counted(device)
  }

  private func counted(_ device: AuthenticatedDevice) throws(Problem) -> AuthenticatedDevice {
    guard takes(device.identityEvidence) else {
      throw Problem(
        .notPermitted,
        detail: "this server takes devices whose identity key is attested, and this one's is not; enroll again")
    }
    return device
  }

  /// Clears the cache after a change. Call it after the change is committed, before it is answered.
  package func forget() {
    state.withLock {
      $0.certificates.removeAll()
      $0.generation += 1
    }
  }

  /// Removes these certificates from the cache, after they were revoked or their device changed.
  package func forget(_ fingerprints: [Fingerprint]) {
    state.withLock {
      for fingerprint in fingerprints { $0.certificates.remove(fingerprint) }
      $0.generation += 1
    }
  }

  // MARK: Asking the store

  private var isConfirmed: Bool {
    let time = clock()
    return state.withLock { $0.confirmed.map { time - $0 < staleness } ?? false }
  }

  /// Waits for a read of the epoch; all waiting callers share one read.
  private func refreshed() async throws {
    let task = state.withLock { $0.refresh ?? startRefresh(&$0) }
    try await task.value
  }

  @discardableResult
  private func startRefresh(_ state: inout State) -> Task<Void, any Error> {
    let task = Task { [self] in
      let begun = clock()
      do {
        let epoch = try await store.read { try $0.revocationEpoch() }
        self.state.withLock {
          $0.refresh = nil
          Self.confirm(epoch, at: begun, &$0)
        }
      } catch {
        self.state.withLock { $0.refresh = nil }
        throw error
      }
    }
    state.refresh = task
    return task
  }

  private func load(_ fingerprint: Fingerprint) async throws -> KnownCertificate {
    let begun = clock()
    let generation = state.withLock { $0.generation }
    let (epoch, known) = try await store.read {
      (try $0.revocationEpoch(), KnownCertificate(try $0.certificate(fingerprint: fingerprint)))
    }
    state.withLock {
      Self.confirm(epoch, at: begun, &$0)
      guard $0.generation == generation, $0.epoch == epoch else { return }
      $0.certificates.insert(known, fingerprint, at: begun)
    }
    return known
  }

  /// Applies an epoch that was read: a newer one invalidates the cache, an older one is outdated and ignored.
  private static func confirm(_ epoch: Int64, at begun: ContinuousClock.Instant, _ state: inout State) {
    guard epoch >= state.epoch else { return }
    if epoch > state.epoch { state.certificates.removeAll() }
    state.epoch = epoch
    state.confirmed = max(state.confirmed ?? begun, begun)
  }
}
