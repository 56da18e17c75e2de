import Crypto
import Foundation
import LatchkeyAttestation
import LatchkeyEnclaveKeys
import SwiftASN1
import Testing
import X509

@Suite("Certificates of attestation keys, and their chains")
struct CertificateTests {
  private func refused(
    _ place: Int, _ fault: CertificateFault, _ alter: (inout Composed) throws -> Void
  ) rethrows {
    var composed = Composed()
    try alter(&composed)
    #expect(throws: AttestationError.certificate(place, fault)) { try composed.verify() }
  }

  private static let unknown = Certificate.Extension(oid: [1, 2, 3, 4], critical: true, value: [5, 0])

  @Test("an attestation key's certificate is what WebAuthn 8.3.1 wants")
  func attestationKey() {
    refused(0, .version) { $0.leaf.version = .v1 }
    refused(0, .subject) { $0.leaf.subject = TestCertificate.name("somebody") }
    refused(0, .basicConstraints) { $0.leaf.basicConstraints = nil }
    refused(0, .basicConstraints) { $0.leaf.basicConstraints = .isCertificateAuthority(maxPathLength: nil) }
    refused(0, .extendedKeyUsage) { $0.leaf.usages = nil }
    refused(0, .extendedKeyUsage) { $0.leaf.usages = [[1, 3, 6, 1, 5, 5, 7, 3, 2]] }
    refused(0, .extendedKeyUsage) { $0.leaf.usages = [[2, 5, 29, 37, 0]] }
    refused(0, .keyUsage) { $0.leaf.keyUsage = KeyUsage(keyAgreement: true) }
    refused(0, .alternativeName) { $0.leaf.alternativeNames = nil }
    refused(0, .alternativeName) { $0.leaf.alternativeNames = [.dnsName("tpm")] }
    refused(0, .alternativeName) { $0.leaf.alternativeNames = [TestCertificate.tpm(manufacturer: nil)] }
    refused(0, .alternativeName) { $0.leaf.alternativeNames = [TestCertificate.tpm(model: nil)] }
    refused(0, .alternativeName) { $0.leaf.alternativeNames = [TestCertificate.tpm(version: nil)] }
    for manufacturer in ["00001014", "id:1014", "id:0000101G", "id:000010140", "di:00001014"] {
      refused(0, .alternativeName) { $0.leaf.alternativeNames = [TestCertificate.tpm(manufacturer: manufacturer)] }
    }
    refused(0, .criticalExtension) { $0.leaf.others = [Self.unknown] }
  }

  @Test("it need not say what its key is used for, and other names may stand beside the TPM's")
  func optional() throws {
    var composed = Composed()
    composed.leaf.keyUsage = nil
    composed.leaf.alternativeNames = [.dnsName("tpm"), TestCertificate.tpm()]
    composed.leaf.others = [Certificate.Extension(oid: [1, 2, 3, 4], critical: false, value: [5, 0])]
    #expect(try composed.verify().attestationKey?.tpm?.model == "m")
  }

  @Test("the TPM's names may stand in one set, but none of them twice")
  func names() throws {
    let attributes: [RelativeDistinguishedName.Attribute] = [
      .init(type: [2, 23, 133, 2, 1], utf8String: "id:00001014"), .init(type: [2, 23, 133, 2, 2], utf8String: "one"),
      .init(type: [2, 23, 133, 2, 3], utf8String: "id:2"),
    ]
    var composed = Composed()
    composed.leaf.alternativeNames = [.directoryName(DistinguishedName([RelativeDistinguishedName(attributes)]))]
    #expect(try composed.verify().attestationKey?.tpm?.model == "one")
    let twice = attributes + [.init(type: [2, 23, 133, 2, 2], utf8String: "two")]
    composed.leaf.alternativeNames = [.directoryName(DistinguishedName([RelativeDistinguishedName(twice)]))]
    #expect(throws: AttestationError.certificate(0, .alternativeName)) { try composed.verify() }
  }

  @Test("every certificate is valid at the time")
  func validity() {
    let (earlier, later) = (Composed.now - 1, Composed.now + 1)
    refused(0, .expired) { $0.leaf.notAfter = earlier }
    refused(0, .notYetValid) { $0.leaf.notBefore = later }
    refused(1, .expired) { $0.authority.shape.notAfter = earlier }
    refused(1, .notYetValid) { $0.authority.shape.notBefore = later }
    refused(2, .expired) { $0.authority.rootShape.notAfter = earlier }
    refused(2, .notYetValid) { $0.authority.rootShape.notBefore = later }
  }

  @Test("the issuer is an authority that may")
  func authority() {
    refused(1, .version) { $0.authority.shape.version = .v1 }
    refused(1, .basicConstraints) { $0.authority.shape.basicConstraints = nil }
    refused(1, .basicConstraints) { $0.authority.shape.basicConstraints = .notCertificateAuthority }
    refused(1, .keyUsage) { $0.authority.shape.keyUsage = KeyUsage(digitalSignature: true) }
    refused(1, .extendedKeyUsage) { $0.authority.shape.usages = [[1, 3, 6, 1, 5, 5, 7, 3, 1]] }
    refused(1, .criticalExtension) { $0.authority.shape.others = [Self.unknown] }
    refused(1, .criticalExtension) {
      $0.authority.shape.others = [Certificate.Extension(oid: [2, 5, 29, 30], critical: false, value: [0x30, 0])]
    }
  }

  @Test("an authority may leave out what its key is used for, or allow any use")
  func lenientAuthority() throws {
    var composed = Composed()
    composed.authority.shape.keyUsage = nil
    composed.authority.shape.usages = [[2, 5, 29, 37, 0]]
    #expect(try composed.verify().level == .tpm)
    composed.authority.shape.usages = [[1, 3, 6, 1, 5, 5, 7, 3, 1], TestCertificate.usage]
    #expect(try composed.verify().level == .tpm)
  }

  @Test("no more certificates stand below an authority than it allows")
  func pathLength() throws {
    let (first, second) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
    for (limit, isRefused) in [(0, true), (1, false), (nil, false)] as [(Int?, Bool)] {
      var composed = Composed()
      let upper = TestCertificate.authority("Upper", pathLength: limit)
      let lower = TestCertificate.authority("Lower", pathLength: 0)
      let leaf = try composed.leaf.encoded(composed.signer.publicKey, issuer: lower.subject, by: second)
      let root = composed.authority.rootKey
      let issuers = [
        try lower.encoded(second.publicKey, issuer: upper.subject, by: first),
        try upper.encoded(first.publicKey, issuer: composed.authority.rootShape.subject, by: root),
      ]
      composed.certificates = [leaf] + issuers
      if isRefused {
        #expect(throws: AttestationError.certificate(2, .pathLength)) { try composed.verify() }
      } else {
        #expect(try composed.verify().level == .tpm)
      }
    }
    refused(2, .pathLength) { $0.authority.rootShape = .authority("Root", pathLength: 0) }
  }

  @Test("each was issued by the next: its name and its signature")
  func issued() throws {
    let foreign = TestAuthority()
    try refused(0, .issuer) { composed in
      // The same names, another key.
      composed.certificates = [
        try foreign.issue(composed.leaf, to: composed.signer.publicKey), try composed.authority.certificate(),
      ]
    }
    try refused(0, .issuer) { composed in
      // The right key, another name.
      composed.certificates = [
        try composed.leaf.encoded(
          composed.signer.publicKey, issuer: TestCertificate.name("Other"), by: composed.authority.key),
        try composed.authority.certificate(),
      ]
    }
    var composed = Composed()
    composed.certificates = [try composed.authority.issue(composed.leaf, to: composed.signer.publicKey)]
    #expect(throws: AttestationError.untrusted) { try composed.verify() }
  }

  @Test("a chain that ends elsewhere is not trusted, even if it brings its root")
  func foreign() throws {
    let composed = Composed()
    let trust = try AttestationTrust(roots: [TestAuthority().root()])
    let verifier = try AttestationVerifier(trust: trust)
    #expect(throws: AttestationError.untrusted) {
      try verifier.verify(composed.object(), challenge: Composed.challenge, at: Composed.now)
    }
    var statement = try composed.statement()
    statement.certificates.append(try composed.authority.root())
    #expect(throws: AttestationError.untrusted) {
      try verifier.verify(statement.object.encoded, challenge: Composed.challenge, at: Composed.now)
    }
  }

  @Test("the root may stand in the chain, and may issue the attestation key's certificate itself")
  func roots() throws {
    var composed = Composed()
    let issued = try composed.authority.issue(composed.leaf, to: composed.signer.publicKey)
    composed.certificates = [issued, try composed.authority.certificate(), try composed.authority.root()]
    #expect(try composed.verify().level == .tpm)
    composed.certificates = [
      try composed.leaf.encoded(
        composed.signer.publicKey, issuer: composed.authority.rootShape.subject, by: composed.authority.rootKey)
    ]
    #expect(try composed.verify().level == .tpm)
  }

  @Test("an attestation key's certificate issues nothing")
  func leafAsIssuer() throws {
    var composed = Composed()
    let stolen = P256.Signing.PrivateKey()
    let holder = try composed.authority.issue(composed.leaf, to: stolen.publicKey)
    composed.certificates = [
      try composed.leaf.encoded(composed.signer.publicKey, issuer: DistinguishedName(), by: stolen), holder,
      try composed.authority.certificate(),
    ]
    #expect(throws: AttestationError.certificate(1, .basicConstraints)) { try composed.verify() }
  }

  @Test("An invalid certificate is refused at each place of the chain")
  func malformed() {
    refused(0, .malformed) { $0.certificates = [[0x30, 0x00]] }
    refused(0, .malformed) { $0.certificates = [[UInt8](repeating: 0x30, count: 5000)] }
    try? refused(1, .malformed) { composed in
      composed.certificates = [try composed.authority.issue(composed.leaf, to: composed.signer.publicKey), [1]]
    }
  }

  @Test("only authorities are roots, only strong public keys are pinned")
  func trust() throws {
    let composed = Composed()
    let leaf = try composed.authority.issue(composed.leaf, to: composed.signer.publicKey)
    #expect(throws: AttestationError.badTrust(CertificateFault.basicConstraints.description)) {
      try AttestationTrust(roots: [leaf])
    }
    #expect(throws: AttestationError.badTrust("no certificate")) { try AttestationTrust(roots: [[1, 2, 3]]) }
    for key in [[], [1, 2, 3], [UInt8](composed.signer.publicKey.x963Representation), Self.weakRSAKey] {
      #expect(throws: AttestationError.self) { try AttestationTrust(pinnedKeys: [key]) }
    }
    let key = [UInt8](composed.signer.publicKey.derRepresentation)
    #expect(throws: AttestationError.badTrust("more than 64 pinned keys")) {
      try AttestationTrust(pinnedKeys: [[UInt8]](repeating: key, count: 65))
    }
    #expect(throws: AttestationError.self) { try AttestationTrust(pem: composed.signer.pemRepresentation) }
    #expect(throws: AttestationError.self) { try AttestationTrust(pem: "-----BEGIN CERTIFICATE-----\nAA\n") }
  }

  /// A public RSA key of 1024 bits.
  private static let weakRSAKey: [UInt8] = {
    let modulus = [0x02, 0x81, 0x81, 0x00] + [UInt8](repeating: 0xC3, count: 128)
    let numbers: [UInt8] = modulus + [0x02, 0x03, 0x01, 0x00, 0x01]
    let key: [UInt8] = [0x30, 0x81, UInt8(numbers.count)] + numbers
    let bits: [UInt8] = [0x03, 0x81, UInt8(key.count + 1), 0x00] + key
    let algorithm: [UInt8] = [0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00]
    return [0x30, 0x81, UInt8(algorithm.count + bits.count)] + algorithm + bits
  }()
}
