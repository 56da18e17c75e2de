import Foundation
import LatchkeyAttestation
import Testing

/// The code of the documentation's page "Verify an attestation", as it stands there.
@Suite("The demo server")
struct DemoServerTests {
  /// Accepts keys that live in a TPM and are used only by a caller that shows their authorization.
  func makeVerifier(rootsAndPins pem: String) throws -> AttestationVerifier {
    try AttestationVerifier(
      trust: AttestationTrust(pem: pem),
      policy: AttestationPolicy(minimumLevel: .tpm, requiresAuthorizationEnforcedByHardware: true))
  }

  /// - Parameters:
  ///   - object: what the client sent.
  ///   - challenge: the challenge of this enrollment; delete it, whatever the result is.
  /// - Returns: the public key to keep for the client.
  func enroll(_ object: [UInt8], challenge: [UInt8], with verifier: AttestationVerifier) throws -> [UInt8] {
    let attestation = try verifier.verify(object, challenge: challenge, at: Date())
    return attestation.subjectPublicKeyInfo
  }

  @Test("accepts a key whose presence the TPM enforces, by its pin, and no other")
  func enrolls() throws {
    let verifier = try makeVerifier(rootsAndPins: Fixture.text("ak.pem"))
    let key = try enroll(Fixture.attestation("pinned"), challenge: Fixture.challenge(), with: verifier)
    #expect(key.count == 91)
    #expect(throws: AttestationError.authorizationNotEnforced) {
      try enroll(Fixture.attestation("plain"), challenge: Fixture.challenge(), with: verifier)
    }
  }
}
