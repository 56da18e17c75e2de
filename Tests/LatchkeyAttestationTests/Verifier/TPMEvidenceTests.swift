import Crypto
import Foundation
import LatchkeyAttestation
import LatchkeyByteCoding
import LatchkeyEnclaveKeys
import Testing

@Suite("Requirements of a TPM's statement")
struct TPMEvidenceTests {
  /// Alters a good statement; the altered one is signed as it is.
  private func refused(_ error: AttestationError, _ alter: (inout Composed) throws -> Void) rethrows {
    var composed = Composed()
    try alter(&composed)
    #expect(throws: error) { try composed.verify() }
  }

  @Test("a good one verifies, its signature in either form")
  func good() throws {
    for isDER in [false, true] {
      var composed = Composed()
      composed.isSignatureInDER = isDER
      let attestation = try composed.verify(AttestationPolicy(requiresAuthorizationEnforcedByHardware: true))
      #expect(attestation.level == .tpm)
      #expect(attestation.isAuthorizationEnforcedByHardware)
      #expect(attestation.publicKey == [UInt8](composed.key.publicKey.x963Representation))
      #expect(attestation.subjectPublicKeyInfo == [UInt8](composed.key.publicKey.derRepresentation))
      #expect(attestation.attestationKey?.subjectPublicKeyInfo == [UInt8](composed.signer.publicKey.derRepresentation))
      #expect(try composed.verifyPinned().attestationKey?.isPinned == true)
    }
  }

  @Test("made by a TPM")
  func magic() {
    refused(.notCertified) { $0.magic = 0xFF54_4346 }
    refused(.notCertified) { $0.magic = 0 }
  }

  @Test("of type certify")
  func type() {
    // Everything else is that of a certification: only its type says that it is none.
    for type in [0x8014, 0x8015, 0x8016, 0x8018, 0x8019, 0x801A, 0x801C, 0] as [UInt16] {
      refused(.notCertified) { $0.type = type }
    }
  }

  @Test("about this challenge")
  func challenge() {
    refused(.wrongChallenge) { $0.extraData = [] }
    refused(.wrongChallenge) { $0.extraData = Composed.challenge }
    refused(.wrongChallenge) { $0.extraData = Array(SHA256.hash(data: [1])) }
    refused(.wrongChallenge) { $0.extraData.append(0) }
  }

  @Test("about the key that it shows")
  func name() {
    refused(.wrongName) { $0.name = [] }
    refused(.wrongName) { $0.name = [0, 11] + [UInt8](repeating: 0, count: 32) }
    refused(.wrongName) { composed in
      var other = composed
      other.key = P256.Signing.PrivateKey()
      composed.name = TPMPublic.name(of: other.publicArea)
    }
    refused(.wrongName) { composed in
      composed.name = TPMPublic.name(of: composed.publicArea).map { [0, 12] + $0.dropFirst(2) }
    }
  }

  @Test("with a name by SHA-2")
  func nameAlgorithm() throws {
    for algorithm in [TPMAlgorithm.sha1, .null, TPMAlgorithm(rawValue: 0x27)] {
      refused(.unsupportedAlgorithm("the hash function of the key's name")) { $0.nameAlgorithm = algorithm }
    }
    // The policy's digest is one of SHA-256: under another function it is some other policy's.
    for algorithm in [TPMAlgorithm.sha384, .sha512] {
      var composed = Composed()
      composed.nameAlgorithm = algorithm
      #expect(try composed.verify().isAuthorizationEnforcedByHardware == false)
      composed.authPolicy = TPMPolicy.physicalPresence
      #expect(try composed.verify().isPresenceEnforcedByHardware == false)
    }
  }

  @Test(
    "with attributes that keep the key in the TPM",
    arguments: [
      (TPMObjectAttributes.fixedTPM, "fixedTPM is clear"), (.fixedParent, "fixedParent is clear"),
      (.sensitiveDataOrigin, "sensitiveDataOrigin is clear"),
    ])
  func attributes(attribute: TPMObjectAttributes, text: String) {
    refused(.wrongAttributes(text)) { $0.attributes.remove(attribute) }
  }

  @Test("about a key that its owner uses")
  func restricted() { refused(.wrongAttributes("restricted is set")) { $0.attributes.insert(.restricted) } }

  @Test("Presence is proven by the TPM's own prompt; an authorization value does not prove it")
  func presence() throws {
    #expect(try Composed().verify().isPresenceEnforcedByHardware == false)
    #expect(throws: AttestationError.presenceNotEnforced) {
      try Composed().verify(AttestationPolicy(requiresPresenceEnforcedByHardware: true))
    }
    for (policy, isAuthorized) in [(TPMPolicy.physicalPresence, false), (TPMPolicy.physicalPresenceAndAuthValue, true)]
    {
      var composed = Composed()
      composed.authPolicy = policy
      let attestation = try composed.verify(AttestationPolicy(requiresPresenceEnforcedByHardware: true))
      #expect(attestation.isPresenceEnforcedByHardware)
      #expect(attestation.isAuthorizationEnforcedByHardware == isAuthorized)
      composed.attributes.insert(.userWithAuth)
      #expect(try composed.verify().isPresenceEnforcedByHardware == false)
    }
  }

  @Test("authorization is enforced by that policy alone, without ways round it")
  func policy() throws {
    let alterations: [(inout Composed) -> Void] = [
      { $0.attributes.insert(.userWithAuth) }, { $0.attributes.insert(.noDA) }, { $0.authPolicy = [] },
      { $0.authPolicy = [UInt8](repeating: 0, count: 32) }, { $0.authPolicy[31] ^= 1 }, { $0.authPolicy.removeLast() },
      { ($0.authPolicy, $0.attributes) = ([], $0.attributes.union(.userWithAuth)) },
    ]
    for alter in alterations {
      var composed = Composed()
      alter(&composed)
      #expect(try composed.verify().isAuthorizationEnforcedByHardware == false)
      #expect(try composed.verify().isPresenceEnforcedByHardware == false)
      #expect(throws: AttestationError.authorizationNotEnforced) {
        try composed.verify(AttestationPolicy(requiresAuthorizationEnforcedByHardware: true))
      }
    }
  }

  @Test("about a point of P-256")
  func key() {
    refused(.unsupportedKey("no point of P-256")) { $0.x = [UInt8](repeating: 1, count: 32) }
    refused(.unsupportedKey("no point of P-256")) { $0.x = [] }
    refused(.unsupportedKey("no point of P-256")) { $0.x = [UInt8](repeating: 0xFF, count: 33) }
    refused(.unsupportedKey("no point of P-256")) { $0.curve = TPMCurve(rawValue: 4) }
  }

  @Test("leading zeros of a coordinate may be left out")
  func shortCoordinate() throws {
    var composed = Composed()
    while composed.key.publicKey.rawRepresentation.first != 0 { composed.key = P256.Signing.PrivateKey() }
    composed.x = Array([UInt8](composed.key.publicKey.rawRepresentation)[1..<32])
    #expect(try composed.verify().publicKey == [UInt8](composed.key.publicKey.x963Representation))
  }

  @Test("signed by the attestation key")
  func signature() throws {
    try refused(.badSignature) { composed in
      let other = P256.Signing.PrivateKey()
      composed.certificates = [
        try composed.authority.issue(.attestationKey, to: other.publicKey), try composed.authority.certificate(),
      ]
    }
    var composed = Composed()
    composed.certificates = []
    #expect(try composed.verifyPinned().level == .tpm)
    #expect(throws: AttestationError.untrusted) { try composed.verifyPinned(P256.Signing.PrivateKey().publicKey) }
    #expect(throws: AttestationError.untrusted) { try composed.verify() }
  }

  @Test("a pinned key is no excuse for a signature by another one")
  func pinnedSignature() throws {
    var composed = Composed()
    let pinned = P256.Signing.PrivateKey()
    composed.certificates = [try composed.authority.issue(.attestationKey, to: pinned.publicKey)]
    #expect(throws: AttestationError.badSignature) { try composed.verifyPinned(pinned.publicKey) }
  }

  @Test("signed by the algorithm that it names")
  func algorithm() {
    refused(.unsupportedAlgorithm("COSE algorithm -65535")) { $0.algorithm = -65535 }
    refused(.unsupportedAlgorithm("COSE algorithm -8")) { $0.algorithm = -8 }
    refused(.unsupportedAlgorithm("a signature that is not ECDSA with SHA-256 on P-256")) { $0.signatureHash = .sha1 }
    // 72 bytes could be the number of an RSA signature.
    refused(.badSignature) { $0.algorithm = -257 }
    refused(.malformed("sig: sigAlg has a value that is not allowed")) { $0.signatureAlgorithm = .ecdaa }
  }

  @Test("no other certificates than those of the key that signed")
  func swapped() throws {
    let one = Composed()
    var other = Composed()
    other.authority = one.authority
    var statement = try one.statement()
    statement.certificates = try other.statement().certificates
    let trust = try AttestationTrust(roots: [one.authority.root()])
    #expect(throws: AttestationError.badSignature) {
      try AttestationVerifier(trust: trust).verify(
        statement.object.encoded, challenge: Composed.challenge, at: Composed.now)
    }
  }

  @Test("with nothing trusted, nothing is accepted")
  func nothingTrusted() throws {
    #expect(throws: AttestationError.nothingTrusted) { try AttestationVerifier(trust: .nothing) }
    #expect(throws: AttestationError.nothingTrusted) { try AttestationVerifier(trust: AttestationTrust(pem: "")) }
    let lenient = try AttestationVerifier(trust: .nothing, policy: AttestationPolicy(minimumLevel: .software))
    var composed = Composed()
    #expect(throws: AttestationError.nothingTrusted) {
      try lenient.verify(composed.object(), challenge: Composed.challenge, at: Composed.now)
    }
    composed.certificates = []
    #expect(throws: AttestationError.nothingTrusted) {
      try lenient.verify(composed.object(), challenge: Composed.challenge, at: Composed.now)
    }
  }

  @Test("of a format that is known")
  func format() throws {
    let verifier = try Fixture.verifier()
    for format in ["packed", "none", "TPM", "android-key", ""] {
      let object = AttestationObject(format: format, statement: try Composed().statement().object.statement)
      #expect(throws: AttestationError.unknownFormat(format)) {
        try verifier.verify(object.encoded, challenge: Composed.challenge, at: Composed.now)
      }
    }
  }
}
