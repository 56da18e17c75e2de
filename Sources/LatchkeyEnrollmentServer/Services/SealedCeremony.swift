internal import Foundation
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import LatchkeySealedMessages

/// One signed request to a service, decided in one transaction: authentication, idempotency, the service's decision, and the
/// kept answer. After a power failure either all of it is stored, or nothing.
///
/// The signature was verified before, outside; whether its key is still the device's is decided here, since the device may have
/// changed it at another server meanwhile. Nothing here is slow, and no clock or random source is read, since the transaction
/// may run more than once.
struct SealedCeremony: Sendable {
  let service: String
  let key: IdempotencyKey
  let digest: RequestDigest
  /// The certificate of the request's connection.
  let certificate: Fingerprint
  /// The content of the request's signature, and the key that verified it; only the verifier creates this value.
  let signature: SealedProfile.Verified
  let approval: Approval?
  /// A challenge to issue if an approval is missing.
  let challenge: ChallengeRecord
  let now: Int64
  let policy: ServerPolicy
  let decide: ServiceRoute.Decision

  /// The result of the ceremony.
  enum Outcome: Sendable {
    /// Decided now; the response is stored.
    case decided(status: Int, body: [UInt8])
    /// Decided before; the stored response is repeated.
    case replayed(status: Int, body: [UInt8])
    /// Not decided; no response is stored.
    case refused(Problem)
    /// The signing key is not the device's current one; nothing is stored.
    case otherKey
  }

  /// The same request was decided before: undoes what was decided now.
  private struct Repeated: Error {
    let outcome: Outcome
  }

  /// The service wrote something, and then refused: undoes what it wrote.
  private struct Undone: Error {
    let problem: Problem
    /// What it asked an approval of.
    let approved: ApprovedDigest?

    /// Refuses the request again, with nothing of what the service wrote: the nonce, the approval and the challenge are used up and
    /// issued as by any other refusal.
    @Sendable func decide(in store: SignedTransaction) throws -> ServiceDecision {
      if let approved { _ = try store.missingApproval(of: approved) }
      return .refused(problem)
    }
  }

  /// Decides the request in one transaction of `store`.
  ///
  /// A refusal after the service wrote something takes a second one. A savepoint in each would do, too, but most services decide first,
  /// and a savepoint costs the database something each time (`BatchRun`).
  func perform(in store: any EnrollmentStore) async throws -> Outcome {
    do {
      return try await perform(decide, in: store)
    } catch let undone as Undone {
      return try await perform(undone.decide, in: store)
    }
  }

  private func perform(_ decide: @escaping ServiceRoute.Decision, in store: any EnrollmentStore) async throws -> Outcome
  {
    do {
      return try await store.write { try run(decide, in: $0) }
    } catch let repeated as Repeated {
      return repeated.outcome
    }
  }

  /// Nothing is looked up to learn whether the request is new: the request that claims the nonce and the key has decided it, and what a
  /// repetition decided is undone. A search for a row that is not there yet would be, to a serializable database, in conflict with
  /// everybody who adds rows beside it.
  private func run(_ decide: ServiceRoute.Decision, in transaction: any StoreTransaction) throws -> Outcome {
    guard let (issued, device) = try transaction.certificate(fingerprint: certificate) else {
      return .refused(Problem(.notAuthenticated))
    }
    if device.revoked != nil || issued.revoked != nil { return .refused(Problem(.revoked)) }
    // Disabled at another server, perhaps, since this one looked.
    if device.isUserDisabled { return .refused(KnownCertificate.ofDisabledUser) }
    guard issued.notAfter > now else { return .refused(Problem(.notAuthenticated)) }
    guard signature.keyID == device.id.description, signature.publicKey == device.identityKey else { return .otherKey }
    let scope = AnswerScope.requests(to: service, of: device.user)
    let claim = try transaction.beginClaim(of: nonce, device: device.id, expires: nonceEnd)
    let signed = SignedTransaction(
      transaction, service: service, now: now, device: device, approval: approval, challenge: challenge,
      policy: policy)
    defer { signed.end() }
    let decision: ServiceDecision
    do { decision = try decide(signed) } catch {
      throw (try? repetition(in: transaction, scope: scope)) ?? error
    }
    guard try claim.take() else {
      throw try repetition(in: transaction, scope: scope) ?? Repeated(outcome: .refused(Self.replayed))
    }
    switch decision {
    case .refused(let problem):
      if let repetition = try repetition(in: transaction, scope: scope) { throw repetition }
      guard !signed.hasWritten else { throw Undone(problem: problem, approved: signed.asked?.content) }
      return .refused(problem)
    case .kept(let decided):
      let answer = StoredAnswer(
        digest: digest, status: decided.status, body: decided.body, expires: now + policy.answerLifetime)
      guard try transaction.addAnswer(answer, to: key.text, scope: scope) else {
        throw try repetition(in: transaction, scope: scope) ?? EnrollmentStoreError.contention
      }
      return .decided(status: decided.status, body: decided.body)
    }
  }

  /// What was answered before to a request of this key; nil if nothing was.
  private func repetition(in transaction: any StoreTransaction, scope: String) throws -> Repeated? {
    guard let answer = try transaction.answer(to: key.text, scope: scope) else { return nil }
    guard answer.digest == digest else { return Repeated(outcome: .refused(Self.mismatch)) }
    return Repeated(outcome: .replayed(status: answer.status, body: answer.body))
  }

  private static let replayed = Problem(.replayed, detail: "sign each try with a fresh nonce")

  private var nonce: Nonce { Nonce(signature.nonce.utf8) }

  /// Until when the nonce must not be reused: one second longer than any clock accepts the signature.
  private var nonceEnd: Int64 { signature.created + policy.window.lifetime + policy.window.skew + 1 }

  private static let mismatch = Problem(
    .idempotencyMismatch, detail: "this Idempotency-Key came with another request; use a fresh one for each request")
}
