import Crypto
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyServerTestSupport
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("Approving new devices")
struct DeviceApprovalTests {
  /// A bench with an old device of the user, and a profile `default` that wants this approval from now on.
  private struct Scene: Sendable {
    let bench: CeremonyBench
    let operating: Operator
    let key = P256.Signing.PrivateKey()
    let old: AuthenticatedDevice

    init(_ approval: DeviceProfile.Approval = .device) async throws {
      // Shorter than the certificates of the bench.
      bench = try CeremonyBench { $0.policy.pendingLifetime = 7200 }
      let clock = bench.clock
      operating = Operator(bench.store, passwordCost: 10, clock: { clock.now })
      try await bench.user()
      old = try await bench.device(key)
      var rules = DeviceProfile(name: "default")
      rules.approval = approval
      try await operating.addProfile(rules)
    }

    /// A registration that can be repeated.
    func request(key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()) async throws
      -> @Sendable () async throws -> RegistrationCeremony.Answer
    {
      let session = try await bench.session().text
      let ceremony = RegistrationCeremony(services: bench.services, token: BearerToken(session))
      let body = DeviceRegistration(name: "new", signingRequest: Base64Bytes(try signingRequest(key)))
      let repeated = try newKey()
      return { try await ceremony.register(body, key: repeated, digest: RequestDigest([1])) }
    }

    func pending(_ answer: RegistrationCeremony.Answer) throws -> PendingDevice {
      #expect(answer.status == 202)
      return try JSONDecoder().decode(PendingDevice.self, from: Data(answer.body))
    }

    func decision(
      _ pending: PendingDevice, isApproved: Bool = true, challengeFor content: [UInt8]? = nil,
      by device: AuthenticatedDevice? = nil, key: P256.Signing.PrivateKey? = nil
    ) async throws -> DeviceDecision {
      let content = content ?? pending.digest(isApproved: isApproved)
      let challenge = try await ChallengeCeremony(services: bench.services).challenge(
        ChallengeRequest(purpose: .enrollment, content: Base64Bytes(content))
      ) { () throws(Problem) in device ?? old }
      let message = challenge.signedMessage(purpose: .enrollment, content: content)
      let signature = try (key ?? self.key).signature(for: message).derRepresentation
      return DeviceDecision(
        device: pending.device, isApproved: isApproved, challengeID: challenge.id,
        signature: Base64Bytes(Array(signature)))
    }

    func decide(_ decision: DeviceDecision, by device: AuthenticatedDevice? = nil) async throws {
      try await DeviceApprovalCeremony(services: bench.services).decide(decision, over: device ?? old)
    }
  }

  @Test("A device waits without a certificate until an older one approves it, then the same request registers it once")
  func approved() async throws {
    let scene = try await Scene()
    let request = try await scene.request()
    let pending = try scene.pending(await request())
    #expect(try scene.pending(await request()) == pending)
    #expect(try await scene.bench.store.read { try $0.devices(of: "demo") }.count == 1)
    let listed = try await DeviceApprovalCeremony(services: scene.bench.services).pending(over: scene.old)
    #expect(listed.devices == [pending])
    try await scene.decide(scene.decision(pending))
    let answers = try await withThrowingTaskGroup(of: RegistrationCeremony.Answer.self) { group in
      for _ in 0..<4 { group.addTask { try await request() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(answers.map(\.body)).count == 1 && answers.allSatisfy { $0.status == 201 })
    let enrolled = try JSONDecoder().decode(EnrolledDevice.self, from: Data(answers[0].body))
    #expect(enrolled.device == pending.device)
    #expect(try await scene.bench.store.read { try $0.devices(of: "demo") }.count == 2)
    let events = try await scene.bench.store.events.map(\.event)
    #expect(
      events == ["device.registered", "profile.defined", "device.pending", "device.approved", "device.registered"])
  }

  @Test("A rejected device is told so, and stays out")
  func rejected() async throws {
    let scene = try await Scene()
    let request = try await scene.request()
    let pending = try scene.pending(await request())
    try await scene.decide(scene.decision(pending, isApproved: false))
    await expect(.notPermitted) { try await request() }
    await expect(.notFound) { try await scene.decide(scene.decision(pending)) }
  }

  @Test("The operator approves, also what a device may not; once")
  func byOperator() async throws {
    let scene = try await Scene(.operator)
    let request = try await scene.request()
    let pending = try scene.pending(await request())
    await expect(.notPermitted) { try await scene.decide(scene.decision(pending)) }
    try await scene.operating.decidePendingDevice(pending.device, isApproved: true)
    await #expect(throws: OperatorError.self) {
      try await scene.operating.decidePendingDevice(pending.device, isApproved: true)
    }
    #expect(try await request().status == 201)
  }

  @Test("No signature counts but the approver's own, over this decision and a challenge of its own")
  func signatures() async throws {
    let scene = try await Scene()
    let pending = try scene.pending(await scene.request()())
    let other = try scene.pending(await scene.request()())
    // Another key, another decision, another device.
    await expect(.notPermitted) { try await scene.decide(scene.decision(pending, key: P256.Signing.PrivateKey())) }
    var turned = try await scene.decision(pending, isApproved: false)
    turned.isApproved = true
    let flipped = turned
    await expect(.notPermitted) { try await scene.decide(flipped) }
    var moved = try await scene.decision(other)
    moved.device = pending.device
    let swapped = moved
    await expect(.notPermitted) { try await scene.decide(swapped) }
    // A used challenge, and one that has expired.
    let good = try await scene.decision(pending)
    try await scene.decide(good)
    var again = good
    again.device = other.device
    let replayed = again
    await expect(.notPermitted) { try await scene.decide(replayed) }
    let late = try await scene.decision(other)
    scene.bench.clock.advance(by: 61)
    await expect(.notPermitted) { try await scene.decide(late) }
  }

  @Test("A revoked device approves nothing, nor does one of another user, nor one with the same key")
  func approvers() async throws {
    let scene = try await Scene()
    let request = try await scene.request(key: scene.key)
    let own = try scene.pending(await request())
    await expect(.notPermitted) { try await scene.decide(scene.decision(own)) }
    let pending = try scene.pending(await scene.request()())
    try await scene.bench.user("eve")
    let stranger = AuthenticatedDevice(
      id: .random(), user: "eve", name: "x", identityKey: Array(scene.key.publicKey.x963Representation),
      approvalKey: nil, approvalEvidence: nil, fingerprint: Fingerprint([1, 2]), notAfter: .max)
    try await scene.bench.store.write { store in
      try store.addDevice(
        DeviceRecord(id: stranger.id, user: "eve", name: "x", created: 0, identityKey: stranger.identityKey))
      try store.addCertificate(
        CertificateRecord(fingerprint: stranger.fingerprint, serial: [7], device: stranger.id, notAfter: .max))
    }
    await expect(.notFound) { try await scene.decide(scene.decision(pending, by: stranger), by: stranger) }
    #expect(
      try await DeviceApprovalCeremony(services: scene.bench.services).pending(over: stranger).devices.isEmpty)
    let decision = try await scene.decision(pending)
    try await RevocationCeremony(services: scene.bench.services).revoke(scene.old)
    await expect(.revoked) { try await scene.decide(decision) }
  }

  @Test("With an approval key, the identity key approves nothing")
  func approvalKey() async throws {
    let scene = try await Scene()
    let approval = P256.Signing.PrivateKey()
    try await scene.bench.store.write { store in
      guard var device = try store.device(scene.old.id) else { return }
      device.approvalKey = Array(approval.publicKey.x963Representation)
      device.approvalEvidence = "latchkey-software"
      try store.updateDevice(device)
    }
    let pending = try scene.pending(await scene.request()())
    await expect(.notPermitted) { try await scene.decide(scene.decision(pending)) }
    try await scene.decide(scene.decision(pending, key: approval))
  }

  @Test("So many devices of a user wait and no more; what waits too long has ended")
  func flood() async throws {
    let scene = try await Scene()
    let most = scene.bench.services.limits.pendingDevicesPerUser
    let first = try await scene.request()
    let pending = try scene.pending(await first())
    for _ in 1..<most { _ = try await scene.request()() }
    await expect(.tooManyRequests) { try await scene.request()() }
    #expect(try scene.pending(await first()) == pending)
    scene.bench.clock.advance(by: Double(scene.bench.services.policy.pendingLifetime))
    await expect(.notFound) { try await scene.decide(scene.decision(pending)) }
    #expect(try await scene.request()().status == 202)
  }

  @Test("A token's registration waits and completes after the token's end, and a key of the server cannot wait")
  func byToken() async throws {
    let scene = try await Scene()
    let (text, _) = try await scene.operating.createToken(user: "demo", lifetime: 60)
    let ceremony = RegistrationCeremony(services: scene.bench.services, token: BearerToken(text))
    await expect(.notPermitted) {
      try await ServerMadeIdentityCeremony(ceremony).register(
        ServerMadeIdentityRequest(name: "new", passphrase: "12345678"))
    }
    let body = DeviceRegistration(name: "new", signingRequest: Base64Bytes(try signingRequest()))
    let key = try newKey()
    let pending = try scene.pending(await ceremony.register(body, key: key, digest: RequestDigest([1])))
    scene.bench.clock.advance(by: 3600)
    try await scene.operating.decidePendingDevice(pending.device, isApproved: true)
    await expect(.idempotencyMismatch) { try await ceremony.register(body, key: key, digest: RequestDigest([2])) }
    #expect(try await ceremony.register(body, key: key, digest: RequestDigest([1])).status == 201)
  }
}
