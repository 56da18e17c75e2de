import LatchkeyTestSupport
import Crypto
import Foundation
import LatchkeyCertificateAuthority
import SwiftASN1
import Testing
import X509

@Suite("Signing requests")
struct SigningRequestTests {
  private func request(_ key: Certificate.PrivateKey, name: String = "anyone") throws -> [UInt8] {
    let request = try CertificateSigningRequest(
      version: .v1, subject: DistinguishedName { CommonName(name) }, privateKey: key,
      attributes: CertificateSigningRequest.Attributes())
    var serializer = DER.Serializer()
    try serializer.serialize(request)
    return serializer.serializedBytes
  }

  @Test("a request gives its key, whatever names it asks for")
  func key() throws {
    let key = P256.Signing.PrivateKey()
    let request = try request(Certificate.PrivateKey(key), name: "administrator")
    #expect(try CertificateAuthority.publicKey(ofRequest: request) == Array(key.publicKey.x963Representation))
  }

  @Test("OpenSSL's request is read", .enabled(if: PeerProgram.openssl != nil))
  func openSSL() throws {
    let peer = try PeerProgram(PeerProgram.openssl)
    let made = try peer.run(
      "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", peer.path("key"),
      "-subj", "/CN=a", "-addext", "subjectAltName=DNS:localhost", "-outform", "DER", "-out", peer.path("csr"))
    #expect(made.code == 0, "\(made.text)")
    let key = try FileAuthorityKey(fileContents: peer.read("key"))
    #expect(try CertificateAuthority.publicKey(ofRequest: peer.read("csr")) == key.publicKey)
  }

  @Test(
    "A request has a client's names only if subject and alternative name are its own, whatever their types of strings",
    arguments: [
      ("O=demo", "7", "URI:urn:latchkey:device:7", true), ("O=demo", "7", nil, false),
      ("O=ann", "7", "URI:urn:latchkey:device:7", false),
      ("O=demo", "8", "URI:urn:latchkey:device:7", false), ("O=demo", "7", "URI:urn:latchkey:device:8", false),
      ("O=demo", "7", "URI:urn:latchkey:device:7,DNS:example.org", false),
      ("OU=demo", "7", "URI:urn:latchkey:device:7", false),
    ] as [(String, String, String?, Bool)])
  func clientNames(_ user: String, device: String, name: String?, expected: Bool) throws {
    guard PeerProgram.openssl != nil else { return }
    let peer = try PeerProgram(PeerProgram.openssl)
    let names = name.map { ["-addext", "subjectAltName=\($0)"] } ?? []
    for mask in ["utf8only", "pkix"] {
      try Data("[req]\nstring_mask=\(mask)\ndistinguished_name=dn\n[dn]\n".utf8)
        .write(to: URL(filePath: peer.path("config")))
      let made = try peer.run(
        [
          "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", peer.path("key"),
          "-config", peer.path("config"), "-subj", "/\(user)/CN=\(device)", "-outform", "DER", "-out", peer.path("csr"),
        ]
          + names)
      #expect(made.code == 0, "\(made.text)")
      let request = try peer.read("csr")
      #expect(CertificateAuthority.isRequest(request, forClient: "7", user: "demo") == expected)
      #expect(CertificateAuthority.commonName(ofRequest: request) == device)
      // With a further name, only the request that has it as well.
      let further = try AlternativeName("dns:example.org")
      #expect(
        CertificateAuthority.isRequest(request, forClient: "7", user: "demo", alternativeNames: [further])
          == (user == "O=demo" && device == "7" && name == "URI:urn:latchkey:device:7,DNS:example.org"))
    }
    #expect(!CertificateAuthority.isRequest([1, 2, 3], forClient: "7", user: "demo"))
    #expect(CertificateAuthority.commonName(ofRequest: [1, 2, 3]) == nil)
  }

  @Test(
    "requests for other keys are refused", .enabled(if: PeerProgram.openssl != nil),
    arguments: [
      ["-newkey", "rsa:2048"], ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384"],
      ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:secp256k1"], ["-newkey", "ed25519"],
    ])
  func otherKeys(options: [String]) throws {
    let peer = try PeerProgram(PeerProgram.openssl)
    let head = ["req", "-new", "-nodes", "-keyout", peer.path("key"), "-subj", "/CN=a"] + options
    let all = head + ["-outform", "DER", "-out", peer.path("csr")]
    let made = try peer.run(all)
    #expect(made.code == 0, "\(made.text)")
    let request = try peer.read("csr")
    #expect { try CertificateAuthority.publicKey(ofRequest: request) } throws: {
      guard case .invalidRequest = $0 as? AuthorityError else { return false }
      return true
    }
  }

  @Test("a request of which one bit was changed is refused, wherever it is")
  func alteredRequest() throws {
    let good = try request(Certificate.PrivateKey(P256.Signing.PrivateKey()))
    for place in good.indices {
      var altered = good
      altered[place] ^= 0x01
      #expect(throws: AuthorityError.self, "byte \(place)") { try CertificateAuthority.publicKey(ofRequest: altered) }
    }
  }

  @Test("a request signed by another key is refused")
  func otherSigner() throws {
    let (mine, theirs) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
    let honest = try CertificateSigningRequest(derEncoded: request(Certificate.PrivateKey(theirs)))
    let stolen = try CertificateSigningRequest(
      version: .v1, subject: honest.subject, publicKey: Certificate.PublicKey(mine.publicKey),
      attributes: honest.attributes, signatureAlgorithm: .ecdsaWithSHA256, signature: honest.signature)
    var serializer = DER.Serializer()
    try serializer.serialize(stolen)
    let bytes = serializer.serializedBytes
    #expect(throws: AuthorityError.self) { try CertificateAuthority.publicKey(ofRequest: bytes) }
  }

  @Test("A truncated, extended, empty or huge request is refused")
  func sizes() throws {
    let good = try request(Certificate.PrivateKey(P256.Signing.PrivateKey()))
    for count in good.indices {
      #expect(throws: AuthorityError.self) { try CertificateAuthority.publicKey(ofRequest: Array(good[..<count])) }
    }
    #expect(throws: AuthorityError.self) { try CertificateAuthority.publicKey(ofRequest: good + [0]) }
    let huge = try request(
      Certificate.PrivateKey(P256.Signing.PrivateKey()), name: String(repeating: "a", count: 16_384))
    #expect(throws: AuthorityError.invalidRequest("a signing request has at most 16384 bytes")) {
      try CertificateAuthority.publicKey(ofRequest: huge)
    }
    let deep = [UInt8](repeating: 0x30, count: 16_384)
    #expect(throws: AuthorityError.self) { try CertificateAuthority.publicKey(ofRequest: deep) }
  }
}
