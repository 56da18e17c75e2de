public import FoundationNetworking
public import Security

// Apple, Foundation, "NSURLProtectionSpace". FoundationNetworking marks these three as unavailable; an available declaration of the
// same name has precedence. Its `distinguishedNames` is deprecated and always nil, and cannot be replaced: two declarations that
// are available would be ambiguous.

/// A server's certificates are to be judged: `URLProtectionSpace.serverTrust` has them.
public let NSURLAuthenticationMethodServerTrust: String = "NSURLAuthenticationMethodServerTrust"

/// A server asks for a client's certificate.
public let NSURLAuthenticationMethodClientCertificate: String = "NSURLAuthenticationMethodClientCertificate"

extension URLProtectionSpace {
  /// The server's certificates with the policy of TLS for its host, not yet evaluated; nil for other methods than
  /// ``NSURLAuthenticationMethodServerTrust``.
  public var serverTrust: SecTrust? { (self as? TLSProtectionSpace)?.trust }
}

/// The space of a challenge in a TLS handshake.
final class TLSProtectionSpace: URLProtectionSpace, @unchecked Sendable {
  let trust: SecTrust?

  /// The space that asks for trust in a server.
  init(_ origin: Origin, trust: SecTrust) {
    self.trust = trust
    super.init(
      host: origin.host, port: origin.port, protocol: "https", realm: nil,
      authenticationMethod: NSURLAuthenticationMethodServerTrust)
  }

  /// The space that asks for a client's certificate.
  init(clientCertificateFor origin: Origin) {
    trust = nil
    super.init(
      host: origin.host, port: origin.port, protocol: "https", realm: nil,
      authenticationMethod: NSURLAuthenticationMethodClientCertificate)
  }
}
