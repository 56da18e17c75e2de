internal import Foundation
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import LatchkeySealedMessages

/// One transfer, decided in one transaction: authentication, idempotency, approval, ledger, audit chain and the stored
/// response. After a power failure either all of it is stored, or nothing.
///
/// The signature was verified before, outside; whether its key is still the device's is decided here, since the device may have
/// changed it at another server meanwhile. Nothing here is slow, and no clock or random source is read, since the transaction
/// may run more than once.
struct TransferCeremony: Sendable {
  let transfer: Transfer
  let key: IdempotencyKey
  let digest: RequestDigest
  /// The certificate of the request's connection.
  let certificate: Fingerprint
  /// The content of the request's signature, and the key that verified it; only the verifier creates this value.
  let signature: SealedProfile.Verified
  let approval: Approval?
  /// A challenge to issue if the transfer requires an approval.
  let challenge: ChallengeRecord
  /// The ID of the booking, if the transfer is booked.
  let booking: Identifier
  let now: Int64
  let policy: ServerPolicy

  /// The result of the ceremony.
  enum Outcome: Sendable {
    /// Decided now; the response is stored.
    case decided(status: Int, body: [UInt8])
    /// Decided before; the stored response is repeated.
    case replayed(status: Int, body: [UInt8])
    /// Not decided; nothing is stored.
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
    let scope = AnswerScope.transfers(of: device.user)
    if let answer = try transaction.answer(to: key.text, scope: scope) {
      guard answer.digest == digest else { return .refused(Self.mismatch) }
      return .replayed(status: answer.status, body: answer.body)
    }
    guard try transaction.claimNonce(nonce, device: device.id, expires: nonceEnd) else {
      return .refused(Problem(.replayed, detail: "sign each try with a fresh nonce"))
    }
    // This refusal is not stored, because it depends on the day.
    do throws(Problem) {
      try TransferRules.checkDate(transfer.date, now: now, policy: policy)
    } catch {
      return .refused(error)
    }
    let (status, body): (Int, [UInt8])
    if let giving = try transaction.account(transfer.from), giving.user == device.user {
      let verdict = try rules.verdict(in: transaction)
      if case .needsApproval = verdict, let missing = try approve(device, in: transaction) { return missing }
      (status, body) = try decide(device, verdict, in: transaction)
    } else {
      (status, body) = try Self.encoded(
        Problem(.unknownAccount, detail: "the giving account is not one of this user's"))
    }
    let answer = StoredAnswer(digest: digest, status: status, body: body, expires: now + policy.answerLifetime)
    guard try transaction.addAnswer(answer, to: key.text, scope: scope) else {
      // Another server decided concurrently; a serializable store never gets here.
      throw EnrollmentStoreError.contention
    }
    return .decided(status: status, body: body)
  }

  private var rules: SpendingRules {
    SpendingRules(policy: policy, account: transfer.from, amount: transfer.amount.minorUnits, now: now)
  }

  private var nonce: Nonce { Nonce(signature.nonce.utf8) }

  /// Until when the nonce must not be reused: one second longer than any clock accepts the signature.
  private var nonceEnd: Int64 { signature.created + policy.window.lifetime + policy.window.skew + 1 }

  private static let mismatch = Problem(
    .idempotencyMismatch, detail: "this Idempotency-Key came with another request; use a fresh one for each transfer")

  /// Verifies that the approval key signed exactly this transfer; nil if so.
  private func approve(_ device: DeviceRecord, in transaction: any StoreTransaction) throws -> Outcome? {
    guard device.approvalKey != nil else {
      return .refused(
        Problem(.notPermitted, detail: "a transfer of this size needs an approval key; register one for this device"))
    }
    guard policy.takes(approvalEvidence: device.approvalEvidence) else {
      return .refused(
        Problem(.notPermitted, detail: "the approval key is not attested as this server demands; enroll anew"))
    }
    // This refusal is not stored, because it changes over time.
    guard now >= (device.approvalSince ?? .min) &+ policy.approvalCoolDown else {
      return .refused(
        Problem(
          .notPermitted,
          detail: "the approval key is new and does not count yet; wait until it does, or approve with another device"))
    }
    if let approval {
      let verifier = ApprovalVerifier(purpose: .transfer, content: ApprovedDigest(transfer.digest), now: now)
      if try verifier.verify(approval, by: device, in: transaction) { return nil }
    }
    var challenge = challenge
    challenge.device = device.id
    try transaction.addChallenge(challenge)
    return .refused(
      Problem(
        .approvalRequired, detail: "sign the challenge with the device's approval key and send the transfer again",
        challenge: Challenge(
          id: challenge.id.description, value: Base64Bytes(challenge.value),
          expiresIn: Int(challenge.expires - now))))
  }

  /// Books the transfer or refuses it; both responses are stored.
  private func decide(
    _ device: DeviceRecord, _ verdict: SpendingRules.Verdict, in transaction: any StoreTransaction
  ) throws -> (status: Int, body: [UInt8]) {
    let isApproved: Bool
    switch verdict {
    case .beyondDay:
      return try Self.encoded(
        Problem(.notPermitted, detail: "the account has given as much as it may within a day; try again tomorrow"))
    case .needsApproval: isApproved = true
    case .free: isApproved = false
    }
    let result = try transaction.book(
      Booking(
        id: booking, from: transfer.from, to: transfer.to, amount: transfer.amount.minorUnits,
        currency: transfer.currency, notes: transfer.notes, booked: now, valueDate: transfer.date, device: device.id))
    switch result {
    case .insufficientFunds:
      return try Self.encoded(Problem(.insufficientFunds, detail: "the giving account has not so much"))
    case .noSuchAccounts:
      return try Self.encoded(
        Problem(.unknownAccount, detail: "the receiving account is not there, or has another currency"))
    case .booked(let balance):
      try rules.note(isApproved: isApproved, in: transaction)
      var fields = [
        "transfer": booking.description, "device": device.id.description, "from": transfer.from,
        "to": transfer.to, "amount": transfer.amount.description, "currency": transfer.currency,
      ]
      fields["date"] = transfer.date.map(String.init)
      try transaction.audit(AuditEntry(event: "transfer.booked", time: now, fields: fields))
      let receipt = TransferReceipt(
        transfer: booking.description, from: transfer.from, to: transfer.to, amount: transfer.amount,
        currency: transfer.currency, balance: Amount(minorUnits: balance), booked: now, date: transfer.date)
      return (201, try JSONBytes.encode(receipt))
    }
  }

  private static func encoded(_ problem: Problem) throws -> (Int, [UInt8]) {
    (problem.status, try JSONBytes.encode(problem))
  }
}
