import Crypto
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyServerTestSupport
import SwiftASN1
import Testing
import X509

@testable import LatchkeyEnrollmentServer

@Suite("Authorities of profiles")
struct NamedAuthorityTests {
  /// A bench with the authority `sensors`, and a profile `sensor` that names it.
  private struct Scene {
    let bench: CeremonyBench
    let operating: Operator
    let sensors: CertificateAuthority
    var own: CertificateAuthority { bench.services.configuration.authority }

    init(issuer: String? = "sensors", hasAuthority: Bool = true) async throws {
      let sensors = try CertificateAuthority(
        name: "Sensors", key: FileAuthorityKey(), now: MovableClock().now, serial: RunningServer.serial())
      self.sensors = sensors
      bench = try CeremonyBench { if hasAuthority { $0.namedAuthorities = ["sensors": sensors] } }
      let clock = bench.clock
      operating = Operator(bench.store, passwordCost: 10, clock: { clock.now })
      try await bench.user()
      try await define(issuer: issuer)
    }

    func define(issuer: String?, replaces: Bool = false) async throws {
      var profile = DeviceProfile(name: "sensor")
      profile.issuer = issuer
      try await operating.addProfile(profile, replaces: replaces)
    }

    func register(_ token: String, key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()) async throws
      -> EnrolledDevice
    {
      let ceremony = RegistrationCeremony(services: bench.services, token: BearerToken(token))
      let answer = try await ceremony.register(
        DeviceRegistration(name: "phone", signingRequest: Base64Bytes(try signingRequest(key))), key: newKey(),
        digest: RequestDigest(bench.services.random(32)))
      return try JSONDecoder().decode(EnrolledDevice.self, from: Data(answer.body))
    }

    func token() async throws -> String {
      try await operating.createToken(user: "demo", profile: "sensor", lifetime: 3600).text
    }

    func renew(_ enrolled: EnrolledDevice, key: P256.Signing.PrivateKey) async throws -> EnrolledDevice {
      let fingerprint = Fingerprint(SHA256.hash(data: enrolled.certificates[0].bytes))
      let device = try await bench.services.directory.device(fingerprint: fingerprint, now: bench.now)
      return try await RenewalCeremony(services: bench.services)
        .renew(RenewalRequest(signingRequest: Base64Bytes(try signingRequest(key))), over: device)
    }

    /// The authority that signed a device's certificate, and whose chain came with it.
    func issuer(_ enrolled: EnrolledDevice) async throws -> CertificateAuthority? {
      let leaf = try Certificate(derEncoded: enrolled.certificates[0].bytes)
      let found = try [own, sensors].first { authority in
        let above = try Certificate(derEncoded: authority.chain[0])
        return above.publicKey.isValidSignature(leaf.signature, for: leaf)
      }
      #expect(enrolled.certificates.dropFirst().map(\.bytes) == found?.chain)
      let fingerprint = Fingerprint(SHA256.hash(data: enrolled.certificates[0].bytes))
      let record = try await bench.store.read { try $0.certificate(fingerprint: fingerprint)?.certificate }
      #expect(record?.issuer == found?.identifier)
      return found
    }
  }

  @Test("A profile's authority issues and renews its devices' certificates, and no others")
  func issuing() async throws {
    let scene = try await Scene()
    let key = P256.Signing.PrivateKey()
    let sensor = try await scene.register(scene.token(), key: key)
    #expect(try await scene.issuer(sensor)?.identifier == scene.sensors.identifier)
    let renewed = try await scene.renew(sensor, key: key)
    #expect(try await scene.issuer(renewed)?.identifier == scene.sensors.identifier)
    let other = try await scene.register(scene.bench.session().text)
    #expect(try await scene.issuer(other)?.identifier == scene.own.identifier)
  }

  @Test("A device gets a certificate of its profile's next authority when it renews")
  func moved() async throws {
    let scene = try await Scene()
    let key = P256.Signing.PrivateKey()
    let sensor = try await scene.register(scene.token(), key: key)
    try await scene.define(issuer: nil, replaces: true)
    let renewed = try await scene.renew(sensor, key: key)
    #expect(try await scene.issuer(renewed)?.identifier == scene.own.identifier)
    #expect(try await scene.issuer(scene.renew(sensor, key: key))?.identifier == scene.own.identifier)
  }

  @Test("A revoked certificate is on its own authority's list alone")
  func lists() async throws {
    let scene = try await Scene()
    let sensor = try await scene.register(scene.token())
    let serial = try Certificate(derEncoded: sensor.certificates[0].bytes).serialNumber.bytes
    try await scene.operating.revokeCertificate(
      serial: SerialNumber(bytes: Array(serial)).description, reason: .keyCompromise)
    let issuers = scene.bench.services.issuers
    #expect(issuers.all.map(\.authority.identifier) == [scene.own.identifier, scene.sensors.identifier])
    for issuer in issuers.all {
      let list = try await issuer.lists.list(now: scene.bench.now)
      let isOn = Data(list).range(of: Data(serial)) != nil
      #expect(isOn == (issuer.authority.identifier == scene.sensors.identifier))
    }
  }

  @Test("Without the profile's authority nothing is issued, nothing is stored, and the token stays usable")
  func missing() async throws {
    let scene = try await Scene(hasAuthority: false)
    let token = try await scene.token()
    await expect(.unavailable) { try await scene.register(token) }
    #expect(try await scene.bench.store.read { try $0.devices(of: "demo") }.isEmpty)
    try await scene.define(issuer: nil, replaces: true)
    #expect(try await scene.issuer(scene.register(token))?.identifier == scene.own.identifier)
  }

  @Test(
    "A profile's authority has a profile's kind of name",
    arguments: ["", "Sensors", "a=b", String(repeating: "a", count: 65)])
  func names(_ name: String) async throws {
    await #expect(throws: OperatorError.self) { _ = try await Scene(issuer: name) }
  }

  @Test("A profile that was stored before profiles had authorities is read, and has the server's own")
  func stored() throws {
    let text = #"{"alternativeNames":[],"approval":"none","name":"sensor","ways":["token"]}"#
    #expect(try JSONDecoder().decode(DeviceProfile.self, from: Data(text.utf8)).issuer == nil)
  }
}
