import LatchkeyServerTestSupport
import Crypto
import Foundation
import LatchkeyAttestation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Testing

@testable import LatchkeyEnrollmentServer

/// An approval is of a person and a moment: it ends with the approver, and can be taken back until the new device has its certificate.
@Suite("Approvals that end, over the wire")
struct ApprovalEndsTests {
  /// A registration of a new device, which can be repeated.
  private struct Request: Sendable {
    let token: String
    var name = "new"
    var key = P256.Signing.PrivateKey()
    var idempotencyKey = Identifier.random().description
    let body: [UInt8]

    init(_ client: TestClient, token: String? = nil, name: String = "new") async throws {
      if let token { self.token = token } else { self.token = try await client.token() }
      self.name = name
      body = try signingRequest(key)
    }

    func send(_ client: TestClient) async throws -> TestAnswer {
      try await client.register(name, token: token, key: key, request: body, idempotencyKey: idempotencyKey)
    }

    func pending(_ client: TestClient) async throws -> PendingDevice {
      let answer = try await send(client)
      #expect(answer.status == 202, "\(answer.text)")
      return try answer.decoded()
    }
  }

  /// Runs `body` with a server on which a device of the user approves others, and an old device.
  private func with(
    _ approval: DeviceProfile.Approval = .device, change: (inout ServerConfiguration) throws -> Void = { _ in },
    _ body: (RunningServer, TestClient, _ old: TestDevice) async throws -> Void
  ) async throws {
    try await RunningServer.with({
      $0.limits.loginsPerMinute = 1000
      $0.policy.pendingLifetime = 7200
      try change(&$0)
    }) { server in
      let old = try await server.enrolled("old")
      var rules = DeviceProfile(name: "default")
      rules.approval = approval
      try await server.operating.addProfile(rules)
      try await server.withClient { try await body(server, $0, old) }
    }
  }

  @Test("An approval that was not collected is listed with its maker, and the operator takes it back, once")
  func takenBack() async throws {
    try await with { server, client, old in
      let request = try await Request(client)
      let pending = try await request.pending(client)
      #expect(try await server.decision(pending, by: old).status == 204)
      let listed = try #require(try await server.operating.pendingDevices().records.first)
      #expect(listed.id.description == pending.device)
      #expect(listed.decision == .init(isApproved: true, by: .device(old.id)))
      // To devices it does not wait any more, and they cannot take it back.
      let shown = try await server.withClient(old) { try await $0.request("GET", Routes.pendingDevices) }
      #expect(try shown.decoded(PendingDeviceList.self).devices == [])
      #expect(try await server.decision(pending, isApproved: false, by: old).code == .notFound)
      try await server.operating.decidePendingDevice(pending.device, isApproved: false)
      #expect(try await request.send(client).code == .notPermitted)
      #expect(try await server.operating.pendingDevices().records.isEmpty)
      for isApproved in [true, false] {
        await #expect(throws: OperatorError.self) {
          try await server.operating.decidePendingDevice(pending.device, isApproved: isApproved)
        }
      }
    }
  }

  @Test("What has its certificate is listed no more, and cannot be rejected")
  func collected() async throws {
    try await with { server, client, old in
      let request = try await Request(client)
      let pending = try await request.pending(client)
      #expect(try await server.decision(pending, by: old).status == 204)
      #expect(try await request.send(client).status == 201)
      #expect(try await server.operating.pendingDevices().records.isEmpty)
      await #expect(throws: OperatorError.self) {
        try await server.operating.decidePendingDevice(pending.device, isApproved: false)
      }
      #expect(try await request.send(client).header(HeaderNames.idempotencyReplayed) == "true")
    }
  }

  private enum End: CaseIterable, Sendable { case itself, byOperator, oneCertificate, keyChange }

  @Test(
    "A device's approvals end with it, its certificate or its key, and the new device waits again",
    arguments: End.allCases)
  private func approverEnds(end: End) async throws {
    try await with { server, client, old in
      let request = try await Request(client)
      let pending = try await request.pending(client)
      #expect(try await server.decision(pending, by: old).status == 204)
      switch end {
      case .itself:
        #expect(try await server.withClient(old) { try await $0.request("POST", Routes.revocation) }.status == 204)
      case .byOperator: try await server.operating.revokeDevice(old.id.description, reason: .keyCompromise)
      case .oneCertificate:
        let certificates = try await server.operating.certificates(of: old.id.description)
        let serial = SerialNumber(bytes: try #require(certificates.first).serial)
        try await server.operating.revokeCertificate(serial: "\(serial)")
      case .keyChange: #expect(try await server.renewal(of: old, key: P256.Signing.PrivateKey()).status == 200)
      }
      #expect(try await request.pending(client) == pending)
      let listed = try #require(try await server.operating.pendingDevices().records.first)
      #expect(listed.decision == nil)
      // What the operator has approved stays approved, whatever becomes of devices.
      try await server.operating.decidePendingDevice(pending.device, isApproved: true)
      #expect(try await request.send(client).status == 201)
    }
  }

  @Test("A rejection by a device stays when the device ends")
  func rejectionStays() async throws {
    try await with { server, client, old in
      let request = try await Request(client)
      let pending = try await request.pending(client)
      #expect(try await server.decision(pending, isApproved: false, by: old).status == 204)
      try await server.operating.revokeDevice(old.id.description)
      #expect(try await request.send(client).code == .notPermitted)
    }
  }

  @Test("Disabling a user rejects what waits and what was approved, of this user alone; enabling brings none back")
  func disabled() async throws {
    try await with { server, client, old in
      let (waiting, approved) = (try await Request(client), try await Request(client))
      _ = try await waiting.pending(client)
      let pending = try await approved.pending(client)
      #expect(try await server.decision(pending, by: old).status == 204)
      _ = try await server.store.write { store in
        _ = try store.addUser(UserRecord(name: "ann", passwordHash: nil))
        _ = try store.addPendingDevice(
          PendingDeviceRecord(
            id: .random(), user: "ann", name: "hers", profile: "default", identityKey: [4], identityEvidence: "none",
            request: "r", digest: RequestDigest([1]), created: 1, expires: .max))
      }
      try await server.operating.disable("demo")
      #expect(try await server.operating.pendingDevices().records.map(\.user) == ["ann"])
      try await server.operating.enable("demo")
      // The sessions have ended, too.
      #expect(try await approved.send(client).code == .notAuthenticated)
      let token = try await client.token()
      for request in [waiting, approved] {
        let answer = try await client.register(
          request.name, token: token, key: request.key, request: request.body, idempotencyKey: request.idempotencyKey)
        #expect(answer.code == .notPermitted, "\(answer.text)")
      }
      let found = try await server.operating.auditEntries(.init(event: "user.disabled"), limit: 1, cursor: nil)
      #expect(found.records.first?.entry.fields["rejected"] == "2")
    }
  }

  @Test("Rejected registrations leave their place to others; approved ones keep it until they are completed")
  func places() async throws {
    try await with(change: { $0.limits.pendingDevicesPerUser = 2 }) { server, client, old in
      let first = try await Request(client)
      let pending = try await first.pending(client)
      let second = try await Request(client)
      _ = try await second.pending(client)
      #expect(try await Request(client).send(client).status == 429)
      #expect(try await server.decision(pending, isApproved: false, by: old).status == 204)
      let third = try await Request(client)
      let last = try await third.pending(client)
      #expect(try await server.decision(last, by: old).status == 204)
      #expect(try await Request(client).send(client).status == 429)
      #expect(try await third.send(client).status == 201)
      #expect(try await Request(client).send(client).status == 202)
    }
  }

  @Test("Where approval keys must be attested, a device without one approves nothing by its identity key")
  func attestedApprovalKeys() async throws {
    let trust = try AttestationTrust(pinnedKeys: [PaperTPM().attestationKey.publicKey.derRepresentation.map { $0 }])
    try await with(change: {
      $0.policy.attestationTrust = trust
      $0.policy.attestationPolicy = AttestationPolicy()
    }) { server, client, old in
      let pending = try await Request(client).pending(client)
      for isApproved in [true, false] {
        #expect(try await server.decision(pending, isApproved: isApproved, by: old).code == .notPermitted)
      }
      #expect(try await server.operating.pendingDevices().records.first?.decision == nil)
    }
  }

  @Test("A new approval key approves no device before it counts for transfers, either")
  func newApprovalKey() async throws {
    try await with(change: { $0.policy.approvalCoolDown = 3600 }) { server, client, old in
      let start = server.now
      try await server.store.write { store in
        var device = try #require(try store.device(old.id))
        // The same key, so that `decision` signs by it.
        (device.approvalKey, device.approvalEvidence) = (old.key.point, "latchkey-software")
        device.approvalSince = start
        try store.updateDevice(device)
      }
      let pending = try await Request(client).pending(client)
      #expect(try await server.decision(pending, by: old).code == .notPermitted)
      server.clock.advance(by: 3600)
      #expect(try await server.decision(pending, by: old).status == 204)
    }
  }

  @Test("A name gets into a certificate by the operator's approval or a token, and never by another device's approval")
  func names() async throws {
    try await with { server, client, old in
      var named = DeviceProfile(name: "default")
      named.alternativeNames = ["dns:{name}.example"]
      named.approval = .device
      try await server.operating.addProfile(named, replaces: true)
      let refused = try await Request(client, name: "admin").send(client)
      #expect(refused.code == .notPermitted, "\(refused.text)")
      await #expect(throws: OperatorError.self) {
        try await server.operating.createToken(user: "demo", lifetime: 3600)
      }
      // By a token's name, another device may approve.
      let token = try await server.operating.createToken(user: "demo", deviceName: "pump", lifetime: 3600)
      let byToken = try await Request(client, token: token.text, name: "pump")
      #expect(try await server.decision(byToken.pending(client), by: old).status == 204)
      let pump = try await byToken.send(client).device(byToken.key)
      #expect(try pump.names.contains("pump.example"))
      #expect(try await server.store.read { try $0.device(pump.id)?.nameApproval } == .token)
      #expect(try await server.renewal(of: pump).status == 200)

      named.approval = .operator
      try await server.operating.addProfile(named, replaces: true)
      let byOperator = try await Request(client, name: "lamp")
      let lamp = try await byOperator.pending(client)
      // Were the profile's approval another one again, a device's approval would still vouch for no name.
      named.approval = .device
      try await server.operating.addProfile(named, replaces: true)
      #expect(try await server.decision(lamp, by: old).code == .notPermitted)
      try await server.operating.decidePendingDevice(lamp.device, isApproved: true)
      let device = try await byOperator.send(client).device(byOperator.key)
      #expect(try device.names.contains("lamp.example"))
      #expect(try await server.store.read { try $0.device(device.id)?.nameApproval } == .operator)
      #expect(try await server.renewal(of: device).status == 200)
      let events = try await server.operating.auditEntries(.init(event: "device.registered"), limit: 9, cursor: nil)
      #expect(events.records.map { $0.entry.fields["name_approval"] } == [nil, "token", "operator"])
    }
  }

  @Test("A registration that a device approved gets no name of a profile that came later")
  func laterProfile() async throws {
    try await with { server, client, old in
      let request = try await Request(client, name: "admin")
      #expect(try await server.decision(request.pending(client), by: old).status == 204)
      var named = DeviceProfile(name: "default")
      named.alternativeNames = ["dns:{name}.example"]
      named.approval = .device
      try await server.operating.addProfile(named, replaces: true)
      #expect(try await request.send(client).code == .notPermitted)
      #expect(try await server.store.read { try $0.devices(of: "demo") }.count == 1)
    }
  }

  @Test("A registration that waits holds the attestation that its profile has when it is completed")
  func laterAttestation() async throws {
    try await with { server, client, old in
      let request = try await Request(client)
      #expect(try await server.decision(request.pending(client), by: old).status == 204)
      var strict = DeviceProfile(name: "default")
      (strict.attestation, strict.approval) = (.tpm, .device)
      try await server.operating.addProfile(strict, replaces: true)
      #expect(try await request.send(client).code == .notPermitted)
      (strict.attestation, strict.approval) = (nil, .device)
      try await server.operating.addProfile(strict, replaces: true)
      #expect(try await request.send(client).status == 201)
    }
  }

  @Test("The key of a device that was revoked meanwhile is not let in by an approval")
  func revokedMeanwhile() async throws {
    try await with { server, client, _ in
      var request = try await Request(client)
      let other = try await server.withClient { client in
        var open = DeviceProfile(name: "open")
        open.ways = [.token]
        try await server.operating.addProfile(open)
        let token = try await server.operating.createToken(user: "demo", profile: "open", lifetime: 3600).text
        return try await client.register("twin", token: token, key: request.key).device(request.key)
      }
      let pending = try await request.pending(client)
      try await server.operating.decidePendingDevice(pending.device, isApproved: true)
      try await server.operating.revokeDevice(other.id.description, reason: .keyCompromise)
      #expect(try await request.send(client).code == .invalidSigningRequest)
      request.idempotencyKey = Identifier.random().description
      #expect(try await request.send(client).status >= 400)
    }
  }
}
