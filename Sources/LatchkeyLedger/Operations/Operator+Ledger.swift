public import LatchkeyEnrollmentProtocol
public import LatchkeyEnrollmentServer
internal import LatchkeyEnrollmentStore

// The operator's actions on the bank, offline or while a server runs.

extension Operator {
  /// Opens an account and makes a deposit from the bank's own account.
  ///
  /// - Parameters:
  ///   - number: 12 digits; nil for any free one.
  ///   - amount: the deposit; zero or more.
  /// - Returns: the account's number.
  /// - Throws: ``OperatorError``: `.notFound`, `.exists`, `.invalid`.
  public func openAccount(
    of user: String, number: String? = nil, name: String, currency: String, amount: Amount
  ) async throws -> String {
    let isCurrency = currency.utf8.count == 3 && currency.utf8.allSatisfy { (0x41...0x5A).contains($0) }
    guard isCurrency else { throw OperatorError.invalid("a currency has three capital letters, such as EUR") }
    guard amount.minorUnits >= 0 else { throw OperatorError.invalid("what is paid in is zero or above") }
    let isNumber = number.map { $0.utf8.count == 12 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } } ?? true
    guard isNumber else { throw OperatorError.invalid("an account's number has 12 digits") }
    let time = now
    let booking = Identifier.random()
    // Lower numbers belong to the bank.
    let numbers =
      number.map { [$0] } ?? (0..<32).map { _ in String(Int64.random(in: 100_000_000_000...999_999_999_999)) }
    return try await store.write { store in
      try store.requireLedger()
      guard let owner = try store.user(entered: user)?.name else { throw OperatorError.noUser(user) }
      let opened = try numbers.first {
        try store.addAccount(AccountRecord(number: $0, user: owner, name: name, currency: currency, balance: 0))
      }
      guard let opened else { throw OperatorError.exists("there is such an account already: take another number") }
      if amount.minorUnits > 0 {
        let house = try store.houseAccount(currency: currency)
        let result = try store.book(
          Booking(
            id: booking, from: house.number, to: opened, amount: amount.minorUnits, currency: currency,
            notes: "Opening", booked: time, device: nil))
        guard case .booked = result else { throw OperatorError.invalid("so much cannot be paid in") }
      }
      var fields = ["account": opened, "user": owner.text, "currency": currency, "amount": "\(amount)"]
      if amount.minorUnits > 0 { fields["transfer"] = booking.description }
      try store.audit(entry("ledger.account.opened", fields))
      return opened
    }
  }

  /// Verifies every balance against its entries, every transfer and account against the audit chains in both directions, and
  /// the sum of all balances against zero.
  ///
  /// - Throws: ``OperatorError``: `.notFound` if the store has no bank.
  public func verifyLedger() async throws -> LedgerReport {
    try await store.read { store in
      try store.requireLedger()
      return try LedgerAudit.report(of: store)
    }
  }

  /// Opens two accounts of a user, for trials. Accounts that are there stay as they are.
  ///
  /// - Throws: ``OperatorError``: `.notFound` if there is no such user, or no bank.
  public func openDemoAccounts(of user: String = "demo") async throws {
    for (number, name, amount) in [("123123456456", "Checking", 100_000), ("654654123123", "Savings", 500_000)] {
      do {
        _ = try await openAccount(
          of: user, number: number, name: name, currency: "EUR", amount: Amount(minorUnits: Int64(amount)))
      } catch OperatorError.exists {}
    }
  }
}

extension StoreTransaction {
  fileprivate func requireLedger() throws {
    guard try serviceVersion(LedgerService.name) == nil else { return }
    throw OperatorError.notFound(
      "this store has no bank: start its server once with latchkey-server serve --sample-bank, which makes the tables")
  }
}
