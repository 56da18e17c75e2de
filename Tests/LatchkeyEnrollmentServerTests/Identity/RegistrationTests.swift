import LatchkeyServerTestSupport
import Crypto
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyPKCS12
import SwiftASN1
import Testing
import X509

@testable import LatchkeyEnrollmentServer

@Suite("Registering devices")
struct RegistrationTests {
  private func ceremony(_ bench: CeremonyBench, _ session: SessionToken) -> RegistrationCeremony {
    RegistrationCeremony(services: bench.services, token: BearerToken(session.text))
  }

  private func registration(_ key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()) throws -> DeviceRegistration {
    DeviceRegistration(name: "phone", signingRequest: Base64Bytes(try signingRequest(key)))
  }

  private func enrolled(_ answer: RegistrationCeremony.Answer) throws -> EnrolledDevice {
    try JSONDecoder().decode(EnrolledDevice.self, from: Data(answer.body))
  }

  @Test("a device gets a certificate for its own key, a day long, and is known by it")
  func registers() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let (session, key) = (try await bench.session(), P256.Signing.PrivateKey())
    let answer = try await ceremony(bench, session).register(
      registration(key), key: newKey(), digest: RequestDigest([1]))
    let device = try enrolled(answer)
    let certificate = try Certificate(derEncoded: device.certificates[0].bytes)
    #expect(P256.Signing.PublicKey(certificate.publicKey)?.x963Representation == key.publicKey.x963Representation)
    #expect(certificate.subject.description == "CN=\(device.device),O=demo")
    #expect(device.user == "demo" && device.notAfter == Int64(certificate.notValidAfter.timeIntervalSince1970))
    #expect(abs(device.notAfter - bench.now - 86_400) <= 2)
    #expect(device.certificates.count == 2 && device.pkcs12 == nil)
    #expect(device.serverKey.bytes == bench.services.configuration.answerKey.publicKey)
    #expect(device.serverKeyID == bench.services.answerKeyID)
    let fingerprint = Fingerprint(SHA256.hash(data: device.certificates[0].bytes))
    let known = try await bench.services.directory.device(fingerprint: fingerprint, now: bench.now)
    #expect(known.id.description == device.device && known.name == "phone")
    #expect(known.identityKey == Array(key.publicKey.x963Representation))
    #expect(try await bench.store.events.map(\.event) == ["device.registered"])
  }

  @Test("the same request again gets the same certificate, also at the same time, and no second device")
  func again() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let (session, key, registration) = (try await bench.session(), try newKey(), try registration())
    let ceremony = ceremony(bench, session)
    let answers = try await withThrowingTaskGroup(of: RegistrationCeremony.Answer.self) { group in
      for _ in 0..<8 {
        group.addTask { try await ceremony.register(registration, key: key, digest: RequestDigest([1])) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(answers.map(\.body)).count == 1)
    #expect(answers.filter { !$0.isReplayed }.count == 1)
    #expect(try await bench.store.read { try $0.devices(of: "demo") }.count == 1)
    #expect(try await ceremony.register(registration, key: key, digest: RequestDigest([1])).isReplayed)
    await expect(.idempotencyMismatch) {
      try await ceremony.register(registration, key: key, digest: RequestDigest([2]))
    }
  }

  @Test(
    "a user has so many devices and no more, also at the same time; revoking one makes room, and so does the end of one"
  )
  func mostDevices() async throws {
    let bench = try CeremonyBench { $0.limits.devicesPerUser = 2 }
    try await bench.user()
    try await bench.user("ann")
    let first = try await bench.device()
    let sessions = [try await bench.session(), try await bench.session(), try await bench.session()]
    let codes = try await withThrowingTaskGroup(of: Problem.Code?.self) { group in
      for (session, key) in zip(sessions, [try newKey(), try newKey(), try newKey()]) {
        let (ceremony, registration) = (ceremony(bench, session), try self.registration())
        group.addTask {
          do {
            _ = try await ceremony.register(registration, key: key, digest: RequestDigest([1]))
            return nil
          } catch let problem as Problem {
            #expect(problem.detail?.contains("may have no more: revoke one") == true, "\(problem.detail ?? "")")
            return problem.code
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(codes.filter { $0 == nil }.count == 1 && codes.filter { $0 == .notPermitted }.count == 2)
    // Others' devices are not counted, and a server-made identity is one, too.
    _ = try await ceremony(bench, try await bench.session(of: "ann"))
      .register(registration(), key: newKey(), digest: RequestDigest([1]))
    let session = try await bench.session()
    let made = ServerMadeIdentityCeremony(ceremony(bench, session))
    let wanted = ServerMadeIdentityRequest(name: "phone", passphrase: "correct horse")
    await expect(.notPermitted) { try await made.register(wanted) }
    let now = bench.now
    #expect(try await bench.store.write { try $0.revokeDevice(first.id, at: now, reason: 1) })
    // A refusal does not use up the session.
    #expect(try await made.register(wanted).user == "demo")
    let last = ceremony(bench, try await bench.session())
    await expect(.notPermitted) { try await last.register(registration(), key: newKey(), digest: RequestDigest([1])) }
    bench.clock.advance(by: 86_401)
    let later = ceremony(bench, try await bench.session())
    _ = try await later.register(registration(), key: newKey(), digest: RequestDigest([1]))
  }

  @Test("a session registers one device, not two, also at the same time")
  func once() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let ceremony = ceremony(bench, try await bench.session())
    let registrations = try (0..<4).map { _ in try (registration(), newKey()) }
    let codes = await withTaskGroup(of: Problem.Code?.self) { group in
      for (registration, key) in registrations {
        group.addTask {
          do {
            _ = try await ceremony.register(registration, key: key, digest: RequestDigest([1]))
            return nil
          } catch { return (error as? Problem)?.code }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(codes.filter { $0 == nil }.count == 1)
    #expect(codes.filter { $0 == .notPermitted }.count == 3)
    #expect(try await bench.store.read { try $0.devices(of: "demo") }.count == 1)
  }

  @Test("one user's answer is no other's, though the key is the same text")
  func scopes() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    try await bench.user("eve")
    let (key, registration) = (try newKey(), try registration())
    let mine = try await ceremony(bench, bench.session()).register(registration, key: key, digest: RequestDigest([1]))
    let theirs = try await ceremony(bench, bench.session(of: "eve")).register(
      registration, key: key, digest: RequestDigest([1]))
    #expect(!theirs.isReplayed)
    #expect(try enrolled(mine).device != enrolled(theirs).device)
    #expect(try enrolled(theirs).user == "eve")
  }

  @Test("sessions that have ended, are not there, or are a device's register nothing")
  func sessions() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let device = try await bench.device()
    let (bound, old) = (try await bench.session(device: device.id), try await bench.session())
    await expect(.notPermitted) {
      try await ceremony(bench, bound).register(registration(), key: newKey(), digest: RequestDigest([1]))
    }
    let unknown = RegistrationCeremony(services: bench.services, token: BearerToken("unknown"))
    await expect(.notAuthenticated) {
      try await unknown.register(registration(), key: newKey(), digest: RequestDigest([1]))
    }
    bench.clock.advance(by: 901)
    await expect(.notAuthenticated) {
      try await ceremony(bench, old).register(registration(), key: newKey(), digest: RequestDigest([1]))
    }
    #expect(try await bench.store.read { try $0.devices(of: "demo") }.count == 1)
  }

  @Test("bad signing requests and names are refused, and the session can still register")
  func badRequests() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let ceremony = ceremony(bench, try await bench.session())
    var altered = try signingRequest()
    altered[altered.count - 1] ^= 1
    for request in [[], [0x30, 0], altered, [UInt8](repeating: 0x30, count: 20_000)] {
      await expect(.invalidSigningRequest) {
        try await ceremony.register(
          DeviceRegistration(name: "phone", signingRequest: Base64Bytes(request)), key: newKey(),
          digest: RequestDigest([1]))
      }
    }
    let names = [
      "", String(repeating: "a", count: 65), "a\nb", "\u{7F}", "a\u{202E}b", "a\u{2028}b", "\u{200B}", "a\u{E0041}",
      " ", "a ",
      " a", "a\u{A0}b", "e" + String(repeating: "\u{301}", count: 5), "\u{301}e", "\u{2800}", "a\u{2066}b",
    ]
    for name in names {
      await expect(.invalidName) {
        try await ceremony.register(
          DeviceRegistration(name: name, signingRequest: Base64Bytes(signingRequest())), key: newKey(),
          digest: RequestDigest([1])
        )
      }
    }
    #expect(try await !ceremony.register(registration(), key: newKey(), digest: RequestDigest([1])).isReplayed)
  }

  @Test(
    "Names of all scripts are accepted",
    arguments: ["Ann\u{2019}s phone", "电话 1", "हिन्दी", "điện thoại", "📱", "❤\u{FE0F}"])
  func names(_ name: String) async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let ceremony = ceremony(bench, try await bench.session())
    let registration = DeviceRegistration(name: name, signingRequest: Base64Bytes(try signingRequest()))
    #expect(try await !ceremony.register(registration, key: newKey(), digest: RequestDigest([1])).isReplayed)
  }

  @Test("a registration whose device was revoked is no answer to the same request again")
  func revokedAnswer() async throws {
    let bench = try CeremonyBench()
    try await bench.user()
    let (key, registration) = (try newKey(), try registration())
    let ceremony = ceremony(bench, try await bench.session())
    let device = try enrolled(try await ceremony.register(registration, key: key, digest: RequestDigest([1])))
    try await Operator(bench.store).revokeDevice(device.device)
    await expect(.idempotencyMismatch) {
      try await ceremony.register(registration, key: key, digest: RequestDigest([1]))
    }
  }
}
