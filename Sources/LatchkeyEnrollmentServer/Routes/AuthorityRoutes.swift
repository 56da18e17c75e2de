internal import Hummingbird
internal import LatchkeyCertificateAuthority
internal import LatchkeyEnclaveKeys
internal import LatchkeyEnrollmentProtocol

/// The authority's chain and the revocation lists of all authorities of this server, without authentication.
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
    // Certificates name these, since the authority may be another one by the time that somebody asks.
    router.get(RouterPath(Routes.issuer("{issuer}"))) { [services] _, context in
      Response.bytes(try Self.issuer(services, context).authority.chain[0], type: "application/pkix-cert")
    }
    router.get(RouterPath(Routes.revocationList("{issuer}"))) { [services] _, context in
      Response.bytes(
        try await Self.issuer(services, context).lists.list(now: services.now), type: "application/pkix-crl")
    }
  }

  private static func issuer(_ services: Services, _ context: ServerContext) throws -> KnownIssuer {
    guard let issuer = services.issuers.issuer(named: try context.parameters.require("issuer")) else {
      throw Problem(
        .notFound, detail: "this server has no authority of that key identifier; \(Routes.authority) has the current")
    }
    return issuer
  }
}
