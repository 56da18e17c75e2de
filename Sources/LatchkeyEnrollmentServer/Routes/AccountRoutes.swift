internal import Hummingbird
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// Lists a user's accounts for a device of that user.
struct AccountRoutes: RouteGroup {
  private let services: Services
  private let route: SealedRoute

  init(_ services: Services) {
    self.services = services
    route = SealedRoute(services)
  }

  func add(to router: Router<ServerContext>) {
    router.get(RouterPath(Routes.accounts)) { [services, route] request, context in
      try await route.answer(request, context, checksToken: true) { sealed in
        let user = sealed.device.user
        let accounts = try await services.store.read { try $0.accounts(of: user) }
        return try SealedAnswer(AccountList(accounts: accounts.map(AccountSummary.init)))
      }
    }
  }
}

extension AccountSummary {
  fileprivate init(_ account: AccountRecord) {
    self.init(
      number: account.number, name: account.name, currency: account.currency,
      balance: Amount(minorUnits: account.balance))
  }
}
