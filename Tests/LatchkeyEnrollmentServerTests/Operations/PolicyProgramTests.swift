import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Crypto
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeySealedMessages
import SwiftASN1
import Testing
import X509

@testable import LatchkeyEnrollmentServer

/// The effects of the options of `latchkey-server serve`, each seen from outside.
@Suite("Options of policy and limits", .serialized, .timeLimit(.minutes(10)))
struct PolicyProgramTests {
  private struct Place: ~Copyable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-policy-\(UUID().uuidString)")
    var state: [String] { ["--state", folder.path] }
    deinit { try? FileManager.default.removeItem(at: folder) }

    func password() throws -> String {
      try String(contentsOf: folder.appending(path: "demo-password"), encoding: .utf8)
        .trimmingCharacters(in: .newlines)
    }
  }

  private func login(_ server: ServedProgram, password: String) async throws -> LoginAnswer {
    try await server.withClient {
      try await $0.post(Routes.login, PasswordLogin(user: "demo", password: password)).decoded()
    }
  }

  private func register(
    _ server: ServedProgram, token: String, _ key: P256.Signing.PrivateKey
  ) async throws -> TestAnswer {
    let registration = DeviceRegistration(name: "phone", signingRequest: Base64Bytes(try signingRequest(key)))
    return try await server.withClient {
      try await $0.post(
        Routes.devices, registration,
        headers: [
          ("authorization", "Bearer \(token)"), (HeaderNames.idempotencyKey, Identifier.random().description),
        ])
    }
  }

  private func enroll(_ server: ServedProgram, token: String) async throws -> (device: TestDevice, notAfter: Int64) {
    let key = P256.Signing.PrivateKey()
    let enrolled = try await register(server, token: token, key).decoded(EnrolledDevice.self)
    let device = TestDevice(
      id: try #require(Identifier(enrolled.device)), user: UserName(stored: enrolled.user), key: key,
      certificate: enrolled.certificates[0].bytes)
    return (device, enrolled.notAfter)
  }

  /// Gives an amount from the demo's first account to the second.
  private func transfer(
    _ amount: String, _ client: TestClient, by device: TestDevice, date: Int64? = nil
  ) async throws -> TestAnswer {
    let body = Array(
      try JSONEncoder().encode(
        Transfer(
          from: "123123456456", to: "654654123123", amount: try #require(Amount(amount)), currency: "EUR",
          date: date)))
    var message = HTTPRequestMessage(
      method: "POST", targetURI: client.url + Routes.transfers,
      fields: HTTPFields([
        ("content-type", "application/json"), (HeaderNames.idempotencyKey, Identifier.random().description),
      ]))
    try SealedProfile.sign(
      &message, body: body, keyID: device.id.description, nonce: Base64URL.encode(Identifier.random().bytes),
      now: Int64(Date().timeIntervalSince1970)
    ) { Array(try device.key.signature(for: $0).derRepresentation) }
    return try await client.send(SignedRequest(message: message, body: body))
  }

  @Test("Lifetimes, sums, the approval's threshold, its cool-down and the list's URL count as they were given")
  func policy() async throws {
    let place = Place()
    let url = "http://crl.example.org/list"
    let server = try await ServedProgram(
      place.state + [
        "--certificate-lifetime", "2h", "--session-lifetime", "7m", "--approval-from", "50.00", "--approval-sum",
        "55.00", "--daily-sum", "60.00", "--approval-cool-down", "1h", "--crl-url", url, "--date-ahead", "84h",
      ])
    let session = try await login(server, password: place.password())
    #expect((6 * 60...7 * 60).contains(session.expiresIn))
    let before = Int64(Date().timeIntervalSince1970)
    let (device, notAfter) = try await enroll(server, token: session.token)
    #expect((before + 7200...Int64(Date().timeIntervalSince1970) + 7200).contains(notAfter))
    let points = try Certificate(derEncoded: device.certificate).extensions[oid: [2, 5, 29, 31]]?.value
    #expect(points.map { Data($0).range(of: Data(url.utf8)) != nil } == true)
    try await server.withClient(device) { client in
      let large = try await transfer("50.00", client, by: device)
      #expect(large.status == 403 && large.text.contains("needs an approval key"), "\(large.text)")
      let ahead = try await transfer("49.99", client, by: device, date: before + 4 * 86_400)
      #expect(ahead.status == 422 && ahead.text.contains("at most 84 hours from now"), "\(ahead.text)")
      #expect(try await transfer("49.99", client, by: device, date: before + 2 * 86_400).status == 201)
      let sum = try await transfer("5.02", client, by: device)
      #expect(sum.status == 403 && sum.text.contains("needs an approval key"), "\(sum.text)")
      let day = try await transfer("10.02", client, by: device)
      #expect(day.status == 403 && day.text.contains("within a day"), "\(day.text)")
      let challenge = try await client.post(
        Routes.challenges, ChallengeRequest(purpose: .attestation, device: nil, content: nil)
      ).decoded(Challenge.self)
      let approval = P256.Signing.PrivateKey()
      let registration = ApprovalKeyRegistration(
        publicKey: Base64Bytes(approval.point), challengeID: challenge.id,
        attestation: Base64Bytes(try approval.attestation(challenge)))
      let registered = try await client.request(
        "PUT", Routes.approvalKey, headers: [("content-type", "application/json")],
        body: Array(try JSONEncoder().encode(registration)))
      #expect(registered.status == 200)
      let new = try await transfer("5.02", client, by: device)
      #expect(new.status == 403 && new.text.contains("is new"), "\(new.text)")
    }
    #expect(server.end() == 0)
    // The defaults: the same transfers need no approval, and where one does, a new key counts at once.
    let other = try await ServedProgram(place.state)
    let next = try await login(other, password: place.password())
    #expect((14 * 60...15 * 60).contains(next.expiresIn))
    try await other.withClient(device) { client in
      let free = try await transfer("50.00", client, by: device, date: before + 89 * 86_400)
      #expect(free.status == 201)
      let large = try await transfer("1000.00", client, by: device)
      #expect(large.code == .approvalRequired)
    }
    #expect(other.end() == 0)
  }

  @Test("A new password ends the sessions that the old one opened, where that is wanted")
  func endedSessions() async throws {
    let place = Place()
    let server = try await ServedProgram(place.state)
    let before = try place.password()
    for option in [nil, "--end-sessions"] {
      let session = try await login(server, password: option == nil ? before : "another password")
      let words = ["user", "password", "demo", "--password", "-"] + place.state + (option.map { [$0] } ?? [])
      #expect(try await ServedProgram.run(words, input: "another password\n").status == 0)
      let status = try await register(server, token: session.token, P256.Signing.PrivateKey()).status
      #expect(status == (option == nil ? 201 : 401))
    }
    #expect(server.end() == 0)
  }

  @Test("Devices of the authority before are let in where it is trusted, too, and not without")
  func alsoTrusted() async throws {
    let place = Place()
    let next = Place()
    let store = ["--store", "sqlite:\(place.folder.path)/server.db"]
    let first = try await ServedProgram(place.state)
    let session = try await login(first, password: place.password())
    let (device, _) = try await enroll(first, token: session.token)
    #expect(first.end() == 0)
    let old = place.folder.appending(path: "ca.pem").path
    let alone = try await ServedProgram(next.state + store)
    try await alone.withClient(device) { client in
      // With TLS 1.3 a client learns of a refusal at its first read.
      let answer = try? await client.request("GET", Routes.device)
      #expect(answer == nil)
    }
    #expect(alone.end() == 0)
    let both = try await ServedProgram(next.state + store + ["--also-trust", old])
    let answer = try await both.withClient(device) { try await $0.request("GET", Routes.device) }
    #expect(answer.status == 200)
    #expect(both.end() == 0)
    let leaf = place.folder.appending(path: "leaf.pem").path
    let pem =
      "-----BEGIN CERTIFICATE-----\n\(Data(device.certificate).base64EncodedString())\n-----END CERTIFICATE-----\n"
    try pem.write(toFile: leaf, atomically: true, encoding: .utf8)
    let refused = try await ServedProgram.run(
      ["serve", "--listen", "127.0.0.1:0", "--also-trust", leaf] + next.state + store)
    #expect(refused.status == 65 && refused.output.contains("--also-trust"), "\(refused.output)")
  }

  /// The answers to concurrent requests.
  private func statuses(of count: Int, _ path: String, _ client: TestClient) async throws -> Set<Int> {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<count { group.addTask { try await client.request("GET", path).status } }
      return try await group.reduce(into: []) { $0.insert($1) }
    }
  }

  @Test("Limits count as they were given")
  func limits() async throws {
    let place = Place()
    let first = try await ServedProgram(place.state + ["--logins-per-minute", "2"])
    let session = try await login(first, password: place.password())
    let (device, _) = try await enroll(first, token: session.token)
    try await first.withClient { client in
      var statuses: Set<Int> = []
      // Of one user each: wrong passwords for one would be refused anyway.
      for number in 0..<6 {
        let guess = PasswordLogin(user: "user\(number)", password: "x")
        statuses.insert(try await client.post(Routes.login, guess).status)
      }
      #expect(statuses.contains(429))
    }
    #expect(first.end() == 0)
    let second = try await ServedProgram(place.state + ["--requests-per-second", "1", "--anonymous-per-second", "1"])
    let own = try await second.withClient(device, http2: true) { try await statuses(of: 30, Routes.device, $0) }
    #expect(own == [200, 429])
    let anonymous = try await second.withClient(http2: true) { try await statuses(of: 30, Routes.live, $0) }
    #expect(anonymous == [200, 429])
    #expect(second.end() == 0)
    for option in ["--connections", "--connections-per-address"] {
      let full = try await ServedProgram(place.state + [option, "1"])
      try await full.withClient { client in
        try await client.expectLive()
        _ = try await RawConnection(port: full.port).untilClosed()
        let metrics = try await client.request("GET", Routes.metrics).text
        #expect(metrics.contains("latchkey_connections_refused_total 1"), "\(option)")
      }
      #expect(full.end() == 0)
    }
  }
}
