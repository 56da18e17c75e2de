import LatchkeyServerTestSupport
import Foundation
import HTTPTypes
import Hummingbird
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentProtocol
import Testing

@testable import LatchkeyEnrollmentServer

/// The OpenAPI document says of the server what is so: its routes, its bodies, its statuses.
@Suite("The OpenAPI document")
struct OpenAPIDocumentTests {
  private func document() throws -> [String: Any] {
    try #require(
      try JSONSerialization.jsonObject(with: Data(OpenAPIDocument.value(services: try bank(isLegacy: true)).text.utf8))
        as? [String: Any])
  }

  private func components(_ kind: String) throws -> [String: Any] {
    try #require((try document()["components"] as? [String: Any])?[kind] as? [String: Any])
  }

  @Test("It lists the routes that the router has, and no others")
  func routes() async throws {
    try await RunningServer.with { server in
      let served = EnrollmentServer.router(server.server.services).routes.map {
        // OpenAPI has no name for all components that follow.
        "\($0.method.rawValue) \($0.path)".replacing("/**", with: "/{request}")
      }
      let listed = OpenAPIDocument.operations(services: try bank()).map { "\($0.method) \($0.path)" }
      #expect(Set(served) == Set(listed))
      #expect(served.count == listed.count)
    }
  }

  @Test("It is served as it is made, and every reference in it leads somewhere")
  func references() async throws {
    let served = try await RunningServer.with { server in
      try await server.withClient { try await $0.request("GET", Routes.openAPI).text }
    }
    #expect(served == OpenAPIDocument.value(services: try bank()).text)
    for match in OpenAPIDocument.value(services: try bank(isLegacy: true)).text.matches(
      of: /"#\/components\/([a-zA-Z]+)\/([A-Za-z-]+)"/)
    {
      #expect(try components(String(match.1))[String(match.2)] != nil, "\(match.0)")
    }
    let names = OpenAPIDocument.operations(services: try bank(isLegacy: true)).map(\.name)
    #expect(Set(names).count == names.count)
  }

  /// One value of each type that goes over the wire, every member in it.
  private static let samples: [(String, any Encodable & Sendable)] = {
    let id = String(repeating: "0a", count: 16)
    let bytes = Base64Bytes([1, 2, 3, 4])
    let digest = Base64Bytes([UInt8](repeating: 7, count: 32))
    let challenge = Challenge(id: id, value: bytes, expiresIn: 60)
    let account = AccountSummary(
      number: "123123456456", name: "Checking", currency: "EUR", balance: Amount(minorUnits: -5))
    return [
      ("PasswordLogin", PasswordLogin(user: "demo", password: "secret")),
      ("ChallengeRequest", ChallengeRequest(purpose: .transfer, device: id, content: digest)),
      ("KeyLogin", KeyLogin(challengeID: id, device: id, signature: bytes)),
      ("DeviceRegistration", DeviceRegistration(name: "phone", signingRequest: bytes, attestation: bytes)),
      ("ServerMadeIdentityRequest", ServerMadeIdentityRequest(name: "phone", passphrase: "12345678")),
      ("RenewalRequest", RenewalRequest(signingRequest: bytes)),
      ("CertificateRevocation", CertificateRevocation(serial: "0a1b")),
      ("ApprovalKeyRegistration", ApprovalKeyRegistration(publicKey: bytes, challengeID: id, attestation: bytes)),
      (
        "Transfer",
        Transfer(
          from: "123123456456", to: "654654123123", amount: Amount(minorUnits: 100), currency: "EUR", notes: "x",
          date: 1)
      ),
      ("DeviceDecision", DeviceDecision(device: id, isApproved: true, challengeID: id, signature: bytes)),
      (
        "PendingDevice",
        PendingDevice(device: id, name: "phone", user: "demo", keyDigest: digest, created: 1, expires: 2)
      ),
      (
        "PendingDeviceList",
        PendingDeviceList(devices: [
          PendingDevice(device: id, name: "phone", user: "demo", keyDigest: digest, created: 1, expires: 2)
        ])
      ),
      ("LoginAnswer", LoginAnswer(token: "t", expiresIn: 900, user: "demo", device: id)),
      ("Challenge", challenge),
      (
        "EnrolledDevice",
        EnrolledDevice(
          device: id, user: "demo", certificates: [bytes], notAfter: 1, serverKey: bytes,
          serverKeyID: "0123456789abcdef", pkcs12: bytes)
      ),
      (
        "DeviceStatus",
        DeviceStatus(
          device: id, name: "phone", user: "demo", notAfter: 1, hasApprovalKey: true, approvalKeyEvidence: "tpm")
      ),
      (
        "CertificateList",
        CertificateList(certificates: [
          CertificateSummary(serial: "0a1b", notAfter: 2, revoked: 1, isShown: true)
        ])
      ),
      (
        "ExpiredRenewal",
        ExpiredRenewal(
          device: id, challengeID: id, signature: Base64Bytes([1]), signingRequest: Base64Bytes([1]))
      ),
      ("AccountList", AccountList(accounts: [account])),
      (
        "TransferReceipt",
        TransferReceipt(
          transfer: id, from: "123123456456", to: "654654123123", amount: Amount(minorUnits: 1), currency: "EUR",
          balance: Amount(minorUnits: 0), booked: 1, date: 1)
      ),
      (
        "Problem",
        Problem(.approvalRequired, detail: "sign", instance: id, serverTime: 1, challenge: challenge)
      ),
    ]
  }()

  @Test("Each type is as its schema says, with all its members")
  func schemas() throws {
    let schemas = try components("schemas")
    // Those of ACME are of no types: OpenAPIACMETests has them.
    #expect(Set(schemas.keys) == Set(Self.samples.map(\.0) + ["Health"] + OpenAPISchemas.acme.map(\.0)))
    let checker = JSONSchema(components: schemas)
    for (name, sample) in Self.samples {
      let whole = try #require(schemas[name] as? [String: Any])
      let value = try JSONSerialization.jsonObject(with: Data(try JSONEncoder().encode(sample)))
      let variants = whole["anyOf"] as? [[String: Any]] ?? [whole]
      let schema = try #require(variants.first { checker.complaints(value, $0).isEmpty } ?? variants.first)
      #expect(checker.complaints(value, schema) == [], "\(name)")
      let properties = Set((schema["properties"] as? [String: Any] ?? [:]).keys)
      #expect(Set((value as? [String: Any] ?? [:]).keys) == properties, "\(name): sample and schema have other members")
      let required = schema["required"] as? [String] ?? []
      for member in required {
        var poorer = value as? [String: Any] ?? [:]
        poorer[member] = nil
        #expect(!checker.complaints(poorer, schema).isEmpty)
      }
    }
  }

  @Test("Every problem's status is one that its operations may answer with")
  func codes() throws {
    let statuses = Set(try OpenAPIDocument.operations(services: bank()).flatMap(\.allProblems))
    for code in Problem.Code.allCases where code != .notFound && code != .methodNotAllowed {
      #expect(statuses.contains(code.status), "\(code)")
    }
  }

  @Test(
    "Nothing, noise and another type: what each operation answers stands in the document", arguments: [false, true])
  func statuses(isDevice: Bool) async throws {
    try await RunningServer.with({ $0.limits.loginsPerMinute = 1000 }) { server in
      let device = isDevice ? try await server.device() : nil
      // A device that revokes itself would have no identity from then on.
      for operation in OpenAPIDocument.operations(services: try bank()) where operation.path != Routes.revocation {
        try await server.withClient(device) { client in
          let documented = Set(operation.answers.map(\.status) + operation.allProblems)
          for (type, body) in [("application/json", "{}"), ("application/json", "noise"), ("text/plain", "{}")] {
            let answer = try await client.request(
              operation.method, operation.path, headers: [("content-type", type)],
              body: operation.method == "GET" ? nil : Array(body.utf8))
            #expect(documented.contains(answer.status), "\(operation.method) \(operation.path): \(answer.status)")
            #expect(answer.status != 500, "\(operation.method) \(operation.path): \(answer.text)")
            if answer.status >= 400 {
              #expect(answer.header("content-type") == "application/problem+json")
              let isACME = operation.problemSchema == "ACMEProblem"
              #expect((answer.code != nil) != isACME && (answer.acme != nil) == isACME, "\(operation.path)")
              #expect(answer.json["status"] as? Int == answer.status)
              #expect(isACME || answer.code?.status == answer.status)
            }
          }
        }
      }
    }
  }
}
