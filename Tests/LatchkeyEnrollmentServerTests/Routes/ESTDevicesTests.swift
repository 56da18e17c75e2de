import LatchkeyServerTestSupport
import Crypto
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Testing
import X509

@testable import LatchkeyEnrollmentServer

@Suite("EST, device by device")
struct ESTDevicesTests {
  private func with(_ body: (RunningServer) async throws -> Void) async throws {
    try await RunningServer.with({ $0.limits.loginsPerMinute = 1000 }, body)
  }

  private func issued(_ answer: TestAnswer) throws -> [UInt8] {
    try Array(#require(Data(base64Encoded: Data(answer.body))))
  }

  private func devices(_ server: RunningServer) async throws -> [DeviceRecord] {
    try await server.store.read { try $0.devices(of: "demo") }
  }

  @Test("A device whose profile adds names is enrolled again for exactly those, with its key and with another")
  func profileNames() async throws {
    try await with { server in
      var profile = DeviceProfile(name: "sensor")
      profile.alternativeNames = ["dns:{name}.sensors.example", "uri:urn:example:{device}"]
      try await server.operating.addProfile(profile)
      let token = try await server.operating.createToken(
        user: "demo", deviceName: "a1", profile: "sensor", lifetime: 3600)
      let device = try await server.enrolled("a1", token: token.text)
      let own: [GeneralName] = [
        .uniformResourceIdentifier("urn:latchkey:device:\(device.id)"), .dnsName("a1.sensors.example"),
        .uniformResourceIdentifier("urn:example:\(device.id)"),
      ]
      try await server.withClient(device) { client in
        for names in [
          Array(own.prefix(1)), Array(own.prefix(2)), own + [.dnsName("a2.sensors.example")],
          [own[0], own[2], .dnsName("a2.sensors.example")], own + [own[0]], [],
        ] {
          let refused = try await client.est(Routes.estReenroll, device.request(names))
          #expect(refused.code == .invalidSigningRequest, "\(names)")
        }
        let same = try await client.est(Routes.estReenroll, device.request(own.reversed()))
        #expect(same.status == 200, "\(same.text)")
        let other = P256.Signing.PrivateKey()
        let changed = try await client.est(Routes.estReenroll, device.request(key: other))
        #expect(changed.status == 200, "\(changed.text)")
        #expect(try await devices(server).map(\.identityKey) == [other.point])
        let certificates = try await server.store.read { try $0.certificates(of: device.id) }
        #expect(certificates.count == 3 && certificates.filter { $0.revoked != nil }.count == 2)
      }
    }
  }

  @Test("After its profile has changed, a device asks for its old names or its new ones, and gets the new ones")
  func changedProfile() async throws {
    try await with { server in
      let device = try await server.enrolled()
      var profile = DeviceProfile(name: "default")
      profile.alternativeNames = ["uri:urn:example:{device}"]
      try await server.operating.addProfile(profile)
      try await server.withClient(device) { client in
        for names in [nil, [.uniformResourceIdentifier("urn:example:\(device.id)")] + own(device)] as [[GeneralName]?] {
          let answer = try await client.est(Routes.estReenroll, device.request(names))
          #expect(answer.status == 200, "\(answer.text)")
          // PKCS #7 holds the certificate as it is.
          let text = String(decoding: try issued(answer), as: UTF8.self)
          #expect(text.contains("urn:example:\(device.id)"))
        }
        let refused = try await client.est(
          Routes.estReenroll, device.request(own(device) + [.uniformResourceIdentifier("urn:example:other")]))
        #expect(refused.code == .invalidSigningRequest)
      }
    }
  }

  @Test("A registration that was not approved in time waits again for the same request, as often as it takes")
  func waitsAgain() async throws {
    try await with { server in
      var rules = DeviceProfile(name: "default")
      rules.approval = .operator
      try await server.operating.addProfile(rules)
      let request = try signingRequest()
      try await server.withClient { client in
        for _ in 0..<10 {
          #expect(try await client.est(Routes.estEnroll, request, byPassword: true).status == 202)
          #expect(try await client.est(Routes.estEnroll, request, byPassword: true).status == 202)
          #expect(try await server.operating.pendingDevices().records.count == 1)
          server.clock.advance(by: TimeInterval(server.server.services.policy.pendingLifetime))
          #expect(try await server.operating.pendingDevices().records.isEmpty)
        }
        #expect(try await client.est(Routes.estEnroll, request, byPassword: true).status == 202)
        let pending = try #require(try await server.operating.pendingDevices().records.first)
        try await server.operating.decidePendingDevice(pending.id.description, isApproved: true)
        // Approved, and not collected in time: it takes another approval.
        server.clock.advance(by: TimeInterval(server.server.services.policy.pendingLifetime))
        #expect(try await client.est(Routes.estEnroll, request, byPassword: true).status == 202)
        let again = try #require(try await server.operating.pendingDevices().records.first)
        #expect(again.id != pending.id && again.decision == nil)
        try await server.operating.decidePendingDevice(again.id.description, isApproved: true)
        #expect(try await client.est(Routes.estEnroll, request, byPassword: true).status == 200)
        #expect(try await devices(server).map(\.id) == [again.id])
      }
    }
  }

  @Test("A rejected request stays refused when its time is over, and a used token waits for nothing again")
  func staysRefused() async throws {
    try await with { server in
      var rules = DeviceProfile(name: "default")
      rules.approval = .operator
      try await server.operating.addProfile(rules)
      let (rejected, byToken) = (try signingRequest(), try signingRequest())
      let token = try await server.operating.createToken(user: "demo", lifetime: 3600).text
      let basic = Data("demo:\(token)".utf8).base64EncodedString()
      try await server.withClient { client in
        func enroll() async throws -> TestAnswer {
          try await client.request(
            "POST", Routes.estEnroll,
            headers: [("content-type", "application/pkcs10"), ("authorization", "Basic \(basic)")],
            body: Array(Data(byToken).base64EncodedString().utf8))
        }
        #expect(try await client.est(Routes.estEnroll, rejected, byPassword: true).status == 202)
        let pending = try #require(try await server.operating.pendingDevices().records.first)
        try await server.operating.decidePendingDevice(pending.id.description, isApproved: false)
        #expect(try await enroll().status == 202)
        server.clock.advance(by: TimeInterval(server.server.services.policy.pendingLifetime))
        #expect(try await client.est(Routes.estEnroll, rejected, byPassword: true).code == .notPermitted)
        #expect(try await enroll().code == .notPermitted)
      }
    }
  }

  @Test("Requests for one key that come at one moment, each signed anew, take one place")
  func atOnce() async throws {
    try await with { server in
      var rules = DeviceProfile(name: "default")
      rules.approval = .operator
      try await server.operating.addProfile(rules)
      let key = P256.Signing.PrivateKey()
      try await server.withClient { client in
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
          for _ in 0..<4 {
            let request = try signingRequest(key)
            group.addTask { try await client.est(Routes.estEnroll, request, byPassword: true).status }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == [202, 202, 202, 202])
      }
      #expect(try await server.operating.pendingDevices().records.count == 1)
    }
  }

  private func own(_ device: TestDevice) -> [GeneralName] {
    [.uniformResourceIdentifier("urn:latchkey:device:\(device.id)")]
  }

  @Test("A revoked device's key is enrolled no more: neither by the same request nor by another")
  func revokedKey() async throws {
    try await with { server in
      let key = P256.Signing.PrivateKey()
      let request = try signingRequest(key)
      try await server.withClient { client in
        #expect(try await client.est(Routes.estEnroll, request, byPassword: true).status == 200)
        let id = try #require(try await devices(server).first?.id)
        try await server.operating.revokeDevice(id.description, reason: .keyCompromise)
        for again in [request, try signingRequest(key)] {
          let answer = try await client.est(Routes.estEnroll, again, byPassword: true)
          #expect(answer.code == .invalidSigningRequest, "\(answer.text)")
        }
        let token = try await client.token()
        #expect(try await client.register(token: token, key: key).code == .invalidSigningRequest)
        #expect(try await devices(server).count == 1)
        // Another device does not get there by changing its key, either.
        let other = try await server.enrolled()
        #expect(try await server.renewal(of: other, key: key).code == .invalidSigningRequest)
      }
    }
  }

  @Test("Once its certificate has expired, the same request gets one more, and each repetition the same")
  func expired() async throws {
    try await with { server in
      let request = try signingRequest()
      try await server.withClient { client in
        func enroll() async throws -> [UInt8] {
          let answer = try await client.est(Routes.estEnroll, request, byPassword: true)
          #expect(answer.status == 200, "\(answer.text)")
          return answer.body
        }
        let first = try await enroll()
        server.clock.advance(by: 86_401)
        let second = try await enroll()
        #expect(second != first)
        #expect(try await enroll() == second)
        #expect(try await devices(server).count == 2)
      }
    }
  }

  @Test("While it waits for an approval, a device that asks again and again takes one place, however it signs")
  func onePlace() async throws {
    try await with { server in
      let (key, expired) = (P256.Signing.PrivateKey(), try signingRequest())
      try await server.withClient { client in
        // The certificate of a first registration has expired, whose answer is kept still.
        #expect(try await client.est(Routes.estEnroll, expired, byPassword: true).status == 200)
        server.clock.advance(by: 86_401)
        var rules = DeviceProfile(name: "default")
        rules.approval = .device
        try await server.operating.addProfile(rules)
        for _ in 0..<3 {
          #expect(try await client.est(Routes.estEnroll, expired, byPassword: true).status != 200)
          #expect(try await client.est(Routes.estEnroll, signingRequest(key), byPassword: true).status != 200)
        }
        let pending = try await server.operating.pendingDevices().records
        #expect(pending.count == 2)
        let own = try #require(pending.first { $0.identityKey == key.point })
        try await server.operating.decidePendingDevice(own.id.description, isApproved: true)
        #expect(try await client.est(Routes.estEnroll, signingRequest(key), byPassword: true).status == 200)
        #expect(
          try await server.operating.pendingDevices().records.map(\.id) == pending.map(\.id).filter { $0 != own.id })
        // A rejected one stays rejected.
        let other = try #require(pending.first { $0.id != own.id })
        try await server.operating.decidePendingDevice(other.id.description, isApproved: false)
        #expect(try await client.est(Routes.estEnroll, expired, byPassword: true).code == .notPermitted)
      }
    }
  }
}
