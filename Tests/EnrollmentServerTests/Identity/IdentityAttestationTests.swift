import Attestation
import Crypto
import EnrollmentProtocol
import EnrollmentStore
import Foundation
import Testing

@testable import EnrollmentServer

/// Where a device's identity key lives is proved when it registers, if the server wants that.
@Suite("Attested identity keys") struct IdentityAttestationTests {
  private let tpm = PaperTPM()
  private let key = P256.Signing.PrivateKey()

  private func bench(isRequired: Bool, trusts tpm: PaperTPM? = nil) throws -> CeremonyBench {
    let pin = (tpm ?? self.tpm).attestationKey.publicKey.derRepresentation
    let trust = try AttestationTrust(pinnedKeys: [[UInt8](pin)])
    let bench = try CeremonyBench {
      guard isRequired else { return }
      $0.policy.attestationTrust = trust
      $0.policy.attestationPolicy = AttestationPolicy()
      $0.policy.identityAttestationPolicy = AttestationPolicy()
    }
    return bench
  }

  /// Registers the key with what `attestation` makes of the challenge.
  @discardableResult
  private func register(
    _ bench: CeremonyBench, _ attestation: ([UInt8]) throws -> [UInt8]?
  ) async throws -> RegistrationCeremony.Answer {
    let session = try await bench.session()
    let request = try signingRequest(key)
    let challenge = DeviceRegistration.challenge(token: session.text, signingRequest: request)
    let statement = try attestation(challenge).map(Base64Bytes.init)
    return try await RegistrationCeremony(services: bench.services, token: BearerToken(session.text)).register(
      DeviceRegistration(name: "phone", signingRequest: Base64Bytes(request), attestation: statement), key: newKey(),
      digest: RequestDigest(bench.services.random(32)))
  }

  private func software(_ challenge: [UInt8]) throws -> [UInt8] {
    try key.attestation(Challenge(id: "", value: Base64Bytes(challenge), expiresIn: 60))
  }

  @Test("a server that demands a TPM takes a key that one keeps") func taken() async throws {
    let bench = try bench(isRequired: true)
    try await bench.user()
    let answer = try await register(bench) { try tpm.attestation(of: key.publicKey, challenge: $0) }
    #expect(!answer.isReplayed)
  }

  @Test("it refuses software, no statement, and statements about others, or by strangers") func refused() async throws {
    let bench = try bench(isRequired: true)
    try await bench.user()
    let other = P256.Signing.PrivateKey()
    await expect(.invalidAttestation, "none") { try await register(bench) { _ in nil } }
    await expect(.invalidAttestation, "software") { try await register(bench, software) }
    await expect(.invalidAttestation, "empty") { try await register(bench) { _ in [] } }
    await expect(.invalidAttestation, "another key") {
      try await register(bench) { try tpm.attestation(of: other.publicKey, challenge: $0) }
    }
    await expect(.invalidAttestation, "another session's challenge") {
      try await register(bench) { _ in
        let challenge = DeviceRegistration.challenge(token: "another session", signingRequest: try signingRequest(key))
        return try tpm.attestation(of: key.publicKey, challenge: challenge)
      }
    }
    await expect(.invalidAttestation, "a TPM that nobody trusts") {
      try await register(bench) { try PaperTPM().attestation(of: key.publicKey, challenge: $0) }
    }
    await expect(.invalidAttestation, "cut") {
      try await register(bench) { Array(try tpm.attestation(of: key.publicKey, challenge: $0).dropLast()) }
    }
  }

  @Test("it makes no keys for devices, and a renewal keeps the key") func otherWays() async throws {
    let bench = try bench(isRequired: true)
    try await bench.user()
    let session = try await bench.session()
    let registration = RegistrationCeremony(services: bench.services, token: BearerToken(session.text))
    await expect(.invalidAttestation) {
      try await ServerMadeIdentityCeremony(registration).register(
        ServerMadeIdentityRequest(name: "phone", passphrase: "correct horse"))
    }
    let answer = try await register(bench) { try tpm.attestation(of: key.publicKey, challenge: $0) }
    let enrolled = try JSONDecoder().decode(EnrolledDevice.self, from: Data(answer.body))
    let shown = try await bench.services.directory.device(
      fingerprint: Fingerprint(SHA256.hash(data: enrolled.certificates[0].bytes)), now: bench.now)
    let renewal = RenewalCeremony(services: bench.services)
    _ = try await renewal.renew(RenewalRequest(signingRequest: Base64Bytes(signingRequest(key))), over: shown)
    await expect(.invalidAttestation) {
      try await renewal.renew(RenewalRequest(signingRequest: Base64Bytes(signingRequest())), over: shown)
    }
  }

  @Test("a server that demands nothing takes all of them, statements that prove nothing too") func optional()
    async throws
  {
    let bench = try bench(isRequired: false)
    try await bench.user()
    try await register(bench) { _ in nil }
    try await register(bench, software)
    try await register(bench) { try tpm.attestation(of: key.publicKey, challenge: $0) }
    try await register(bench) { _ in [1, 2, 3] }
  }

  @Test("a TPM whose maker nobody knows is no worse than software, for approval keys") func approval() async throws {
    let bench = try bench(isRequired: false)
    try await bench.user()
    let device = try await bench.device()
    let challenge = try await bench.challenge(.attestation, device)
    let statement = try tpm.attestation(of: key.publicKey, challenge: challenge.value.bytes)
    let record = try await ApprovalKeyCeremony(services: bench.services).register(
      ApprovalKeyRegistration(
        publicKey: Base64Bytes(key.point), challengeID: challenge.id, attestation: Base64Bytes(statement)), over: device
    )
    #expect(record.approvalEvidence == "tpm-unverified")
  }
}
