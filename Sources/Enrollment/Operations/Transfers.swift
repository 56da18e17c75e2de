public import EnrollmentProtocol
internal import Foundation
internal import Security

/// A transfer that is booked.
public struct TransferOutcome: Sendable, Hashable {
  /// What the server booked.
  public let receipt: TransferReceipt
  /// The key under which it was sent.
  public let idempotencyKey: String
  /// Whether the answer was given before: an earlier try had booked it.
  public let isReplayed: Bool
  /// Whether the approval key has signed for it.
  public let isApproved: Bool
}

extension EnrollmentClient {
  /// Moves money, once: signed by the identity key, and by the approval key where the server asks for that.
  ///
  /// The intent is in the keychain before anything is sent, and stays there until the server has said, under its signature,
  /// what became of it. The same transfer again, after a crash or an ambiguous end, is the same intent, and is never booked
  /// twice. An intent that is older than a day ends in `.outcomeUnknown`, once, and is forgotten: look at the accounts then.
  public func transfer(_ transfer: Transfer) -> EnrollmentOperation<TransferOutcome> {
    operation(.transfer) { [self] in
      let identity = try await validIdentity()
      let intent = try await intent(for: transfer)
      do {
        let outcome = try await sent(intent, identity)
        try await forget(intent)
        return outcome
      } catch let refusal as Refusal {
        // Only the server's own word ends an intent, and only if it is the last.
        if refusal.isSigned, Self.isFinal(refusal.problem.code) { try await forget(intent) }
        throw refusal
      }
    }
  }

  /// The transfers whose end is not known, the oldest first: ``transfer(_:)`` of one finishes it.
  public func pendingTransfers() async throws(EnrollmentError) -> [TransferIntent] {
    let label = configuration.label
    return try await blocking { () throws(EnrollmentError) in try TransferIntent.pending(label: label) }
  }

  private func sent(_ intent: TransferIntent, _ identity: EnrolledIdentity) async throws -> TransferOutcome {
    var call = try Call.send(Routes.transfers, intent.transfer, .signature, idempotencyKey: intent.idempotencyKey)
    let answer: Answer
    do {
      answer = try await send(call, as: identity)
    } catch let refusal as Refusal where refusal.problem.code == .approvalRequired {
      guard refusal.isSigned, let challenge = refusal.problem.challenge else {
        throw EnrollmentError.cannotVerify("the challenge is not signed by the server's key")
      }
      call.approval = try await approval(of: intent.transfer, challenge)
      answer = try await send(call, as: identity)
    }
    let receipt = try answer.decode(TransferReceipt.self)
    let wanted = intent.transfer
    guard receipt.from == wanted.from, receipt.to == wanted.to, receipt.amount == wanted.amount,
      receipt.currency == wanted.currency
    else { throw EnrollmentError.cannotVerify("the receipt is for another transfer") }
    // A server from before there were dates reads past them.
    guard receipt.date == wanted.date else {
      throw EnrollmentError.cannotVerify(
        "the transfer is booked, with another date or none: the server is older than dates")
    }
    return TransferOutcome(
      receipt: receipt, idempotencyKey: intent.idempotencyKey, isReplayed: answer.isReplayed,
      isApproved: call.approval != nil)
  }

  /// Sends as this identity; or, where another operation changed its key before it could sign, once more as what it is by now. The
  /// Idempotency-Key counts for the user, whichever key signs.
  private func send(_ call: Call, as identity: EnrolledIdentity) async throws -> Answer {
    do {
      return try await messenger.send(call, as: identity.signer)
    } catch EnrollmentError.keychain(let status, let detail) where status == errSecItemNotFound {
      let current = try await validIdentity()
      guard current.signer.credential != identity.signer.credential else {
        throw EnrollmentError.keychain(status: status, detail)
      }
      return try await messenger.send(call, as: current.signer)
    }
  }

  /// The approval key's word for this transfer: what is signed is bound to the transfer as this device wants it.
  private func approval(of transfer: Transfer, _ challenge: Challenge) async throws -> Approval {
    let signature = try await approvalSignature(
      of: challenge.signedMessage(purpose: .transfer, content: transfer.digest),
      reason: "transfer \(transfer.amount) \(transfer.currency) from \(transfer.from) to \(transfer.to)")
    return Approval(challengeID: challenge.id, signature: Base64Bytes(signature))
  }

  /// The intent that waits, or a new one.
  private func intent(for transfer: Transfer) async throws -> TransferIntent {
    let (label, now) = (configuration.label, configuration.now)
    let new = TransferIntent(transfer: transfer, idempotencyKey: try configuration.freshName(), created: now)
    return try await blocking { () throws(EnrollmentError) in
      if try new.keep(label: label) { return new }
      guard let pending = try TransferIntent.pending(transfer, label: label) else {
        throw .misuse("the same transfer was just finished by another program: look at the accounts")
      }
      guard now - pending.created < TransferIntent.lifetime else {
        try pending.delete(label: label)
        throw .outcomeUnknown(idempotencyKey: pending.idempotencyKey)
      }
      return pending
    }
  }

  private func forget(_ intent: TransferIntent) async throws(EnrollmentError) {
    let label = configuration.label
    try await blocking { () throws(EnrollmentError) in try intent.delete(label: label) }
  }

  /// Whether nothing more comes of an intent that was refused so.
  private static func isFinal(_ code: Problem.Code) -> Bool {
    switch code {
    case .insufficientFunds, .unknownAccount, .invalidTransfer, .idempotencyMismatch, .notPermitted, .malformedRequest,
      .tooLarge, .unsupportedMediaType:
      true
    default: false
    }
  }
}
