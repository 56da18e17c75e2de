internal import LatchkeyEnrollmentProtocol
public import LatchkeyEnrollmentServer
public import LatchkeyEnrollmentStore

/// A bank, as a sample of a service: accounts, transfers that the device signs and large ones of which its user approves, and a
/// double-entry ledger. Give it to the server in `ServerConfiguration.services`.
public struct LedgerService: DeviceService {
  /// The name of the service.
  public static let name = "ledger"

  /// Which transfers need an approval, and how much may be given.
  public let policy: LedgerPolicy
  /// The old service's routes (`Examples/002-sealed-transfer`), for clients that cannot be changed; nil for none.
  public let legacy: LegacyEnrollmentService?
  /// The tables.
  public let schema: ServiceSchema

  /// A bank.
  public init(policy: LedgerPolicy = LedgerPolicy(), legacy: LegacyEnrollmentService? = nil)
    throws(EnrollmentStoreError)
  {
    self.policy = policy
    self.legacy = legacy
    schema = try ServiceSchema(name: Self.name, steps: LedgerSchema.steps)
  }

  /// `GET /v1/accounts` and `POST /v1/transfers`.
  public var routes: [ServiceRoute] { [.accounts, .transfers(policy)] }

  /// The bodies of the routes.
  public var documentation: ServiceDocumentation { LedgerDocument.documentation }

  /// Forgets what accounts gave days ago.
  public func forgetEnded(in transaction: ServiceTransaction, limit: Int) throws -> Int {
    try transaction.forgetSpending(now: transaction.now, limit: limit)
  }
}

// The old service's routes are no service's: their clients prove in other ways who asks.
extension LedgerService: RoutedService {
  package func routeGroups(_ services: Services) -> [any RouteGroup] {
    legacy.map { [LegacyEnrollmentRoutes(services, policy, $0)] } ?? []
  }

  package var operations: [OpenAPIOperation] { legacy == nil ? [] : LegacyDocument.all }
}
