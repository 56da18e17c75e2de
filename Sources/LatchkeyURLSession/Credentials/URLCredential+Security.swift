internal import Foundation
public import FoundationNetworking
public import Security

// Apple, Foundation, "NSURLCredential": what FoundationNetworking lacks.
extension URLCredential {
  /// Creates a credential from an identity, for ``NSURLAuthenticationMethodClientCertificate``.
  ///
  /// - Parameters:
  ///   - identity: the certificate with its private key, which may lie in the keychain or the enclave.
  ///   - certArray: the certificates to send with it, `SecCertificate` each, nearest issuer first; nil or none sends the
  ///     issuers that the keychain has. Other objects are ignored.
  ///   - persistence: has no effect: `URLCredentialStorage` on Linux stores passwords alone.
  public convenience init(
    identity: SecIdentity, certificates certArray: [Any]?, persistence: URLCredential.Persistence
  ) {
    let certificates = (certArray ?? []).compactMap { $0 as? SecCertificate }
    let credential = SecurityCredential(.identity(identity, certificates), persistence: persistence)
    if let credential = credential as? Self {
      self.init(replacedBy: { credential })
    } else {
      // A subclass has no place for the identity. A session refuses this credential.
      self.init(user: "", password: "", persistence: persistence)
    }
  }

  /// Creates a credential that accepts a server's certificates, for ``NSURLAuthenticationMethodServerTrust``. The trust is not
  /// evaluated: evaluate it before, or compare what it contains.
  public convenience init(trust: SecTrust) {
    let credential = SecurityCredential(.trust(trust), persistence: .none)
    if let credential = credential as? Self {
      self.init(replacedBy: { credential })
    } else {
      self.init(user: "", password: "", persistence: .none)
    }
  }

  /// The identity; nil for other credentials.
  public var identity: SecIdentity? {
    guard case .identity(let identity, _)? = (self as? SecurityCredential)?.content else { return nil }
    return identity
  }

  /// The certificates to send with the identity, `SecCertificate` each; empty for other credentials.
  public var certificates: [Any] {
    guard case .identity(_, let certificates)? = (self as? SecurityCredential)?.content else { return [] }
    return certificates
  }

  /// The trust to accept; nil for other credentials. Apple's class does not tell it.
  var trust: SecTrust? {
    guard case .trust(let trust)? = (self as? SecurityCredential)?.content else { return nil }
    return trust
  }
}

/// A credential of Security, behind the initializers of `URLCredential`.
final class SecurityCredential: URLCredential, @unchecked Sendable {
  enum Content: Hashable, Sendable {
    case trust(SecTrust)
    case identity(SecIdentity, [SecCertificate])
  }

  let content: Content

  init(_ content: Content, persistence: Persistence) {
    self.content = content
    super.init(user: "", password: "", persistence: persistence)
  }

  /// Answers nil: neither a trust nor an identity can be archived.
  required init?(coder: NSCoder) { return nil }

  /// Writes nothing, so that the archive has no credential.
  override func encode(with coder: NSCoder) {}

  override var user: String? { nil }
  override var password: String? { nil }
  override var hasPassword: Bool { false }

  override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? SecurityCredential else { return false }
    return content == other.content && persistence == other.persistence
  }

  override var hash: Int { content.hashValue }
}

/// Lets an initializer of a class create an object of a subclass: only in an extension of a protocol may `self` be assigned.
private protocol Replaceable {}

extension Replaceable {
  init(replacedBy other: () -> Self) { self = other() }
}

extension URLCredential: Replaceable {}
