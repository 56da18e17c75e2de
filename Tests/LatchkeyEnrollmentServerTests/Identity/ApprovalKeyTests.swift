import LatchkeyServerTestSupport
import Crypto
import LatchkeyAttestation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyKeychainModel
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("Registering approval keys")
struct ApprovalKeyTests {
  @Test("A software key is accepted, and is recorded as unproven")
  func software() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let (device, key) = try await bench.approvingDevice()
    let id = device.id
    let kept = try #require(try await bench.store.read { try $0.device(id) })
    #expect(kept.approvalKey == key.point && kept.approvalEvidence == "latchkey-software")
    #expect(try await bench.store.events.last?.fields["evidence"] == "latchkey-software")
    // The device's record changes at once.
    let known = try await bench.services.directory.device(fingerprint: device.fingerprint, now: bench.now)
    #expect(known.approvalKey == key.point)
  }

  @Test("where the policy wants a TPM, software is refused")
  func policy() async throws {
    let bench = try CeremonyBench { $0.policy.attestationPolicy = AttestationPolicy() }
    try await bench.user()
    let device = try await bench.device()
    await expect(.invalidAttestation) { try await bench.approve(device, with: P256.Signing.PrivateKey()) }
  }

  @Test("the same key again is fine, another one is not")
  func once() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let (device, key) = try await bench.approvingDevice()
    try await bench.approve(device, with: key)
    await expect(.notPermitted) { try await bench.approve(device, with: P256.Signing.PrivateKey()) }
    let id = device.id
    #expect(try await bench.store.read { try $0.device(id)?.approvalKey } == key.point)
  }

  @Test("challenges that were used, have ended, are another device's or for something else are refused")
  func challenges() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let (device, other, key) = (try await bench.device(), try await bench.device(), P256.Signing.PrivateKey())
    let theirs = try await bench.challenge(.attestation, other)
    await expect(.invalidAttestation) { try await bench.approve(device, with: key, challenge: theirs) }
    let login = try await bench.challenge(.login, device)
    await expect(.invalidAttestation) { try await bench.approve(device, with: key, challenge: login) }
    let late = try await bench.challenge(.attestation, device)
    bench.clock.advance(by: 61)
    await expect(.invalidAttestation) { try await bench.approve(device, with: key, challenge: late) }
    let made = Challenge(
      id: Identifier.random().description, value: Base64Bytes([UInt8](repeating: 0, count: 32)), expiresIn: 60)
    await expect(.invalidAttestation) { try await bench.approve(device, with: key, challenge: made) }
    let good = try await bench.challenge(.attestation, device)
    try await bench.approve(device, with: key, challenge: good)
    await expect(.invalidAttestation) { try await bench.approve(device, with: key, challenge: good) }
  }

  @Test("attestations of other keys or challenges, altered or cut, are refused, and the challenge is gone")
  func attestations() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let (device, key, other) = (try await bench.device(), P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
    func register(_ attestation: (Challenge) throws -> [UInt8], key point: [UInt8]? = nil) async throws -> DeviceRecord
    {
      let challenge = try await bench.challenge(.attestation, device)
      return try await ApprovalKeyCeremony(services: bench.services).register(
        ApprovalKeyRegistration(
          publicKey: Base64Bytes(point ?? key.point), challengeID: challenge.id,
          attestation: Base64Bytes(try attestation(challenge))), over: device)
    }
    await expect(.invalidAttestation, "another key's") { try await register { try other.attestation($0) } }
    await expect(.invalidAttestation, "signed by another") {
      try await register { try other.attestation($0, of: key.point) }
    }
    await expect(.invalidAttestation, "of another challenge") {
      try await register { _ in
        try key.attestation(Challenge(id: "", value: Base64Bytes([UInt8](repeating: 1, count: 32)), expiresIn: 0))
      }
    }
    await expect(.invalidAttestation, "altered") {
      try await register {
        var object = try key.attestation($0)
        object[object.count - 1] ^= 1
        return object
      }
    }
    for object in [[], [0xA0], [UInt8](repeating: 0x81, count: 70_000)] {
      await expect(.invalidAttestation) { try await register { _ in object } }
    }
    await expect(.invalidAttestation, "no key") { try await register({ try key.attestation($0) }, key: []) }
    let id = device.id
    #expect(try await bench.store.read { try $0.device(id)?.approvalKey } == nil)
  }

  @Test("A key whose statement names no user guard is refused under every policy; each user guard is accepted")
  func unguarded() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    func register(_ flags: AccessControl.Flags, _ device: AuthenticatedDevice) async throws -> DeviceRecord {
      let key = P256.Signing.PrivateKey()
      let challenge = try await bench.challenge(.attestation, device)
      return try await ApprovalKeyCeremony(services: bench.services).register(
        ApprovalKeyRegistration(
          publicKey: Base64Bytes(key.point), challengeID: challenge.id,
          attestation: Base64Bytes(try key.attestation(challenge, flags: flags))), over: device)
    }
    let device = try await bench.device()
    for flags: AccessControl.Flags in [[], .privateKeyUsage, [.applicationPassword, .privateKeyUsage], .companion] {
      do {
        _ = try await register(flags, device)
        Issue.record("\(flags) approves")
      } catch let problem as Problem {
        #expect(problem.code == .invalidAttestation)
        #expect(problem.detail?.contains("this key needs no user presence") == true)
      }
      let id = device.id
      #expect(try await bench.store.read { try $0.device(id)?.approvalKey } == nil)
    }
    for guarded: AccessControl.Flags in [
      .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, [.biometryAny, .or, .devicePasscode],
      [.userPresence, .applicationPassword],
    ] {
      let record = try await register(guarded.union(.privateKeyUsage), try await bench.device())
      #expect(record.approvalEvidence == "latchkey-software")
    }
  }

  @Test("the identity key does not approve")
  func identityKey() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let key = P256.Signing.PrivateKey()
    let device = try await bench.device(key)
    await expect(.invalidAttestation) { try await bench.approve(device, with: key) }
  }

  @Test("a revoked device registers none")
  func revoked() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let device = try await bench.device()
    let challenge = try await bench.challenge(.attestation, device)
    try await RevocationCeremony(services: bench.services).revoke(device)
    await expect(.revoked) { try await bench.approve(device, with: P256.Signing.PrivateKey(), challenge: challenge) }
  }
}
