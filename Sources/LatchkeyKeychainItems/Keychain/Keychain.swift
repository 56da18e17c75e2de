import Foundation
import Security

/// The items of one service, or of one server, by their keys.
///
///     let keychain = Keychain(service: "com.example.app").accessibility(.whenUnlocked)
///     keychain["token"] = "…"
///     try keychain.set(profile, as: "profile")
///     try await keychain.remove("token")
///
/// A key is an item's account (`kSecAttrAccount`). Every call is one, or few, of the `SecItem` calls; nothing is cached, so
/// one value of this type may be used from any number of threads. In asynchronous code the calls of the same names are
/// asynchronous and leave the cooperative pool free while the keychain works.
public struct Keychain: Hashable, Sendable {
  /// What the items belong to.
  public let scope: Scope
  /// Items of this access group alone; nil: of all of the program's groups, and new ones in the first of them.
  public private(set) var accessGroup: String?
  /// When items that are set can be read; nil: as before, and new ones while unlocked.
  public private(set) var accessibility: Accessibility?
  /// Whether the items are the synchronizable ones or the others; neither kind sees the other.
  public private(set) var isSynchronizable = false
  /// The label that items get when they are set; nil: as before.
  public private(set) var label: String?
  /// The comment that items get when they are set; nil: as before.
  public private(set) var comment: String?

  /// What items belong to, apart from their accounts.
  public enum Scope: Hashable, Sendable {
    /// Generic passwords of a service (`kSecAttrService`).
    case service(String)
    /// Internet passwords of a server.
    case server(Server)
  }

  /// The generic passwords of `service`.
  public init(service: String, accessGroup: String? = nil) {
    scope = .service(service)
    self.accessGroup = accessGroup
  }

  /// The internet passwords of `server`, a host name without a scheme, as they are used by this protocol.
  public init(
    server: String, protocol: ProtocolType, authenticationType: AuthenticationType = .default, port: Int? = nil,
    path: String? = nil, securityDomain: String? = nil, accessGroup: String? = nil
  ) {
    scope = .server(
      Server(
        name: server, protocol: `protocol`, authenticationType: authenticationType, port: port, path: path,
        securityDomain: securityDomain))
    self.accessGroup = accessGroup
  }

  /// The same, whose items are readable as `accessibility` says once they are set.
  public func accessibility(_ accessibility: Accessibility) -> Keychain { with { $0.accessibility = accessibility } }

  /// The same, of the synchronizable items or of the others.
  public func synchronizable(_ isSynchronizable: Bool) -> Keychain { with { $0.isSynchronizable = isSynchronizable } }

  /// The same, whose items are labeled so once they are set.
  public func label(_ label: String) -> Keychain { with { $0.label = label } }

  /// The same, whose items have this comment once they are set.
  public func comment(_ comment: String) -> Keychain { with { $0.comment = comment } }

  private func with(_ change: (inout Keychain) -> Void) -> Keychain {
    var copy = self
    change(&copy)
    return copy
  }
}

// MARK: Queries

extension Keychain {
  /// What all items of this keychain have in common.
  var query: Attributes {
    var query: Attributes = [kSecAttrSynchronizable as String: isSynchronizable]
    if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
    switch scope {
    case .service(let service):
      query[kSecClass as String] = kSecClassGenericPassword
      query[kSecAttrService as String] = service
    case .server(let server):
      query[kSecClass as String] = kSecClassInternetPassword
      query[kSecAttrServer as String] = server.name
      query[kSecAttrProtocol as String] = server.protocol.rawValue
      query[kSecAttrAuthenticationType as String] = server.authenticationType.rawValue
      if let port = server.port { query[kSecAttrPort as String] = port }
      if let path = server.path { query[kSecAttrPath as String] = path }
      if let domain = server.securityDomain { query[kSecAttrSecurityDomain as String] = domain }
    }
    return query
  }

  func query(_ key: String) -> Attributes {
    var query = query
    query[kSecAttrAccount as String] = key
    return query
  }

  /// What an item gets when it is set to `data`.
  func contents(_ data: Data) -> Attributes {
    var contents: Attributes = [kSecValueData as String: data]
    if let accessibility { contents[kSecAttrAccessible as String] = accessibility.rawValue }
    if let label { contents[kSecAttrLabel as String] = label }
    if let comment { contents[kSecAttrComment as String] = comment }
    return contents
  }
}
