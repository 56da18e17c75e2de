import Crypto
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyServerTestSupport
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("Renewal after the certificate's end, by profile")
struct LateRenewalByProfileTests {
  /// A device of the profile `default`, and a server that renews for so many seconds after a certificate's end.
  private struct Scene {
    let bench: CeremonyBench
    let operating: Operator
    let key = P256.Signing.PrivateKey()
    let device: AuthenticatedDevice

    init(server: Int64) async throws {
      bench = try CeremonyBench {
        $0.policy.certificateLifetime = 1000
        $0.policy.renewalAfterExpiry = server
      }
      let clock = bench.clock
      operating = Operator(bench.store, passwordCost: 10, clock: { clock.now })
      try await bench.user()
      device = try await bench.device(key)
    }

    func define(_ seconds: Int64?) async throws {
      var profile = DeviceProfile(name: "default")
      profile.renewalAfterExpiry = seconds
      try await operating.addProfile(profile)
    }

    func challenge(_ request: ChallengeRequest) async throws -> Challenge {
      try await ChallengeCeremony(services: bench.services).challenge(request) { () throws(Problem) in
        throw Problem(.certificateRequired)
      }
    }

    func renew() async throws -> EnrolledDevice {
      let request = try signingRequest(key)
      let content = Array(SHA256.hash(data: request))
      let challenge = try await challenge(
        ChallengeRequest(purpose: .renewal, device: device.id.description, content: Base64Bytes(content)))
      let message = challenge.signedMessage(purpose: .renewal, content: content)
      return try await ExpiredRenewalCeremony(services: bench.services).renew(
        ExpiredRenewal(
          device: device.id.description, challengeID: challenge.id,
          signature: Base64Bytes(Array(try key.signature(for: message).derRepresentation)),
          signingRequest: Base64Bytes(request)))
    }
  }

  @Test("A profile's time counts before the server's, shorter or longer")
  func overrides() async throws {
    for (profile, after, isRenewed) in [(nil, 1500, true), (100, 1500, false), (5000, 5500, true)]
      as [(Int64?, Double, Bool)]
    {
      let scene = try await Scene(server: 1000)
      try await scene.define(profile)
      scene.bench.clock.advance(by: after)
      if isRenewed {
        #expect(try await scene.renew().device == scene.device.id.description)
      } else {
        await expect(.notPermitted) { try await scene.renew() }
      }
    }
  }

  @Test("A profile of no time renews nothing after the end, and the server's own time has an end, too")
  func ends() async throws {
    let scene = try await Scene(server: 1000)
    scene.bench.clock.advance(by: 2500)
    await expect(.notPermitted) { try await scene.renew() }
    let other = try await Scene(server: 1000)
    try await other.define(0)
    other.bench.clock.advance(by: 1001)
    await expect(.notPermitted) { try await other.renew() }
  }

  @Test("Where the server renews nothing after the end, a profile with a time does, as long as it says")
  func profileAlone() async throws {
    let scene = try await Scene(server: 0)
    try await scene.define(5000)
    scene.bench.clock.advance(by: 5500)
    #expect(try await scene.renew().device == scene.device.id.description)
    let late = try await Scene(server: 0)
    try await late.define(5000)
    late.bench.clock.advance(by: 6001)
    await expect(.notPermitted) { try await late.renew() }
  }

  @Test("Where only another profile has a time, a device's challenge tells nothing, and its proof renews nothing")
  func otherProfile() async throws {
    for own in [nil, 0] as [Int64?] {
      let scene = try await Scene(server: 0)
      try await scene.define(own)
      var other = DeviceProfile(name: "sensor")
      other.renewalAfterExpiry = 5000
      try await scene.operating.addProfile(other)
      for after in [0, 1001] as [Double] {
        scene.bench.clock.advance(by: after)
        await expect(.notPermitted) { try await scene.renew() }
        let unknown = ChallengeRequest(
          purpose: .renewal, device: String(repeating: "0", count: 32),
          content: Base64Bytes([UInt8](repeating: 1, count: 32)))
        let known = ChallengeRequest(
          purpose: .renewal, device: scene.device.id.description, content: Base64Bytes([UInt8](repeating: 1, count: 32))
        )
        for request in [unknown, known] {
          let challenge = try await scene.challenge(request)
          #expect(!challenge.id.isEmpty)
        }
      }
    }
  }

  @Test(
    "Where neither the server nor a profile has a time, there is no challenge for a renewal",
    arguments: [nil, 0] as [Int64?])
  func off(_ profile: Int64?) async throws {
    let scene = try await Scene(server: 0)
    try await scene.define(profile)
    let request = ChallengeRequest(
      purpose: .renewal, device: scene.device.id.description, content: Base64Bytes([UInt8](repeating: 1, count: 32)))
    await expect(.notPermitted) { _ = try await scene.challenge(request) }
    await expect(.notPermitted) { try await scene.renew() }
  }

  @Test("A time below zero, and one beyond ten years, is refused", arguments: [-1, 3660 * 86_400 + 1] as [Int64])
  func bounds(_ seconds: Int64) async throws {
    let scene = try await Scene(server: 1000)
    await #expect(throws: OperatorError.self) { try await scene.define(seconds) }
  }
}
