public import Security

/// The credential presented to a server: an identity, or a user's name and password (`NSURLCredential` in
/// `Examples/002-sealed-transfer`).
public struct Credential: Sendable, Hashable {
  /// How long ``CredentialStorage`` stores it.
  public enum Persistence: Sendable, Hashable, CaseIterable {
    /// Not stored.
    case none
    /// In memory, until the process ends.
    case session
    /// In the keychain.
    case permanent
  }

  /// How long it is stored.
  public let persistence: Persistence
  /// The identity; nil for a password.
  public let identity: SecIdentity?
  /// The certificates to present with the identity, its own or its issuers, in any order; empty for those of the keychain.
  public let certificates: [SecCertificate]
  /// The user's name; nil for an identity.
  public let user: String?
  /// The password; nil for an identity. A secret.
  public let password: String?

  /// Creates a credential from an identity and the certificates to present with it.
  public init(identity: SecIdentity, certificates: [SecCertificate] = [], persistence: Persistence) {
    self.persistence = persistence
    self.identity = identity
    self.certificates = certificates
    user = nil
    password = nil
  }

  /// Creates a credential from a user's name and password.
  public init(user: String, password: String, persistence: Persistence) {
    self.persistence = persistence
    identity = nil
    certificates = []
    self.user = user
    self.password = password
  }

  /// The issuers among ``certificates``, without roots; nil if there are none, so that the keychain's are used.
  var issuers: [SecCertificate]? {
    let issuers = certificates.filter { $0 != identity?.certificate && !$0.namesItself }
    return issuers.isEmpty ? nil : issuers
  }
}

extension Credential: CustomStringConvertible, CustomReflectable {
  /// The user or the certificate, never the password.
  public var description: String {
    if let identity { return "<Credential: \(identity.certificate)>" }
    return "<Credential: \(user ?? "")>"
  }

  /// Empty, so that `dump` shows only the description.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
