internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentServer

extension ServiceRoute {
  /// Lists a user's accounts for a device of that user.
  static let accounts = ServiceRoute.authenticated(LedgerDocument.accounts) { request, store in
    try ServiceAnswer(json: AccountList(accounts: store.accounts(of: request.user).map(AccountSummary.init)))
  }
}

extension AccountSummary {
  fileprivate init(_ account: AccountRecord) {
    self.init(
      number: account.number, name: account.name, currency: account.currency,
      balance: Amount(minorUnits: account.balance))
  }
}
