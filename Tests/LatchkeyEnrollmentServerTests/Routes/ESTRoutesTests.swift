import Crypto
import Foundation
import LatchkeyByteCoding
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyPKCS12
import LatchkeyServerTestSupport
import SwiftASN1
import Testing
import X509

@testable import LatchkeyEnrollmentServer

@Suite("EST")
struct ESTRoutesTests {
  private struct Scene {
    let server: RunningServer
    let client: TestClient
    let operating: Operator

    static func with(
      _ change: (inout ServerConfiguration) throws -> Void = { _ in }, _ body: (Scene) async throws -> Void
    ) async throws {
      try await RunningServer.with(change) { server in
        let clock = server.clock
        let operating = Operator(server.store, passwordCost: 10, clock: { clock.now })
        try await server.withClient { try await body(Scene(server: server, client: $0, operating: operating)) }
      }
    }

    func profile(_ name: String, _ change: (inout DeviceProfile) -> Void = { _ in }) async throws {
      var profile = DeviceProfile(name: name)
      change(&profile)
      try await operating.addProfile(profile)
    }

    func token(_ profile: String = "default", device: String? = nil) async throws -> String {
      try await operating.createToken(user: "demo", deviceName: device, profile: profile, lifetime: 3600).text
    }

    func enroll(
      _ label: String? = nil, _ password: String = RunningServer.password, user: String = "demo",
      request: [UInt8]? = nil
    ) async throws -> TestAnswer {
      let credentials = Data("\(user):\(password)".utf8).base64EncodedString()
      return try await client.request(
        "POST", label.map { Routes.est(Routes.estEnroll, label: $0) } ?? Routes.estEnroll,
        headers: [("authorization", "Basic \(credentials)"), ("content-type", "application/pkcs10")],
        body: Array(Data(try request ?? signingRequest()).base64EncodedData()))
    }

    /// The profiles of the user's devices.
    func profiles() async throws -> [String] {
      try await server.store.read { try $0.devices(of: "demo") }.map(\.profile).sorted()
    }
  }

  /// The one certificate of a response.
  private func certificate(_ answer: TestAnswer) throws -> [UInt8] {
    try #require(answer.status == 200, "\(answer.text)")
    let list = try #require(try CMSSignedData.certificates(in: Base64.decode(answer.text)))
    #expect(list.count == 1)
    return try #require(list.first)
  }

  @Test("Without a profile's names, the attributes are a key on P-256 and ECDSA with SHA-256")
  func attributes() async throws {
    try await Scene.with { scene in
      for path in [Routes.estAttributes, Routes.est(Routes.estAttributes, label: "default")] {
        let answer = try await scene.client.request("GET", path)
        #expect(answer.header("content-type") == "application/csrattrs")
        #expect(
          Hexadecimal.encode(try Base64.decode(answer.text))
            == "302106082a8648ce3d040302301506072a8648ce3d0201310a06082a8648ce3d030107")
      }
    }
  }

  @Test("The attributes of a profile have the alternative names that all of its devices have, and no templates")
  func attributesOfProfile() async throws {
    try await Scene.with { scene in
      try await scene.profile("sensor") { $0.alternativeNames = ["dns:a.example", "uri:urn:example:{device}"] }
      let answer = try await scene.client.request("GET", Routes.est(Routes.estAttributes, label: "sensor"))
      #expect(
        Hexadecimal.encode(try Base64.decode(answer.text))
          == "304806082a8648ce3d040302301506072a8648ce3d0201310a06082a8648ce3d030107302506092a864886f70d01090e"
          + "3118301630140603551d11040d300b8209612e6578616d706c65")
    }
  }

  @Test("Where devices may ask for names, a template has an empty one of each kind (RFC 9908 3.4), and no pattern")
  func attributesOfPatterns() async throws {
    try await Scene.with { scene in
      let wanted: [(String, [String], [String], String)] = [
        (
          "both", ["dns:a.example"], ["ip:192.0.2.0/24", "dns:*.{user}.example", "dns:b.example"],
          "3081a206082a8648ce3d040302301506072a8648ce3d0201310a06082a8648ce3d030107302506092a864886f70d0109"
            + "0e3118301630140603551d11040d300b8209612e6578616d706c653058060b2a864886f70d010910023d314930470201"
            + "00a015301306072a8648ce3d020106082a8648ce3d030107a12b302906092a864886f70d01090e311c301a3018060355"
            + "1d110411300f8209612e6578616d706c6582008700"
        ),
        (
          "alone", [], ["uri:urn:example:*"],
          "306e06082a8648ce3d040302301506072a8648ce3d0201310a06082a8648ce3d030107304b060b2a864886f70d010910"
            + "023d313c303a020100a015301306072a8648ce3d020106082a8648ce3d030107a11e301c06092a864886f70d01090e31"
            + "0f300d300b0603551d11040430028600"
        ),
      ]
      for (name, names, patterns, hexadecimal) in wanted {
        try await scene.profile(name) { ($0.alternativeNames, $0.requestedNames) = (names, patterns) }
        let answer = try await scene.client.request("GET", Routes.est(Routes.estAttributes, label: name))
        #expect(Hexadecimal.encode(try Base64.decode(answer.text)) == hexadecimal)
      }
    }
  }

  @Test("Under a label are the authorities of its profile and the server's own, and devices of both are let in")
  func authorities() async throws {
    let sensors = try CertificateAuthority(
      name: "Sensors", key: FileAuthorityKey(), now: MovableClock().now, serial: RunningServer.serial())
    try await Scene.with({ $0.namedAuthorities = ["sensors": sensors] }) { scene in
      try await scene.profile("sensor") { $0.issuer = "sensors" }
      let own = scene.server.server.services.configuration.authority.chain
      func authorities(_ path: String) async throws -> Set<[UInt8]> {
        let answer = try await scene.client.request("GET", path)
        let found = try CMSSignedData.certificates(in: Base64.decode(answer.text))
        return Set(try #require(found))
      }
      let unlabeled = try await authorities(Routes.estCertificates)
      #expect(unlabeled == Set(own))
      let labeled = try await authorities(Routes.est(Routes.estCertificates, label: "sensor"))
      #expect(labeled == Set(sensors.chain + own))
      for label in ["sensor", "default"] {
        let key = P256.Signing.PrivateKey()
        let leaf = try certificate(try await scene.enroll(label, request: try signingRequest(key)))
        let fingerprint = Fingerprint(SHA256.hash(data: leaf))
        let record = try await scene.server.store.read { try $0.certificate(fingerprint: fingerprint)?.device }
        let id = try #require(record?.id)
        let device = TestDevice(id: id, user: "demo", key: key, certificate: leaf)
        try await scene.server.withClient(device) { client in
          let status = try await client.request("GET", Routes.device).status
          #expect(status == 200)
        }
      }
    }
  }

  @Test(
    "A label that is no profile is not found, on each route",
    arguments: ["sensor", "Default", "simpleenroll", "cacerts", "a%20b", ".", "default%2F"])
  func unknownLabel(label: String) async throws {
    try await Scene.with { scene in
      // An operation's name is no label, even if it names a profile.
      try await scene.profile("simpleenroll")
      for route in [Routes.estCertificates, Routes.estAttributes] {
        #expect(try await scene.client.request("GET", Routes.est(route, label: label)).status == 404)
      }
      #expect(try await scene.enroll(label).status == 404)
      let device = try await scene.server.device()
      let renewal = try await scene.server.withClient(device) {
        try await $0.request("POST", Routes.est(Routes.estReenroll, label: label), body: [])
      }
      #expect(renewal.status == 404)
      #expect(try await scene.profiles() == ["default"])
    }
  }

  @Test("A password gives the label's profile, if that permits passwords and names no device that nobody checked")
  func label() async throws {
    try await Scene.with { scene in
      try await scene.profile("open") { $0.alternativeNames = ["uri:urn:example:sensor:{device}"] }
      try await scene.profile("closed") { $0.ways = [.token] }
      try await scene.profile("named") { $0.alternativeNames = ["uri:urn:example:{name}"] }
      let issued = try Certificate(derEncoded: certificate(await scene.enroll("open")))
      let names = try #require(try issued.extensions.subjectAlternativeNames).map { "\($0)" }
      #expect(names.contains { $0.contains("urn:example:sensor:") })
      #expect(try await scene.enroll("closed").code == .notPermitted)
      #expect(try await scene.enroll("named").code == .notPermitted)
      _ = try certificate(await scene.enroll("default"))
      _ = try certificate(await scene.enroll())
      #expect(try await scene.profiles() == ["default", "default", "open"])
    }
  }

  @Test("The same request under two labels is two devices, and repeated under one it is one")
  func repeated() async throws {
    try await Scene.with { scene in
      try await scene.profile("a")
      try await scene.profile("b")
      let request = try signingRequest()
      let first = try certificate(await scene.enroll("a", request: request))
      #expect(try certificate(await scene.enroll("a", request: request)) == first)
      #expect(try certificate(await scene.enroll("b", request: request)) != first)
      #expect(try await scene.profiles() == ["a", "b"])
    }
  }

  @Test("An enrollment token is the password of one device, in its own profile, and repeated for the same request")
  func token() async throws {
    try await Scene.with({ $0.policy.allowsPasswordEnrollment = false }) { scene in
      try await scene.profile("sensor") { $0.ways = [.token] }
      let (token, request) = (try await scene.token("sensor"), try signingRequest())
      let first = try certificate(await scene.enroll(nil, token, request: request))
      #expect(try certificate(await scene.enroll(nil, token, request: request)) == first)
      let used = try await scene.enroll(nil, token)
      #expect(used.status == 401 && used.header("www-authenticate")?.hasPrefix("Basic ") == true)
      _ = try certificate(await scene.enroll("sensor", scene.token("sensor")))
      #expect(try await scene.profiles() == ["sensor", "sensor"])
      #expect(try await scene.enroll().code == .notPermitted)
    }
  }

  @Test("A token is refused with another user's name, under another label, for another device's name, and if altered")
  func tokenRefusals() async throws {
    try await Scene.with { scene in
      try await scene.profile("sensor")
      try await scene.operating.addUser("other", password: "correct horse")
      let token = try await scene.token("sensor")
      for user in ["other", "nobody", "demo2"] {
        #expect(try await scene.enroll(nil, token, user: user).status == 401, "\(user)")
      }
      #expect(try await scene.enroll("default", token).code == .notPermitted)
      #expect(try await scene.enroll(nil, scene.token(device: "pump")).code == .notPermitted)
      let altered = [
        token + "A", String(token.dropLast()), token.uppercased(), "lke_" + String(repeating: "A", count: 43),
      ]
      for text in altered {
        let refused = try await scene.enroll("sensor", text)
        #expect(refused.status == 401 && refused.header("www-authenticate")?.hasPrefix("Basic ") == true, "\(text)")
      }
      #expect(try await scene.profiles() == [])
      _ = try certificate(await scene.enroll("sensor", token))
    }
  }

  @Test("A registration that waits is answered 202 with Retry-After until it is approved; a rejected one is refused")
  func waiting() async throws {
    try await Scene.with { scene in
      try await scene.profile("watched") { $0.approval = .operator }
      let (approved, rejected) = (try signingRequest(), try signingRequest())
      let token = try await scene.token("watched")
      for _ in 0..<2 {
        let answer = try await scene.enroll("watched", token, request: approved)
        #expect(answer.status == 202 && answer.header("retry-after") == "60")
        #expect(answer.header("content-type") == "text/plain; charset=utf-8" && answer.text.contains("Repeat"))
      }
      #expect(try await scene.enroll("watched", request: rejected).status == 202)
      #expect(try await scene.profiles() == [])
      let pending = try await scene.operating.pendingDevices().records
      #expect(pending.count == 2)
      for device in pending {
        let isFirst = try device.identityKey == publicKey(approved)
        try await scene.operating.decidePendingDevice(device.id.description, isApproved: isFirst)
      }
      #expect(try await scene.enroll("watched", request: rejected).code == .notPermitted)
      let issued = try certificate(await scene.enroll("watched", token, request: approved))
      #expect(try certificate(await scene.enroll("watched", token, request: approved)) == issued)
      #expect(try await scene.profiles() == ["watched"])
    }
  }

  private func publicKey(_ request: [UInt8]) throws -> [UInt8] {
    try CertificateIssuer.publicKey(of: Base64Bytes(request))
  }

  @Test("A device renews under its own label, and under no other")
  func reenroll() async throws {
    try await Scene.with { scene in
      try await scene.profile("sensor")
      let device = try await scene.server.device()
      var serializer = DER.Serializer()
      try serializer.serialize(
        try CertificateSigningRequest(
          version: .v1,
          subject: DistinguishedName {
            OrganizationName("demo")
            CommonName(device.id.description)
          }, privateKey: Certificate.PrivateKey(device.key),
          attributes: CertificateSigningRequest.Attributes([
            .init(
              ExtensionRequest(
                extensions: Certificate.Extensions {
                  SubjectAlternativeNames([.uniformResourceIdentifier("urn:latchkey:device:\(device.id)")])
                }))
          ])))
      let body = Array(Data(serializer.serializedBytes).base64EncodedData())
      try await scene.server.withClient(device) { client in
        func renew(_ label: String) async throws -> TestAnswer {
          try await client.request(
            "POST", Routes.est(Routes.estReenroll, label: label), headers: [("content-type", "application/pkcs10")],
            body: body)
        }
        #expect(try await renew("sensor").code == .notPermitted)
        _ = try certificate(await renew("default"))
      }
    }
  }
}
