import LatchkeyServerTestSupport
import Foundation
import HTTPTypes
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyTestSupport
import Testing

@testable import LatchkeyEnrollmentServer

/// The admin listener, refusals first.
@Suite("Administration")
struct AdministrationTests {
  /// A server with the listener, and an administrator of each role.
  private func with(
    host: String = "127.0.0.1", names: [String] = [], hasTLS: Bool = false, loginsPerMinute: Int = 30,
    anonymousPerSecond: Int = 100,
    _ body: (RunningServer, AdminClient) async throws -> Void
  ) async throws {
    let change: (inout ServerConfiguration) throws -> Void = {
      $0.operations = OperationsAddress(
        host: host, port: 0, authorities: hasTLS ? $0.authority.chain : nil, names: names)
      $0.policy.revocationStaleness = .zero
      $0.limits.loginsPerMinute = loginsPerMinute
      $0.limits.anonymousRequestsPerSecond = anonymousPerSecond
    }
    try await RunningServer.with(change) { server in
      var tokens: [AdministratorRole: String] = [:]
      for role in AdministratorRole.allCases {
        tokens[role] = try await Operator(server.store).addAdministrator("\(role)", role: role)
      }
      let port = try #require(try await server.server.operationsPort)
      let admin = AdminClient(url: "http://127.0.0.1:\(port)", tokens: tokens)
      try await body(server, admin)
    }
  }

  @Test("Every operation refuses who shows no token, a wrong one, or a lower role", .needs("curl"))
  func refusals() async throws {
    try await with(loginsPerMinute: 10_000) { (_: RunningServer, admin: AdminClient) async throws -> Void in
      for operation in AdministrationOperations.all {
        let (method, path) = (operation.method.rawValue, operation.fullPath)
        #expect(try await admin.send(method, path, token: nil).status == 401, "\(path)")
        #expect(
          try await admin.send(method, path, token: "lkadm_" + String(repeating: "A", count: 43)).status == 401,
          "\(path)")
        for (role, token) in admin.tokens where role < operation.role {
          #expect(try await admin.send(method, path, token: token).code == "not_permitted", "\(path) \(role)")
        }
      }
    }
  }

  @Test(
    "Neither the public port, nor a plain listener that other machines reach, serves administration", .needs("curl"))
  func places() async throws {
    try await with { server, admin in
      let token = try #require(admin.tokens[.owner])
      try await server.withClient { client in
        for path in AdministrationOperations.all.map(\.fullPath) + ["//admin/v1/users", "/admin/v1/users/"] {
          let answer = try await client.request("GET", path, headers: [("authorization", "Bearer \(token)")])
          #expect(answer.status == 404, "\(path)")
        }
      }
      #expect(try await admin.send("GET", "//admin/v1/users", token: token).status == 404)
      #expect(try await admin.send("GET", "/admin/v1/users/", token: token).status == 404)
      #expect(try await admin.send("GET", Routes.live, token: nil).status == 200)
    }
    try await with(host: "0.0.0.0") { _, admin in
      let token = try #require(admin.tokens[.owner])
      #expect(try await admin.send("GET", "/admin/v1/users", token: token).status == 404)
      #expect(try await admin.send("GET", Routes.metrics, token: nil).status == 200)
    }
  }

  @Test("A second token, an odd form of the field, and fields that others set, prove nothing", .needs("curl"))
  func fields() async throws {
    try await with { _, admin in
      let token = try #require(admin.tokens[.viewer])
      for fields in [
        ["authorization: Bearer \(token)", "authorization: Bearer other-token-of-no-one"],
        ["authorization: Basic \(token)"], ["authorization: \(token)"], ["authorization: Bearer \(token) x"],
        ["x-forwarded-for: 127.0.0.1", "x-ssl-client-verify: SUCCESS", "ssl-client-cert: x"],
        ["proxy-authorization: Bearer \(token)"],
      ] {
        #expect(try await admin.send("GET", "/admin/v1/users", token: nil, fields: fields).status == 401, "\(fields)")
      }
      #expect(try await admin.send("GET", "/admin/v1/users", token: token).status == 200)
    }
  }

  @Test("An administrator who was removed is refused at once", .needs("curl"))
  func removed() async throws {
    try await with { _, admin in
      let token = try #require(admin.tokens[.operator])
      #expect(try await admin.send("GET", "/admin/v1/administrator", token: token).text.contains("\"operator\""))
      let gone = try await admin.post("administrators/remove", ["name": "operator"], as: .owner)
      #expect(gone.status == 204)
      #expect(try await admin.send("GET", "/admin/v1/administrator", token: token).status == 401)
      #expect(try await admin.post("administrators/remove", ["name": "operator"], as: .owner).status == 404)
    }
  }

  @Test("After too many wrong tokens from an address wrong ones wait, and the right one does not", .needs("curl"))
  func guesses() async throws {
    try await with(loginsPerMinute: 5) { (_: RunningServer, admin: AdminClient) async throws -> Void in
      for _ in 0..<5 {
        #expect(try await admin.send("GET", "/admin/v1/users", token: "wrong-token-of-no-one").status == 401)
      }
      #expect(try await admin.send("GET", "/admin/v1/users", token: "wrong-token-of-no-one").status == 429)
      #expect(try await admin.send("GET", "/admin/v1/users", token: nil).status == 429)
      for _ in 0..<7 {
        #expect(try await admin.send("GET", "/admin/v1/users", token: admin.tokens[.owner]).status == 200)
      }
      #expect(try await admin.send("GET", "/admin/v1/users", token: "wrong-token-of-no-one").status == 429)
    }
  }

  @Test(
    "Refused administrators leave health checks and scrapes of the same address their own limit, and these leave theirs",
    .needs("curl"))
  func probes() async throws {
    let probed = [Routes.live, Routes.ready, Routes.metrics]
    try await with(anonymousPerSecond: 3) { (_: RunningServer, admin: AdminClient) async throws -> Void in
      // The clock stands, so no request comes back to a limit.
      for _ in 0..<6 {
        #expect(try await admin.send("GET", "/admin/v1/users", token: "wrong-token-of-no-one").status == 401)
      }
      #expect(try await admin.send("GET", "/admin/v1/users", token: "wrong-token-of-no-one").status == 429)
      for path in probed + probed { #expect(try await admin.send("GET", path, token: nil).status == 200, "\(path)") }
      for path in probed { #expect(try await admin.send("GET", path, token: nil).status == 429, "\(path)") }
    }
    try await with(anonymousPerSecond: 3) { (_: RunningServer, admin: AdminClient) async throws -> Void in
      for path in probed + probed { #expect(try await admin.send("GET", path, token: nil).status == 200, "\(path)") }
      #expect(try await admin.send("GET", Routes.ready, token: nil).status == 429)
      #expect(try await admin.send("GET", "/admin/v1/users", token: admin.tokens[.viewer]).status == 200)
      // What no monitor asks for is no monitor's.
      #expect(try await admin.send("GET", Routes.live + "/x", token: nil).status == 404)
    }
  }

  @Test("On loopback a request for another name than the listener's is refused, whatever it asks for", .needs("curl"))
  func otherNames() async throws {
    try await with(names: ["Admin.example"]) { _, admin in
      let token = try #require(admin.tokens[.owner])
      for host in [
        "evil.example", "evil.example:80", "127.evil.example", "127.0.0.1.evil.example", "localhost.evil.example",
        "[::2]", "[::1]evil.example", "[::1].evil.example:80", "[::1]:80:80", "[::1", "10.0.0.1", "0.0.0.0", "x", ":80",
        "localhost:80:80", "127.0.0.256",
        "sub.admin.example",
      ] {
        for path in ["/admin/v1/users", Routes.metrics, Routes.live] {
          let answer = try await admin.send("GET", path, token: token, fields: ["host: \(host)"])
          #expect(answer.status == 400 && answer.text.contains("--admin-name"), "\(host) \(path) \(answer.text)")
        }
      }
      // Not a host at all.
      let user = try await admin.send(
        "GET", "/admin/v1/users", token: token, fields: ["host: 127.0.0.1@evil.example"])
      #expect(user.status == 400)
      for host in [
        "localhost", "LocalHost:1", "localhost.", "127.0.0.1:99", "127.1.2.3", "[::1]:5", "admin.example:80",
      ] {
        let answer = try await admin.send("GET", "/admin/v1/users", token: token, fields: ["host: \(host)"])
        #expect(answer.status == 200, "\(host) \(answer.text)")
      }
    }
  }

  @Test("An administrator's certificate that has ended, or whose device was revoked, is refused on an open connection")
  func endedCertificates() async throws {
    try await with(hasTLS: true) { server, _ in
      let (ending, revoked) = (try await server.device(), try await server.device())
      let operating = Operator(server.store)
      try await operating.addAdministrator("carol", role: .operator, certificate: ending.certificate)
      try await operating.addAdministrator("dave", role: .operator, certificate: revoked.certificate)
      let port = try #require(try await server.server.operationsPort)
      let path = "/admin/v1/users"
      try await server.withClient(revoked) { client in
        let listener = TestClient(client: client.client, url: "https://localhost:\(port)")
        let before = try await listener.request("GET", path)
        try await operating.revokeDevice(revoked.id.description)
        let after = try await listener.request("GET", path)
        #expect(before.status == 200 && after.status == 401)
      }
      try await server.withClient(ending) { client in
        let listener = TestClient(client: client.client, url: "https://localhost:\(port)")
        let before = try await listener.request("GET", path)
        server.clock.advance(by: 25 * 3600)
        let after = try await listener.request("GET", path)
        #expect(before.status == 200 && after.status == 401)
      }
    }
  }

  @Test(
    "Limits, cursors and parameters that are none of this list's are refused", .needs("curl"),
    arguments: [
      "limit=0", "limit=1001", "limit=99999999999999999999", "limit=-1", "limit=x", "cursor=%21", "cursor=",
      "cursor=AAAA",
      "stat=valid", "revoked=maybe", "limit=1&limit=2", "revoked=",
    ])
  func parameters(_ query: String) async throws {
    try await with { _, admin in
      let answer = try await admin.send("GET", "/admin/v1/devices?\(query)", token: admin.tokens[.viewer])
      #expect([400, 422].contains(answer.status), "\(answer.text)")
    }
  }

  @Test(
    "A disabled user's login and device are refused until the user is enabled; who did it is audited", .needs("curl"))
  func disabled() async throws {
    try await with { server, admin in
      let device = try await server.device()
      let login = PasswordLogin(user: "demo", password: RunningServer.password)
      try await server.withClient(device) { client in
        #expect(try await client.request("GET", Routes.device).status == 200)
        let token = try await client.post(Routes.login, login).decoded(LoginAnswer.self).token
        #expect(try await admin.post("users/disable", ["user": "demo"], as: .operator).status == 204)
        #expect(try await client.request("GET", Routes.device).code == .notPermitted)
        #expect(try await client.post(Routes.login, login).status == 401)
        let session = try await server.store.read { store in try store.token(hash: BearerToken(token).hash, now: 0) }
        #expect(session == nil)
        #expect(try await admin.post("users/disable", ["user": "demo"], as: .operator).status == 409)
        #expect(try await admin.post("users/enable", ["user": "demo"], as: .operator).status == 204)
        #expect(try await client.request("GET", Routes.device).status == 200)
        #expect(try await client.post(Routes.login, login).status == 200)
      }
      let audit = try await admin.send("GET", "/admin/v1/audit?event=user.disabled", token: admin.tokens[.viewer])
      #expect(audit.text.contains("\"by\":\"administrator operator\""), "\(audit.text)")
    }
  }

  @Test("A device is found, renamed, and revoked with a reason; then it is refused", .needs("curl"))
  func devices() async throws {
    try await with { server, admin in
      let device = try await server.device()
      let id = device.id.description
      #expect(try await admin.post("devices/rename", ["device": id, "name": "pump"], as: .viewer).status == 403)
      #expect(try await admin.post("devices/rename", ["device": id, "name": "a\u{7}"], as: .operator).status == 422)
      #expect(try await admin.post("devices/rename", ["device": id, "name": "pump"], as: .operator).status == 204)
      let found = try await admin.send("GET", "/admin/v1/devices?prefix=pu", token: admin.tokens[.viewer])
      #expect(found.text.contains(id) && !found.text.contains("\"next\""))
      try await server.withClient(device) { client in
        #expect(try await client.request("GET", Routes.device).status == 200)
        let wrong = try await admin.post("devices/revoke", ["device": id, "reason": "superseded"], as: .operator)
        #expect(wrong.status == 422)
        let revoked = try await admin.post("devices/revoke", ["device": id, "reason": "keyCompromise"], as: .operator)
        #expect(revoked.status == 204)
        #expect(try await client.request("GET", Routes.device).code == .revoked)
      }
      let certificates = try await server.store.read { try $0.certificates(of: device.id) }
      #expect(certificates.map(\.reason) == [1])
      #expect(try await admin.post("devices/revoke", ["device": id], as: .operator).status == 404)
    }
  }

  @Test("An owner adds users and administrators, whose token works in its role alone", .needs("curl"))
  func owners() async throws {
    try await with { server, admin in
      let short = try await admin.post("users", ["user": "eve", "password": "short"], as: .owner)
      #expect(short.status == 422)
      #expect(try await admin.post("users", ["user": "eve", "password": "long enough"], as: .owner).status == 204)
      #expect(try await admin.post("users", ["user": "eve", "password": "long enough"], as: .owner).status == 409)
      try await server.withClient { client in
        let login = try await client.post(Routes.login, PasswordLogin(user: "eve", password: "long enough"))
        #expect(login.status == 200)
      }
      let added = try await admin.post("administrators", ["name": "bob", "role": "viewer"], as: .owner)
      let token = try #require(
        try (JSONSerialization.jsonObject(with: Data(added.text.utf8)) as? [String: Any])?["token"] as? String)
      #expect(try await admin.send("GET", "/admin/v1/users", token: token).status == 200)
      #expect(try await admin.send("GET", "/admin/v1/administrators", token: token).status == 403)
      let list = try await admin.send("GET", "/admin/v1/administrators", token: admin.tokens[.owner])
      #expect(list.text.contains("bob") && !list.text.contains(token))
    }
  }

  @Test("With TLS, a client certificate that was bound is its administrator's, and another is no one's", .needs("curl"))
  func certificates() async throws {
    try await with(hasTLS: true) { server, _ in
      let (own, other) = (try await server.device(), try await server.device())
      try await Operator(server.store).addAdministrator("carol", role: .operator, certificate: own.certificate)
      await #expect(throws: OperatorError.self) {
        try await Operator(server.store).addAdministrator("dave", role: .owner, certificate: own.certificate)
      }
      let port = try #require(try await server.server.operationsPort)
      for (device, status) in [(own, 200), (other, 401)] {
        try await server.withClient(device) { client in
          let listener = TestClient(client: client.client, url: "https://localhost:\(port)")
          let answer = try await listener.request("GET", "/admin/v1/users")
          #expect(answer.status == status)
          #expect(try await listener.request("GET", "/admin/v1/administrators").status != 200)
          #expect(try await listener.request("GET", Routes.live).status == 200)
        }
      }
      // A certificate beside a wrong token proves nothing.
      try await server.withClient(own) { client in
        let listener = TestClient(client: client.client, url: "https://localhost:\(port)")
        let answer = try await listener.request(
          "GET", "/admin/v1/users", headers: [("authorization", "Bearer wrong-token-of-no-one")])
        #expect(answer.status == 401)
      }
    }
  }

  @Test(
    "The OpenAPI document names every schema that it refers to, and answers agree with their schemas", .needs("curl"))
  func document() async throws {
    try await with { server, admin in
      _ = try await server.device()
      let text = try await admin.send("GET", "/admin/v1/openapi.json", token: admin.tokens[.viewer]).text
      let document = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      let schemas = try #require((document["components"] as? [String: Any])?["schemas"] as? [String: Any])
      for match in text.matches(of: /"#\/components\/schemas\/([A-Za-z]+)"/) {
        #expect(schemas[String(match.1)] != nil, "\(match.0)")
      }
      for operation in AdministrationOperations.all where operation.method == .get {
        let query =
          operation.parameters.filter(\.isRequired).isEmpty ? "" : operation.name == "user" ? "?user=demo" : nil
        guard let query, let answer = operation.answer, answer != "Document" else { continue }
        let found = try await admin.send("GET", operation.fullPath + query, token: admin.tokens[.owner])
        #expect(found.status == 200, "\(operation.fullPath) \(found.text)")
        let value = try JSONSerialization.jsonObject(with: Data(found.text.utf8))
        let complaints = JSONSchema(components: schemas).complaints(value, ["$ref": "#/components/schemas/\(answer)"])
        #expect(
          complaints.filter { !$0.contains("additionalProperties") && !$0.contains("fields.") } == [],
          "\(operation.name)")
      }
    }
  }
}

/// Administrators of a server under test, by curl.
struct AdminClient: Sendable {
  struct Answer {
    let status: Int
    let text: String
    var code: String? {
      (try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])?["code"] as? String
    }
  }

  let url: String
  let tokens: [AdministratorRole: String]

  func send(
    _ method: String, _ path: String, token: String?, fields: [String] = [], body: String? = nil
  ) async throws -> Answer {
    var words = ["-sS", "--path-as-is", "--max-time", "120", "-X", method, "-w", "\n%{http_code}"]
    for field in fields + (token.map { ["authorization: Bearer \($0)"] } ?? []) { words += ["-H", field] }
    if let body { words += ["-H", "content-type: application/json", "--data-binary", body] }
    let run = try #require(try await ForeignProgram.run("/usr/bin/curl", words + [url + path]))
    let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
    return Answer(status: Int(lines.last ?? "") ?? 0, text: lines.dropLast().joined(separator: "\n"))
  }

  func post(_ path: String, _ members: [String: String], as role: AdministratorRole) async throws -> Answer {
    let body = String(decoding: try JSONEncoder().encode(members), as: UTF8.self)
    return try await send("POST", AdministrationOperation.prefix + path, token: tokens[role], body: body)
  }
}
