import LatchkeyLedger
import LatchkeyServerTestSupport
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeySealedMessages
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("The old service's routes")
struct LegacyEnrollmentRoutesTests {
  @Test("without its keys there is no old service")
  func offByDefault() async throws {
    try await RunningServer.with { server in
      let device = try await server.device()
      try await server.withClient(device) { client in
        for (method, path) in [
          ("POST", LegacyEnrollment.authenticate), ("POST", LegacyEnrollment.authenticateCertificate),
          ("GET", LegacyEnrollment.accounts),
          ("POST", LegacyEnrollment.transferFunds),
        ] {
          let answer = try await client.request(method, path, headers: [LegacyEnrollmentServer.basic()])
          #expect(answer.status == 404)
        }
      }
    }
  }

  @Test("login, registration, accounts and a transfer, as the old client does them, byte for byte")
  func wholeStory() async throws {
    try await LegacyEnrollmentServer.with { legacy in
      let login = try await legacy.server.withClient {
        try await $0.request("POST", LegacyEnrollment.authenticate, headers: [LegacyEnrollmentServer.basic()])
      }
      #expect(login.status == 200)
      #expect(login.header("content-type") == "text/html")
      let bare = try #require(try login.decoded([String: String].self)["token"])
      #expect(login.text == #"{"result":"SUCCESS","additional_info":"","token":"\#(bare)"}"#)

      let (token, device) = try await legacy.register()
      #expect(device.user == "nick")
      try await legacy.server.withClient(device) { client in
        let answer = try await client.request(
          "GET", LegacyEnrollment.accounts, headers: [(LegacyEnrollment.tokenHeader, token)])
        #expect(answer.status == 200)
        #expect(answer.header("content-type") == "text/html")
        let plaintext = try LegacyEnvelope.openResponse(answer.body, keys: legacy.keys)
        #expect(
          String(decoding: plaintext, as: UTF8.self)
            == #"[{"name":"Checking","number":"123123456456","balance":"5000.00"},"#
            + #"{"name":"B\u00fcro","number":"654654123123","balance":"5000.00"}]"#)
      }
      let body = try legacy.sealed(legacy.transfer(notes: "Book advance to savings."))
      let answer = try await legacy.send(body, over: device, token: token)
      #expect(answer.status == 200)
      #expect(answer.body.isEmpty)
      #expect(try await legacy.balance(LegacyEnrollmentServer.checking) == 502_323)
      #expect(try await legacy.balance(LegacyEnrollmentServer.savings) == 497_677)
      let sums = try await legacy.server.store.read { try $0.ledgerSums() }
      #expect(sums == ["EUR": 0])
    }
  }

  @Test(
    "The date that a user chose is stored with the booking, like the one that the client fills in",
    arguments: [(0, false), (1, false), (90, false), (-1, true), (400, true)] as [(Int64, Bool)])
  func dates(days: Int64, isAnyAllowed: Bool) async throws {
    try await LegacyEnrollmentServer.with {
      $0.allowsAnyDate = isAnyAllowed
    } _: { legacy in
      let (token, device) = try await legacy.session()
      let date = legacy.server.now + days * 86_400
      let body = try legacy.sealed(legacy.transfer(date: date))
      #expect(try await legacy.send(body, over: device, token: token).status == 200)
      let (transfers, entries) = try await legacy.server.store.read { store in
        (
          try store.transfers(after: nil, limit: 99),
          try store.auditNodes().flatMap { try store.auditEntries(node: $0, after: 0, limit: 99) }.map(\.entry)
        )
      }
      #expect(transfers.filter { $0.device == device.id }.map(\.valueDate) == [date])
      #expect(entries.last { $0.event == "ledger.transfer.booked" }?.fields["date"] == "\(date)")
    }
  }

  @Test("a date that has passed, lies too far ahead or is none is refused, as the modern one is, and moves nothing")
  func datesOutOfBounds() async throws {
    try await LegacyEnrollmentServer.with {
      // With a rule for accounts, texts that are no dates do not come as far.
      $0.accountDigits = nil
    } _: { legacy in
      let (token, device) = try await legacy.session()
      let now = legacy.server.now
      let passed = "the transfer date has passed: give today's, in UTC, a later one, or none"
      let ahead = "the transfer date is too far ahead: give one that is at most 90 days from now, or none"
      var refused: [(LegacyTransfer, String)] = []
      for days: Int64 in [-2, -365, -365 * 100] {
        refused.append((try legacy.transfer(date: now + days * 86_400), passed))
      }
      for days: Int64 in [91, 400, 365 * 1000] {
        refused.append((try legacy.transfer(date: now + days * 86_400), ahead))
      }
      for text in ["2026-02-30", "tomorrow", ""] {
        var transfer = try legacy.transfer()
        transfer.transferDate = text
        refused.append((transfer, "give a day, and perhaps a time, in UTC: 2026-11-30 14:00:00 +0000"))
      }
      for (transfer, advice) in refused {
        let body = try legacy.sealed(transfer)
        let answer = try await legacy.send(body, over: device, token: token)
        #expect(answer.status == 400, "\(transfer.transferDate)")
        #expect(
          answer.text == #"{"result":"ERROR","additional_info":"Invalid Transfer Date: \#(advice)"}"#,
          "\(transfer.transferDate)")
        // A refused message is used up: a copy of it is refused on its day, too.
        try await legacy.send(body, over: device, token: token).expectIntegrityError()
      }
      #expect(try await legacy.balance(LegacyEnrollmentServer.checking) == 500_000)
    }
  }

  @Test("the token may stand in the payload instead")
  func tokenInPayload() async throws {
    try await LegacyEnrollmentServer.with { legacy in
      let (token, device) = try await legacy.session()
      let sealed = try legacy.sealed(legacy.transfer(), token: token)
      let answer = try await legacy.send(sealed, over: device, token: nil)
      #expect(answer.status == 200)
    }
  }

  @Test("A client with another identity than it states is sent back to the password")
  func notAuthenticated() async throws {
    try await LegacyEnrollmentServer.with { legacy in
      let refusal = #"{"result":"ERROR","additional_info":"Not Authenticated"}"#
      func expectRefused(_ answer: TestAnswer, _ location: SourceLocation = #_sourceLocation) {
        #expect(answer.status == 401, sourceLocation: location)
        #expect(answer.text == refusal, sourceLocation: location)
        #expect(answer.header("www-authenticate") == "Basic realm=\"latchkey\"", sourceLocation: location)
      }
      try await legacy.server.withClient { client in
        for fields in [
          [], [LegacyEnrollmentServer.basic("nick", "wrong")], [LegacyEnrollmentServer.basic("nobody")],
          [("authorization", "Basic ####")], [("authorization", "Bearer abc")], [("authorization", "Basic bmljaw==")],
        ] {
          expectRefused(try await client.request("POST", LegacyEnrollment.authenticate, headers: fields))
        }
      }
      let (token, device) = try await legacy.session()
      let (otherToken, otherDevice) = try await legacy.session(of: "other")
      let second = try await legacy.server.device(of: "nick")
      let body = try legacy.sealed(legacy.transfer())
      // No certificate, no token, another user's token, another device's, another user's device.
      expectRefused(try await legacy.send(body, over: nil, token: token))
      expectRefused(try await legacy.send(body, over: device, token: nil))
      expectRefused(try await legacy.send(body, over: device, token: String(repeating: "t", count: 43)))
      expectRefused(try await legacy.send(body, over: device, token: otherToken))
      expectRefused(try await legacy.send(body, over: second, token: token))
      expectRefused(try await legacy.send(body, over: otherDevice, token: token))
      for (device, token) in [(nil, token), (device, "short"), (device, otherToken)] as [(TestDevice?, String)] {
        let answer = try await legacy.server.withClient(device) {
          try await $0.request("GET", LegacyEnrollment.accounts, headers: [(LegacyEnrollment.tokenHeader, token)])
        }
        expectRefused(answer)
      }
      #expect(try await legacy.balance(LegacyEnrollmentServer.checking) == 500_000)
      #expect(try await legacy.send(body, over: device, token: token).status == 200)
      legacy.server.clock.advance(by: 16 * 60)
      let late = try legacy.sealed(legacy.transfer())
      expectRefused(try await legacy.send(late, over: device, token: token))
    }
  }

  @Test("a revoked device is refused at once, its token and connection notwithstanding")
  func revoked() async throws {
    try await LegacyEnrollmentServer.with { legacy in
      let (token, device) = try await legacy.session()
      #expect(try await legacy.server.store.write { try $0.revokeDevice(device.id, at: 0, reason: 1) })
      let answer = try await legacy.send(legacy.sealed(legacy.transfer()), over: device, token: token)
      #expect([401, 403].contains(answer.status))
      #expect(try await legacy.balance(LegacyEnrollmentServer.checking) == 500_000)
    }
  }

  @Test("registration wants a PIN, and its file opens with that PIN alone")
  func registration() async throws {
    try await LegacyEnrollmentServer.with { legacy in
      try await legacy.server.withClient { client in
        for query in ["?register=true", "?register=true&pin=", "?register=true&pin=1&pin=2", "?register=true&pin=%FF"] {
          let answer = try await client.request(
            "POST", LegacyEnrollment.authenticate + query, headers: [LegacyEnrollmentServer.basic()])
          #expect(answer.status == 400)
          #expect(answer.text == #"{"result":"ERROR","additional_info":"Malformed Request"}"#)
        }
      }
      _ = try await legacy.register(pin: "a+b")
    }
  }

  @Test("a login by certificate wants the PIN, and wrong ones lock the device out")
  func certificateLogin() async throws {
    try await LegacyEnrollmentServer.with { legacy in
      let (_, device) = try await legacy.register()
      let other = try await legacy.server.device(of: "nick")
      let keys = legacy.keys
      func logIn(_ pin: String) async throws -> TestAnswer {
        let query = pin.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed) ?? ""
        return try await legacy.server.withClient(device) {
          try await $0.request("POST", LegacyEnrollment.authenticateCertificate + "?pin=\(query)")
        }
      }
      let answer = try await logIn(LegacyPIN.seal("4711", keys: keys))
      #expect(answer.status == 200)
      let token = try #require(try answer.decoded([String: String].self)["token"])
      #expect(
        try await legacy.send(legacy.sealed(legacy.transfer()), over: device, token: token).status == 200)
      for pin in ["", "4711", "AAAA"] { #expect(try await logIn(pin).status == 401) }
      for _ in 0..<2 { #expect(try await logIn(LegacyPIN.seal("4712", keys: keys)).status == 401) }
      // Five failures: now the right one does not count, either.
      #expect(try await logIn(LegacyPIN.seal("4711", keys: keys)).status == 429)
      legacy.server.clock.advance(by: 61)
      #expect(try await logIn(LegacyPIN.seal("4711", keys: keys)).status == 200)
      // A device without a PIN has none that is right.
      let none = try await legacy.server.withClient(other) {
        try await $0.request("POST", LegacyEnrollment.authenticateCertificate + "?pin=")
      }
      #expect(none.status == 401)
      let without = try await legacy.server.withClient {
        try await $0.request("POST", LegacyEnrollment.authenticateCertificate + "?pin=")
      }
      #expect(without.status == 401)
    }
  }

  @Test("transfers that cannot be booked say why, and move nothing")
  func refusals() async throws {
    try await LegacyEnrollmentServer.with { legacy in
      let (token, device) = try await legacy.session()
      func expect(
        _ info: String, _ transfer: LegacyTransfer, _ location: SourceLocation = #_sourceLocation
      ) async throws {
        let answer = try await legacy.send(legacy.sealed(transfer), over: device, token: token)
        #expect(answer.status == 400, sourceLocation: location)
        #expect(answer.text == #"{"result":"ERROR","additional_info":"\#(info)"}"#, sourceLocation: location)
      }
      try await expect("Unknown Account", legacy.transfer(from: LegacyEnrollmentServer.foreign))
      try await expect("Unknown Account", legacy.transfer(from: LegacyEnrollmentServer.house))
      try await expect("Unknown Account", legacy.transfer(from: "999999999999"))
      try await expect("Unknown Account", legacy.transfer(to: "999999999999"))
      try await expect("Invalid Transfer", legacy.transfer(amount: "0.00"))
      try await expect("Invalid Transfer", legacy.transfer(from: LegacyEnrollmentServer.checking))
      try await expect("Invalid Transfer", legacy.transfer(notes: String(repeating: "n", count: 1025)))
      try await expect("Approval Required", legacy.transfer(amount: "1000.00"))
      for _ in 0..<5 {
        let answer = try await legacy.send(
          legacy.sealed(legacy.transfer(amount: "999.99")), over: device, token: token)
        #expect(answer.status == 200)
      }
      try await expect("Insufficient Funds", legacy.transfer(amount: "999.99"))
      #expect(try await legacy.balance(LegacyEnrollmentServer.savings) == 5)
      #expect(try await legacy.balance(LegacyEnrollmentServer.foreign) == 0)
    }
  }

  @Test("A message that cannot be opened has one answer, whatever its defect")
  func integrity() async throws {
    try await LegacyEnrollmentServer.with { legacy in
      let (token, device) = try await legacy.session()
      let good = try legacy.sealed(legacy.transfer())
      var bodies = [[], Array("{}".utf8), Array(good.dropLast()), [UInt8](repeating: 0x5B, count: 40_000)]
      for index in stride(from: 0, to: good.count, by: 23) {
        var body = good
        body[index] ^= 0x01
        bodies.append(body)
      }
      for body in bodies {
        try await legacy.send(body, over: device, token: token).expectIntegrityError()
      }
      #expect(try await legacy.balance(LegacyEnrollmentServer.checking) == 500_000)
      #expect(try await legacy.send(good, over: device, token: token).status == 200)
    }
  }
}
