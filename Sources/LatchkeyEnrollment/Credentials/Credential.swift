public import Security

/// What is shown to a server that asks: an identity, or a user's name and password (`NSURLCredential` in `Examples/002-sealed-transfer`).
public struct Credential: Sendable, Hashable {
  /// For how long ``CredentialStorage`` keeps it.
  public enum Persistence: Sendable, Hashable, CaseIterable {
    /// Not at all.
    case none
    /// While the process lives, in its memory.
    case session
    /// In the keychain.
    case permanent
  }

  /// How long it is stored.
  public let persistence: Persistence
  /// The identity, of a credential that is one.
  public let identity: SecIdentity?
  /// The certificates that go with the identity, its own or its issuers, in any order; empty for those of the keychain.
  public let certificates: [SecCertificate]
  /// The user's name, of a credential that has a password.
  public let user: String?
  /// The password. A secret.
  public let password: String?

  /// An identity, with certificates that are shown along.
  public init(identity: SecIdentity, certificates: [SecCertificate] = [], persistence: Persistence) {
    self.persistence = persistence
    self.identity = identity
    self.certificates = certificates
    user = nil
    password = nil
  }

  /// A user's name and password.
  public init(user: String, password: String, persistence: Persistence) {
    self.persistence = persistence
    identity = nil
    certificates = []
    self.user = user
    self.password = password
  }

  /// The issuers among ``certificates``, roots left out: nil when there are none, so that the keychain's are taken.
  var issuers: [SecCertificate]? {
    let issuers = certificates.filter { $0 != identity?.certificate && !$0.namesItself }
    return issuers.isEmpty ? nil : issuers
  }
}

extension Credential: CustomStringConvertible, CustomReflectable {
  /// Whose it is. Never the password.
  public var description: String {
    if let identity { return "<Credential: \(identity.certificate)>" }
    return "<Credential: \(user ?? "")>"
  }

  /// Nothing: `dump` shows the description alone.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
