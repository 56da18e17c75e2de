package import LatchkeyEnrollmentProtocol
package import LatchkeyEnrollmentStore
internal import Synchronization

/// Which device a certificate is, and whether it still counts: asked for every request.
///
/// What this server revokes counts at once (``forget()``); what another one does, within the staleness: the store's revocation
/// epoch is looked at that often, by one request for all, and ahead of time, so that while requests come none waits for it. Where
/// the store does not answer, nobody is known. Verbs that move money look again, inside their transaction.
package final class DeviceDirectory: Sendable {
  private let store: any EnrollmentStore
  private let staleness: Duration
  private let takes: @Sendable (_ identityEvidence: String?) -> Bool
  private let clock: @Sendable () -> ContinuousClock.Instant
  private let state: Mutex<State>

  private struct State {
    var certificates: CertificateCache
    /// The epoch that `certificates` were read at.
    var epoch: Int64 = -1
    /// When a look at the epoch began that found it so.
    var confirmed: ContinuousClock.Instant?
    /// How often all was forgotten: what was read before must not come back.
    var generation = 0
    var refresh: Task<Void, any Error>?
  }

  /// A directory of what `store` knows.
  ///
  /// - Parameters:
  ///   - capacity: certificates that are remembered, about.
  ///   - takes: whether a device counts whose key has this evidence.
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

  /// The device of a certificate.
  ///
  /// - Parameters:
  ///   - fingerprint: SHA-256 of the certificate.
  ///   - now: seconds since 1970.
  /// - Throws: ``Problem``: `.revoked`, `.notAuthenticated` for a certificate that was not issued here or has ended,
  ///   `.notPermitted` for a key that is not attested as the policy wants; what the
  ///   store throws.
  package func device(fingerprint: Fingerprint, now: Int64) async throws -> AuthenticatedDevice {
    if let known = try cached(fingerprint: fingerprint, now: now) { return known }
    if !isConfirmed {
      try await refreshed()
      if let known = try cached(fingerprint: fingerprint, now: now) { return known }
    }
    return try counted(try await load(fingerprint).device(at: now))
  }

  /// The device of a certificate, if that can be told without asking the store; nil where ``device(fingerprint:now:)`` must be
  /// asked. Waits for nothing.
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

  /// Forgets all that is known of certificates: something changed. To be called after the change is kept, before it is answered.
  package func forget() {
    state.withLock {
      $0.certificates.removeAll()
      $0.generation += 1
    }
  }

  /// Forgets these certificates alone: they were revoked, or something about their device changed.
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

  /// Waits until the epoch was looked at; all who wait share one look.
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

  /// An epoch was read: a new one makes all that was known old; an old one is news from before.
  private static func confirm(_ epoch: Int64, at begun: ContinuousClock.Instant, _ state: inout State) {
    guard epoch >= state.epoch else { return }
    if epoch > state.epoch { state.certificates.removeAll() }
    state.epoch = epoch
    state.confirmed = max(state.confirmed ?? begun, begun)
  }
}
