public import Logging

/// One of several enrollment services on one port: a whole configuration of its own, with its store, authority, answer key, users, policy,
/// profiles and listeners for administration. Tenants share no row, key or file, so no statement can mix them up.
public struct Tenant: Sendable {
  /// Its name in logs, metrics and its store: 1 to 63 lowercase letters, digits and hyphens.
  public let name: String
  /// The host names by which clients reach it (TLS server names, RFC 6066 3); at least one, without ports and wildcards.
  public var serverNames: [String]
  /// Its configuration. Host, port, listening socket and proxies do not count: the port is shared. Metrics and logger have the label
  /// `tenant`.
  public var configuration: ServerConfiguration

  /// Creates a tenant, whose metrics and log lines get its name.
  public init(name: String, serverNames: [String], configuration: ServerConfiguration) {
    (self.name, self.serverNames, self.configuration) = (name, serverNames, configuration)
    self.configuration.metrics = PrometheusMetrics(labels: [("tenant", name)])
    self.configuration.logger[metadataKey: "tenant"] = "\(name)"
  }
}

/// The configuration of a port that several tenants share.
public struct TenantServerConfiguration: Sendable {
  /// The address to listen on.
  public var host = "127.0.0.1"
  /// The port; 0 for any that is free.
  public var port = 8443
  /// A socket that listens already, in the place of ``host`` and ``port``. The server closes it at its end.
  public var listeningSocket: ListeningSocket?
  /// The addresses of proxies in front of the port, as ``ServerConfiguration/proxies``.
  public var proxies: [AddressBlock] = []
  /// The limits of the whole port: connections, connections per address, and the time until a client has named a tenant
  /// (``ServerLimits/handshakeTimeout``). Further limits, and those of one tenant alone, are the tenant's.
  public var limits = ServerLimits()
  /// The tenants; their names and server names differ.
  public var tenants: [Tenant]
  /// The tenant of clients that name none, by its name. Nil: they are refused. Clients that name an unknown one are refused anyway.
  public var defaultTenant: String?
  /// The seconds for which the start waits for a tenant whose store does not answer, before the port is opened for the others.
  public var patience = 10.0
  /// The logger of the port.
  public var logger: Logger

  /// Creates a configuration.
  public init(tenants: [Tenant], logger: Logger) { (self.tenants, self.logger) = (tenants, logger) }

  /// Validates the names of tenants.
  ///
  /// - Throws: ``TenantError``.
  public static func validate(
    names: [(tenant: String, serverNames: [String])], defaultTenant: String?
  ) throws(TenantError) {
    guard !names.isEmpty else { throw .none }
    var (tenants, servers): (Set<String>, Set<String>) = ([], [])
    for (tenant, serverNames) in names {
      guard TenantNames.isTenant(tenant) else { throw .badName(tenant) }
      guard tenants.insert(tenant).inserted else { throw .sameName(tenant) }
      guard !serverNames.isEmpty else { throw .noServerName(tenant: tenant) }
      for name in Set(serverNames.map { $0.lowercased() }).sorted() {
        guard TenantNames.isServer(name) else { throw .badServerName(tenant: tenant, name: name) }
        guard servers.insert(name).inserted else { throw .sameServerName(name) }
      }
    }
    if let defaultTenant, !tenants.contains(defaultTenant) { throw .unknown(defaultTenant) }
  }
}

/// What is wrong with tenants.
public enum TenantError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There are none.
  case none
  /// A tenant's name has other characters, or too many.
  case badName(String)
  /// Two tenants have one name.
  case sameName(String)
  /// A tenant has no server name.
  case noServerName(tenant: String)
  /// A server name is no host name: an address, a wildcard, or empty.
  case badServerName(tenant: String, name: String)
  /// Two tenants have one server name.
  case sameServerName(String)
  /// There is no tenant of this name.
  case unknown(String)
  /// The store belongs to another tenant.
  case foreignStore(tenant: String, owner: String)
  /// A tenant cannot start.
  case notStarted(tenant: String, cause: String)

  /// The error with its remedy.
  public var description: String {
    switch self {
    case .none: "there are no tenants"
    case .badName(let name):
      "a tenant's name has 1 to 63 lowercase letters, digits and hyphens, unlike \(TenantNames.shown(name))"
    case .sameName(let name): "two tenants have the name \(name)"
    case .noServerName(let tenant): "the tenant \(tenant) has no server name, and no client could reach it"
    case .badServerName(let tenant, let name):
      "the tenant \(tenant) has the server name \(TenantNames.shown(name)), which is no host name: clients name no addresses, and there "
        + "are no wildcards"
    case .sameServerName(let name): "two tenants have the server name \(TenantNames.shown(name))"
    case .unknown(let name): "there is no tenant \(TenantNames.shown(name))"
    case .foreignStore(let tenant, let owner):
      "the store of the tenant \(tenant) belongs to the tenant \(TenantNames.shown(owner)): give each tenant a store of its own; if it was "
        + "renamed, latchkey-server migrate --tenant \(tenant)"
    case .notStarted(let tenant, let cause): "the tenant \(tenant) cannot start: \(cause)"
    }
  }
}
