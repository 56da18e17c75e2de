import Crypto
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyServerTestSupport
import SwiftASN1
import Testing

@testable import LatchkeyEnrollmentServer

/// What the OpenAPI document says of ACME is what a client sends and the server answers.
@Suite("ACME in the OpenAPI document", .timeLimit(.minutes(5))) struct OpenAPIACMETests {
  private let document: [String: Any]
  private let schemas: [String: Any]
  private let device = P256.Signing.PrivateKey()

  init() throws {
    document = try #require(
      try JSONSerialization.jsonObject(with: Data(OpenAPIDocument.value().text.utf8)) as? [String: Any])
    schemas = try #require((document["components"] as? [String: Any])?["schemas"] as? [String: Any])
  }

  /// A request before it is signed, and the answer.
  private struct Exchange {
    /// The path in the document.
    let route: String
    let path: String
    let header: [String: Any]
    let payload: Any?
    let body: [UInt8]
    let answer: TestAnswer
  }

  /// A client that keeps what it sent and got.
  private final class Conversation {
    private(set) var exchanges: [Exchange] = []

    /// POSTs to a path of the document.
    @discardableResult
    func ask(
      _ acme: ACMETestClient, _ route: String, _ name: String = "", _ payload: Any? = nil, byKey: Bool = false
    ) async throws -> TestAnswer {
      let path = route.replacing("{id}", with: name).replacing("{label}", with: name)
      var header: [String: Any] = ["alg": "ES256", "nonce": try await acme.nonce(), "url": acme.base + path]
      if byKey { header["jwk"] = acme.jwk } else { header["kid"] = try acme.kid }
      let body = try acme.body(header, payload)
      let answer = try await acme.send(path, body)
      exchanges.append(
        Exchange(route: route, path: path, header: header, payload: payload, body: body, answer: answer))
      return answer
    }
  }

  /// Asks for each resource in each of its states.
  private func converse(_ acme: ACMETestClient) async throws -> [Exchange] {
    let talk = Conversation()
    try await acme.profile("watched") { $0.approval = .operator }
    try await talk.ask(acme, Routes.acmeDirectory)
    try await talk.ask(acme, Routes.acmeDirectory(label: "{label}"), "watched")
    try await talk.ask(acme, Routes.acmeNonce)
    try await talk.ask(acme, Routes.acmeAccounts, "", ["onlyReturnExisting": false], byKey: true)
    try await talk.ask(acme, Routes.acmeAccount("{id}"), try acme.key.accountID)

    func order(_ route: String, _ label: String) async throws -> String {
      let identifier = ["type": "permanent-identifier", "value": try await acme.token(label)]
      let made = try await talk.ask(acme, route, label, ["identifiers": [identifier]])
      return try #require(made.header("location")?.split(separator: "/").last.map(String.init), "\(made.text)")
    }
    func read(_ order: String) async throws {
      for route in [Routes.acmeOrder("{id}"), Routes.acmeAuthorization("{id}"), Routes.acmeChallenge("{id}")] {
        try await talk.ask(acme, route, order)
      }
    }
    func answer(_ order: String, by tpm: PaperTPM) async throws {
      let authorization = try acme.key.authorization(ofToken: try await acme.challenge(order))
      let object = try tpm.attestation(of: device.publicKey, challenge: Array(authorization.utf8))
      try await talk.ask(acme, Routes.acmeChallenge("{id}"), order, ["attObj": Base64URL.encode(object)])
      try await read(order)
    }
    let request = ["csr": Base64URL.encode(try signingRequest(device))]

    let refused = try await order(Routes.acmeOrders, "default")
    try await read(refused)
    try await answer(refused, by: PaperTPM())

    let good = try await order(Routes.acmeOrders, "default")
    try await answer(good, by: acme.tpm)
    try await talk.ask(acme, Routes.acmeFinalization("{id}"), good, request)
    try await read(good)
    let chain = try await talk.ask(acme, Routes.acmeCertificate("{id}"), good)
    try await talk.ask(acme, Routes.acmeAccounts, "", ["onlyReturnExisting": true], byKey: true)
    let revocation = ["certificate": Base64URL.encode(try chain.leaf), "reason": 1] as [String: Any]
    try await talk.ask(acme, Routes.acmeRevocation, "", revocation)
    var holder = acme
    holder.account = device
    try await talk.ask(holder, Routes.acmeRevocation, "", revocation, byKey: true)

    let other = try await order(Routes.acmeOrders(label: "{label}"), "watched")
    let key = P256.Signing.PrivateKey()
    let authorization = try acme.key.authorization(ofToken: try await acme.challenge(other))
    let object = try acme.tpm.attestation(of: key.publicKey, challenge: Array(authorization.utf8))
    try await talk.ask(acme, Routes.acmeChallenge("{id}"), other, ["attObj": Base64URL.encode(object)])
    let waits = try await talk.ask(
      acme, Routes.acmeFinalization("{id}"), other, ["csr": Base64URL.encode(try signingRequest(key))])
    #expect(waits.json["status"] as? String == "processing", "\(waits.text)")
    let algorithm = try await acme.post(Routes.acmeAccounts, [String: Any](), byKey: true) { $0["alg"] = "ES384" }
    #expect(JSONSchema(components: schemas).complaints(algorithm.json, problem) == [], "\(algorithm.text)")
    return talk.exchanges
  }

  private var problem: [String: Any] { ["$ref": "#/components/schemas/ACMEProblem"] }

  private func operation(_ route: String, _ method: String = "post") throws -> [String: Any] {
    try #require(
      ((document["paths"] as? [String: Any])?[route] as? [String: Any])?[method] as? [String: Any], "\(route)")
  }

  private func content(_ part: Any?, _ type: String) throws -> [String: Any] {
    let content = try #require((part as? [String: Any])?["content"] as? [String: Any])
    #expect(Array(content.keys) == [type])
    return content[type] as? [String: Any] ?? [:]
  }

  @Test("A device's way to its certificate is of the document's schemas, and uses all of their members")
  func conversation() async throws {
    try await ACMETestClient.with { acme in
      let members = Members()
      let checker = JSONSchema(components: schemas) { members.note($0, $1) }
      var asked: Set<String> = []
      for exchange in try await converse(acme) {
        let operation = try operation(exchange.route)
        asked.insert(exchange.route)
        let request = try content(operation["requestBody"], "application/jose+json")["schema"] as? [String: Any]
        let body = try JSONSerialization.jsonObject(with: Data(exchange.body))
        #expect(checker.complaints(body, try #require(request)) == [], "\(exchange.path)")

        let answer = exchange.answer
        let responses = try #require(operation["responses"] as? [String: Any])
        let response = try #require(responses["\(answer.status)"] as? [String: Any], "\(exchange.path): \(answer.text)")
        if answer.body.isEmpty {
          #expect(response["content"] == nil)
        } else if let schema = try content(response, #require(answer.header("content-type")))["schema"] {
          #expect(checker.complaints(answer.json, try #require(schema as? [String: Any])) == [], "\(exchange.path)")
        }
        guard answer.status < 400 else { continue }
        let listed = Set(((response["headers"] as? [String: Any]) ?? [:]).keys)
        let sent = ["Replay-Nonce", "Link", "Location", "Retry-After"].filter { answer.header($0.lowercased()) != nil }
        #expect(listed.subtracting(["Retry-After"]) == Set(sent).subtracting(["Retry-After"]), "\(exchange.path)")
        #expect(listed.isSuperset(of: sent), "\(exchange.path)")
      }
      for path in [Routes.acmeDirectory, Routes.acmeDirectory(label: "{label}")] {
        let answer = try await acme.client.request("GET", path.replacing("{label}", with: "watched"))
        let responses = try #require(try operation(path, "get")["responses"] as? [String: Any])
        let schema = try content(responses["200"], "application/json")["schema"] as? [String: Any]
        #expect(checker.complaints(answer.json, try #require(schema)) == [])
      }
      #expect(asked == Set(OpenAPIOperations.acme.filter { $0.method == "POST" }.map(\.path)))
      for (name, schema) in OpenAPISchemas.acme where name != "ACMEProblem" {
        let properties = (try #require(schemas[name] as? [String: Any])["properties"] as? [String: Any] ?? [:]).keys
        #expect(members.all[name] == Set(properties), "\(name): \(schema.text)")
      }
    }
  }

  @Test("A request without a required member, or with a value that no schema has, is refused")
  func spoiled() async throws {
    try await ACMETestClient.with({ $0.limits.anonymousRequestsPerSecond = 1_000_000 }) { acme in
      let checker = JSONSchema(components: schemas)
      var count = 0
      for exchange in try await converse(acme) where exchange.answer.status < 300 {
        let schema = try #require(
          try content(try operation(exchange.route)["requestBody"], "application/jose+json")["schema"] as? [String: Any]
        )
        let name = try #require((schema["$ref"] as? String)?.split(separator: "/").last.map(String.init))
        let request = try #require((schemas[name] as? [String: Any])?["properties"] as? [String: [String: Any]])
        func refuses(_ header: Any, _ payload: Any?, _ what: String) async throws {
          var header = try #require(header as? [String: Any])
          if header["nonce"] != nil { header["nonce"] = try await acme.nonce() }
          let body = try acme.body(header, payload)
          let value = try JSONSerialization.jsonObject(with: Data(body))
          #expect(!checker.complaints(value, schema).isEmpty, "\(exchange.path): \(what)")
          let answer = try await acme.send(exchange.path, body)
          #expect([400, 403].contains(answer.status), "\(exchange.path): \(what): \(answer.text)")
          count += 1
        }
        for (what, header) in checker.spoiled(exchange.header, try #require(request["protected"])) {
          try await refuses(header, exchange.payload, what)
        }
        // A challenge that was answered stays as it is, whatever else comes.
        if let payload = exchange.payload, exchange.route != Routes.acmeChallenge("{id}") {
          for (what, other) in checker.spoiled(payload, try #require(request["payload"])) {
            try await refuses(exchange.header, other, what)
          }
        }
        let whole = try #require(try JSONSerialization.jsonObject(with: Data(exchange.body)) as? [String: Any])
        var spoiled = whole.keys.map { key in whole.filter { $0.key != key } }
        spoiled.append(whole.merging(["header": [String: Any]()]) { $1 })
        for body in spoiled {
          #expect(!checker.complaints(body, schema).isEmpty)
          let answer = try await acme.send(exchange.path, Array(try JSONSerialization.data(withJSONObject: body)))
          #expect(answer.acme == "malformed", "\(exchange.path): \(answer.text)")
        }
      }
      #expect(count > 100)
    }
  }

  /// The members that objects of a schema had.
  private final class Members {
    private(set) var all: [String: Set<String>] = [:]
    func note(_ schema: String, _ names: some Sequence<String>) { all[schema, default: []].formUnion(names) }
  }
}
