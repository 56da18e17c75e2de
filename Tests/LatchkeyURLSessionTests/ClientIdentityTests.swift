import Foundation
import FoundationNetworking
import LatchkeySwiftTesting
import LatchkeyTLSTestSupport
import LatchkeyURLSession
import NIOSSL
import Security
import Testing

/// Servers that ask for a client certificate, and delegates that have one or not.
@Suite(.temporaryKeychain(typing: "1234")) struct ClientIdentityTests {
  @Test(
    "An identity of the enclave is presented, after the server was judged", arguments: [TLSVersion.tlsv12, .tlsv13])
  func enclave(_ version: TLSVersion) async throws {
    let site = try await TestSite(clientCertificate: .required, version: version)
    let identity = try site.enclaveIdentity()
    let delegate = ScriptedDelegate.trusting(site.root, identity: identity, certificates: [try site.issuer])
    _ = try await AuthenticatingSession(delegate: delegate).data(from: site.url)
    var certificate: SecCertificate?
    SecIdentityCopyCertificate(identity, &certificate)
    let expected = SecCertificateCopyData(try #require(certificate)) as Data
    #expect(site.server.requests.first?.certificate.map { Data($0) } == expected)
    #expect(
      delegate.methods == [NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate])
  }

  @Test("Without certificates the issuers come from the keychain") func issuersOfTheKeychain() async throws {
    let site = try await TestSite(clientCertificate: .required)
    #expect(SecItemAdd([kSecValueRef: try site.issuer] as CFDictionary, nil) == errSecSuccess)
    let delegate = ScriptedDelegate.trusting(site.root, identity: try site.enclaveIdentity())
    _ = try await AuthenticatingSession(delegate: delegate).data(from: site.url)
    #expect(site.server.requests.first?.certificate != nil)
  }

  @Test("A server that asks for none gets none") func notAsked() async throws {
    let site = try await TestSite()
    let delegate = ScriptedDelegate.trusting(site.root, identity: try site.enclaveIdentity())
    _ = try await AuthenticatingSession(delegate: delegate).data(from: site.url)
    #expect(delegate.methods == [NSURLAuthenticationMethodServerTrust])
    #expect(site.server.requests.first?.certificate == nil)
  }

  @Test("Without an identity a server that insists refuses", arguments: [TLSVersion.tlsv12, .tlsv13])
  func required(_ version: TLSVersion) async throws {
    let site = try await TestSite(clientCertificate: .required, version: version)
    let delegate = ScriptedDelegate.trusting(site.root)
    #expect(await code(of: { try await load(site, delegate) }) == .clientCertificateRequired)
    #expect(site.server.requests.isEmpty)
  }

  @Test("Without an identity a server that does not insist answers") func optional() async throws {
    let site = try await TestSite(clientCertificate: .optional)
    let delegate = ScriptedDelegate.trusting(site.root)
    try await load(site, delegate)
    #expect(site.server.requests.first?.certificate == nil)
    #expect(delegate.methods.first == NSURLAuthenticationMethodServerTrust)
    #expect(delegate.methods.contains(NSURLAuthenticationMethodClientCertificate))
  }

  @Test("An identity of another authority is not accepted", arguments: [TLSVersion.tlsv12, .tlsv13])
  func foreign(_ version: TLSVersion) async throws {
    let site = try await TestSite(clientCertificate: .required, version: version)
    let other = try await TestSite()
    let delegate = ScriptedDelegate.trusting(
      site.root, identity: try other.enclaveIdentity(), certificates: [try other.issuer])
    #expect(await code(of: { try await load(site, delegate) }) == .clientCertificateRejected)
    #expect(site.server.requests.isEmpty)
  }

  @Test("A server that is not trusted gets no certificate") func untrustedServer() async throws {
    let site = try await TestSite(clientCertificate: .required)
    let identity = try site.enclaveIdentity()
    let delegate = ScriptedDelegate { challenge, handler in
      guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodClientCertificate else {
        return handler(.performDefaultHandling, nil)
      }
      handler(.useCredential, URLCredential(identity: identity, certificates: nil, persistence: .none))
    }
    #expect(await code(of: { try await load(site, delegate) }) == .serverCertificateHasUnknownRoot)
    #expect(!delegate.methods.contains(NSURLAuthenticationMethodClientCertificate))
  }

  @Test("A challenge for a certificate can be cancelled") func cancelled() async throws {
    let site = try await TestSite(clientCertificate: .optional)
    let delegate = ScriptedDelegate { [root = site.root] challenge, handler in
      if let trust = challenge.protectionSpace.serverTrust, trust.isTrusted(below: root) {
        handler(.useCredential, URLCredential(trust: trust))
      } else {
        handler(.cancelAuthenticationChallenge, nil)
      }
    }
    #expect(await code(of: { try await load(site, delegate) }) == .cancelled)
    #expect(site.server.requests.isEmpty)
  }

  @Test("A password is no client certificate") func password() async throws {
    let site = try await TestSite(clientCertificate: .optional)
    let delegate = ScriptedDelegate { [root = site.root] challenge, handler in
      if let trust = challenge.protectionSpace.serverTrust, trust.isTrusted(below: root) {
        handler(.useCredential, URLCredential(trust: trust))
      } else {
        handler(.useCredential, URLCredential(user: "anna", password: "secret", persistence: .none))
      }
    }
    #expect(await code(of: { try await load(site, delegate) }) == .clientCertificateRejected)
    #expect(site.server.requests.isEmpty)
  }

  @Test("A key that was deleted presents nothing") func deletedKey() async throws {
    let site = try await TestSite(clientCertificate: .required)
    let identity = try site.enclaveIdentity()
    #expect(SecItemDelete([kSecClass: kSecClassKey, kSecAttrLabel: "client"] as CFDictionary) == errSecSuccess)
    let delegate = ScriptedDelegate.trusting(site.root, identity: identity, certificates: [try site.issuer])
    #expect(await code(of: { try await load(site, delegate) }) == .clientCertificateRejected)
    #expect(site.server.requests.isEmpty)
  }

  private func load(_ site: TestSite, _ delegate: ScriptedDelegate) async throws {
    _ = try await AuthenticatingSession(delegate: delegate).data(from: site.url)
  }
}
