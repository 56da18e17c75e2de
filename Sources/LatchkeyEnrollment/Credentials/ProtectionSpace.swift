/// The area of a server that requires a credential (`NSURLProtectionSpace` in `Examples/002-sealed-transfer`).
///
/// Two spaces are equal if host, port, protocol, realm and method are; the host is case-insensitive.
public struct ProtectionSpace: Sendable, Hashable {
  /// The network protocol.
  public enum NetworkProtocol: String, Sendable, CaseIterable {
    /// HTTP, without TLS.
    case http
    /// HTTP over TLS.
    case https
  }

  /// The required kind of credential.
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
  /// The network protocol.
  public let `protocol`: NetworkProtocol
  /// The realm; empty for none.
  public let realm: String
  /// The required kind of credential.
  public let authenticationMethod: AuthenticationMethod

  /// Creates a space.
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
