import LatchkeyServerTestSupport
import Crypto
import Foundation
import LatchkeyAttestation
import LatchkeyEnclaveKeys
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Logging
import Synchronization
import Testing

@testable import LatchkeyEnrollmentServer

/// Where a device's identity key lives is proved when it registers, if the server wants that.
@Suite("Attested identity keys") struct IdentityAttestationTests {
  private let tpm = PaperTPM()
  private let key = P256.Signing.PrivateKey()
  private final class Lines: Sendable {
    let all = Mutex<[String]>([])
  }

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

  @Test("A server that requires a TPM accepts a key that a TPM holds") func taken() async throws {
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

  @Test("A server that requires nothing accepts every statement, unproven ones too") func optional()
    async throws
  {
    let bench = try bench(isRequired: false)
    try await bench.user()
    try await register(bench) { _ in nil }
    try await register(bench, software)
    try await register(bench) { try tpm.attestation(of: key.publicKey, challenge: $0) }
    try await register(bench) { _ in [1, 2, 3] }
  }

  @Test("A device that enrolled without a TPM's evidence does not count once that is required") func before()
    async throws
  {
    let lax = try bench(isRequired: false)
    try await lax.user()
    let software = try await lax.device()
    var configuration = lax.services.configuration
    let pin = [UInt8](tpm.attestationKey.publicKey.derRepresentation)
    configuration.policy.attestationTrust = try AttestationTrust(pinnedKeys: [pin])
    configuration.policy.identityAttestationPolicy = AttestationPolicy()
    let strict = Services(configuration)
    for _ in 0..<2 {
      await expect(.notPermitted) {
        try await strict.directory.device(fingerprint: software.fingerprint, now: strict.now)
      }
    }
    let session = try await lax.session()
    let request = try signingRequest(key)
    let challenge = DeviceRegistration.challenge(token: session.text, signingRequest: request)
    let statement = Base64Bytes(try tpm.attestation(of: key.publicKey, challenge: challenge))
    let answer = try await RegistrationCeremony(services: strict, token: BearerToken(session.text)).register(
      DeviceRegistration(name: "phone", signingRequest: Base64Bytes(request), attestation: statement), key: newKey(),
      digest: RequestDigest([1]))
    let enrolled = try JSONDecoder().decode(EnrolledDevice.self, from: Data(answer.body))
    let attested = try await strict.directory.device(
      fingerprint: Fingerprint(SHA256.hash(data: enrolled.certificates[0].bytes)), now: strict.now)
    #expect(attested.identityEvidence == "tpm")
    // Another key without evidence removes the evidence of the first.
    _ = try await RenewalCeremony(services: lax.services)
      .renew(RenewalRequest(signingRequest: Base64Bytes(signingRequest())), over: attested)
    #expect(try await lax.store.read { try $0.device(attested.id)?.identityEvidence } == "none")
  }

  /// Registers the key as one that approves.
  private func approve(_ bench: CeremonyBench, _ tpm: PaperTPM) async throws -> DeviceRecord {
    let device = try await bench.device()
    let challenge = try await bench.challenge(.attestation, device)
    let statement = try tpm.attestation(of: key.publicKey, challenge: challenge.value.bytes)
    return try await ApprovalKeyCeremony(services: bench.services).register(
      ApprovalKeyRegistration(
        publicKey: Base64Bytes(key.point), challengeID: challenge.id, attestation: Base64Bytes(statement)), over: device
    )
  }

  @Test("An unguarded approval key of a TPM is distinct from a guarded one, and is refused where policy requires")
  func unguarded() async throws {
    let trust = try AttestationTrust(pinnedKeys: [[UInt8](tpm.attestationKey.publicKey.derRepresentation)])
    for (policy, isRequired) in [
      (AttestationPolicy(), false), (AttestationPolicy(requiresAuthorizationEnforcedByHardware: true), true),
    ] {
      for (isGuarded, attributes, authPolicy): (Bool, TPMObjectAttributes, [UInt8]) in [
        (true, [], TPMPolicy.authValue), (false, [], []), (false, .userWithAuth, TPMPolicy.authValue),
        (false, .noDA, TPMPolicy.authValue),
      ] {
        let bench = try CeremonyBench {
          $0.policy.attestationTrust = trust
          $0.policy.attestationPolicy = policy
        }
        try await bench.user()
        var tpm = tpm
        (tpm.attributes, tpm.authPolicy) = (attributes, authPolicy)
        if isRequired, !isGuarded {
          let paper = tpm
          await expect(.invalidAttestation) { try await approve(bench, paper) }
          continue
        }
        let record = try await approve(bench, tpm)
        #expect(record.approvalEvidence == (isGuarded ? "tpm" : "tpm-unguarded"))
        #expect(bench.services.policy.takes(approvalEvidence: record.approvalEvidence))
        #expect(!bench.services.policy.takes(approvalEvidence: "latchkey-software"))
        #expect(!bench.services.policy.takes(approvalEvidence: nil))
      }
    }
  }

  @Test("A TPM key with userWithAuth and noDA is refused for approvals, even from a trusted TPM")
  func open() async throws {
    let known = try AttestationTrust(pinnedKeys: [[UInt8](tpm.attestationKey.publicKey.derRepresentation)])
    for trust in [known, .nothing] {
      let bench = try CeremonyBench { $0.policy.attestationTrust = trust }
      try await bench.user()
      var tpm = tpm
      tpm.attributes = [.userWithAuth, .noDA]
      do {
        _ = try await approve(bench, tpm)
        Issue.record("it approves")
      } catch let problem as Problem {
        #expect(
          problem.code == .invalidAttestation && problem.detail?.contains("this key needs no user presence") == true)
      }
    }
  }

  @Test("why an attestation was refused stands in the log, not in the answer") func reasons() async throws {
    let lines = Lines()
    let trust = try AttestationTrust(pinnedKeys: [[UInt8](tpm.attestationKey.publicKey.derRepresentation)])
    let bench = try CeremonyBench {
      $0.policy.attestationTrust = trust
      $0.policy.identityAttestationPolicy = AttestationPolicy()
      $0.logger = Logger(
        label: "test",
        factory: { label in JSONLogHandler(label: label) { line in lines.all.withLock { $0.append(line) } } })
    }
    try await bench.user()
    var details: Set<String?> = []
    for statement in [{ _ in [1, 2, 3] }, software] as [([UInt8]) throws -> [UInt8]?] {
      do { try await register(bench, statement) } catch let problem as Problem { details.insert(problem.detail) }
    }
    #expect(details == ["the attestation was refused; the server's log says why"])
    let reported = lines.all.withLock { $0 }.filter { $0.contains("an attestation was refused") }
    #expect(reported.count == 2 && reported.allSatisfy { $0.contains(#""reason":""#) })
  }

  @Test("Only ACME accepts a statement about an Apple device, whatever roots are trusted") func apple() async throws {
    let apple = PaperApple()
    for trust in [AttestationTrust.nothing, try AttestationTrust(appleRoots: [apple.root])] {
      let bench = try CeremonyBench { $0.policy.attestationTrust = trust }
      try await bench.user()
      try await register(bench) { try apple.attestation(of: key.publicKey, challenge: $0) }
      #expect(try await bench.store.read { try $0.devices(of: "demo").map(\.identityEvidence) } == ["none"])
      let device = try await bench.device()
      let challenge = try await bench.challenge(.attestation, device)
      let statement = try apple.attestation(of: key.publicKey, challenge: challenge.value.bytes)
      await #expect(throws: Problem.self) {
        try await ApprovalKeyCeremony(services: bench.services).register(
          ApprovalKeyRegistration(
            publicKey: Base64Bytes(key.point), challengeID: challenge.id, attestation: Base64Bytes(statement)),
          over: device)
      }
    }
  }

  @Test("A TPM of an unknown manufacturer is accepted like software for approval keys") func approval() async throws {
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
