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
  let issuer: CertificateIssuer
  let lists: RevocationLists
  let responder: StatusResponder

  init(_ authority: CertificateAuthority, of configuration: ServerConfiguration) {
    let policy = configuration.policy
    self.authority = authority
    name = Hexadecimal.encode(authority.identifier)
    issuer = CertificateIssuer(authority, lifetime: policy.certificateLifetime)
    lists = RevocationLists(configuration.store, issuer: issuer, lifetime: policy.revocationListLifetime)
    responder = StatusResponder(
      configuration.store, issuer: issuer, lifetime: policy.statusLifetime, delegates: policy.delegatesStatus)
  }
}

/// The authorities whose certificates this server issued: the current one, those of profiles, and those before until their
/// certificates have expired. Each answers for its own certificates, with its own key: nobody believes another's.
struct KnownIssuers: Sendable {
  /// The current one first.
  let all: [KnownIssuer]
  /// Those that profiles name.
  private let named: [String: KnownIssuer]

  init(_ configuration: ServerConfiguration) {
    named = configuration.namedAuthorities.mapValues { KnownIssuer($0, of: configuration) }
    all =
      [KnownIssuer(configuration.authority, of: configuration)]
      + named.sorted { $0.key < $1.key }.map(\.value)
      + configuration.previousAuthorities.map { KnownIssuer($0, of: configuration) }
  }

  /// The authority that issues a profile's certificates.
  ///
  /// - Throws: `.unavailable` if this server does not have the one that the profile names.
  func issuer(of profile: DeviceProfile) throws(Problem) -> KnownIssuer {
    guard let name = profile.issuer else { return all[0] }
    guard let known = named[name] else {
      throw Problem(
        .unavailable,
        detail: "this server does not have the authority of the profile \(profile.name); ask who runs the service")
    }
    return known
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
