/// What a credential is for: a place on a server that asks for one (`NSURLProtectionSpace` in `Examples/002-sealed-transfer`).
///
/// Two are equal when host, port, protocol, realm and method are; the host's letters in any case.
public struct ProtectionSpace: Sendable, Hashable {
  /// How the place is talked to.
  public enum NetworkProtocol: String, Sendable, CaseIterable {
    /// HTTP, without TLS.
    case http
    /// HTTP over TLS.
    case https
  }

  /// What it asks for.
  public enum AuthenticationMethod: String, Sendable, CaseIterable {
    /// The server's usual method: user and password.
    case `default`
    /// User and password, by HTTP Basic (RFC 7617).
    case httpBasic
    /// User and password, by HTTP Digest (RFC 7616).
    case httpDigest
    /// User and password, in a form.
    case htmlForm
    /// A TLS client certificate: an identity.
    case clientCertificate
  }

  /// The host's name or address, in lower case.
  public let host: String
  /// The port.
  public let port: Int
  /// How it is talked to.
  public let `protocol`: NetworkProtocol
  /// The realm; empty for none.
  public let realm: String
  /// What it asks for.
  public let authenticationMethod: AuthenticationMethod

  /// A space.
  public init(
    host: String, port: Int, protocol: NetworkProtocol = .https, realm: String = "",
    authenticationMethod: AuthenticationMethod
  ) {
    self.host = host.lowercased()
    self.port = port
    self.protocol = `protocol`
    self.realm = realm
    self.authenticationMethod = authenticationMethod
  }
}
