internal import Hummingbird
internal import LatchkeyCertificateAuthority
internal import LatchkeyEnclaveKeys
internal import LatchkeyEnrollmentProtocol

/// The authority's chain and its revocation list, without authentication.
struct AuthorityRoutes: RouteGroup {
  private let services: Services

  init(_ services: Services) { self.services = services }

  func add(to router: Router<ServerContext>) {
    let chain = services.configuration.authority.chain
      .map { PEMDocument(label: "CERTIFICATE", bytes: $0).text }.joined()
    router.get(RouterPath(Routes.authority)) { _, _ in
      Response.bytes(Array(chain.utf8), type: "application/x-pem-file")
    }
    router.get(RouterPath(Routes.revocationList)) { [services] _, _ in
      Response.bytes(
        try await services.revocationLists.list(now: services.now), type: "application/pkix-crl")
    }
  }
}
