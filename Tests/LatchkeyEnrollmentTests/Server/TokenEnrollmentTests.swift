import Crypto
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyServerTestSupport
import LatchkeySwiftTesting
import LatchkeyTLSTestSupport
import Security
import Testing

@testable import LatchkeyEnrollment

/// A device that enrolls with a token, which somebody else got for it.
@Suite(.temporaryKeychain(typing: "1234")) struct TokenEnrollmentTests {
  private func token(_ configuration: EnrollmentConfiguration) async throws -> DeviceToken {
    try await EnrollmentClient(configuration).deviceToken(user: "demo", password: RunningServer.password).value
  }

  private func digest(_ root: SecCertificate) -> [UInt8] {
    Array(SHA256.hash(data: SecCertificateCopyData(root) as Data))
  }

  @Test("A token enrolls one device, once, and its holder is no device before") func once() async throws {
    try await RealService.with { server, configuration in
      let token = try await token(configuration)
      #expect(token.user == "demo")
      #expect(!"\(token) \(String(reflecting: token)) \(Mirror(reflecting: token).children.count)".contains(token.text))
      let client = EnrollmentClient(configuration)
      #expect(try await client.identity() == nil)
      #expect(try await client.sessionToken() == nil)
      let first = try await client.enroll(token: token.text, deviceName: "Lamp").value
      #expect(first.isNewlyRegistered)
      #expect(try await client.accounts().value.count == 2)
      var other = configuration
      other.label = "other"
      other.identityKeyLabel = "other identity"
      let refused = await failure {
        try await EnrollmentClient(other).enroll(token: token.text, deviceName: "Fan").value
      }
      guard case .problem(let problem) = refused else {
        Issue.record("\(String(describing: refused))")
        return
      }
      #expect(problem.code == .notPermitted)
      let devices = try await server.store.read { try $0.devices(of: "demo") }
      #expect(devices.map(\.name) == ["Lamp"])
    }
  }

  @Test("A device that is enrolled keeps its identity, with a used token and with a new one") func keeps() async throws
  {
    try await RealService.with { server, configuration in
      let token = try await token(configuration)
      let device = try await EnrollmentClient(configuration).enroll(token: token.text, deviceName: "Lamp").value
        .identity.device
      for text in [token.text, try await self.token(configuration).text, "0123456789abcdef"] {
        let again = try await EnrollmentClient(configuration).enroll(token: text, deviceName: "Lamp").value
        #expect(!again.isNewlyRegistered)
        #expect(again.identity.device == device)
      }
      let devices = try await server.store.read { try $0.devices(of: "demo") }
      #expect(devices.count == 1)
    }
  }

  @Test("A registration that began under other roots ends with those under which the server answered")
  func rootsOfBefore() async throws {
    try await RealService.with { _, configuration in
      var before = EnrollmentRecord(configuration)
      before.roots = [Data([0x30, 0])]
      try before.save(label: configuration.label)
      #expect(try EnrollmentConfiguration(deviceAt: configuration.server, label: configuration.label)?.label == nil)
      let token = try await token(configuration)
      _ = try await EnrollmentClient(configuration).enroll(token: token.text, deviceName: "Lamp").value
      let own = try #require(
        try EnrollmentConfiguration(deviceAt: configuration.server, label: configuration.label))
      #expect(own.trustRoots?.map(\.der) == configuration.trustRoots?.map(\.der))
      let elsewhere = try ServerAddress("https://localhost:1")
      #expect(try EnrollmentConfiguration(deviceAt: elsewhere, label: configuration.label)?.label == nil)
    }
  }

  @Test("A device that was revoked enrolls anew") func revoked() async throws {
    try await RealService.with { server, configuration in
      let first = try await token(configuration)
      let device = try await EnrollmentClient(configuration).enroll(token: first.text, deviceName: "Lamp").value
        .identity.device
      let now = Int64(server.clock.now.timeIntervalSince1970)
      let id = try #require(Identifier(device))
      _ = try await server.store.write { try $0.revokeDevice(id, at: now, reason: 1) }
      server.clock.advance(by: 10)
      let second = try await token(configuration)
      let again = try await EnrollmentClient(configuration).enroll(token: second.text, deviceName: "Lamp").value
      #expect(again.isNewlyRegistered && again.identity.device != device)
    }
  }

  @Test("After a wrong token the right one enrolls") func wrongToken() async throws {
    try await RealService.with { _, configuration in
      let client = EnrollmentClient(configuration)
      let refused = await failure { try await client.enroll(token: "0123456789abcdef", deviceName: "Lamp").value }
      guard case .problem(let problem) = refused else {
        Issue.record("\(String(describing: refused))")
        return
      }
      #expect(problem.code == .notAuthenticated)
      #expect(try await client.identity() == nil)
      #expect(try await client.record()?.pendingRegistration == nil)
      let right = try await token(configuration)
      #expect(try await client.enroll(token: right.text, deviceName: "Lamp").value.isNewlyRegistered)
    }
  }

  @Test("A wrong password gets no token") func wrongPassword() async throws {
    try await RealService.with { _, configuration in
      let refused = await failure {
        try await EnrollmentClient(configuration).deviceToken(user: "demo", password: "wrong").value
      }
      guard case .problem = refused else {
        Issue.record("\(String(describing: refused))")
        return
      }
    }
  }

  @Test(
    "What no field of HTTP takes is no token",
    arguments: [
      "", "short", "0123456789abcdef\r\nx: y", "0123456789 abcdef", "0123456789abcdéf",
      String(repeating: "a", count: 513),
    ])
  func noToken(_ text: String) async throws {
    let client = EnrollmentClient(EnrollmentConfiguration(server: try ServerAddress("https://localhost:1")))
    let refused = await failure { try await client.enroll(token: text, deviceName: "Lamp").value }
    guard case .misuse = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
  }

  @Test("A device that is enrolled with another server is not enrolled over it") func otherServer() async throws {
    try await RealService.with { _, configuration in
      let token = try await token(configuration)
      let device = try await EnrollmentClient(configuration).enroll(token: token.text, deviceName: "Lamp").value
        .identity.device
      let elsewhere = EnrollmentClient(EnrollmentConfiguration(server: try ServerAddress("https://localhost:1")))
      #expect(try await elsewhere.otherServer() == configuration.server)
      let refused = await failure { try await elsewhere.enroll(token: "0123456789abcdef", deviceName: "Lamp").value }
      guard case .misuse = refused else {
        Issue.record("\(String(describing: refused))")
        return
      }
      #expect(try await EnrollmentClient(configuration).identity()?.device == device)
    }
  }

  @Test("The root with the digest that was given is fetched, and vouches for the server") func root() async throws {
    try await RealService.with { _, configuration in
      let known = try #require(configuration.trustRoots?.first)
      let root = try await EnrollmentConfiguration.trustRoot(of: configuration.server, sha256: digest(known))
      #expect(root.der == known.der)
      var configuration = configuration
      configuration.trustRoots = [root]
      let token = try await token(configuration)
      #expect(
        try await EnrollmentClient(configuration).enroll(token: token.text, deviceName: "Lamp").value.isNewlyRegistered)
    }
  }

  @Test("A server without the root of the digest is not trusted, and one that is not there is not reached")
  func otherRoot() async throws {
    try await RealService.with { _, configuration in
      for digest in [[UInt8](repeating: 7, count: 32), []] {
        let refused = await failure {
          try await EnrollmentConfiguration.trustRoot(of: configuration.server, sha256: digest)
        }
        guard case .untrustedServer = refused else {
          Issue.record("\(String(describing: refused))")
          return
        }
      }
    }
    let absent = await failure {
      try await EnrollmentConfiguration.trustRoot(of: ServerAddress("https://localhost:1"), sha256: [7])
    }
    guard case .unreachable = absent else {
      Issue.record("\(String(describing: absent))")
      return
    }
  }

  @Test("A registration that never arrived is made anew if its attestation was for another token")
  func otherAttestation()
    async throws
  {
    let service = try await FakeService()
    var configuration = try service.configuration()
    configuration.retries = .never
    service.fail(Routes.devices, .hangUpBefore, .refuse(Problem(.invalidAttestation)))
    let client = EnrollmentClient(configuration)
    _ = await failure { try await client.enroll(token: "token-0123456789", deviceName: "Lamp").value }
    #expect(try await client.record()?.pendingRegistration != nil)
    #expect(try await client.enroll(token: "token-9876543210", deviceName: "Lamp").value.isNewlyRegistered)
    let bodies = service.requests(Routes.devices).map(\.body)
    #expect(bodies.count == 3 && bodies[0] == bodies[1] && bodies[1] != bodies[2])
    #expect(service.registrations == 1)
  }

  @Test("An attestation that is refused twice is not sent a third time") func refusedAttestation() async throws {
    let service = try await FakeService()
    var configuration = try service.configuration()
    configuration.retries = .never
    service.fail(
      Routes.devices, .hangUpBefore, .refuse(Problem(.invalidAttestation)), .refuse(Problem(.invalidAttestation)))
    let client = EnrollmentClient(configuration)
    for _ in 0..<2 {
      _ = await failure { try await client.enroll(token: "token-0123456789", deviceName: "Lamp").value }
    }
    #expect(service.requests(Routes.devices).count == 3)
    #expect(service.registrations == 0)
  }
}
