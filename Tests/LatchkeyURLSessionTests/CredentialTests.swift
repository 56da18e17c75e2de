import Foundation
import FoundationNetworking
import LatchkeySwiftTesting
import LatchkeyTLSTestSupport
import LatchkeyURLSession
import Security
import Testing

/// What Foundation's classes have of Security.
@Suite(.temporaryKeychain(typing: "1234")) struct CredentialTests {
  @Test("A credential of an identity has it, with its certificates") func identity() async throws {
    let site = try await TestSite()
    let identity = try site.enclaveIdentity()
    let credential = URLCredential(
      identity: identity, certificates: [try site.issuer, "no certificate"], persistence: .permanent)
    #expect(credential.identity == identity)
    #expect(credential.certificates as? [SecCertificate] == [try site.issuer])
    #expect(credential.persistence == .permanent)
    #expect(credential.user == nil)
    #expect(credential.password == nil)
    #expect(!credential.hasPassword)
    #expect(URLCredential(identity: identity, certificates: nil, persistence: .none).certificates.isEmpty)
  }

  @Test("Credentials are equal if their content is") func equality() async throws {
    let site = try await TestSite()
    let identity = try site.enclaveIdentity()
    let (trust, other) = (try trust(in: site), try trust(in: site))
    #expect(URLCredential(trust: trust).isEqual(URLCredential(trust: trust)))
    #expect(URLCredential(trust: trust).hash == URLCredential(trust: trust).hash)
    #expect(!URLCredential(trust: trust).isEqual(URLCredential(trust: other)))
    let credential = URLCredential(identity: identity, certificates: nil, persistence: .none)
    #expect(credential.isEqual(URLCredential(identity: identity, certificates: [], persistence: .none)))
    #expect(!credential.isEqual(URLCredential(identity: identity, certificates: nil, persistence: .forSession)))
    #expect(!credential.isEqual(URLCredential(user: "", password: "", persistence: .none)))
  }

  @Test("Other credentials have no identity") func otherCredentials() async throws {
    let site = try await TestSite()
    for credential in [
      URLCredential(user: "anna", password: "secret", persistence: .none), URLCredential(trust: try trust(in: site)),
    ] {
      #expect(credential.identity == nil)
      #expect(credential.certificates.isEmpty)
    }
  }

  @Test("An archive of an identity's credential gives none back") func archive() async throws {
    let site = try await TestSite()
    let credential = URLCredential(identity: try site.enclaveIdentity(), certificates: nil, persistence: .permanent)
    let archive = try? NSKeyedArchiver.archivedData(withRootObject: credential, requiringSecureCoding: false)
    let user = archive?.range(of: Data("NS._user".utf8))
    #expect(user == nil)
  }

  @Test("A subclass of a credential gets no identity, and does not trap") func subclass() async throws {
    final class Own: URLCredential, @unchecked Sendable {}
    let site = try await TestSite()
    #expect(Own(trust: try trust(in: site)).user == "")
    #expect(Own(identity: try site.enclaveIdentity(), certificates: nil, persistence: .none).identity == nil)
  }

  @Test("A space of another method has no trust") func otherSpace() {
    let space = URLProtectionSpace(
      host: "localhost", port: 443, protocol: "https", realm: nil,
      authenticationMethod: NSURLAuthenticationMethodServerTrust)
    #expect(space.serverTrust == nil)
    #expect(space.authenticationMethod == "NSURLAuthenticationMethodServerTrust")
    #expect(NSURLAuthenticationMethodClientCertificate == "NSURLAuthenticationMethodClientCertificate")
  }

  private func trust(in site: TestSite) throws -> SecTrust {
    var trust: SecTrust?
    SecTrustCreateWithCertificates(site.root, nil, &trust)
    return try #require(trust)
  }
}
