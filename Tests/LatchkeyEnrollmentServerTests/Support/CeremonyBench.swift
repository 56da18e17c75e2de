import LatchkeyServerTestSupport
import Crypto
import Foundation
import LatchkeyByteCoding
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyLedger
import Logging
import SwiftASN1
import Testing
import X509

@testable import LatchkeyEnrollmentServer

/// All that ceremonies need, without a port: an observed store, an authority, a clock in hand.
final class CeremonyBench: Sendable {
  let store: ObservedStore
  let clock = MovableClock()
  let services: Services
  var now: Int64 { services.now }

  init(_ change: (inout ServerConfiguration) -> Void = { _ in }) throws {
    let store = try ObservedStore()
    let authority = try CertificateAuthority(
      name: "Test authority", key: FileAuthorityKey(), now: clock.now, serial: RunningServer.serial())
    var configuration = ServerConfiguration(
      certificateChain: authority.chain, privateKey: [], authority: authority, answerKey: FileAuthorityKey(),
      store: store, node: "test", logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    let clock = clock
    configuration.clock = { clock.now }
    configuration.policy.passwordCost = 10
    // However busy the machine is.
    configuration.limits.passwordWait = 600
    configuration.services = [try LedgerService()]
    change(&configuration)
    self.store = store
    services = Services(configuration)
  }

  /// A user, `demo`, with a password.
  @discardableResult
  func user(_ name: UserName = "demo", password: String? = "correct horse") async throws -> UserRecord {
    // Cheaper than real ones, which take long in debug builds.
    let hash = try password.map {
      try PasswordHash(of: SecretBytes(password: $0), salt: services.random(16), cost: .init(logarithm: 10)).text
    }
    let user = UserRecord(name: name, passwordHash: hash)
    #expect(try await store.write { try $0.addUser(user) })
    return user
  }

  func record(_ name: UserName = "demo") async throws -> UserRecord? {
    try await store.read { try $0.user(named: name) }
  }

  /// A session that a password would have opened.
  func session(of user: UserName = "demo", device: Identifier? = nil) async throws -> SessionToken {
    let session = SessionToken(
      user: user, device: device, random: services.random(32), now: now, policy: services.policy)
    try await store.write { try $0.addToken(session.record) }
    return session
  }

  /// A device with its certificate, registered by the ceremony.
  func device(_ key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()) async throws -> AuthenticatedDevice {
    let session = try await session()
    let ceremony = RegistrationCeremony(services: services, token: BearerToken(session.text))
    let answer = try await ceremony.register(
      DeviceRegistration(name: "phone", signingRequest: Base64Bytes(try signingRequest(key))), key: newKey(),
      digest: RequestDigest(services.random(32)))
    let enrolled = try JSONDecoder().decode(EnrolledDevice.self, from: Data(answer.body))
    let fingerprint = Fingerprint(SHA256.hash(data: enrolled.certificates[0].bytes))
    return try await services.directory.device(fingerprint: fingerprint, now: now)
  }
}

func newKey() throws -> IdempotencyKey { try #require(IdempotencyKey(field: Identifier.random().description)) }

/// PKCS#10 of a key.
func signingRequest(_ key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()) throws -> [UInt8] {
  let request = try CertificateSigningRequest(
    version: .v1, subject: DistinguishedName { CommonName("anyone") }, privateKey: Certificate.PrivateKey(key),
    attributes: CertificateSigningRequest.Attributes())
  var serializer = DER.Serializer()
  try serializer.serialize(request)
  return serializer.serializedBytes
}

/// Expects a problem of this kind.
func expect(
  _ code: Problem.Code, _ comment: Comment? = nil, at location: SourceLocation = #_sourceLocation,
  _ body: () async throws -> Any?
) async {
  do {
    _ = try await body()
    Issue.record("no problem, instead of \(code)", sourceLocation: location)
  } catch {
    #expect(ProblemAnswer.problem(of: error)?.code == code, comment, sourceLocation: location)
  }
}
