internal import Foundation
internal import LatchkeyByteCoding
public import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// An authority of this server, with its revocation list and its OCSP responder.
struct KnownIssuer: Sendable {
  /// The authority's key identifier in hexadecimal digits, as in URLs.
  let name: String
  let authority: CertificateAuthority
  let lists: RevocationLists
  let responder: StatusResponder
}

/// The authorities whose certificates this server issued: the current one, and those before it until their certificates have
/// expired. Each answers for its own certificates, with its own key: nobody believes another's.
struct KnownIssuers: Sendable {
  /// The current one first.
  let all: [KnownIssuer]

  init(_ configuration: ServerConfiguration, issuer: CertificateIssuer) {
    let policy = configuration.policy
    all = ([configuration.authority] + configuration.previousAuthorities).enumerated().map { place, authority in
      let issuer =
        place == 0 ? issuer : CertificateIssuer(authority, lifetime: configuration.policy.certificateLifetime)
      return KnownIssuer(
        name: Hexadecimal.encode(authority.identifier), authority: authority,
        lists: RevocationLists(
          configuration.store, issuer: issuer, lifetime: policy.revocationListLifetime),
        responder: StatusResponder(
          configuration.store, issuer: issuer, lifetime: policy.statusLifetime, delegates: policy.delegatesStatus))
    }
  }

  /// The authority whose key identifier is this in hexadecimal digits.
  func issuer(named name: some StringProtocol) -> KnownIssuer? { all.first { $0.name == name } }
}

extension CertificateAuthority {
  /// Sets the URLs in issued certificates to the routes of a server.
  ///
  /// - Parameter url: `http://host[:port]`, where clients reach the routes of ``AuthorityRoutes``.
  public mutating func setURLs(of url: String) {
    let base = url.hasSuffix("/") ? String(url.dropLast()) : url
    let name = Hexadecimal.encode(identifier)
    statusURL = base + Routes.status
    issuerURL = base + Routes.issuer(name)
    revocationListURL = base + Routes.revocationList(name)
  }
}
