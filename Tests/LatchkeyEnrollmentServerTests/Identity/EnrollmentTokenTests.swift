import Crypto
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyServerTestSupport
import SwiftASN1
import Testing
import X509

@testable import LatchkeyEnrollmentServer

@Suite("One-time enrollment tokens")
struct EnrollmentTokenTests {
  private func operating(_ bench: CeremonyBench) -> Operator {
    let clock = bench.clock
    return Operator(bench.store, passwordCost: 10, clock: { clock.now })
  }

  private func ceremony(_ bench: CeremonyBench, _ token: String) -> RegistrationCeremony {
    RegistrationCeremony(services: bench.services, token: BearerToken(token))
  }

  private func registration(_ name: String = "phone") throws -> DeviceRegistration {
    DeviceRegistration(name: name, signingRequest: Base64Bytes(try signingRequest()))
  }

  private func bench(_ change: (inout ServerConfiguration) -> Void = { _ in }) async throws -> CeremonyBench {
    let bench = try CeremonyBench(change)
    try await bench.user()
    return bench
  }

  @Test("A token has 256 random bits behind a prefix, and the store has its digest alone")
  func text() async throws {
    let bench = try await bench()
    let (text, record) = try await operating(bench).createToken(user: "demo", lifetime: 3600)
    #expect(text.wholeMatch(of: /lke_[A-Za-z0-9_-]{43}/) != nil)
    #expect(record.hash == Array(SHA256.hash(data: Array(text.utf8))))
    #expect(try await operating(bench).createToken(user: "demo", lifetime: 3600).text != text)
    #expect(try await bench.store.events.allSatisfy { !"\($0.fields)".contains(text) })
  }

  @Test("A token registers one device; its repetition gets the same answer, another request is refused")
  func once() async throws {
    let bench = try await bench()
    let (text, record) = try await operating(bench).createToken(user: "demo", lifetime: 3600)
    let (key, body) = (try newKey(), try registration())
    let first = try await ceremony(bench, text).register(body, key: key, digest: RequestDigest([1]))
    let device = try JSONDecoder().decode(EnrolledDevice.self, from: Data(first.body))
    let again = try await ceremony(bench, text).register(body, key: key, digest: RequestDigest([1]))
    #expect(again.isReplayed && again.body == first.body)
    await expect(.notAuthenticated) {
      try await ceremony(bench, text).register(registration(), key: newKey(), digest: RequestDigest([2]))
    }
    // The repetition counts after the token's end, too.
    bench.clock.advance(by: 7200)
    #expect(try await ceremony(bench, text).register(body, key: key, digest: RequestDigest([1])).isReplayed)
    let stored = try #require(try await operating(bench).tokens().records.first { $0.id == record.id })
    #expect(stored.use?.device.description == device.device)
    #expect(try await bench.store.events.map(\.event) == ["token.created", "device.registered", "token.refused"])
  }

  @Test("Of many registrations with one token at the same time, one succeeds")
  func together() async throws {
    let bench = try await bench()
    let (text, _) = try await operating(bench).createToken(user: "demo", lifetime: 3600)
    let count = await withTaskGroup(of: Bool.self) { group in
      for index in 0..<8 {
        group.addTask {
          do {
            _ = try await ceremony(bench, text).register(
              registration(), key: newKey(), digest: RequestDigest([UInt8(index)]))
            return true
          } catch {
            return false
          }
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(count == 1)
    #expect(try await bench.store.read { try $0.devices(of: "demo") }.count == 1)
  }

  @Test("Unknown, used, revoked and expired tokens, and those of disabled users, get one answer")
  func refusals() async throws {
    let bench = try await bench()
    let operating = operating(bench)
    let used = try await operating.createToken(user: "demo", lifetime: 3600).text
    _ = try await ceremony(bench, used).register(registration(), key: newKey(), digest: RequestDigest([1]))
    let revoked = try await operating.createToken(user: "demo", lifetime: 3600)
    try await operating.revokeToken(revoked.record.id.description)
    let expired = try await operating.createToken(user: "demo", lifetime: 60).text
    bench.clock.advance(by: 61)
    let disabled = try await operating.createToken(user: "demo", lifetime: 3600).text
    try await operating.disable("demo")
    var details: Set<String?> = []
    for token in ["lke_" + String(repeating: "A", count: 43), used, revoked.text, expired, disabled] {
      do {
        _ = try await ceremony(bench, token).register(registration(), key: newKey(), digest: RequestDigest([9]))
        Issue.record("a token was accepted")
      } catch let problem as Problem {
        #expect(problem.code == .notAuthenticated)
        details.insert(problem.detail)
      }
    }
    #expect(details.count == 1)
    await #expect(throws: OperatorError.self) { try await operating.revokeToken(revoked.record.id.description) }
  }

  @Test("A token that names a device registers no other one, and is not used up by the attempt")
  func name() async throws {
    let bench = try await bench()
    let (text, _) = try await operating(bench).createToken(user: "demo", deviceName: "sensor-1", lifetime: 3600)
    await expect(.notPermitted) {
      try await ceremony(bench, text).register(registration("sensor-2"), key: newKey(), digest: RequestDigest([1]))
    }
    let answer = try await ceremony(bench, text).register(
      registration("sensor-1"), key: newKey(), digest: RequestDigest([2]))
    #expect(answer.status == 201)
  }

  @Test("A token revoked while its certificate is signed registers nothing")
  func revokedMeanwhile() async throws {
    let bench = try await bench()
    let operating = operating(bench)
    let (text, record) = try await operating.createToken(user: "demo", lifetime: 3600)
    let ceremony = ceremony(bench, text)
    let key = P256.Signing.PrivateKey()
    let made = try await ceremony.make(
      DeviceRecord(
        id: .random(), user: "demo", name: "phone", created: bench.now, identityKey: key.point,
        identityEvidence: "none"), .builtIn)
    try await operating.revokeToken(record.id.description)
    await expect(.notAuthenticated) { try await bench.store.write { try ceremony.keep(made, request: "r", in: $0) } }
    #expect(try await bench.store.read { try $0.devices(of: "demo") }.isEmpty)
  }

  @Test("A profile sets lifetime and names of certificates, at renewal too")
  func profile() async throws {
    let bench = try await bench()
    let operating = operating(bench)
    var profile = DeviceProfile(name: "sensor")
    profile.certificateLifetime = 7200
    profile.alternativeNames = ["uri:urn:example:{user}:{device}", "dns:{name}.sensors.example"]
    try await operating.addProfile(profile)
    await #expect(throws: OperatorError.self) {
      _ = try await operating.createToken(user: "demo", profile: "sensor", lifetime: 3600)
    }
    let (text, _) = try await operating.createToken(
      user: "demo", deviceName: "a1", profile: "sensor", lifetime: 3600)
    let key = P256.Signing.PrivateKey()
    let body = DeviceRegistration(name: "a1", signingRequest: Base64Bytes(try signingRequest(key)))
    let answer = try await ceremony(bench, text).register(body, key: newKey(), digest: RequestDigest([1]))
    let enrolled = try JSONDecoder().decode(EnrolledDevice.self, from: Data(answer.body))
    func names(_ enrolled: EnrolledDevice) throws -> [String] {
      let certificate = try Certificate(derEncoded: enrolled.certificates[0].bytes)
      return try #require(try certificate.extensions.subjectAlternativeNames).map { "\($0)" }
    }
    #expect(enrolled.notAfter == bench.now + 7200)
    let found = try names(enrolled).joined(separator: "\n")
    #expect(found.contains("urn:example:demo:\(enrolled.device)") && found.contains("a1.sensors.example"))
    let fingerprint = Fingerprint(SHA256.hash(data: enrolled.certificates[0].bytes))
    let device = try await bench.services.directory.device(fingerprint: fingerprint, now: bench.now)
    let renewed = try await RenewalCeremony(services: bench.services).renew(
      RenewalRequest(signingRequest: Base64Bytes(try signingRequest(key))), over: device)
    #expect(try names(renewed) == names(enrolled))
    await #expect(throws: OperatorError.self) { try await operating.removeProfile("sensor") }
  }

  @Test("A profile that was removed below a token makes it useless, not permissive")
  func removedProfile() async throws {
    let bench = try await bench()
    let operating = operating(bench)
    try await operating.addProfile(DeviceProfile(name: "sensor"))
    let (text, record) = try await operating.createToken(user: "demo", profile: "sensor", lifetime: 3600)
    await #expect(throws: OperatorError.self) { try await operating.removeProfile("sensor") }
    #expect(try await bench.store.write { try $0.removeProfile(named: "sensor") })
    await expect(.notPermitted) {
      try await ceremony(bench, text).register(registration(), key: newKey(), digest: RequestDigest([1]))
    }
    try await operating.addProfile(DeviceProfile(name: "sensor"))
    try await operating.revokeToken(record.id.description)
    try await operating.removeProfile("sensor")
  }

  @Test("A password registers no device where the server or the profile forbids it, with a key of the server neither")
  func passwordForbidden() async throws {
    let strict = try await bench { $0.policy.allowsPasswordEnrollment = false }
    let byProfile = try await bench()
    var rules = DeviceProfile(name: "default")
    rules.ways = [.token]
    try await operating(byProfile).addProfile(rules)
    for bench in [strict, byProfile] {
      let session = try await bench.session().text
      await expect(.notPermitted) {
        try await ceremony(bench, session).register(registration(), key: newKey(), digest: RequestDigest([1]))
      }
      await expect(.notPermitted) {
        try await ServerMadeIdentityCeremony(ceremony(bench, session)).register(
          ServerMadeIdentityRequest(name: "phone", passphrase: "12345678"))
      }
      let (text, _) = try await operating(bench).createToken(user: "demo", lifetime: 3600)
      let made = try await ServerMadeIdentityCeremony(ceremony(bench, text)).register(
        ServerMadeIdentityRequest(name: "phone", passphrase: "12345678"))
      #expect(made.pkcs12 != nil)
      await expect(.notAuthenticated) {
        try await ceremony(bench, text).register(registration(), key: newKey(), digest: RequestDigest([1]))
      }
    }
  }

  @Test("A profile that wants a TPM refuses a device without an attestation")
  func attestation() async throws {
    let bench = try await bench()
    var rules = DeviceProfile(name: "strict")
    rules.attestation = .tpm
    try await operating(bench).addProfile(rules)
    let (text, _) = try await operating(bench).createToken(user: "demo", profile: "strict", lifetime: 3600)
    await expect(.invalidAttestation) {
      try await ceremony(bench, text).register(registration(), key: newKey(), digest: RequestDigest([1]))
    }
  }

  @Test(
    "A profile that makes no certificate is refused",
    arguments: ["dns:*.example", "dns:{name", "uri:no scheme", "uri:a:{other}", "email:a@b", "", "uri:1:x"])
  func invalidNames(name: String) async throws {
    let bench = try await bench()
    var rules = DeviceProfile(name: "bad")
    rules.alternativeNames = [name]
    await #expect(throws: OperatorError.self) { try await operating(bench).addProfile(rules) }
  }
}
