import LatchkeyServerTestSupport
import Crypto
import Foundation
import LatchkeyAttestation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Testing

@testable import LatchkeyEnrollmentServer

/// A renewal is a new decision about a device: it holds the rules of now.
@Suite("The rules of renewals, over the wire")
struct RenewalRulesTests {
  private func with(
    _ change: (inout ServerConfiguration) throws -> Void = { _ in }, _ body: (RunningServer) async throws -> Void
  ) async throws {
    try await RunningServer.with(
      {
        $0.limits.loginsPerMinute = 1000
        $0.policy.renewalAfterExpiry = 86_400
        try change(&$0)
      }, body)
  }

  @Test("A device that chose its name itself gets no certificate with it, in time or late, until the operator names it")
  func names() async throws {
    try await with { server in
      let device = try await server.enrolled("admin")
      var named = DeviceProfile(name: "default")
      named.alternativeNames = ["dns:{name}.example"]
      named.approval = .operator
      try await server.operating.addProfile(named)
      #expect(try await server.renewal(of: device).code == .notPermitted)
      #expect(try await server.renewal(of: device, key: P256.Signing.PrivateKey()).code == .notPermitted)
      let byEST = try await server.withClient(device) { try await $0.est(Routes.estReenroll, device.request()) }
      #expect(byEST.code == .notPermitted)
      server.clock.advance(by: 86_401)
      #expect(try await server.lateRenewal(of: device).code == .notPermitted)
      try await server.operating.renameDevice(device.id.description, to: "lamp")
      let late = try await server.lateRenewal(of: device)
      #expect(late.status == 200, "\(late.text)")
      #expect(try late.device(device.key).names.contains("lamp.example"))
    }
  }

  @Test("A device's name is the one that the operator gave it last, also where it was looked up before")
  func renamed() async throws {
    try await with { server in
      var named = DeviceProfile(name: "named")
      named.alternativeNames = ["dns:{name}.example"]
      try await server.operating.addProfile(named)
      let token = try await server.operating.createToken(
        user: "demo", deviceName: "pump", profile: "named", lifetime: 3600)
      let device = try await server.enrolled("pump", token: token.text)
      #expect(try await server.renewal(of: device).status == 200)
      try await server.operating.renameDevice(device.id.description, to: "lamp")
      let names = try await server.renewal(of: device).device(device.key).names
      #expect(names.contains("lamp.example") && !names.contains("pump.example"))
    }
  }

  @Test("A key without the evidence that its profile requires now is not renewed, in time or late")
  func attestation() async throws {
    for required in [DeviceProfile.Attestation.software, .tpm] {
      try await with { server in
        let device = try await server.enrolled()
        #expect(try await server.renewal(of: device).status == 200)
        var strict = DeviceProfile(name: "default")
        strict.attestation = required
        try await server.operating.addProfile(strict)
        #expect(try await server.renewal(of: device).code == .notPermitted)
        let other = try await server.renewal(of: device, key: P256.Signing.PrivateKey())
        #expect(other.code == .invalidAttestation)
        server.clock.advance(by: 86_401)
        #expect(try await server.lateRenewal(of: device).code == .notPermitted)
        strict.attestation = nil
        try await server.operating.addProfile(strict, replaces: true)
        #expect(try await server.lateRenewal(of: device).status == 200)
      }
    }
  }

  @Test("A key with the evidence that its profile requires is renewed, and in time another one without it is not")
  func attested() async throws {
    let tpm = PaperTPM()
    let pin = Array(tpm.attestationKey.publicKey.derRepresentation)
    try await with({ $0.policy.attestationTrust = try AttestationTrust(pinnedKeys: [pin]) }) { server in
      var strict = DeviceProfile(name: "default")
      strict.attestation = .tpm
      try await server.operating.addProfile(strict)
      let key = P256.Signing.PrivateKey()
      let answer = try await server.withClient { client in
        try await client.register(token: client.token(), key: key) {
          try tpm.attestation(of: key.publicKey, challenge: $0)
        }
      }
      let device = try answer.device(key)
      #expect(try await server.renewal(of: device).status == 200)
      #expect(try await server.renewal(of: device, key: P256.Signing.PrivateKey()).code == .invalidAttestation)
      server.clock.advance(by: 86_401)
      #expect(try await server.lateRenewal(of: device).status == 200)
    }
  }

  @Test("A profile asks no less than the server: what the server would refuse afterwards is not registered")
  func leastEvidence() async throws {
    try await with({ $0.policy.identityAttestationPolicy = AttestationPolicy() }) { server in
      for attestation in [DeviceProfile.Attestation.none, .software, .tpm] {
        var rules = DeviceProfile(name: "default")
        rules.attestation = attestation
        try await server.operating.addProfile(rules, replaces: true)
        try await server.withClient { client in
          let key = P256.Signing.PrivateKey()
          let answer = try await client.register(token: client.token(), key: key) {
            try key.attestation(Challenge(id: "", value: Base64Bytes($0), expiresIn: 60))
          }
          #expect(answer.code == .invalidAttestation, "\(attestation)")
        }
      }
    }
  }

  @Test("A superseded certificate gets nothing once the current key's own certificate was revoked")
  func superseded() async throws {
    try await with { server in
      let device = try await server.enrolled()
      let key = P256.Signing.PrivateKey()
      let current = try await server.renewal(of: device, key: key).device(key)
      // The answer is lost: the old certificate asks once more, while the new one is valid.
      let again = try await server.renewal(of: device, key: key).device(key)
      for certificate in [current, again] {
        let record = try await server.store.read { try $0.certificate(fingerprint: certificate.fingerprint) }
        let serial = SerialNumber(bytes: try #require(record?.certificate.serial))
        try await server.operating.revokeCertificate(serial: "\(serial)", reason: .keyCompromise)
        if certificate.fingerprint == current.fingerprint {
          #expect(try await server.renewal(of: again).status == 200)
        }
      }
      let live = try await server.store.read { try $0.certificates(of: device.id).filter { $0.revoked == nil } }
      for record in live {
        try await server.operating.revokeCertificate(
          serial: "\(SerialNumber(bytes: record.serial))", reason: .keyCompromise)
      }
      #expect(try await server.renewal(of: device, key: key).code == .revoked)
      #expect(try await server.lateRenewal(of: current).code == .revoked)
    }
  }

  @Test("A device that comes back late finds room among its user's devices, or is refused")
  func room() async throws {
    try await with({ $0.limits.devicesPerUser = 2 }) { server in
      let late = try await server.enrolled()
      server.clock.advance(by: 86_401)
      let others = [try await server.enrolled(), try await server.enrolled()]
      #expect(try await server.lateRenewal(of: late).code == .notPermitted)
      try await server.operating.revokeDevice(others[0].id.description)
      #expect(try await server.lateRenewal(of: late).status == 200)
      // A device that counts already needs no room: its certificate is still valid, or it has an approval key.
      #expect(try await server.lateRenewal(of: late).status == 200)
      try await server.store.write { store in
        var device = try #require(try store.device(late.id))
        device.approvalKey = P256.Signing.PrivateKey().point
        try store.updateDevice(device)
      }
      server.clock.advance(by: 86_402)
      #expect(try await server.lateRenewal(of: late).status == 200)
    }
  }

  @Test("A login by key of a disabled user opens no session, not even one that counts once the user is enabled")
  func keyLogin() async throws {
    try await with { server in
      let (device, approval) = (try await server.enrolled(), P256.Signing.PrivateKey())
      try await server.store.write { store in
        var record = try #require(try store.device(device.id))
        (record.approvalKey, record.approvalEvidence) = (approval.point, "latchkey-software")
        try store.updateDevice(record)
      }
      try await server.withClient { client in
        func login() async throws -> TestAnswer {
          let asked = try await client.post(
            Routes.challenges, ChallengeRequest(purpose: .login, device: device.id.description))
          let challenge = try asked.decoded(Challenge.self)
          return try await client.post(
            Routes.keyLogin,
            KeyLogin(
              challengeID: challenge.id, device: device.id.description,
              signature: try approval.signature(of: challenge, .login)))
        }
        #expect(try await login().status == 200)
        try await server.operating.disable("demo")
        let refused = try await login()
        #expect(refused.code == .notAuthenticated && refused.status == 401)
        try await server.operating.enable("demo")
        #expect(try await server.operating.sessions(of: "demo").records.isEmpty)
        #expect(try await login().status == 200)
      }
    }
  }
}
