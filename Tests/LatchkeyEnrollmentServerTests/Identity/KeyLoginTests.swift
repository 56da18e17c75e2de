import LatchkeyServerTestSupport
import Crypto
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("Logins by a key")
struct KeyLoginTests {
  private func login(
    _ bench: CeremonyBench, _ challenge: Challenge, _ device: String, _ signature: Base64Bytes,
    over shown: AuthenticatedDevice? = nil
  ) async throws -> SessionToken {
    try await KeyLoginCeremony(services: bench.services).login(
      KeyLogin(challengeID: challenge.id, device: device, signature: signature), over: shown)
  }

  @Test("a signed challenge opens a session of the device, once")
  func login() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let (device, key) = try await bench.approvingDevice()
    let challenge = try await bench.challenge(.login, nil, named: device.id.description)
    let signature = try key.signature(of: challenge, .login)
    let session = try await login(bench, challenge, device.id.description, signature)
    #expect(session.record.device == device.id && session.record.user == "demo")
    await expect(.notAuthenticated) { try await login(bench, challenge, device.id.description, signature) }
    let token = BearerToken(session.text)
    let (mine, now) = (device.id, bench.now)
    #expect(try await bench.store.read { try token.session(of: mine, in: $0, now: now) }.user == "demo")
    await expect(.notAuthenticated, "the token of another device") {
      try await bench.store.read { try token.session(of: .random(), in: $0, now: now) }
    }
    await expect(.notAuthenticated, "a stolen token without a certificate") {
      try await bench.store.read { try token.session(of: nil, in: $0, now: now) }
    }
  }

  @Test("everything that is wrong gets one answer")
  func refusals() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let (device, key) = try await bench.approvingDevice()
    let (other, otherKey) = try await bench.approvingDevice()
    let plain = try await bench.device()
    var answers: Set<Problem> = []
    func refused(
      _ challenge: Challenge, _ name: String, _ signature: Base64Bytes, over shown: AuthenticatedDevice? = nil,
      _ comment: Comment
    ) async {
      do {
        _ = try await login(bench, challenge, name, signature, over: shown)
        Issue.record(comment)
      } catch { answers.insert(error as? Problem ?? Problem(.internalError)) }
    }
    func challenge(_ device: String) async throws -> Challenge { try await bench.challenge(.login, nil, named: device) }
    let (mine, theirs) = (device.id.description, other.id.description)

    var asked = try await challenge(mine)
    await refused(asked, mine, try otherKey.signature(of: asked, .login), "another device's key")
    asked = try await challenge(theirs)
    await refused(asked, mine, try key.signature(of: asked, .login), "another device's challenge")
    asked = try await challenge(mine)
    await refused(asked, theirs, try key.signature(of: asked, .login), "my challenge for another device")
    asked = try await bench.challenge(.attestation, device)
    await refused(asked, mine, try key.signature(of: asked, .login), "a challenge to attest")
    asked = try await challenge(mine)
    await refused(asked, mine, try key.signature(of: asked, .transfer), "signed for another purpose")
    asked = try await challenge(mine)
    await refused(asked, mine, try key.signature(of: asked, .login), over: other, "over another's certificate")
    asked = try await challenge(plain.id.description)
    await refused(asked, plain.id.description, try key.signature(of: asked, .login), "a device without such a key")
    let nobody = Identifier.random().description
    asked = try await challenge(nobody)
    await refused(asked, nobody, try key.signature(of: asked, .login), "no device")
    await refused(asked, "no identifier", try key.signature(of: asked, .login), "no identifier")
    asked = try await challenge(mine)
    bench.clock.advance(by: 61)
    await refused(asked, mine, try key.signature(of: asked, .login), "too late")
    asked = try await challenge(mine)
    let id = device.id
    _ = try await bench.store.write { try $0.revokeDevice(id, at: 1, reason: 0) }
    await refused(asked, mine, try key.signature(of: asked, .login), "a revoked device")
    #expect(answers.count == 1 && answers.first?.code == .notAuthenticated)
  }

  @Test("over a certificate the token is that device's, and only while it counts")
  func certificate() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let device = try await bench.device()
    let ceremony = CertificateLoginCeremony(services: bench.services)
    #expect(try await ceremony.login(device).record.device == device.id)
    let id = device.id
    _ = try await bench.store.write { try $0.revokeDevice(id, at: 1, reason: 0) }
    // The directory may not know yet: the transaction does.
    await expect(.revoked) { try await ceremony.login(device) }
  }
}
