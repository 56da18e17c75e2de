import ArgumentParser
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyCommandLine
import LatchkeyEnrollmentServer

/// Where others learn which certificates count, and the authority before the current one.
struct PublicationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where to serve certificates of authorities, revocation lists and OCSP besides: plain HTTP, for anyone. A port alone is on loopback.",
      valueName: "host:port"))
  var publicListen: ListenAddress?
  @Option(
    help: ArgumentHelp(
      "Where others reach --public-listen, http://host[:port]: certificates name revocation list, OCSP and issuer there.",
      valueName: "url"))
  var publicURL: String?
  @Option(
    help: ArgumentHelp(
      """
      Who signs OCSP responses: responder, a key in memory with a certificate of the authority for a week; or authority, with \
      its own key.
      """, valueName: "signer"))
  var ocspSigner = OCSPSigner.responder
  @Option(
    name: .customLong("previous-ca"),
    help: ArgumentHelp(
      """
      The authority before, with its chain, PEM, until its certificates have ended: its devices are let in and get certificates \
      of --ca when they renew.
      """, valueName: "file"))
  var previousCA: String?
  @Option(
    name: .customLong("previous-ca-key"),
    help: ArgumentHelp(
      "Its key, as --ca-key: signs revocation lists and OCSP responses about its certificates.", valueName: "key"))
  var previousKey: String?

  func validate() throws {
    guard (previousCA == nil) == (previousKey == nil) else {
      throw ValidationError(
        "--previous-ca and --previous-ca-key belong together: give both; without its key, --also-trust alone")
    }
    guard let publicURL else { return }
    // RFC 5280 4.2.1.13 and 4.2.2.1: behind TLS, each would need another of its kind.
    guard let url = URL(string: publicURL), url.scheme == "http", url.host?.isEmpty == false, url.query == nil,
      url.fragment == nil, publicURL.utf8.count <= 256, publicURL.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw ValidationError("--public-url is http://host[:port], printable ASCII") }
  }

  /// Sets the URLs in certificates of `authority`.
  func apply(to authority: inout CertificateAuthority) {
    if let publicURL { authority.setURLs(of: publicURL) }
  }

  func apply(to configuration: inout ServerConfiguration) throws {
    configuration.publicListener = publicListen.map { OperationsAddress(host: $0.host, port: $0.port) }
    configuration.policy.delegatesStatus = ocspSigner == .responder
    guard let previous = try previousAuthority() else { return }
    guard previous.identifier != configuration.authority.identifier else {
      throw CommandFailure(.badData, "--previous-ca is the authority of --ca: give the one before")
    }
    configuration.previousAuthorities = [previous]
  }

  /// The authority before; nil for none.
  func previousAuthority() throws(CommandFailure) -> CertificateAuthority? {
    guard let previousCA, let previousKey else { return nil }
    return try AuthorityOptions.authority(previousCA, key: previousKey, option: "--previous-ca-key")
  }
}

/// Who signs OCSP responses.
enum OCSPSigner: String, ExpressibleByArgument, CaseIterable {
  case responder, authority
}
