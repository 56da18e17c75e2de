import Crypto
import LatchkeyTestSupport
import SwiftASN1
import Testing
import X509

@testable import LatchkeyCertificateAuthority

@Suite("Names that a signing request asks for") struct RequestedNamesTests {
  /// A request for these names; each is the DER of a GeneralName.
  private func request(_ names: [[UInt8]]) throws -> [UInt8] {
    let value = try DER.serialized { coder in
      try coder.appendConstructedNode(identifier: .sequence) { coder in
        for name in names { try coder.serialize(DER.parse(name)) }
      }
    }
    let extensions = try Certificate.Extensions([
      Certificate.Extension(oid: .X509ExtensionID.subjectAlternativeName, critical: false, value: value[...])
    ])
    return try DER.serialized { coder in
      try coder.serialize(
        try CertificateSigningRequest(
          version: .v1, subject: DistinguishedName { CommonName("anyone") },
          privateKey: Certificate.PrivateKey(P256.Signing.PrivateKey()),
          attributes: CertificateSigningRequest.Attributes([
            CertificateSigningRequest.Attribute(ExtensionRequest(extensions: extensions))
          ])))
    }
  }

  /// [TAG] IMPLICIT: 1 mail, 2 DNS, 6 URI, 7 address.
  private func name(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let (count, high, low) = (content.count, UInt8(content.count >> 8), UInt8(content.count & 0xFF))
    let length: [UInt8] = count < 128 ? [low] : count < 256 ? [0x81, low] : [0x82, high, low]
    return [0x80 | tag] + length + content
  }

  private func asked(_ names: [[UInt8]]) throws -> [String] {
    try CertificateAuthority.alternativeNames(ofRequest: request(names)).map(\.description)
  }

  @Test("DNS names, addresses and URIs are read in their order") func kinds() throws {
    let address: [UInt8] = [0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    let names: [[UInt8]] = [
      name(2, Array("a.example".utf8)), name(7, [192, 0, 2, 1]), name(7, address),
      name(6, Array("urn:example:7".utf8)),
    ]
    #expect(try asked(names) == ["dns:a.example", "ip:192.0.2.1", "ip:2001:db8::1", "uri:urn:example:7"])
    #expect(try asked([]) == [])
  }

  private static let longLabel = String(repeating: "a", count: 64) + ".example"
  private static let longName = String(repeating: "a.", count: 127) + "b"
  private static let longURI = "urn:" + String(repeating: "a", count: 512)

  @Test(
    "A name that no certificate gets is refused",
    arguments: [
      (2, "A.example"), (2, "a.example."), (2, "*.example"), (2, "a*.example"), (2, "a.*.example"),
      (2, "a.example\0.evil.example"),
      (2, "ä.example"), (2, "a b.example"), (2, ""), (2, "."), (2, "a..b"), (2, "-a.example"), (2, "192.0.2.1"),
      (2, "::1"),
      (2, Self.longLabel), (2, Self.longName), (6, "no-scheme"), (6, "urn:exa mple"), (6, "urn:ex\0"),
      (6, Self.longURI), (1, "a@example"), (7, "abc"),
      (7, "abcde"), (7, ""), (8, "a"),
    ] as [(UInt8, String)])
  func refused(_ tag: UInt8, _ text: String) throws {
    // 1000 characters of somebody else's are in no answer.
    let request = try request([name(tag, Array(text.utf8))])
    #expect {
      _ = try CertificateAuthority.alternativeNames(ofRequest: request)
    } throws: { error in
      if case AuthorityError.invalidRequest(let detail)? = error as? AuthorityError {
        detail.utf8.count < 200
      } else {
        false
      }
    }
  }

  @Test("Too many names, and one twice, are refused") func count() throws {
    let names = (0..<16).map { name(2, Array("a\($0).example".utf8)) }
    #expect(try asked(names).count == 16)
    let many = (0..<1000).map { name(2, Array("a\($0)".utf8)) }
    let more: [[[UInt8]]] = [names + [name(2, Array("b.example".utf8))], many, [names[0], names[0]]]
    for names in more {
      let request = try request(names)
      #expect(throws: AuthorityError.self) { try CertificateAuthority.alternativeNames(ofRequest: request) }
    }
  }

  @Test("OpenSSL's requests are read", .enabled(if: PeerProgram.openssl != nil)) func openSSL() throws {
    let peer = try PeerProgram(PeerProgram.openssl)
    let made = try peer.run(
      "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", peer.path("key"),
      "-subj", "/CN=a", "-addext", "subjectAltName=DNS:localhost,IP:192.0.2.1,URI:urn:example:7", "-outform", "DER",
      "-out",
      peer.path("csr"))
    #expect(made.code == 0, "\(made.text)")
    let names = try CertificateAuthority.alternativeNames(ofRequest: peer.read("csr"))
    #expect(names.map(\.description) == ["dns:localhost", "ip:192.0.2.1", "uri:urn:example:7"])
  }
}

extension DER {
  fileprivate static func serialized(_ body: (inout DER.Serializer) throws -> Void) throws -> [UInt8] {
    var coder = DER.Serializer()
    try body(&coder)
    return coder.serializedBytes
  }
}
