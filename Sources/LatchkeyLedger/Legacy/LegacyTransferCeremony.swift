internal import Crypto
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentServer
internal import LatchkeyEnrollmentStore
internal import LatchkeySealedMessages

/// One transfer of the old service, in one transaction: authentication, replay check, ledger and audit chain.
struct LegacyTransferCeremony: Sendable {
  let opened: LegacyEnvelope.Opened
  let caller: LegacyCaller
  let service: LegacyEnrollmentService
  let booking: Identifier
  let now: Int64
  let clockSkew: Int64
  let policy: LedgerPolicy

  /// Refusals are returned, not thrown, so that their claims on nonces persist.
  func run(in store: any StoreTransaction) throws -> Result<Void, LegacyAnswer.Refusal> {
    let user = try caller.user(in: store, now: now)
    let transfer = opened.transfer
    if let digits = service.accountDigits, !transfer.isUnambiguous(accountDigits: digits) {
      return .failure(.integrity)
    }
    let date = LegacyDate.seconds(transfer.transferDate)
    if let window = service.dateWindow {
      guard let date, abs(date - now) <= window else { return .failure(.integrity) }
    }
    if !service.allowsReplay, try !claim(of: user, date: date, in: store) { return .failure(.integrity) }
    if !service.allowsAnyDate {
      guard let date else {
        return .failure(.date("give a day, and perhaps a time, in UTC: 2026-11-30 14:00:00 +0000"))
      }
      do throws(Problem) {
        try TransferRules.checkDate(date, now: now, clockSkew: clockSkew, ahead: policy.dateAhead)
      } catch {
        return .failure(.date(error.detail ?? error.title))
      }
    }
    guard let amount = Amount(transfer.amount), amount.minorUnits > 0, transfer.fromAccount != transfer.toAccount,
      transfer.transferNotes.unicodeScalars.count <= 1024
    else { return .failure(.invalid) }
    guard let giving = try store.account(transfer.fromAccount), giving.user == user else {
      return .failure(.unknownAccount)
    }
    let rules = SpendingRules(
      policy: policy, account: giving.number, currency: giving.currency, amount: amount.minorUnits, now: now)
    switch try rules.verdict(in: store) {
    case .free: break
    case .needsApproval: guard service.allowsUnapproved else { return .failure(.unapproved) }
    case .beyondDay: return .failure(.unapproved)
    }
    let result = try store.book(
      Booking(
        id: booking, from: transfer.fromAccount, to: transfer.toAccount, amount: amount.minorUnits,
        currency: giving.currency, notes: transfer.transferNotes, booked: now, valueDate: date,
        device: caller.device?.id))
    switch result {
    case .insufficientFunds: return .failure(.insufficientFunds)
    case .noSuchAccounts: return .failure(.unknownAccount)
    case .booked:
      try rules.note(isApproved: false, in: store)
      var fields = [
        "transfer": booking.description, "device": caller.device?.id.description ?? "", "from": transfer.fromAccount,
        "to": transfer.toAccount, "amount": amount.description, "currency": giving.currency, "by": "documented",
      ]
      fields["date"] = date.map(String.init)
      try store.audit(AuditEntry(event: "ledger.transfer.booked", time: now, fields: fields))
      return .success(())
    }
  }

  /// Ten years: any date is permitted, so a message must be remembered for as long as a copy may exist.
  private static let forever: Int64 = 10 * 366 * 86_400

  /// Whether the message arrives for the first time. It is identified by IV and MAC, and by its ciphertext too, since another
  /// IV that changes nothing covered would otherwise make it look new.
  private func claim(of user: UserName, date: Int64?, in store: any StoreTransaction) throws -> Bool {
    guard let scope = LegacyCaller.replayScope(of: user) else { return false }
    let expires: Int64
    if let window = service.dateWindow, let date {
      expires = max(now, date) + window + 1
    } else {
      expires = now + Self.forever
    }
    let names = [
      SHA256.hash(data: [0] + opened.iv + opened.mac), SHA256.hash(data: [1] + opened.ciphertext),
    ]
    // Both are claimed, regardless of the first one's result.
    let isNew = try names.map { try store.claimNonce(Nonce($0), device: scope, expires: expires) }
    return !isNew.contains(false)
  }
}
