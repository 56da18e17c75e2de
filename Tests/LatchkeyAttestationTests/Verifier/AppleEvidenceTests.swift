import Crypto
import Foundation
import LatchkeyEnclaveKeys
import SwiftASN1
import Testing
import X509

@testable import LatchkeyAttestation

@Suite("Statements about keys of Apple devices")
struct AppleEvidenceTests {
  private static let challenge = Array("token".utf8)
  private static let freshness: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 11, 1]
  private static let serialNumber: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 9, 1]
  private static let udid: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 9, 2]

  private let key = P256.Signing.PrivateKey()
  private var authority = TestAuthority()

  /// A certificate as Apple issues it: with a subject, and the device in extensions that are no DER.
  private static func device(
    _ others: [(ASN1ObjectIdentifier, [UInt8])] = [
      (serialNumber, Array("C02ABC".utf8)), (udid, Array("0000-11".utf8)),
      (freshness, Array(SHA256.hash(data: challenge))),
    ], isCritical: Bool = false
  ) -> TestCertificate {
    var certificate = TestCertificate(
      subject: TestCertificate.name("a key"), basicConstraints: .notCertificateAuthority,
      keyUsage: KeyUsage(digitalSignature: true, keyEncipherment: true))
    certificate.others = others.map { .init(oid: $0.0, critical: isCritical, value: $0.1[...]) }
    return certificate
  }

  private func chain(_ device: TestCertificate = device()) throws -> [[UInt8]] {
    [try authority.issue(device, to: key.publicKey), try authority.certificate()]
  }

  private func trust() throws -> AttestationTrust { try AttestationTrust(appleRoots: [try authority.root()]) }

  private func verify(
    _ chain: [[UInt8]], trust: AttestationTrust? = nil, policy: AttestationPolicy = AttestationPolicy(),
    challenge: [UInt8] = challenge, at time: Date = Composed.now
  ) throws -> Attestation {
    try AttestationVerifier(trust: trust ?? self.trust(), policy: policy)
      .verify(AppleStatement(certificates: chain).object.encoded, challenge: challenge, at: time)
  }

  /// Checks that a chain is refused, and why.
  private func refuse(
    _ error: AttestationError, _ chain: [[UInt8]], at time: Date = Composed.now,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(throws: error, sourceLocation: sourceLocation) { try verify(chain, at: time) }
  }

  @Test("A chain to a root for Apple's devices proves key, serial number and identifier, and no guard of the key")
  func verified() throws {
    let chain = try chain()
    let attestation = try verify(chain)
    #expect(attestation.level == .secureEnclave && attestation.publicKey == [UInt8](key.publicKey.x963Representation))
    #expect(attestation.subjectPublicKeyInfo == [UInt8](key.publicKey.derRepresentation))
    #expect(!attestation.isAuthorizationEnforcedByHardware && !attestation.isPresenceEnforcedByHardware)
    #expect(attestation.appleDevice == AppleDevice(serialNumber: "C02ABC", udid: "0000-11", certificate: chain[0]))
    #expect(attestation.appleDevice?.identifiers == ["C02ABC", "0000-11"])
    #expect(attestation.stated == nil && attestation.attestationKey == nil)
    #expect(try verify(chain + [authority.root()]).level == .secureEnclave)
    let user = try verify(self.chain(Self.device([(Self.freshness, Array(SHA256.hash(data: Self.challenge)))])))
    #expect(user.appleDevice?.identifiers == [])
    // WebAuthn's form has alg, too.
    let object = AttestationObject(
      format: "apple", statement: ["alg": .integer(-7), "x5c": .array(chain.map(CBORValue.bytes))])
    let verifier = try AttestationVerifier(trust: trust())
    #expect(try verifier.verify(object.encoded, challenge: Self.challenge, at: Composed.now).level == .secureEnclave)
    #expect(try AttestationVerifier.format(of: object.encoded) == "apple")
    #expect(try AttestationVerifier.saysUnguarded(object.encoded) == false)
  }

  @Test("The freshness code is the digest of this challenge, once, and as it is")
  func freshness() throws {
    let chain = try chain()
    for other in ["", "token ", "other"] {
      #expect(throws: AttestationError.wrongChallenge) { try verify(chain, challenge: Array(other.utf8)) }
    }
    let digest = Array(SHA256.hash(data: Self.challenge))
    for wrong in [[], Self.challenge, Array(digest.dropLast()), digest + [0], [4, 32] + digest] {
      refuse(.wrongChallenge, try self.chain(Self.device([(Self.freshness, wrong)])))
    }
    refuse(.malformed("the certificate has no freshness code"), try self.chain(Self.device([])))
    let older: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 2]
    refuse(.malformed("the certificate has no freshness code"), try self.chain(Self.device([(older, digest)])))
  }

  @Test("An extension that is there twice is refused, whichever of the two is right")
  func doubled() throws {
    let digest = Array(SHA256.hash(data: Self.challenge))
    let other = [UInt8](repeating: 7, count: 32)
    for (first, second) in [(digest, other), (other, digest), (digest, digest)] {
      // 11.2 becomes another 11.1 before the issuer signs.
      let twin: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 8, 11, 2]
      let single = try authority.issue(Self.device([(Self.freshness, first), (twin, second)]), to: key.publicKey)
      let name: [UInt8] = [6, 10, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 8, 11]
      var signed = [UInt8](try Certificate(derEncoded: single).tbsCertificateBytes)
      let places = signed.indices.filter { signed[$0...].starts(with: name) }
      try #require(places.count == 2)
      signed[places[1] + name.count] = 1
      let signature = [UInt8](try authority.key.signature(for: signed).derRepresentation)
      var serializer = DER.Serializer()
      serializer.appendConstructedNode(identifier: .sequence) { node in
        node.serializeRawBytes(signed)
        node.serializeRawBytes([0x30, 10, 6, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2])
        node.serializeRawBytes([3, UInt8(signature.count + 1), 0] + signature)
      }
      let error = #expect(throws: AttestationError.self) {
        try verify([serializer.serializedBytes, authority.certificate()])
      }
      #expect(
        error == .certificate(0, .malformed)
          || error == .malformed("the certificate has the extension \(Self.freshness) twice"))
    }
  }

  @Test("Only a root for Apple's devices vouches for them, and it vouches for no TPM")
  func roots() throws {
    let chain = try chain()
    #expect(throws: AttestationError.untrusted) {
      try verify(chain, trust: AttestationTrust(appleRoots: [TestAuthority().root()]))
    }
    #expect(throws: AttestationError.untrusted) {
      try verify(chain, trust: AttestationTrust(appleRoots: [AttestationTrust.appleEnterpriseRoot]))
    }
    #expect(throws: AttestationError.nothingTrusted) {
      try verify(chain, trust: AttestationTrust(roots: [authority.root()]))
    }
    // Both kinds of roots are there, and each is asked for the other's.
    let (others, composed) = (TestAuthority(), Composed())
    #expect(throws: AttestationError.untrusted) {
      try verify(chain, trust: AttestationTrust(roots: [authority.root()], appleRoots: [others.root()]))
    }
    #expect(throws: AttestationError.untrusted) {
      try AttestationVerifier(
        trust: AttestationTrust(roots: [others.root()], appleRoots: [composed.authority.root()])
      ).verify(composed.object(), challenge: Composed.challenge, at: Composed.now)
    }
    #expect(throws: AttestationError.nothingTrusted) {
      try verify(chain, trust: .nothing, policy: AttestationPolicy(minimumLevel: .software))
    }
    let verifier = try AttestationVerifier(trust: trust())
    #expect(throws: AttestationError.nothingTrusted) {
      try verifier.verify(Composed().object(), challenge: Composed.challenge, at: Composed.now)
    }
    #expect(throws: AttestationError.self) { try AttestationTrust(appleRoots: [chain[0]]) }
    #expect(throws: AttestationError.self) { try AttestationTrust(appleRoots: [[1, 2, 3]]) }
    // The root's key with another name, and the intermediate in the root's place.
    var renamed = authority
    renamed.rootShape = .authority("Another")
    #expect(throws: AttestationError.untrusted) {
      try verify(chain, trust: AttestationTrust(appleRoots: [renamed.root()]))
    }
    #expect(try verify(chain, trust: AttestationTrust(appleRoots: [authority.certificate()])).level == .secureEnclave)
  }

  @Test("What the authorities' keys are used for besides does not matter for Apple's devices, as it does for TPMs")
  func extendedUsages() throws {
    var other = self
    other.authority.shape.usages = [[1, 3, 6, 1, 5, 5, 7, 3, 2]]
    other.authority.rootShape.usages = [[1, 3, 6, 1, 5, 5, 7, 3, 2]]
    #expect(try other.verify(other.chain()).level == .secureEnclave)
    let root = try other.authority.root()
    #expect(throws: AttestationError.badTrust(CertificateFault.extendedKeyUsage.description)) {
      try AttestationTrust(roots: [root])
    }
  }

  @Test("A chain has its certificates in order, none missing, and four at most")
  func order() throws {
    let (chain, root) = (try chain(), try authority.root())
    refuse(.certificate(0, .basicConstraints), chain.reversed())
    refuse(.certificate(0, .issuer), [chain[0], root, chain[1]])
    refuse(.untrusted, [chain[0]])
    refuse(.certificate(0, .issuer), [chain[0], chain[0], chain[1]])
    refuse(.certificate(1, .malformed), [chain[0], [0x30, 0]])
    refuse(.malformed("the field x5c is missing, unknown, or not what it must be"), [])
    refuse(
      .malformed("the field x5c is missing, unknown, or not what it must be"), chain + [root, root, root])
    let huge = [chain[0], [UInt8](repeating: 0x30, count: 1 << 16)]
    #expect(throws: AttestationError.self) { try verify(huge) }
    let all = Array(repeating: chain[1], count: 10_000)
    #expect(throws: AttestationError.self) { try verify(chain + all) }
    // A device's key issues nothing.
    let child = try Self.device().encoded(
      P256.Signing.PrivateKey().publicKey, issuer: TestCertificate.name("a key"), by: key)
    refuse(.certificate(1, .basicConstraints), [child] + chain)
  }

  @Test("Each certificate is valid at the time, the root's too")
  func times() throws {
    let late = Composed.now + 2 * 86_400
    refuse(.certificate(0, .expired), try chain(), at: late)
    refuse(.certificate(0, .notYetValid), try chain(), at: Composed.now - 2 * 86_400)
    var long = Self.device()
    long.notAfter = late + 86_400
    refuse(.certificate(1, .expired), try chain(long), at: late)
    var other = self
    other.authority.shape.notAfter = late + 86_400
    other.refuse(.certificate(2, .expired), try other.chain(long), at: late)
    other.authority.rootShape.notAfter = late + 86_400
    #expect(try other.verify(other.chain(long), at: late).level == .secureEnclave)
  }

  @Test(
    "A certificate of version 1, of an authority, for other uses, with unknown critical extensions or another curve is refused"
  )
  func certificates() throws {
    var wrong = Self.device()
    wrong.basicConstraints = .isCertificateAuthority(maxPathLength: nil)
    refuse(.certificate(0, .basicConstraints), try chain(wrong))
    wrong = Self.device()
    wrong.version = .v1
    refuse(.certificate(0, .version), try chain(wrong))
    wrong = Self.device()
    wrong.keyUsage = KeyUsage(keyAgreement: true)
    refuse(.certificate(0, .keyUsage), try chain(wrong))
    let digest = Array(SHA256.hash(data: Self.challenge))
    refuse(
      .certificate(0, .criticalExtension), try chain(Self.device([(Self.freshness, digest)], isCritical: true)))
    let bare = try Self.device().encoded(
      Certificate.PublicKey(P384.Signing.PrivateKey().publicKey), issuer: authority.shape.subject, by: authority.key)
    refuse(
      .unsupportedKey("no point of P-256: have the device make a key of 256 bits"),
      [bare, try authority.certificate()])
    var other = self
    other.authority.shape.basicConstraints = .notCertificateAuthority
    other.refuse(.certificate(1, .basicConstraints), try other.chain())
    other.authority.shape = .authority("Authority", pathLength: 0)
    other.authority.shape.keyUsage = KeyUsage(digitalSignature: true)
    other.refuse(.certificate(1, .keyUsage), try other.chain())
    // Other bytes than the issuer signed.
    var changed = try chain()
    changed[0][changed[0].count / 2] ^= 1
    #expect(throws: AttestationError.self) { try verify(changed) }
  }

  @Test("A device is named by 1 to 64 visible characters, or not at all")
  func names() throws {
    let digest = Array(SHA256.hash(data: Self.challenge))
    for name in [Self.serialNumber, Self.udid] {
      for wrong in ["", "a b", "a\n", "ü", String(repeating: "a", count: 65)] {
        refuse(
          .malformed("the certificate names its device by something else than 1 to 64 visible characters"),
          try chain(Self.device([(Self.freshness, digest), (name, Array(wrong.utf8))])))
      }
      for right in ["!", "~", String(repeating: "!~", count: 32)] {
        let attestation = try verify(chain(Self.device([(Self.freshness, digest), (name, Array(right.utf8))])))
        #expect(attestation.appleDevice?.identifiers == [right])
      }
    }
  }

  @Test("A policy that wants a TPM takes it; one that wants authorization or presence does not")
  func policies() throws {
    let chain = try chain()
    #expect(try verify(chain, policy: AttestationPolicy(minimumLevel: .secureEnclave)).level == .secureEnclave)
    #expect(throws: AttestationError.authorizationNotEnforced) {
      try verify(chain, policy: AttestationPolicy(requiresAuthorizationEnforcedByHardware: true))
    }
    #expect(throws: AttestationError.presenceNotEnforced) {
      try verify(chain, policy: AttestationPolicy(requiresPresenceEnforcedByHardware: true))
    }
    let composed = Composed()
    #expect(throws: AttestationError.levelTooLow(.tpm)) {
      try composed.verify(AttestationPolicy(minimumLevel: .secureEnclave))
    }
  }

  @Test("No object that is cut or changed passes or traps")
  func damaged() throws {
    let object = AppleStatement(certificates: try chain()).object.encoded
    let verifier = try AttestationVerifier(trust: trust())
    for count in stride(from: 0, to: object.count, by: 7) {
      #expect(throws: AttestationError.self) {
        try verifier.verify(Array(object.prefix(count)), challenge: Self.challenge, at: Composed.now)
      }
    }
    for place in stride(from: 0, to: object.count, by: 7) {
      var changed = object
      changed[place] ^= 1
      #expect(throws: AttestationError.self, "\(place)") {
        try verifier.verify(changed, challenge: Self.challenge, at: Composed.now)
      }
    }
  }

  @Test("The root that Apple publishes is trusted by its name, and has the digest that they state")
  func published() throws {
    let digest = SHA256.hash(data: AttestationTrust.appleEnterpriseRoot).map { String(format: "%02x", $0) }.joined()
    #expect(digest == "ccf59ef8fcb3017d97f8b5fa6fa90e7a3f9283f76b55ac6cf6eda8b8b949f05b")
    let trust = try AttestationTrust(appleRoots: [AttestationTrust.appleEnterpriseRoot])
    let root = try #require(trust.appleRoots.first)
    #expect(root.publicKey.isValidSignature(root.signature, for: root))
  }
}
