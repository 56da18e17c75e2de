import LatchkeyByteCoding
import Testing

@testable import LatchkeyPKCS12

@Suite struct IdentityTests {
  @Test(
    "A key finds its certificate by what is public of it, whatever the identifiers say",
    arguments: ["p256", "p384", "p521", "compressed", "secp256k1", "rsa", "rsa-pss", "ed25519", "x25519"])
  func byPublicKey(name: String) throws {
    var file = try all()
    file.keys = [try key(name)]
    #expect(file.identities.map(\.certificate.der) == [try certificate(name).der])
    // The identifier points at another certificate.
    file.keys[0].localKeyID = [1]
    file.certificates[0].localKeyID = [1]
    #expect(file.identities.map(\.certificate.der) == [try certificate(name).der])
  }

  @Test("Among several certificates of one key, the one with its identifier is chosen")
  func byIdentifier() throws {
    var file = PKCS12File(
      certificates: [try certificate("p256"), try certificate("root"), try certificate("p256")], keys: [try key("p256")]
    )
    file.certificates[0].friendlyName = "first"
    file.certificates[2].localKeyID = [5]
    #expect(file.identities.map(\.certificate.friendlyName) == ["first"])
    file.keys[0].localKeyID = [5]
    #expect(file.identities.map(\.certificate.friendlyName) == [nil])
  }

  @Test("For an unknown algorithm, the local key identifier alone decides the match")
  func unknownAlgorithm() throws {
    var file = try all()
    file.keys = [try key("ed448")]
    #expect(file.identities.isEmpty)
    file.keys[0].localKeyID = [9]
    #expect(file.identities.isEmpty)
    let index = try #require(file.certificates.firstIndex(of: try certificate("ed448")))
    file.certificates[index].localKeyID = [9]
    #expect(file.identities.map(\.certificate.der) == [try certificate("ed448").der])
  }

  @Test("A key whose certificate is elsewhere is no identity, and keys keep their order")
  func order() throws {
    let file = PKCS12File(
      certificates: [try certificate("p256"), try certificate("rsa")],
      keys: [try key("rsa"), try key("p384"), try key("p256"), try key("rsa")])
    #expect(file.identities.map(\.key.pkcs8) == [try key("rsa").pkcs8, try key("p256").pkcs8, try key("rsa").pkcs8])
  }

  @Test(
    "A key on a curve needs no public half, and the one it has is not believed", arguments: ["p256", "p384", "p521"])
  func withoutPublicHalf(name: String) throws {
    let whole = try key(name).pkcs8
    var reader = PKCS12Reader(SecretBytes(whole), depth: 16)
    var info = try reader.item(.sequence, "a key")
    _ = try info.number("a version")
    let algorithm = try info.der("an algorithm")
    var inner = try info.item(.octetString, "a key")
    var key = try inner.item(.sequence, "a key")
    _ = try key.number("a version")
    let scalar = try key.item(.octetString, "a scalar").bytes()
    let other = try #require(PublicHalfBytes.point(of: "loop-a"))
    for (scalar, point) in [
      (scalar, []), (Array(scalar.drop { $0 == 0 }), []), ([0, 0] + scalar, nil as [UInt8]?),
      (scalar, MadeFile.value(0xA1, MadeFile.value(3, [0] + other))),
    ] {
      let stripped = MadeFile.sequence([[2, 1, 1], MadeFile.value(4, scalar), point ?? []])
      let pkcs8 = MadeFile.sequence([[2, 1, 0], algorithm, MadeFile.value(4, stripped)])
      let file = PKCS12File(certificates: [try certificate(name)], keys: [.init(pkcs8: pkcs8)])
      // A scalar that is too long is none.
      #expect(file.identities.count == (point == nil ? 0 : 1))
    }
  }

  @Test("The chain is the issuers in the file, nearest first, without the certificate and without strangers")
  func chain() throws {
    let file = PKCS12File(
      certificates: [
        try certificate("root"), try certificate("loop-a"), try certificate("issuing"), try certificate("p256"),
        try certificate("intermediate"), try certificate("rsa"),
      ], keys: [try key("p256")])
    let expected = [try certificate("issuing"), try certificate("intermediate"), try certificate("root")]
    #expect(file.identities.map(\.chain) == [expected])
    var gap = file
    gap.certificates.remove(at: 4)
    #expect(gap.identities.map(\.chain) == [[try certificate("issuing")]])
  }

  @Test("Issuers in a ring end the chain once each was there")
  func loops() throws {
    let ring = PKCS12File(
      certificates: [try certificate("loop-a"), try certificate("loop-b")], keys: [try key("loop-a")])
    #expect(ring.identities.map(\.chain) == [[try certificate("loop-b")]])
    var twice = ring
    twice.certificates += twice.certificates + twice.certificates
    #expect(twice.identities.allSatisfy { $0.chain.count < twice.certificates.count })
    let own = PKCS12File(
      certificates: [try certificate("compressed"), try certificate("compressed")], keys: [try key("compressed")])
    #expect(own.identities.map(\.chain) == [[]])
  }

  @Test("A chain ends where no verifier would need more of it")
  func longChain() throws {
    // Certificates of nothing but names, and a key of an algorithm of its own.
    func name(_ number: Int) -> [UInt8] { MadeFile.sequence([MadeFile.number(number)]) }
    let empty = MadeFile.sequence([])
    let certificates = (0..<50).map { number in
      let parts = MadeFile.sequence([[2, 1, 1], empty, name(number + 1), empty, name(number), empty])
      return PKCS12File.Certificate(der: MadeFile.sequence([parts]), localKeyID: number == 0 ? [1] : nil)
    }
    let pkcs8 = MadeFile.sequence([
      [2, 1, 0], MadeFile.sequence([MadeFile.oid(DERObjectIdentifier(1, 2, 3))]), [4, 1, 0],
    ])
    let file = PKCS12File(certificates: certificates.reversed(), keys: [.init(pkcs8: pkcs8, localKeyID: [1])])
    #expect(file.identities.map(\.chain) == [Array(certificates[1...PKCS12File.longestChain])])
  }

  @Test("Malformed certificates and keys form no identity, and nothing traps")
  func damaged() throws {
    for name in ["p256", "rsa", "ed25519"] {
      let (certificate, key) = (try certificate(name), try key(name))
      for count in stride(from: 0, to: certificate.der.count, by: 3) {
        let file = PKCS12File(certificates: [.init(der: Array(certificate.der[..<count]))], keys: [key])
        #expect(file.identities.isEmpty)
      }
      for count in stride(from: 0, to: key.pkcs8.count, by: 3) {
        let file = PKCS12File(certificates: [certificate], keys: [.init(pkcs8: Array(key.pkcs8[..<count]))])
        #expect(file.identities.isEmpty)
      }
    }
  }

  private func certificate(_ name: String) throws -> PKCS12File.Certificate {
    .init(der: try Fixtures.bytes("identities/\(name).cer"))
  }

  private func key(_ name: String) throws -> PKCS12File.Key {
    .init(pkcs8: try Fixtures.bytes("identities/\(name).key"))
  }

  /// Every certificate there is, a stranger first.
  private func all() throws -> PKCS12File {
    let names = [
      "root", "intermediate", "issuing", "ed448", "p256", "p384", "p521", "compressed", "secp256k1", "rsa", "rsa-pss",
      "ed25519", "x25519",
    ]
    return PKCS12File(certificates: try names.map(certificate))
  }
}

private enum PublicHalfBytes {
  /// The point of a key on P-256: the last bytes of its PrivateKeyInfo, as OpenSSL writes it.
  static func point(of name: String) -> [UInt8]? {
    (try? Fixtures.bytes("identities/\(name).key")).map { Array($0.suffix(65)) }
  }
}
