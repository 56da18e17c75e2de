import LatchkeyTestSupport
import Foundation
import LatchkeyAttestation
import LatchkeyByteCoding
import LatchkeyEnclaveKeys
import Testing

@Suite("Attestations that swtpm signed")
struct FixtureTests {
  @Test(
    "verify, and prove that presence is enforced by hardware where it is",
    arguments: [
      ("presence", true), ("plain", false), ("policy-and-user", false), ("policy-noda", false), ("rsa", true),
    ])
  func verified(name: String, isEnforced: Bool) throws {
    let attestation = try Fixture.verifier().verify(
      Fixture.attestation(name), challenge: Fixture.challenge(), at: Fixture.time)
    #expect(attestation.level == .tpm)
    #expect(attestation.isAuthorizationEnforcedByHardware == isEnforced)
    #expect(attestation.publicKey.count == 65)
    #expect(attestation.subjectPublicKeyInfo.suffix(65) == attestation.publicKey[...])
    #expect(attestation.stated == nil)
    let key = try #require(attestation.attestationKey)
    #expect(!key.isPinned)
    let tpm = try #require(key.tpm)
    #expect([tpm.manufacturer, tpm.model, tpm.version] == ["id:00001014", "swtpm", "id:20191023"])
    #expect(key.certificate != nil)
  }

  @Test("verify by the pinned key, with a chain and without", arguments: ["presence", "pinned"])
  func pinned(name: String) throws {
    let attestation = try Fixture.verifier(root: false, pin: true).verify(
      Fixture.attestation(name), challenge: Fixture.challenge(), at: Fixture.time)
    #expect(attestation.level == .tpm)
    let key = try #require(attestation.attestationKey)
    #expect(key.isPinned)
    #expect(key.tpm == nil)
    #expect((key.certificate == nil) == (name == "pinned"))
    let pem = try Fixture.text("ak.pem").split(separator: "\n").dropFirst().dropLast().joined()
    #expect(Data(key.subjectPublicKeyInfo).base64EncodedString() == pem)
  }

  @Test("without a chain or of another key, need their own pin")
  func notPinned() throws {
    #expect(throws: AttestationError.untrusted) {
      try Fixture.verifier().verify(Fixture.attestation("pinned"), challenge: Fixture.challenge(), at: Fixture.time)
    }
    #expect(throws: AttestationError.untrusted) {
      try Fixture.verifier(root: false, pin: true).verify(
        Fixture.attestation("rsa"), challenge: Fixture.challenge(), at: Fixture.time)
    }
  }

  @Test("meet or fail the policy that wants presence enforced", arguments: Fixture.attestations)
  func policy(name: String) throws {
    let verifier = try Fixture.verifier(
      pin: true, policy: AttestationPolicy(requiresAuthorizationEnforcedByHardware: true))
    let verify = {
      try verifier.verify(Fixture.attestation(name), challenge: Fixture.challenge(), at: Fixture.time)
    }
    if ["presence", "pinned", "rsa"].contains(name) {
      #expect(try verify().isAuthorizationEnforcedByHardware)
    } else {
      #expect(throws: AttestationError.authorizationNotEnforced) { try verify() }
    }
  }

  @Test("another challenge is refused", arguments: Fixture.attestations)
  func challenge(name: String) throws {
    let verifier = try Fixture.verifier(pin: true)
    for challenge in [[], try Fixture.challenge() + [0], try Fixture.challenge().dropLast()] {
      #expect(throws: AttestationError.wrongChallenge) {
        try verifier.verify(Fixture.attestation(name), challenge: challenge, at: Fixture.time)
      }
    }
  }

  @Test("no byte can be another one", arguments: ["presence", "pinned"], [0x01, 0x80, 0xFF] as [UInt8])
  func flipped(name: String, mask: UInt8) throws {
    let bytes = try Fixture.attestation(name)
    let challenge = try Fixture.challenge()
    let verifier = try Fixture.verifier(root: name == "presence", pin: name == "pinned")
    for offset in bytes.indices {
      var altered = bytes
      altered[offset] ^= mask
      #expect(throws: AttestationError.self, "byte \(offset)") {
        try verifier.verify(altered, challenge: challenge, at: Fixture.time)
      }
    }
  }

  @Test("no byte can be missing, and none can follow", arguments: Fixture.attestations)
  func cut(name: String) throws {
    let bytes = try Fixture.attestation(name)
    let challenge = try Fixture.challenge()
    let verifier = try Fixture.verifier(pin: true)
    for count in bytes.indices {
      #expect(throws: AttestationError.self) {
        try verifier.verify(Array(bytes[..<count]), challenge: challenge, at: Fixture.time)
      }
    }
    #expect(throws: AttestationError.malformed(CBORError.trailingBytes.description)) {
      try verifier.verify(bytes + [0], challenge: challenge, at: Fixture.time)
    }
  }

  @Test("before and after the certificates' time, nothing is proved")
  func time() throws {
    let verifier = try Fixture.verifier()
    let verify = { try verifier.verify(Fixture.attestation("presence"), challenge: Fixture.challenge(), at: $0) }
    #expect(throws: AttestationError.certificate(0, .notYetValid)) { try verify(Date(timeIntervalSince1970: 0)) }
    #expect(throws: AttestationError.certificate(0, .expired)) { try verify(Date(timeIntervalSince1970: 1e10)) }
  }

  @Test("encode to the same bytes again", arguments: Fixture.attestations)
  func encoded(name: String) throws {
    let bytes = try Fixture.attestation(name)
    let object = try AttestationObject(encoded: bytes)
    #expect(try TPMStatement(object.statement).object.encoded == bytes)
    #expect(
      try TPMSignature(encoded: TPMStatement(object.statement).signature).encoded
        == TPMStatement(object.statement).signature)
  }

  @Test("the policy's digest is the one that tpm2-tools computes")
  func policyDigest() throws {
    #expect(Hexadecimal.encode(TPMPolicy.authValue) == (try Fixture.text("policy-auth-value.hex")))
  }

  @Test("the signatures verify with openssl dgst, too", arguments: ["presence", "pinned", "plain"])
  func openssl(name: String) throws {
    let statement = try TPMStatement(AttestationObject(encoded: Fixture.attestation(name)).statement)
    let raw = try #require(try TPMSignature(encoded: statement.signature).p256)
    let openssl = try PeerProgram(PeerProgram.openssl)
    let files = ["info": statement.certifyInfo, "sig": try DERSignature.of(raw), "ak.pem": try Fixture.bytes("ak.pem")]
    for (file, bytes) in files { _ = try openssl.write(file, bytes) }
    let (code, text) = try openssl.run("dgst", "-sha256", "-verify", "ak.pem", "-signature", "sig", "info")
    #expect(code == 0, "\(text)")
    #expect(text.contains("Verified OK"))
  }
}
