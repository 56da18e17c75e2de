import Foundation
import FoundationNetworking
import LatchkeyTLSTestSupport
import LatchkeyURLSession
import NIOSSL
import Security
import Testing

/// A server of an authority of its own, on localhost.
struct TestSite: Sendable {
  let authority: TestAuthority
  let server: LittleServer
  let root: SecCertificate
  /// The server's certificate, DER.
  let leaf: Data

  /// Whether the server asks for a client certificate.
  enum ClientCertificate { case none, optional, required }

  init(
    names: [String] = ["localhost"], clientCertificate: ClientCertificate = .none, version: TLSVersion? = nil,
    _ handler: @escaping LittleServer.Handler = { _ in .response(200, [], Array("hello".utf8)) }
  ) async throws {
    authority = try TestAuthority()
    let (chain, key) = try authority.server(names: names)
    leaf = Data(chain[0])
    root = try SecCertificate(authority.root.certificate)
    server = try await LittleServer(
      chain: chain, key: key,
      clientRoots: clientCertificate == .none ? nil : [try authority.root.certificate.bytes],
      isCertificateOptional: clientCertificate == .optional, version: version, handler)
  }

  var url: URL { url("/") }

  func url(_ path: String) -> URL {
    URL(string: "https://localhost:\(server.port)\(path)") ?? URL(fileURLWithPath: "/")
  }

  /// An identity of this site's authority: a key of the keychain's enclave.
  func enclaveIdentity() throws -> SecIdentity {
    let parameters: [CFString: Any] = [
      kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
      kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
      kSecPrivateKeyAttrs: [kSecAttrIsPermanent: true, kSecAttrLabel: "client"] as [CFString: Any],
    ]
    let key = try #require(SecKeyCreateRandomKey(parameters as CFDictionary, nil))
    return try #require(SecIdentityCreate(nil, authority.client("client", for: key), key))
  }

  var issuer: SecCertificate { get throws { try SecCertificate(authority.issuer.certificate) } }
}

/// What a request ended with.
func code(of body: () async throws -> Void) async -> URLError.Code? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? URLError)?.code
  }
}
