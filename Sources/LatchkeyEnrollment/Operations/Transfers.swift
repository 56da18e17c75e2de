internal import Foundation
public import LatchkeyEnrollmentProtocol
internal import Security

/// The result of a booked transfer.
public struct TransferOutcome: Sendable, Hashable {
  /// The server's receipt.
  public let receipt: TransferReceipt
  /// The key under which it was sent.
  public let idempotencyKey: String
  /// Whether the response was repeated: an earlier attempt had booked it.
  public let isReplayed: Bool
  /// Whether the approval key has signed for it.
  public let isApproved: Bool
}

extension EnrollmentClient {
  /// Transfers money once: signed by the identity key, and by the approval key if the server requires that.
  ///
  /// The intent is stored in the keychain before anything is sent, and stays there until the server has stated the result under
  /// its signature. Repeating the transfer, after a crash or an ambiguous result, uses the same intent, and never books twice.
  /// If the server requires an approval that is not available, such as with another key or without a prompt, nothing is booked,
  /// and the intent ends. An intent older than a day ends in `.outcomeUnknown`, once, and is deleted: check the accounts then.
  public func transfer(_ transfer: Transfer) -> EnrollmentOperation<TransferOutcome> {
    operation(.transfer) { [self] in
      let identity = try await validIdentity()
      var claim = try await claim(transfer)
      do {
        let outcome = try await sent(&claim, identity)
        try await forget(claim.intent)
        return outcome
      } catch let refusal as Refusal {
        // Only a signed and final refusal of the server ends an intent.
        if refusal.isSigned, Self.isFinal(refusal.problem.code) {
          try await forget(claim.intent)
        } else if Self.saysNotBooked(refusal), claim.isSole {
          try await forget(claim.intent, claim.sent)
        }
        throw refusal
      } catch {
        guard claim.isNotBooked else { throw error }
        // If that fails, the intent stays with the state that nothing is booked.
        try? await forget(claim.intent, .notBooked)
        throw (error as? EnrollmentError)?.stating("nothing was booked") ?? error
      }
    }
  }

  /// The transfers without a known result, the oldest first: ``transfer(_:)`` of one finishes it.
  public func pendingTransfers() async throws(EnrollmentError) -> [TransferIntent] {
    let label = configuration.label
    return try await blocking { () throws(EnrollmentError) in try TransferIntent.pending(label: label) }
  }

  /// An intent, and one operation's knowledge about it.
  private struct Claim: Sendable {
    let intent: TransferIntent
    /// Identifies this operation.
    let operation: String
    /// Whether every request of the intent ever sent had a response, or was sent by this operation.
    var isSole: Bool
    /// Whether the server has stated that nothing is booked, and nothing was sent since.
    var isNotBooked = false

    var sent: TransferIntent.Standing { .sent(by: operation) }
  }

  private func sent(_ claim: inout Claim, _ identity: EnrolledIdentity) async throws -> TransferOutcome {
    let intent = claim.intent
    var call = try Call.send(Routes.transfers, intent.transfer, .signature, idempotencyKey: intent.idempotencyKey)
    let answer: Answer
    do {
      answer = try await sendAsDevice(call, identity)
    } catch let refusal as Refusal where refusal.problem.code == .approvalRequired {
      guard refusal.isSigned, let challenge = refusal.problem.challenge else {
        throw EnrollmentError.cannotVerify("the challenge is not signed by the server's key")
      }
      if Self.saysNotBooked(refusal) { try await noteNotBooked(&claim) }
      let transfer = intent.transfer
      let (approval, publicKey) = try await approval(
        ofDigest: transfer.digest, challenge, .transfer,
        reason: "transfer \(transfer.amount) \(transfer.currency) from \(transfer.from) to \(transfer.to)")
      call.approval = approval
      try await willSendAgain(&claim)
      answer = try await sendAsDevice(call, identity)
      // A repeated response does not confirm this signature. A failure to store the key must not fail a booked transfer.
      if !answer.isReplayed { try? await noteApprovalKey(publicKey) }
    }
    let receipt = try answer.decode(TransferReceipt.self)
    let wanted = intent.transfer
    guard receipt.from == wanted.from, receipt.to == wanted.to, receipt.amount == wanted.amount,
      receipt.currency == wanted.currency
    else { throw EnrollmentError.cannotVerify("the receipt is for another transfer") }
    // A server that predates transfer dates ignores them.
    guard receipt.date == wanted.date else {
      throw EnrollmentError.cannotVerify(
        "the transfer is booked, with another date or none: the server is older than dates")
    }
    return TransferOutcome(
      receipt: receipt, idempotencyKey: intent.idempotencyKey, isReplayed: answer.isReplayed,
      isApproved: call.approval != nil)
  }

  /// The pending intent, or a new one.
  private func claim(_ transfer: Transfer) async throws -> Claim {
    let (label, now) = (configuration.label, configuration.now)
    let new = TransferIntent(transfer: transfer, idempotencyKey: try configuration.freshName(), created: now)
    let operation = try configuration.freshName()
    return try await blocking { () throws(EnrollmentError) in
      // An intent with nothing booked, left by an operation that was interrupted during its prompt, or is still prompting.
      if try new.stand(.sent(by: operation), from: .notBooked, label: label),
        let stored = try TransferIntent.pending(transfer, label: label)
      {
        if now - stored.created < TransferIntent.lifetime {
          return Claim(intent: stored, operation: operation, isSole: true)
        }
        try stored.delete(label: label, .sent(by: operation))
      }
      if try new.keep(label: label, .sent(by: operation)) {
        return Claim(intent: new, operation: operation, isSole: true)
      }
      guard let pending = try TransferIntent.pending(transfer, label: label) else {
        throw .misuse("the same transfer was just finished by another program: look at the accounts")
      }
      guard now - pending.created < TransferIntent.lifetime else {
        try pending.delete(label: label)
        throw .outcomeUnknown(idempotencyKey: pending.idempotencyKey)
      }
      return Claim(intent: pending, operation: operation, isSole: false)
    }
  }

  /// Records the server's statement that nothing is booked, unless a request by another operation may be in flight.
  private func noteNotBooked(_ claim: inout Claim) async throws(EnrollmentError) {
    guard claim.isSole else { return }
    let (label, intent, sent) = (configuration.label, claim.intent, claim.sent)
    claim.isNotBooked = try await blocking { () throws(EnrollmentError) in
      try intent.stand(.notBooked, from: sent, label: label)
    }
    claim.isSole = claim.isNotBooked
  }

  /// Records that another request will be sent, which may book.
  private func willSendAgain(_ claim: inout Claim) async throws(EnrollmentError) {
    let (label, intent, sent, isNotBooked) = (configuration.label, claim.intent, claim.sent, claim.isNotBooked)
    claim.isNotBooked = false
    claim.isSole = try await blocking { () throws(EnrollmentError) in
      if isNotBooked, try intent.stand(sent, from: .notBooked, label: label) { return true }
      // Another operation has sent it since, or ended it, or its state was never known here.
      if let stored = try TransferIntent.pending(intent.transfer, label: label) {
        guard stored == intent else { throw Self.begunAnew }
        if try intent.stand(sent, from: nil, label: label) { return false }
      }
      guard try intent.keep(label: label, sent) else { throw Self.begunAnew }
      return false
    }
  }

  private static let begunAnew = EnrollmentError.misuse(
    "the same transfer was begun anew by another program meanwhile: look at the accounts")

  /// - Parameter standing: the required state, without which the intent stays; nil: it is deleted in any case.
  private func forget(
    _ intent: TransferIntent, _ standing: TransferIntent.Standing? = nil
  ) async throws(EnrollmentError) {
    let label = configuration.label
    try await blocking { () throws(EnrollmentError) in try intent.delete(label: label, standing) }
  }

  /// Whether the server has stated, while no earlier attempt is open, that only an approval is missing and nothing is booked.
  private static func saysNotBooked(_ refusal: Refusal) -> Bool {
    refusal.isSigned && refusal.problem.code == .approvalRequired && !refusal.followsOpenAttempt
  }

  /// Whether a refusal with this code is final for the intent.
  private static func isFinal(_ code: Problem.Code) -> Bool {
    switch code {
    case .insufficientFunds, .unknownAccount, .invalidTransfer, .idempotencyMismatch, .notPermitted, .malformedRequest,
      .tooLarge, .unsupportedMediaType:
      true
    default: false
    }
  }
}
