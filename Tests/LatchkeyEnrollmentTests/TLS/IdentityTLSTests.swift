import LatchkeyServerTestSupport
import AsyncHTTPClient
import Crypto
import CryptoExtras
import Foundation
import LatchkeySwiftTesting
import LatchkeyTLSTestSupport
import NIOCore
import NIOHTTP1
import NIOSSL
import Security
import SwiftASN1
import Testing
import X509

@testable import LatchkeyEnrollment

/// Handshakes with keys of the keychain, against a server that demands a certificate.
@Suite(.temporaryKeychain(typing: "1234")) struct IdentityTLSTests {
  /// The keys that an identity may have.
  enum Kind: String, CaseIterable, Sendable {
    case enclave, p256, p384, p521, rsa
  }

  @Test("The server sees the certificate of the identity", arguments: Kind.allCases, [TLSVersion.tlsv12, .tlsv13])
  func theServerSeesTheCertificateOfTheIdentity(_ kind: Kind, _ version: TLSVersion) async throws {
    let authority = try TestAuthority()
    let identity = try identity(kind, by: authority)
    let issuer = try SecCertificate(authority.issuer.certificate)
    #expect(SecItemAdd([kSecValueRef: issuer] as CFDictionary, nil) == errSecSuccess)
    let server = try await server(of: authority, version)
    let tls = try TLSConfiguration(identity: identity, trustRoots: roots(authority))
    #expect(try await status(server, tls) == 200)
    #expect(server.requests.first?.certificate == identity.certificate.der)
  }

  @Test("Without an identity the server refuses") func withoutAnIdentityTheServerRefuses() async throws {
    let authority = try TestAuthority()
    let server = try await server(of: authority, .tlsv13)
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = try roots(authority)
    await #expect(throws: (any Error).self) { try await status(server, tls) }
    #expect(server.requests.isEmpty)
  }

  @Test("A key that was deleted signs no handshake") func aKeyThatWasDeletedSignsNoHandshake() async throws {
    let authority = try TestAuthority()
    let identity = try identity(.enclave, by: authority)
    let server = try await server(of: authority, .tlsv13)
    let tls = try TLSConfiguration(
      identity: identity, certificates: [SecCertificate(authority.issuer.certificate)], trustRoots: roots(authority))
    try DeviceKey.delete(label: "identity")
    await #expect(throws: (any Error).self) { try await status(server, tls) }
    #expect(server.requests.isEmpty)
  }

  @Test("Schemes are those of the key alone") func schemesAreThoseOfTheKeyAlone() throws {
    let authority = try TestAuthority()
    #expect(try schemes(.enclave, authority) == [.ecdsaSecp256R1Sha256])
    #expect(try schemes(.p384, authority) == [.ecdsaSecp384R1Sha384])
    #expect(try schemes(.p521, authority) == [.ecdsaSecp521R1Sha512])
    #expect(
      try schemes(.rsa, authority) == [
        .rsaPssRsaeSha256, .rsaPssRsaeSha384, .rsaPssRsaeSha512, .rsaPkcs1Sha256, .rsaPkcs1Sha384, .rsaPkcs1Sha512,
      ])
  }

  @Test("A public key is refused") func aPublicKeyIsRefused() throws {
    let key = try DeviceKey.identity.make(label: "identity")
    let half = try #require(SecKeyCopyPublicKey(key))
    #expect(throws: EnrollmentError.self) { try KeychainPrivateKey(half) }
  }

  // MARK: Helpers of the tests

  private func schemes(_ kind: Kind, _ authority: TestAuthority) throws -> [SignatureAlgorithm] {
    try KeychainPrivateKey(identity(kind, by: authority).key).signatureAlgorithms
  }

  private func identity(_ kind: Kind, by authority: TestAuthority) throws -> SecIdentity {
    switch kind {
    case .enclave:
      let key = try DeviceKey.identity.make(label: "identity")
      return try #require(SecIdentity(certificate: try authority.client("enclave", for: key), key: key))
    case .p256:
      let key = P256.Signing.PrivateKey()
      return try imported(key.x963Representation, kSecAttrKeyTypeEC, .init(key.publicKey), authority)
    case .p384:
      let key = P384.Signing.PrivateKey()
      return try imported(key.x963Representation, kSecAttrKeyTypeEC, .init(key.publicKey), authority)
    case .p521:
      let key = P521.Signing.PrivateKey()
      return try imported(key.x963Representation, kSecAttrKeyTypeEC, .init(key.publicKey), authority)
    case .rsa:
      let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
      return try imported(key.derRepresentation, kSecAttrKeyTypeRSA, .init(key.publicKey), authority)
    }
  }

  private func imported(
    _ data: Data, _ type: CFString, _ half: Certificate.PublicKey, _ authority: TestAuthority
  ) throws -> SecIdentity {
    let attributes: [CFString: Any] = [kSecAttrKeyType: type, kSecAttrKeyClass: kSecAttrKeyClassPrivate]
    let key = try #require(SecKeyCreateWithData(data as CFData, attributes as CFDictionary, nil))
    return try #require(SecIdentity(certificate: try authority.client("imported", for: half), key: key))
  }

  private func server(of authority: TestAuthority, _ version: TLSVersion) async throws -> LittleServer {
    let (chain, key) = try authority.server()
    // The root alone: what lies between must come from the client.
    return try await LittleServer(
      chain: chain, key: key, clientRoots: [try authority.root.certificate.bytes], version: version
    ) { _ in .response(200) }
  }

  private func roots(_ authority: TestAuthority) throws -> NIOSSLTrustRoots {
    .certificates([try NIOSSLCertificate(bytes: authority.root.certificate.bytes, format: .der)])
  }

  private func status(_ server: LittleServer, _ tls: TLSConfiguration) async throws -> UInt {
    var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
    configuration.connectionPool.retryConnectionEstablishment = false
    let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    do {
      let answer = try await http.execute(
        HTTPClientRequest(url: "https://localhost:\(server.port)/"), timeout: .seconds(300))
      try await http.shutdown()
      return answer.status.code
    } catch {
      try await http.shutdown()
      throw error
    }
  }
}
