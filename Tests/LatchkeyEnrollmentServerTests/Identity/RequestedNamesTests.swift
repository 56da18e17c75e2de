import Crypto
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyPostgresTestSupport
import LatchkeyServerTestSupport
import LatchkeyTestSupport
import SwiftASN1
import Testing
import X509

@testable import LatchkeyEnrollmentServer

#if PostgreSQL
  import LatchkeyEnrollmentPostgres
#endif

/// PKCS #10 with alternative names.
private func signingRequest(_ names: [GeneralName], _ key: P256.Signing.PrivateKey = .init()) throws -> [UInt8] {
  let extensions = try Certificate.Extensions { SubjectAlternativeNames(names) }
  let request = try CertificateSigningRequest(
    version: .v1, subject: DistinguishedName { CommonName("anyone") }, privateKey: Certificate.PrivateKey(key),
    attributes: CertificateSigningRequest.Attributes([
      CertificateSigningRequest.Attribute(ExtensionRequest(extensions: extensions))
    ]))
  var serializer = DER.Serializer()
  try serializer.serialize(request)
  return serializer.serializedBytes
}

private func dns(_ name: String) -> GeneralName { .dnsName(name) }

@Suite("Names that devices ask for") struct RequestedNamesTests {
  private func with(
    _ patterns: [String] = ["dns:*.devices.example", "ip:192.0.2.0/24"], approval: DeviceProfile.Approval = .none,
    _ body: (RunningServer) async throws -> Void
  ) async throws {
    try await RunningServer.with({ $0.limits.loginsPerMinute = 1000 }) { server in
      try await server.permit(patterns, approval: approval)
      try await body(server)
    }
  }

  private func own(_ device: TestDevice) -> String { "urn:latchkey:device:\(device.id)" }

  @Test("A device gets the names that its profile permits, and OpenSSL finds them") func issued() async throws {
    try await with { server in
      let names = [dns("a.devices.example"), .ipAddress(ASN1OctetString(contentBytes: [192, 0, 2, 9]))]
      let device = try await server.registered(names)
      #expect(try device.names.prefix(2) == [own(device), "a.devices.example"])
      #expect(try device.names.count == 3)
      #expect(
        try await server.operating.requestedNames(of: [device.id]) == [
          device.id: ["dns:a.devices.example", "ip:192.0.2.9"]
        ])
      let files = try server.files(of: device)
      for (option, name, isValid) in [
        ("-verify_hostname", "a.devices.example", true), ("-verify_ip", "192.0.2.9", true),
        ("-verify_hostname", "b.devices.example", false), ("-verify_ip", "192.0.2.8", false),
      ] {
        guard
          let run = try await ForeignProgram.runOrSkip(
            "/usr/bin/openssl",
            ["verify", "-CAfile", files.ca, "-purpose", "sslclient", option, name, files.certificate])
        else { continue }
        #expect((run.status == 0) == isValid, "\(name): \(run.output)")
      }
    }
  }

  @Test("A name that the profile does not permit refuses the registration, and nothing is stored or used up")
  func refused() async throws {
    try await with { server in
      try await server.withClient { client in
        let token = try await client.token()
        let notPermitted: [[GeneralName]] = [
          [dns("a.example")], [dns("a.devices.example"), dns("b.devices.example.org")],
          [.ipAddress(ASN1OctetString(contentBytes: [192, 0, 3, 9]))], [.uniformResourceIdentifier("urn:example:1")],
          [.uniformResourceIdentifier("urn:latchkey:device:\(Identifier.random())")], [dns("a.b.devices.example")],
        ]
        for names in notPermitted {
          let key = P256.Signing.PrivateKey()
          let answer = try await client.register(token: token, key: key, request: signingRequest(names, key))
          #expect(answer.code == .notPermitted, "\(names): \(answer.text)")
        }
        let many = (0..<17).map { dns("a\($0).devices.example") }
        let invalid: [[GeneralName]] = [
          [dns("A.devices.example")], [dns("*.devices.example")],
          [dns("a.devices.example."), dns("b.devices.example")],
          [dns("a.devices.example"), dns("a.devices.example")], [.rfc822Name("a@devices.example")], many,
        ]
        for names in invalid {
          let key = P256.Signing.PrivateKey()
          let answer = try await client.register(token: token, key: key, request: signingRequest(names, key))
          #expect(answer.code == .invalidSigningRequest, "\(names): \(answer.text)")
        }
        #expect(try await server.store.read { try $0.devices(of: "demo") }.isEmpty)
        let key = P256.Signing.PrivateKey()
        let answer = try await client.register(token: token, key: key, request: signingRequest([], key))
        #expect(answer.status == 201, "the session was not used up")
      }
    }
  }

  @Test("Without patterns requested names are ignored, odd ones too") func ignored() async throws {
    try await with([]) { server in
      let device = try await server.registered([dns("*.example"), dns("A.example."), .rfc822Name("a@example")])
      #expect(try device.names == [own(device)])
      #expect(try await server.operating.requestedNames(of: [device.id]).isEmpty)
    }
  }

  @Test("A name is one user's until the device that has it is revoked; the same user may have it twice")
  func taken() async throws {
    try await with { server in
      try await server.operating.addUser("ann", password: "a password of ann")
      let first = try await server.registered([dns("a.devices.example")])
      _ = try await server.registered([dns("a.devices.example")])
      func register() async throws -> TestAnswer {
        let token = try await server.operating.createToken(user: "ann", lifetime: 3600).text
        let key = P256.Signing.PrivateKey()
        return try await server.withClient { client in
          try await client.register(token: token, key: key, request: signingRequest([dns("a.devices.example")], key))
        }
      }
      #expect(try await register().code == .notPermitted)
      try await server.operating.revokeDevice(first.id.description, reason: .cessationOfOperation)
      #expect(try await register().code == .notPermitted, "the other device has it still")
      for device in try await server.store.read({ try $0.devices(of: "demo") }) where device.revoked == nil {
        try await server.operating.revokeDevice(device.id.description, reason: .cessationOfOperation)
      }
      #expect(try await register().status == 201)
    }
  }

  @Test("Renewals keep the names, whatever they ask for, and lose those that the profile permits no more")
  func renewed() async throws {
    try await with { server in
      let device = try await server.registered([dns("a.devices.example"), dns("b.devices.example")])
      for key in [device.key, P256.Signing.PrivateKey()] {
        let request = try signingRequest([dns("c.devices.example")], key)
        let answer = try await server.withClient(device) {
          try await $0.post(Routes.renewal, RenewalRequest(signingRequest: Base64Bytes(request)))
        }
        #expect(try answer.device(key).names == [own(device), "a.devices.example", "b.devices.example"])
      }
      try await server.permit(["dns:b.devices.example", "dns:d.devices.example"], replaces: true)
      let later = try await server.registered([dns("b.devices.example")])
      #expect(try later.names == [own(later), "b.devices.example"])
      let answer = try await server.renewal(of: later)
      #expect(try answer.device(later.key).names == [own(later), "b.devices.example"])
      try await server.permit([], replaces: true)
      let none = try await server.renewal(of: later)
      #expect(try none.device(later.key).names == [own(later)])
    }
  }

  @Test("A renewal after the end keeps the names, too") func renewedLate() async throws {
    try await RunningServer.with({ $0.policy.renewalAfterExpiry = 86_400 }) { server in
      try await server.permit(["dns:*.devices.example"])
      let device = try await server.registered([dns("a.devices.example")])
      server.clock.advance(by: 86_401)
      let answer = try await server.lateRenewal(of: device)
      #expect(try answer.device(device.key).names == [own(device), "a.devices.example"])
    }
  }

  @Test("By EST a device asks at first and repeats when it enrolls again") func est() async throws {
    try await with { server in
      let key = P256.Signing.PrivateKey()
      let request = try signingRequest([dns("a.devices.example")], key)
      try await server.withClient { client in
        let refused = try await client.est(Routes.estEnroll, signingRequest([dns("a.example")]), byPassword: true)
        let issued = try await client.est(Routes.estEnroll, request, byPassword: true)
        #expect(refused.code == .notPermitted && issued.status == 200)
      }
      let record = try #require(try await server.store.read { try $0.devices(of: "demo") }.first)
      #expect(try await server.operating.requestedNames(of: [record.id])[record.id] == ["dns:a.devices.example"])
      // The wire gives PKCS #7; a renewal gives the certificate that the device shows.
      let device = try await server.registered([dns("b.devices.example")])
      try await server.withClient(device) { client in
        let same = try await client.est(Routes.estReenroll, device.request())
        #expect(same.status == 200, "\(same.text)")
        let without = [GeneralName.uniformResourceIdentifier(own(device))]
        let both = [dns("b.devices.example"), dns("c.devices.example")]
        for names in [without, without + Array(both.suffix(1)), without + both] as [[GeneralName]] {
          let refused = try await client.est(Routes.estReenroll, device.request(names))
          #expect(refused.code == .invalidSigningRequest)
        }
      }
    }
  }

  @Test("Who approves a device sees the names, and it gets those that are permitted when it completes")
  func approved() async throws {
    try await with(approval: .operator) { server in
      let (key, id) = (P256.Signing.PrivateKey(), Identifier.random().description)
      let request = try signingRequest([dns("a.devices.example"), dns("b.devices.example")], key)
      try await server.withClient { client in
        let token = try await client.token()
        func register() async throws -> TestAnswer {
          try await client.register(token: token, key: key, request: request, idempotencyKey: id)
        }
        #expect(try await register().status == 202)
        let pending = try #require(try await server.operating.pendingDevices().records.first)
        let names = try await server.operating.requestedNames(of: [pending.id])
        #expect(names[pending.id] == ["dns:a.devices.example", "dns:b.devices.example"])
        try await server.permit(["dns:b.devices.example"], approval: .operator, replaces: true)
        try await server.operating.decidePendingDevice(pending.id.description, isApproved: true)
        let device = try await register().device(key)
        #expect(try device.names == [own(device), "b.devices.example"])
        #expect(try await server.operating.requestedNames(of: [device.id])[device.id] == ["dns:b.devices.example"])
      }
    }
  }

  @Test("A device that approves another sees the names, and its signature counts with these names alone")
  func approvedByDevice() async throws {
    try await with { server in
      let old = try await server.registered([])
      try await server.permit(["dns:*.devices.example", "ip:192.0.2.0/24"], approval: .device, replaces: true)
      let (key, id) = (P256.Signing.PrivateKey(), Identifier.random().description)
      let names = [dns("b.devices.example"), .ipAddress(ASN1OctetString(contentBytes: [192, 0, 2, 9]))]
      let request = try signingRequest(names + [dns("a.devices.example")], key)
      let wanted = ["dns:a.devices.example", "dns:b.devices.example", "ip:192.0.2.9"]
      try await server.withClient { client in
        let token = try await client.token()
        func register() async throws -> TestAnswer {
          try await client.register(token: token, key: key, request: request, idempotencyKey: id)
        }
        let waiting = try await register()
        #expect(waiting.status == 202)
        let pending = try waiting.decoded(PendingDevice.self)
        #expect(pending.requestedNames == wanted)
        let listed = try await server.withClient(old) { try await $0.request("GET", Routes.pendingDevices) }
        #expect(try listed.decoded(PendingDeviceList.self).devices == [pending])
        for shown in [[], Array(wanted.dropLast()), wanted + ["dns:c.devices.example"], wanted.reversed()] {
          var other = pending
          other.requestedNames = shown
          let answer = try await server.decision(other, by: old)
          #expect(answer.code == .notPermitted, "\(shown)")
        }
        #expect(try await register().status == 202)
        #expect(try await server.decision(pending, by: old).status == 204)
        let device = try await register().device(key)
        #expect(try device.names.prefix(3) == [own(device), "a.devices.example", "b.devices.example"])
      }
      let entries = try await server.operating.auditEntries(.init(event: "device.approved"), limit: 10)
      #expect(entries.records.last?.entry.fields["names"] == wanted.joined(separator: " "))
    }
  }

  @Test("A name of the profile that a request repeats is the profile's, be it permitted or not") func repeated()
    async throws
  {
    try await with { server in
      var profile = DeviceProfile(name: "default")
      profile.alternativeNames = ["dns:a.devices.example", "dns:fixed.example"]
      profile.requestedNames = ["dns:*.devices.example"]
      try await server.operating.addProfile(profile, replaces: true)
      let device = try await server.registered(["a.devices.example", "fixed.example", "b.devices.example"].map(dns))
      #expect(try device.names == [own(device), "a.devices.example", "fixed.example", "b.devices.example"])
      #expect(
        try await server.operating.requestedNames(of: [device.id]) == [device.id: ["dns:b.devices.example"]])
    }
  }

  @Test("A pattern with {user} permits each user its own names, and none to a user whose name is no part of one")
  func ofUser() async throws {
    try await with(["dns:*.{user}.example", "uri:urn:example:{user}:*"]) { server in
      for user in ["*", "Ann", "a/b", "-", ".", "a_b"] {
        try await server.operating.addUser(user, password: "a password of theirs")
      }
      func register(_ user: String, _ names: [GeneralName]) async throws -> TestAnswer {
        let token = try await server.operating.createToken(user: user, lifetime: 3600).text
        let key = P256.Signing.PrivateKey()
        return try await server.withClient { client in
          try await client.register(token: token, key: key, request: signingRequest(names, key))
        }
      }
      #expect(
        try await register("demo", [dns("a.demo.example"), .uniformResourceIdentifier("urn:example:demo:1")]).status
          == 201)
      #expect(try await register("demo", [dns("a.ann.example")]).code == .notPermitted)
      for (user, name) in [
        ("*", "a.b.example"), ("Ann", "a.ann.example"), ("a/b", "a.b.example"), (".", "a.b.example"),
      ] {
        #expect(try await register(user, [dns(name)]).code == .notPermitted, "\(user)")
        #expect(try await register(user, []).status == 201, "\(user)")
      }
    }
  }

  @Test("The operator defines no pattern that is none, and at most 16") func defined() async throws {
    try await with([]) { server in
      for patterns in [
        ["dns:*"], ["dns:a.example", "nonsense"], ["uri:urn:latchkey:device:*"],
        [String](repeating: "dns:a.example", count: 17),
      ] {
        var profile = DeviceProfile(name: "default")
        profile.requestedNames = patterns
        await #expect(throws: OperatorError.self) { try await server.operating.addProfile(profile, replaces: true) }
      }
    }
  }

  #if PostgreSQL
    @Test(
      "On PostgreSQL a device gets its names, renews with them, and keeps others from them",
      .enabled(if: TestServer.isThere))
    func onPostgres() async throws {
      let database = try TestDatabase()
      try await RunningServer.with({
        $0.store = try PostgresStore(database.address, node: "test", logger: .quiet)
      }) { server in
        try await server.permit(["dns:*.devices.example"])
        try await server.operating.addUser("ann", password: "a password of ann")
        let device = try await server.registered([dns("a.devices.example")])
        let renewed = try await server.renewal(of: device).device(device.key)
        #expect(try renewed.names == [own(device), "a.devices.example"])
        let token = try await server.operating.createToken(user: "ann", lifetime: 3600).text
        let key = P256.Signing.PrivateKey()
        let answer = try await server.withClient { client in
          try await client.register(token: token, key: key, request: signingRequest([dns("a.devices.example")], key))
        }
        #expect(answer.code == .notPermitted)
      }
    }
  #endif
}

extension RunningServer {
  /// Defines the profile `default` with these patterns.
  fileprivate func permit(
    _ patterns: [String], approval: DeviceProfile.Approval = .none, replaces: Bool = false
  ) async throws {
    var profile = DeviceProfile(name: "default")
    (profile.requestedNames, profile.approval) = (patterns, approval)
    try await operating.addProfile(profile, replaces: replaces)
  }

  /// A device of `demo` that asked for these names.
  fileprivate func registered(_ names: [GeneralName]) async throws -> TestDevice {
    let key = P256.Signing.PrivateKey()
    let answer = try await withClient { client in
      try await client.register(token: client.token(), key: key, request: signingRequest(names, key))
    }
    try #require(answer.status == 201, "\(answer.text)")
    return try answer.device(key)
  }
}
