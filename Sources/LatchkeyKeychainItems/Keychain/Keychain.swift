import Foundation
import Security

/// The items of one service, or of one server, by their keys.
///
///     let keychain = Keychain(service: "com.example.app").accessibility(.whenUnlocked)
///     keychain["token"] = "…"
///     try keychain.set(profile, as: "profile")
///     try await keychain.remove("token")
///
/// A key is an item's account (`kSecAttrAccount`). Every call makes one or a few `SecItem` calls. Nothing is cached, so one
/// value of this type may be used from any number of threads. In asynchronous code the calls of the same names are
/// asynchronous, and do not block the cooperative pool.
public struct Keychain: Hashable, Sendable {
  /// The service or server of the items.
  public let scope: Scope
  /// The access group of the items; nil: all of the program's groups, and the first of them for new items.
  public private(set) var accessGroup: String?
  /// The accessibility that setting an item gives it; nil: unchanged, and `whenUnlocked` for new items.
  public private(set) var accessibility: Accessibility?
  /// Whether the items are synchronizable. Queries match only one of the two kinds.
  public private(set) var isSynchronizable = false
  /// The label that setting an item gives it; nil: unchanged.
  public private(set) var label: String?
  /// The comment that setting an item gives it; nil: unchanged.
  public private(set) var comment: String?

  /// The owner of items, apart from their accounts.
  public enum Scope: Hashable, Sendable {
    /// Generic passwords of a service (`kSecAttrService`).
    case service(String)
    /// Internet passwords of a server.
    case server(Server)
  }

  /// Creates a keychain of the generic passwords of `service`.
  public init(service: String, accessGroup: String? = nil) {
    scope = .service(service)
    self.accessGroup = accessGroup
  }

  /// Creates a keychain of the internet passwords of `server`, a host name without a scheme, for this protocol.
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

  /// Returns a copy that sets items with this accessibility.
  public func accessibility(_ accessibility: Accessibility) -> Keychain { with { $0.accessibility = accessibility } }

  /// Returns a copy for the synchronizable items, or for the others.
  public func synchronizable(_ isSynchronizable: Bool) -> Keychain { with { $0.isSynchronizable = isSynchronizable } }

  /// Returns a copy that sets items with this label.
  public func label(_ label: String) -> Keychain { with { $0.label = label } }

  /// Returns a copy that sets items with this comment.
  public func comment(_ comment: String) -> Keychain { with { $0.comment = comment } }

  private func with(_ change: (inout Keychain) -> Void) -> Keychain {
    var copy = self
    change(&copy)
    return copy
  }
}

// MARK: Queries

extension Keychain {
  /// The query that matches all items of this keychain.
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

  /// The attributes of an item set to `data`.
  func contents(_ data: Data) -> Attributes {
    var contents: Attributes = [kSecValueData as String: data]
    if let accessibility { contents[kSecAttrAccessible as String] = accessibility.rawValue }
    if let label { contents[kSecAttrLabel as String] = label }
    if let comment { contents[kSecAttrComment as String] = comment }
    return contents
  }
}

extension Keychain {
  /// The times at which an item's data is readable (`kSecAttrAccessible`), by Apple's codes.
  public enum Accessibility: String, CaseIterable, Hashable, Sendable {
    /// While the keychain is unlocked.
    case whenUnlocked = "ak"
    /// From the first unlock on.
    case afterFirstUnlock = "ck"
    /// Always.
    case always = "dk"
    /// While it is unlocked; never leaves this device.
    case whenUnlockedThisDeviceOnly = "aku"
    /// From the first unlock on; never leaves this device.
    case afterFirstUnlockThisDeviceOnly = "cku"
    /// Always; never leaves this device.
    case alwaysThisDeviceOnly = "dku"
    /// While it is unlocked and has a passcode; deleted with the passcode, and never leaves this device.
    case whenPasscodeSetThisDeviceOnly = "akpu"
  }
}
