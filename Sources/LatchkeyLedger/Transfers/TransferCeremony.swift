internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentServer
internal import LatchkeyEnrollmentStore

extension ServiceRoute {
  /// Transfers, signed by the device's identity key, and decided once however often they are sent.
  static func transfers(_ policy: LedgerPolicy) -> ServiceRoute {
    .signed(LedgerDocument.transfer) { request in
      let transfer: Transfer = try request.json()
      try TransferRules.check(transfer)
      return TransferCeremony(
        transfer: transfer, booking: .ordered(), clockSkew: request.clockSkew, policy: policy
      ).decide
    }
  }
}

/// One transfer, decided in the transaction of its request: date, limits, approval, ledger, audit chain.
struct TransferCeremony: Sendable {
  let transfer: Transfer
  /// The ID of the booking, if the transfer is booked.
  let booking: Identifier
  let clockSkew: Int64
  let policy: LedgerPolicy

  @Sendable func decide(in store: SignedTransaction) throws -> ServiceDecision {
    // This refusal is not stored, because it depends on the day.
    do throws(Problem) {
      try TransferRules.checkDate(transfer.date, now: store.now, clockSkew: clockSkew, ahead: policy.dateAhead)
    } catch {
      return .refused(error)
    }
    guard let giving = try store.account(transfer.from), giving.user == store.device.user else {
      return try .kept(
        refusing: Problem(.unknownAccount, detail: "the giving account is not one of this user's"))
    }
    let rules = SpendingRules(
      policy: policy, account: giving.number, currency: giving.currency, amount: transfer.amount.minorUnits,
      now: store.now)
    let verdict = try rules.verdict(in: store)
    switch verdict {
    case .beyondDay:
      return try .kept(
        refusing: Problem(
          .notPermitted, detail: "the account has given as much as it may within a day; try again tomorrow"))
    case .needsApproval:
      if let missing = try store.missingApproval(of: ApprovedDigest(transfer.digest)) { return .refused(missing) }
    case .free: break
    }
    return try book(rules, isApproved: verdict == .needsApproval, in: store)
  }

  /// Books the transfer or refuses it; both responses are stored.
  private func book(
    _ rules: SpendingRules, isApproved: Bool, in store: SignedTransaction
  ) throws -> ServiceDecision {
    let result = try store.book(
      Booking(
        id: booking, from: transfer.from, to: transfer.to, amount: transfer.amount.minorUnits,
        currency: transfer.currency, notes: transfer.notes, booked: store.now, valueDate: transfer.date,
        device: store.device.id))
    switch result {
    case .insufficientFunds:
      return try .kept(refusing: Problem(.insufficientFunds, detail: "the giving account has not so much"))
    case .noSuchAccounts:
      return try .kept(
        refusing: Problem(.unknownAccount, detail: "the receiving account is not there, or has another currency"))
    case .booked(let balance):
      try rules.note(isApproved: isApproved, in: store)
      var fields = [
        "transfer": booking.description, "device": store.device.id.description, "from": transfer.from,
        "to": transfer.to, "amount": transfer.amount.description, "currency": transfer.currency,
      ]
      fields["date"] = transfer.date.map(String.init)
      try store.audit("transfer.booked", fields)
      return try .kept(
        201,
        json: TransferReceipt(
          transfer: booking.description, from: transfer.from, to: transfer.to, amount: transfer.amount,
          currency: transfer.currency, balance: Amount(minorUnits: balance), booked: store.now, date: transfer.date))
    }
  }
}
