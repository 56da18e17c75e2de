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

  func run(in transaction: any StoreTransaction) throws -> Outcome {
    guard let (issued, device) = try transaction.certificate(fingerprint: certificate) else {
      return .refused(Problem(.notAuthenticated))
    }
    if device.revoked != nil || issued.revoked != nil { return .refused(Problem(.revoked)) }
    guard issued.notAfter > now else { return .refused(Problem(.notAuthenticated)) }
    guard signature.keyID == device.id.description, signature.publicKey == device.identityKey else { return .otherKey }
    let scope = AnswerScope.requests(to: service, of: device.user)
    if let answer = try transaction.answer(to: key.text, scope: scope) {
      guard answer.digest == digest else { return .refused(Self.mismatch) }
      return .replayed(status: answer.status, body: answer.body)
    }
    guard try transaction.claimNonce(nonce, device: device.id, expires: nonceEnd) else {
      return .refused(Problem(.replayed, detail: "sign each try with a fresh nonce"))
    }
    let signed = SignedTransaction(
      transaction, service: service, now: now, device: device, approval: approval, challenge: challenge,
      policy: policy)
    switch try decide(signed) {
    case .refused(let problem): return .refused(problem)
    case .kept(let decided):
      let answer = StoredAnswer(
        digest: digest, status: decided.status, body: decided.body, expires: now + policy.answerLifetime)
      guard try transaction.addAnswer(answer, to: key.text, scope: scope) else {
        // Another server decided concurrently; a serializable store never gets here.
        throw EnrollmentStoreError.contention
      }
      return .decided(status: decided.status, body: decided.body)
    }
  }

  private var nonce: Nonce { Nonce(signature.nonce.utf8) }

  /// Until when the nonce must not be reused: one second longer than any clock accepts the signature.
  private var nonceEnd: Int64 { signature.created + policy.window.lifetime + policy.window.skew + 1 }

  private static let mismatch = Problem(
    .idempotencyMismatch, detail: "this Idempotency-Key came with another request; use a fresh one for each request")
}
