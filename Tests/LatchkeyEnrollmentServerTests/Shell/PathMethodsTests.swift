import Hummingbird
import LatchkeyEnrollmentProtocol
import LatchkeyServerTestSupport
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("The route of a path")
struct PathMethodsTests {
  private static func methods() throws -> PathMethods {
    let router = Router(context: ServerContext.self)
    AuthorityRoutes(try CeremonyBench().services).add(to: router)
    StatusRoutes(try CeremonyBench().services).add(to: router)
    return PathMethods(router)
  }

  @Test("A path is literal, or has one component for each variable part, or any number for the rest")
  func routes() throws {
    let methods = try Self.methods()
    #expect(methods.route(at: "/v1/crl") == "/v1/crl")
    #expect(methods.route(at: "/v1/crl/00ff") == "/v1/crl/{issuer}")
    #expect(methods.route(at: "/v1/ocsp") == "/v1/ocsp")
    #expect(methods.allowed(on: "/v1/ocsp") == "POST")
    for path in ["/v1/ocsp/MEow", "/v1/ocsp/ME/ow", "/v1/ocsp/ME//ow/"] {
      #expect(methods.route(at: path) == "/v1/ocsp/**")
    }
    #expect(methods.allowed(on: "/v1/ocsp/MEow") == "GET, HEAD")
  }

  @Test(
    "Other paths have no route, also where the router would find one",
    arguments: [
      "/v1/crl/", "/v1//crl", "/v1/crl//00ff", "/v1/crl/00ff/", "/v1/crl/00/ff", "/v1/crl/{issuer}", "//v1/ocsp/MEow",
      "/v1", "", "/", "/v1/ocspx/MEow", "/v1/ocsp/", "/v1/ocsp//MEow",
    ])
  func others(_ path: String) throws { #expect(try Self.methods().route(at: path) == nil) }
}
