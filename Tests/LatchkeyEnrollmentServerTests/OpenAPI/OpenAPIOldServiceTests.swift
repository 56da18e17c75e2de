import LatchkeyServerTestSupport
import Foundation
import HTTPTypes
import Hummingbird
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeySealedMessages
import Testing

@testable import LatchkeyEnrollmentServer
@testable import LatchkeyLedger

/// Where the old service is served, the OpenAPI document says so, and says of its routes what is so.
@Suite("The OpenAPI document of the old service", .timeLimit(.minutes(10)))
struct OpenAPIOldServiceTests {
  @Test("It is served whole, and lists the routes that the router has then")
  func routes() async throws {
    try await LegacyEnrollmentServer.with { legacy in
      let server = legacy.server
      // OpenAPI has no name for all components that follow.
      let routes = EnrollmentServer.router(server.server.services).routes.map {
        "\($0.method.rawValue) \($0.path)".replacing("/**", with: "/{request}")
      }
      let listed = OpenAPIDocument.operations(services: try bank(isLegacy: true)).map { "\($0.method) \($0.path)" }
      #expect(routes.sorted() == listed.sorted())
      let served = try await server.withClient { try await $0.request("GET", Routes.openAPI).text }
      #expect(served == OpenAPIDocument.value(services: try bank(isLegacy: true)).text)
    }
  }

  @Test("A sealed transfer is as its schema says, whatever place its token has")
  func envelope() async throws {
    let schema = try Self.member(
      of: Self.document(), "paths", LegacyEnrollment.transferFunds, "post", "requestBody", "content",
      "application/json",
      "schema")
    try await LegacyEnrollmentServer.with { legacy in
      for token in [nil, "t"] {
        let sealed = try legacy.sealed(legacy.transfer(), token: token)
        let value = try #require(try JSONSerialization.jsonObject(with: Data(sealed)) as? [String: Any])
        let checker = JSONSchema(components: [:])
        #expect(checker.complaints(value, schema) == [])
        for member in ["iv", "mac", "payload"] {
          var poorer = value
          poorer[member] = nil
          #expect(!checker.complaints(poorer, schema).isEmpty)
        }
      }
    }
  }

  @Test("The document lists each route's answers and their types, and each listed answer occurs")
  func answers() async throws {
    let paths = try Self.member(of: Self.document(), "paths")
    try await LegacyEnrollmentServer.with { legacy in
      var seen: [String: Set<Int>] = [:]
      func note(_ method: String, _ path: String, _ answer: TestAnswer) throws {
        let route = String(path.prefix { $0 != "?" })
        let responses = try Self.member(of: paths, route, method.lowercased(), "responses")
        let response = try #require(
          responses["\(answer.status)"] as? [String: Any], "\(method) \(path): \(answer.status)")
        let types = (response["content"] as? [String: Any] ?? [:]).keys
        #expect(Array(types) == [answer.header("content-type")], "\(method) \(path): \(answer.status)")
        let headers = (response["headers"] as? [String: Any] ?? [:]).keys
        for name in headers { #expect(answer.header(name.lowercased()) != nil, "\(name)") }
        seen[route, default: []].insert(answer.status)
      }
      let (token, device) = try await legacy.register()
      let revoked = try await legacy.session()
      let gone = revoked.device.id
      _ = try await legacy.server.store.write { try $0.revokeDevice(gone, at: 0, reason: 1) }
      let pin = try LegacyPIN.seal("4711", keys: legacy.keys)
        .addingPercentEncoding(withAllowedCharacters: .alphanumerics)
      let long = [UInt8](repeating: 0x20, count: 65 * 1024)
      let certificate = LegacyEnrollment.authenticateCertificate
      let requests: [(String, String, [(String, String)], [UInt8]?)] = [
        ("POST", LegacyEnrollment.authenticate, [LegacyEnrollmentServer.basic()], nil),
        ("POST", LegacyEnrollment.authenticate, [], nil),
        ("POST", LegacyEnrollment.authenticate + "?register=true&pin=", [LegacyEnrollmentServer.basic()], nil),
        ("POST", LegacyEnrollment.authenticate, [LegacyEnrollmentServer.basic()], long),
        ("POST", "\(certificate)?pin=\(pin ?? "")", [], nil), ("POST", certificate, [], long),
        ("GET", LegacyEnrollment.accounts, [(LegacyEnrollment.tokenHeader, token)], nil),
        ("GET", LegacyEnrollment.accounts, [], nil),
        (
          "POST", LegacyEnrollment.transferFunds, [(LegacyEnrollment.tokenHeader, token)],
          try legacy.sealed(legacy.transfer())
        ),
        ("POST", LegacyEnrollment.transferFunds, [(LegacyEnrollment.tokenHeader, token)], Array("noise".utf8)),
        ("POST", LegacyEnrollment.transferFunds, [(LegacyEnrollment.tokenHeader, token)], long),
      ]
      for shown in [device, revoked.device, nil] {
        for (method, path, headers, body) in requests {
          let answer = try await legacy.server.withClient(shown) {
            try await $0.request(method, path, headers: headers, body: body)
          }
          try note(method, path, answer)
        }
      }
      // Of what every operation may answer, nothing is asked for: another host, too many requests, a fault, no store.
      for operation in LegacyDocument.all {
        var listed = Set(operation.answers.map(\.status) + operation.allProblems).subtracting([421, 429, 500, 503])
        // A login by password is forbidden only to a device that is revoked in its very moment.
        if operation.path == LegacyEnrollment.authenticate { listed.remove(403) }
        #expect(seen[operation.path] == listed, "\(operation.path)")
      }
    }
  }

  private static func document() throws -> [String: Any] {
    let text = OpenAPIDocument.value(services: try bank(isLegacy: true)).text
    return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  private static func member(of value: [String: Any], _ path: String...) throws -> [String: Any] {
    try path.reduce(value) { value, name in try #require(value[name] as? [String: Any], "\(name)") }
  }
}
