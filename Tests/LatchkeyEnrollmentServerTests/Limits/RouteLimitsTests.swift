import LatchkeyServerTestSupport
import HTTPTypes
import Hummingbird
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import NIOCore
import Testing

@testable import LatchkeyEnrollmentServer

/// Limits hold for whatever answers, however it is asked for, and for everyone who asks.
@Suite("Limits of routes", .timeLimit(.minutes(10)))
struct RouteLimitsTests {
  @Test(
    "A path is served to the letter, and no other that leads to the same route",
    arguments: [
      "/v1/login/", "//v1/login", "/v1//login", "/v1/login///", "/v1/./login", "/v1/x/../login", "/V1/login",
      "/v1/%6Cogin", "/v1/login%2F", "v1/login", "/v1/login;x", "*",
    ])
  func canonical(path: String) async throws {
    try await RunningServer.with { server in
      let connection = try await RawConnection(to: server)
      let body = #"{"user":"demo","password":"\#(RunningServer.password)"}"#
      func post(_ path: String, _ more: String = "") -> String {
        "POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\(more)Content-Length: \(body.utf8.count)\r\n\r\n"
          + body
      }
      try await connection.send(post(path, "Connection: close\r\n"))
      let answer = try await connection.untilClosed()
      #expect(answer.hasPrefix("HTTP/1.1 404") || answer.hasPrefix("HTTP/1.1 400"), "\(answer.prefix(40))")
      #expect(!answer.contains("token"))
    }
  }

  @Test("Every route is reached by its own path")
  func reached() async throws {
    try await RunningServer.with { server in
      let routes = EnrollmentServer.router(server.server.services).routes
      try await server.withClient { client in
        for route in routes {
          let path = "\(route.path)".replacing("{issuer}", with: server.server.services.issuers.all[0].name)
            .replacing("{label}", with: DeviceProfile.defaultName)
          let answer = try await client.request(route.method.rawValue, "\(path)?x=1")
          let (status, code) = (answer.status, answer.code)
          #expect(status != 404 && status != 405 && code != .notFound, "\(route.path)")
        }
      }
    }
  }

  @Test("A device that guesses passwords is slowed like other clients, and so is its address")
  func deviceGuesses() async throws {
    try await RunningServer.with({ $0.limits.loginsPerMinute = 3 }) { server in
      let (thief, other) = (try await server.device(), try await server.device())
      func guess(_ device: TestDevice?, _ number: Int) async throws -> Int {
        try await server.withClient(device) {
          try await $0.post(Routes.login, PasswordLogin(user: "user\(number)", password: "wrong")).status
        }
      }
      var statuses: [Int] = []
      for number in 0..<5 { statuses.append(try await guess(thief, number)) }
      #expect(statuses == [401, 401, 401, 429, 429])
      #expect(try await guess(other, 10) == 429)
      #expect(try await guess(nil, 11) == 429)
      // Requests without a password count for the device alone.
      let challenge = try await server.withClient(other) {
        try await $0.post(Routes.challenges, ChallengeRequest(purpose: .attestation, device: nil, content: nil)).status
      }
      #expect(challenge == 200)
    }
  }

  @Test("Requests that add a row or cost a signature are limited per device, and do not affect other devices")
  func deviceCosts() async throws {
    try await RunningServer.with({ $0.limits.loginsPerMinute = 3 }) { server in
      for path in [Routes.certificateLogin, Routes.renewal] {
        let (busy, other) = (try await server.device(), try await server.device())
        let before = try await server.store.read { try $0.auditHeads().map(\.sequence).reduce(0, +) }
        func ask(_ device: TestDevice) async throws -> Int {
          try await server.withClient(device) {
            try await $0.post(path, RenewalRequest(signingRequest: Base64Bytes(try signingRequest(device.key)))).status
          }
        }
        var statuses: [Int] = []
        for _ in 0..<5 { statuses.append(try await ask(busy)) }
        #expect(statuses == [200, 200, 200, 429, 429], "\(path)")
        #expect(try await ask(other) == 200, "\(path)")
        let after = try await server.store.read { try $0.auditHeads().map(\.sequence).reduce(0, +) }
        #expect(after - before == 4, "\(path)")
      }
    }
  }

  @Test("A client without a certificate has one limit for all routes; a device at the same address is not hindered")
  func anonymous() async throws {
    try await RunningServer.with({ $0.limits.anonymousRequestsPerSecond = 1 }) { server in
      let device = try await server.device()
      try await server.withClient { client in
        for path in [Routes.live, Routes.openAPI, Routes.revocationList, Routes.metrics, "/v1/nothing"] {
          var status = 0
          while status != 429 { status = try await client.request("GET", path).status }
        }
      }
      try await server.withClient(device) { client in
        for _ in 0..<5 { try await client.expectLive() }
      }
    }
  }
}
