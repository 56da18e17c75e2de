import LatchkeyServerTestSupport
import Crypto
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyPKCS12
import LatchkeySealedMessages
import SwiftASN1
import Testing
import X509

@testable import LatchkeyEnrollmentServer

@Suite("Enrollment over the wire")
struct EnrollmentRoutesTests {
  private func login(_ client: TestClient, password: String = RunningServer.password) async throws -> TestAnswer {
    try await client.post(Routes.login, PasswordLogin(user: "demo", password: password))
  }

  private func register(
    _ client: TestClient, token: String, key: P256.Signing.PrivateKey, idempotencyKey: String,
    request: [UInt8]? = nil
  ) async throws -> TestAnswer {
    let body = try request ?? signingRequest(key)
    // Sorted, so that the same request is the same bytes.
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try await client.request(
      "POST", Routes.devices,
      headers: [
        ("authorization", "Bearer \(token)"), (HeaderNames.idempotencyKey, idempotencyKey),
        ("content-type", "application/json"),
      ],
      body: Array(try encoder.encode(DeviceRegistration(name: "phone", signingRequest: Base64Bytes(body)))))
  }

  private func enroll(_ server: RunningServer) async throws -> TestDevice {
    let key = P256.Signing.PrivateKey()
    return try await server.withClient { client in
      let token = try await login(client).decoded(LoginAnswer.self).token
      let answer = try await register(client, token: token, key: key, idempotencyKey: Identifier.random().description)
      #expect(answer.status == 201)
      let enrolled = try answer.decoded(EnrolledDevice.self)
      return TestDevice(
        id: try #require(Identifier(enrolled.device)), user: UserName(stored: enrolled.user), key: key,
        certificate: enrolled.certificates[0].bytes)
    }
  }

  @Test("A device logs in, registers, asks for its identity, renews and ends", arguments: [false, true])
  func story(http2: Bool) async throws {
    try await RunningServer.with { server in
      let device = try await enroll(server)
      try await server.withClient(device, http2: http2) { client in
        let status = try await client.ask(server.question("GET", Routes.device))
        #expect(status.status == 200 && status.header("signature") != nil)
        let known = try status.decoded(DeviceStatus.self)
        #expect(known.device == device.id.description && known.name == "phone" && !known.hasApprovalKey)

        let session = try await client.request("POST", Routes.certificateLogin).decoded(LoginAnswer.self)
        #expect(session.device == device.id.description && session.user == "demo")
        let password = try await login(client).decoded(LoginAnswer.self)
        #expect(password.device == device.id.description)

        let request = RenewalRequest(signingRequest: Base64Bytes(try signingRequest(device.key)))
        let renewed = try await client.post(Routes.renewal, request)
        #expect(renewed.status == 200)
        let fresh = TestDevice(
          id: device.id, user: "demo", key: device.key,
          certificate: try renewed.decoded(EnrolledDevice.self).certificates[0].bytes)
        try await server.withClient(fresh, http2: http2) { other in
          #expect(try await other.request("GET", Routes.device).status == 200)
          let question = try server.question("POST", Routes.revocation)
          let end = try await other.ask(question)
          #expect(end.status == 204 && end.body.isEmpty)
          #expect(throws: Never.self) { try server.verified(end, to: question) }
          // RFC 9110 8.6 and 15.3.5: nothing is said of a content that is not there.
          #expect(end.headers.filter { $0.name.lowercased().hasPrefix("content-") }.map(\.name) == [])
          #expect(end.header("transfer-encoding") == nil)
          #expect(try await other.request("GET", Routes.device).code == .revoked)
        }
        #expect(try await client.request("GET", Routes.device).code == .revoked)
        #expect(try await client.request("POST", Routes.certificateLogin).code == .revoked)
      }
    }
  }

  @Test("the same registration again is the same answer, and says so")
  func idempotency() async throws {
    try await RunningServer.with { server in
      try await server.withClient { client in
        let token = try await login(client).decoded(LoginAnswer.self).token
        let (key, name) = (P256.Signing.PrivateKey(), Identifier.random().description)
        let request = try signingRequest(key)
        let first = try await register(client, token: token, key: key, idempotencyKey: name, request: request)
        let second = try await register(client, token: token, key: key, idempotencyKey: name, request: request)
        #expect(first.status == 201 && second.status == 201 && first.body == second.body)
        #expect(first.header(HeaderNames.idempotencyReplayed) == nil)
        #expect(second.header(HeaderNames.idempotencyReplayed) == "true")
        let other = try await register(client, token: token, key: P256.Signing.PrivateKey(), idempotencyKey: name)
        #expect(other.code == .idempotencyMismatch)
        let another = try await register(
          client, token: token, key: P256.Signing.PrivateKey(), idempotencyKey: Identifier.random().description)
        #expect(another.code == .notPermitted)
        let missing = try await client.post(
          Routes.devices, DeviceRegistration(name: "phone", signingRequest: Base64Bytes(request)),
          headers: [("authorization", "Bearer \(token)")])
        #expect(missing.code == .malformedRequest)
      }
    }
  }

  @Test(
    "without a token, or with one that is none, nothing is registered",
    arguments: [
      "", "Bearer", "Bearer ", "Bearer short", "Basic ZGVtbzpkZW1v", "Bearer a b", "Bearer 0123456789abcdef0123",
    ])
  func tokens(field: String) async throws {
    try await RunningServer.with { server in
      try await server.withClient { client in
        for path in [Routes.devices, Routes.serverMadeIdentities] {
          let answer = try await client.request(
            "POST", path,
            headers: [
              ("authorization", field), ("content-type", "application/json"),
              (HeaderNames.idempotencyKey, Identifier.random().description),
            ],
            body: Array(
              #"{"name":"phone","passphrase":"12345678","signingRequest":"\#(Data(try signingRequest()).base64EncodedString())"}"#
                .utf8))
          #expect(answer.status == 401 && answer.code == .notAuthenticated)
          #expect(answer.header("www-authenticate") == "Bearer realm=\"latchkey\"")
        }
      }
    }
  }

  @Test("guessing looks the same throughout, and is locked out where it comes from")
  func guessing() async throws {
    try await RunningServer.with { server in
      try await server.withClient { client in
        var answers: Set<String> = []
        for guess in 0..<5 {
          let answer = try await login(client, password: "guess \(guess)")
          #expect(answer.status == 401)
          var problem = try answer.decoded(Problem.self)
          problem.instance = nil
          answers.insert("\(problem)")
        }
        #expect(answers.count == 1)
        let late = try await login(client)
        #expect(late.status == 429 && late.header("retry-after") != nil)
        server.clock.advance(by: 61)
        #expect(try await login(client).status == 200)
      }
    }
  }

  @Test("Too many logins from one address are refused with a retry time")
  func addressLimit() async throws {
    try await RunningServer.with({ $0.limits.loginsPerMinute = 3 }) { server in
      try await server.withClient { client in
        for _ in 0..<3 { #expect(try await login(client).status == 200) }
        let answer = try await login(client)
        #expect(answer.code == .tooManyRequests)
        #expect(Int(answer.header("retry-after") ?? "").map { $0 >= 1 } == true)
      }
    }
  }

  @Test("an identity that the server makes comes as PKCS#12, works, and its key is nowhere")
  func serverMade() async throws {
    try await RunningServer.with { server in
      let (device, file) = try await server.withClient { client in
        let token = try await login(client).decoded(LoginAnswer.self).token
        func ask(_ passphrase: String) async throws -> TestAnswer {
          try await client.post(
            Routes.serverMadeIdentities, ServerMadeIdentityRequest(name: "old phone", passphrase: passphrase),
            headers: [("authorization", "Bearer \(token)")])
        }
        #expect(try await ask("short").code == .malformedRequest)
        let answer = try await ask("correct horse")
        #expect(answer.status == 201)
        #expect(try await ask("correct horse").code == .notPermitted)
        let enrolled = try answer.decoded(EnrolledDevice.self)
        return (enrolled, try #require(enrolled.pkcs12).bytes)
      }
      #expect(throws: PKCS12Error.wrongPassword) { try PKCS12File(reading: file, password: "another") }
      let identity = try #require(try PKCS12File(reading: file, password: "correct horse").identities.first)
      #expect(identity.certificate.der == device.certificates[0].bytes)
      #expect(identity.chain.map(\.der) == [server.root])
      let key = try P256.Signing.PrivateKey(derRepresentation: identity.key.pkcs8)
      let known = TestDevice(
        id: try #require(Identifier(device.device)), user: "demo", key: key, certificate: identity.certificate.der)
      try await server.withClient(known) {
        let answer = try await $0.request("GET", Routes.device)
        #expect(try answer.decoded(DeviceStatus.self).name == "old phone")
      }
      // No file of the store has the key's number in it.
      for name in try FileManager.default.contentsOfDirectory(atPath: server.folder.path) {
        let bytes = try Data(contentsOf: server.folder.appending(path: name))
        #expect(bytes.range(of: key.rawRepresentation) == nil, "\(name)")
      }
    }
  }

  @Test("an approval key is registered by its attestation, and logs in without a password")
  func approvalKey() async throws {
    try await RunningServer.with { server in
      let (device, key) = (try await enroll(server), P256.Signing.PrivateKey())
      try await server.withClient(device) { client in
        let asked = try await client.post(Routes.challenges, ChallengeRequest(purpose: .attestation))
          .decoded(Challenge.self)
        let registration = ApprovalKeyRegistration(
          publicKey: Base64Bytes(key.point), challengeID: asked.id,
          attestation: Base64Bytes(try key.attestation(asked)))
        let answer = try await client.request(
          "PUT", Routes.approvalKey, headers: [("content-type", "application/json")],
          body: Array(try JSONEncoder().encode(registration)))
        #expect(answer.status == 200)
        let status = try answer.decoded(DeviceStatus.self)
        #expect(status.hasApprovalKey && status.approvalKeyEvidence == "latchkey-software")
      }
      try await server.withClient { client in
        let name = device.id.description
        let challenge = try await client.post(
          Routes.challenges, ChallengeRequest(purpose: .login, device: name)
        ).decoded(Challenge.self)
        let login = KeyLogin(
          challengeID: challenge.id, device: name, signature: try key.signature(of: challenge, .login))
        let session = try await client.post(Routes.keyLogin, login)
        #expect(session.status == 200)
        #expect(try session.decoded(LoginAnswer.self).device == name)
        #expect(try await client.post(Routes.keyLogin, login).code == .notAuthenticated)
      }
    }
  }

  @Test("The authority's chain and its list are public, and the list names a device once it was revoked")
  func authority() async throws {
    try await RunningServer.with { server in
      let device = try await enroll(server)
      try await server.withClient { client in
        let chain = try await client.request("GET", Routes.authority)
        #expect(chain.status == 200 && chain.header("content-type") == "application/x-pem-file")
        #expect(try Certificate(pemEncoded: chain.text) == Certificate(derEncoded: server.root))
        let before = try await client.request("GET", Routes.revocationList)
        #expect(before.status == 200 && before.header("content-type") == "application/pkix-crl")
        #expect(try await client.request("GET", Routes.revocationList).body == before.body)
        try await server.withClient(device) { _ = try await $0.request("POST", Routes.revocation) }
        server.clock.advance(by: 1)
        let after = try await client.request("GET", Routes.revocationList).body
        let serial = try Certificate(derEncoded: device.certificate).serialNumber.bytes
        #expect(Data(before.body).range(of: Data(serial)) == nil)
        #expect(Data(after).range(of: Data(serial)) != nil)
      }
    }
  }
}
