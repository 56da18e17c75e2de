import Crypto
import Foundation
import LatchkeyAttestation
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import Testing

@Suite("Statements of software keys")
struct SoftwareEvidenceTests {
  private let key = P256.Signing.PrivateKey()
  private let lenient = AttestationPolicy(minimumLevel: .software)

  private func statement(challenge: [UInt8] = Composed.challenge) -> SoftwareStatement {
    SoftwareStatement(
      publicKey: [UInt8](key.publicKey.x963Representation),
      control: AccessControl(
        protection: .whenPasscodeSetThisDeviceOnly, flags: [.devicePasscode, .privateKeyUsage]),
      challengeDigest: Array(SHA256.hash(data: challenge)), created: 1_799_999_999)
  }

  private func signed(_ statement: [UInt8], by other: P256.Signing.PrivateKey? = nil) throws -> [UInt8] {
    let raw = try (other ?? key).signature(for: statement).rawRepresentation
    return try SignedSoftwareStatement(statement: statement, rawSignature: [UInt8](raw)).object.encoded
  }

  private func verify(_ object: [UInt8], _ policy: AttestationPolicy? = nil) throws -> Attestation {
    try AttestationVerifier(trust: AttestationTrust(pem: Fixture.text("root.pem")), policy: policy ?? lenient)
      .verify(object, challenge: Composed.challenge, at: Composed.now)
  }

  @Test("is worth the level software, whatever guards it")
  func good() throws {
    let attestation = try verify(signed(statement().encoded))
    #expect(attestation.level == .software)
    #expect(!attestation.isAuthorizationEnforcedByHardware)
    #expect(attestation.publicKey == [UInt8](key.publicKey.x963Representation))
    #expect(attestation.attestationKey == nil)
    let stated = try #require(attestation.stated)
    #expect(stated.accessibility == "akpu")
    #expect(stated.flags == AccessControl.Flags([.devicePasscode, .privateKeyUsage]).rawValue)
    #expect(stated.created == Date(timeIntervalSince1970: 1_799_999_999))
  }

  @Test("is refused where a TPM is wanted, or presence enforced by hardware")
  func policy() throws {
    let object = try signed(statement().encoded)
    #expect(throws: AttestationError.levelTooLow(.software)) { try verify(object, AttestationPolicy()) }
    #expect(throws: AttestationError.authorizationNotEnforced) {
      try verify(object, AttestationPolicy(minimumLevel: .software, requiresAuthorizationEnforcedByHardware: true))
    }
  }

  @Test("is no statement at all if it claims to be in a TPM")
  func claims() throws {
    guard case .map(var entries) = try CBORValue(encoded: statement().encoded) else { return #expect(Bool(false)) }
    for claim in ["tpm", "tpm2", "TPM", "secure-enclave", ""] {
      entries["backend"] = .text(claim)
      let object = try signed(CBORValue.map(entries).encoded)
      #expect(throws: AttestationError.malformed(AttestationFormatError.field("backend").description)) {
        try verify(object)
      }
    }
  }

  @Test("cannot call itself a TPM's statement")
  func format() throws {
    let object = try AttestationObject(encoded: signed(statement().encoded))
    let disguised = AttestationObject(format: TPMStatement.format, statement: object.statement)
    #expect(throws: AttestationError.self) { try verify(disguised.encoded) }
    let reversed = AttestationObject(
      format: SoftwareStatement.format, statement: try Composed().statement().object.statement)
    #expect(throws: AttestationError.self) { try verify(reversed.encoded) }
  }

  @Test("is about this challenge, and signed by the key that it is about")
  func signature() throws {
    #expect(throws: AttestationError.wrongChallenge) { try verify(signed(statement(challenge: [1]).encoded)) }
    #expect(throws: AttestationError.badSignature) {
      try verify(signed(statement().encoded, by: P256.Signing.PrivateKey()))
    }
    var other = statement()
    other.publicKey = [UInt8](P256.Signing.PrivateKey().publicKey.x963Representation)
    #expect(throws: AttestationError.badSignature) { try verify(signed(other.encoded)) }
    other.publicKey = [4] + [UInt8](repeating: 1, count: 64)
    #expect(throws: AttestationError.unsupportedKey("no point of P-256")) { try verify(signed(other.encoded)) }
  }

  @Test("no byte can be another one", arguments: [0x01, 0x80, 0xFF] as [UInt8])
  func flipped(mask: UInt8) throws {
    let bytes = try signed(statement().encoded)
    let verifier = try AttestationVerifier(trust: .nothing, policy: lenient)
    for offset in bytes.indices {
      var altered = bytes
      altered[offset] ^= mask
      #expect(throws: AttestationError.self, "byte \(offset)") {
        try verifier.verify(altered, challenge: Composed.challenge, at: Composed.now)
      }
    }
  }

  @Test("a hundred thousand levels of arrays, or claimed lengths of exabytes, are refused at once")
  func bombs() throws {
    let verifier = try AttestationVerifier(trust: .nothing, policy: lenient)
    let bombs: [[UInt8]] = [
      [UInt8](repeating: 0x81, count: 60_000), [UInt8](repeating: 0x81, count: 100_000),
      [UInt8](repeating: 0xA1, count: 60_000), [0xBB] + [UInt8](repeating: 0xFF, count: 8),
      [0x9A, 0xFF, 0xFF, 0xFF, 0xFF],
      [0x5B, 0x7F] + [UInt8](repeating: 0xFF, count: 7),
      CBORValue.map(["fmt": .text("tpm"), "attStmt": .array(.init(repeating: .map([:]), count: 1000))]).encoded, [],
    ]
    for bomb in bombs {
      #expect(throws: AttestationError.self) {
        try verifier.verify(bomb, challenge: Composed.challenge, at: Composed.now)
      }
    }
  }
}
