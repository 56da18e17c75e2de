import LatchkeyServerTestSupport
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyTestSupport
import Testing

@testable import LatchkeyEnrollmentServer

/// Tokens, profiles and devices that wait, on the admin listener. Who may ask is tested of every operation in `AdministrationTests`.
@Suite("Administration of enrollments")
struct AdministrationEnrollmentTests {
  private typealias Body = (RunningServer, AdminClient) async throws -> Void

  private func with(_ body: Body) async throws {
    let change: (inout ServerConfiguration) throws -> Void = {
      $0.operations = OperationsAddress(port: 0)
      $0.policy.certificateLifetime = 7200
    }
    try await RunningServer.with(change) { server in
      var tokens: [AdministratorRole: String] = [:]
      for role in AdministratorRole.allCases {
        tokens[role] = try await Operator(server.store).addAdministrator("\(role)", role: role)
      }
      let port = try #require(try await server.server.operationsPort)
      try await body(server, AdminClient(url: "http://127.0.0.1:\(port)", tokens: tokens))
    }
  }

  private func get(_ admin: AdminClient, _ path: String) async throws -> [String: Any] {
    let answer = try await admin.send("GET", "/admin/v1/\(path)", token: admin.tokens[.viewer])
    return try object(answer)
  }

  private func object(_ answer: AdminClient.Answer) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: Any], "\(answer.text)")
  }

  private func items(_ admin: AdminClient, _ path: String) async throws -> [[String: Any]] {
    try await get(admin, path)["items"] as? [[String: Any]] ?? []
  }

  /// Sends a body of JSON as the owner.
  private func post(_ admin: AdminClient, _ path: String, _ body: String) async throws -> AdminClient.Answer {
    try await admin.send("POST", "/admin/v1/\(path)", token: admin.tokens[.owner], body: body)
  }

  @Test("A token is shown once, listed without its text, and revoked once; each step is audited", .needs("curl"))
  func tokens() async throws {
    try await with { server, admin in
      let made = try await post(admin, "tokens", #"{"user": "demo", "deviceName": "d", "lifetime": 600}"#)
      let token = try object(made)
      let (id, text) = (try #require(token["token"] as? String), try #require(token["text"] as? String))
      let stored = try await server.store.read { try $0.enrollmentTokens(after: nil, limit: 10).records }
      #expect(stored.map(\.id.description) == [id] && stored.first?.deviceName == "d")
      let listed = try await admin.send("GET", "/admin/v1/tokens", token: admin.tokens[.viewer])
      #expect(listed.text.contains(id) && !listed.text.contains(text))
      let before = try await items(admin, "tokens").first?["state"] as? String
      let revoked = try await admin.post("tokens/revoke", ["token": id], as: .operator)
      let again = try await admin.post("tokens/revoke", ["token": id], as: .operator)
      let after = try await items(admin, "tokens").first?["state"] as? String
      #expect(revoked.status == 204 && again.status == 404 && before == "unused" && after == "revoked")
      let audit = try await items(admin, "audit?event=token.").compactMap { $0["event"] as? String }
      #expect(audit == ["token.created", "token.revoked"])
    }
  }

  @Test(
    "A token of no user, of no profile or of a wrong lifetime is not created", .needs("curl"),
    arguments: [
      (#"{"user": "nobody", "lifetime": 600}"#, 404), (#"{"user": "demo", "lifetime": 59}"#, 422),
      (#"{"user": "demo", "lifetime": 7776001}"#, 422), (#"{"user": "demo", "lifetime": -1}"#, 422),
      (#"{"user": "demo", "lifetime": 600, "profile": "none"}"#, 404), (#"{"user": "demo"}"#, 400),
      (#"{"user": "demo", "lifetime": 600, "deviceName": ""}"#, 422), (#"{"user": "demo", "lifetime": 9e99}"#, 400),
    ])
  func badTokens(_ body: String, _ status: Int) async throws {
    try await with { server, admin in
      let answer = try await post(admin, "tokens", body)
      #expect(answer.status == status, "\(answer.text)")
      let stored = try await server.store.read { try $0.enrollmentTokens(after: nil, limit: 10).records.count }
      #expect(stored == 0)
    }
  }

  @Test(
    "A device that waits is listed with its digits and its approval, which is taken back until it has a certificate",
    .needs("curl"))
  func pending() async throws {
    try await with { server, admin in
      let now = Int64(server.clock.now.timeIntervalSince1970)
      let devices = (0..<2).map { number in
        PendingDeviceRecord(
          id: .random(), user: "demo", name: "d\(number)", profile: "default", identityKey: [4, UInt8(number)],
          identityEvidence: "none", request: "r\(number)",
          digest: RequestDigest([UInt8](repeating: UInt8(number), count: 32)), created: now + Int64(number),
          expires: now + 3600)
      }
      try await server.store.write { store in for device in devices { _ = try store.addPendingDevice(device) } }
      let listed = try await items(admin, "devices/pending")
      #expect(listed.compactMap { $0["name"] as? String } == ["d0", "d1"])
      let digits = devices.map { PendingDevice($0, names: []).comparedDigits }
      #expect(listed.compactMap { $0["digits"] as? String } == digits)
      let limited = try await items(admin, "devices/pending?limit=1")
      #expect(limited.count == 1)
      for (device, verbs) in zip(devices, [["approve", "reject"], ["reject"]]) {
        for verb in verbs {
          let done = try await admin.post("devices/\(verb)", ["device": device.id.description], as: .operator)
          let again = try await admin.post("devices/\(verb)", ["device": device.id.description], as: .operator)
          #expect(done.status == 204 && again.status == 404)
          let decided = try await server.store.read { try $0.pendingDevice(device.id)?.decision?.isApproved }
          #expect(decided == (verb == "approve"))
          let found = try await items(admin, "devices/pending").first { $0["device"] as? String == "\(device.id)" }
          #expect(found.map { $0["requestedNames"] as? [String] == [] } ?? (verb == "reject"))
          #expect(found?["approvedBy"] as? String == (verb == "approve" ? "operator" : nil))
        }
        let late = try await admin.post("devices/approve", ["device": device.id.description], as: .operator)
        #expect(late.status == 404)
      }
      let unknown = try await admin.post("devices/approve", ["device": "x"], as: .operator)
      #expect([404, 422].contains(unknown.status))
    }
  }

  @Test("A profile is defined, replaced when that is said, and removed while nothing has it", .needs("curl"))
  func profiles() async throws {
    try await with { server, admin in
      let body = #"""
        {"name": "sensor", "certificateLifetime": 3600, "renewalAfterExpiry": 60, "requestedNames": ["dns:*.example.org"], "alternativeNames": ["dns:{device}.example.org"], "ways": ["token"],
          "approval": "operator", "attestation": "software"}
        """#
      let (made, again) = (try await post(admin, "profiles", body), try await post(admin, "profiles", body))
      #expect(made.status == 204 && again.status == 409)
      let listed = try await items(admin, "profiles")
      #expect(listed.compactMap { $0["name"] as? String } == ["default", "sensor"])
      #expect(listed.last?["ways"] as? [String] == ["token"] && listed.last?["approval"] as? String == "operator")
      #expect(listed.last?["requestedNames"] as? [String] == ["dns:*.example.org"])
      #expect(listed.last?["renewalAfterExpiry"] as? Int == 60 && listed.last?["certificateLifetime"] as? Int == 3600)
      let replaced = try await post(admin, "profiles", #"{"name": "sensor", "replaces": true}"#)
      let stored = try await server.store.read { try $0.profile(named: "sensor") }
      #expect(replaced.status == 204 && stored == DeviceProfile(name: "sensor"))
      let token = try await post(admin, "tokens", #"{"user": "demo", "lifetime": 600, "profile": "sensor"}"#)
      let used = try await post(admin, "profiles/remove", #"{"name": "sensor"}"#)
      #expect(token.status == 200 && used.status == 422)
      let id = try #require(try object(token)["token"] as? String)
      _ = try await admin.post("tokens/revoke", ["token": id], as: .operator)
      let removed = try await post(admin, "profiles/remove", #"{"name": "sensor"}"#)
      let gone = try await post(admin, "profiles/remove", #"{"name": "sensor"}"#)
      #expect(removed.status == 204 && gone.status == 404)
    }
  }

  @Test(
    "A profile with a word that is none, without a way or of an odd name is not defined", .needs("curl"),
    arguments: [
      #"{"name": "Sensor"}"#, #"{"name": ""}"#, #"{"name": "s", "ways": []}"#, #"{"name": "s", "ways": ["post"]}"#,
      #"{"name": "s", "approval": "nobody"}"#, #"{"name": "s", "attestation": "yes"}"#,
      #"{"name": "s", "certificateLifetime": 1}"#, #"{"name": "s", "alternativeNames": ["mail:x"]}"#,
      #"{"name": "s", "issuer": "A B"}"#,
    ])
  func badProfiles(_ body: String) async throws {
    try await with { server, admin in
      let answer = try await post(admin, "profiles", body)
      #expect(answer.status == 422, "\(answer.text)")
      let stored = try await server.store.read { try $0.profiles().count }
      #expect(stored == 0)
    }
  }

  @Test("The policy is that of the server that answers", .needs("curl"))
  func policy() async throws {
    try await with { _, admin in
      let policy = try await get(admin, "policy")
      #expect(policy["certificateLifetime"] as? Int == 7200)
      #expect(policy["allowsPasswordEnrollment"] as? Bool == true)
    }
  }
}
