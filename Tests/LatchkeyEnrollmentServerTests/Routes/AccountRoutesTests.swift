import LatchkeyLedger
import LatchkeyServerTestSupport
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeySealedMessages
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("Accounts over the wire")
struct AccountRoutesTests {
  @Test("A device sees its user's accounts alone, and the answer is signed for its question")
  func accounts() async throws {
    try await RunningServer.with { server in
      let device = try await server.device()
      let mine = try await server.openAccounts()
      try await server.store.write { transaction in
        _ = try transaction.addUser(.init(name: "bert", passwordHash: nil))
      }
      _ = try await server.openAccounts(of: "bert")
      try await server.withClient(device) { client in
        let request = try server.question("GET", Routes.accounts)
        let answer = try await client.ask(request)
        let list = try answer.decoded(AccountList.self).accounts
        #expect(Set(list.map(\.number)) == [mine.from, mine.to])
        #expect(list.first { $0.number == mine.from }?.balance == Amount(minorUnits: 100_000))
        #expect(answer.header("cache-control") == "no-store")
        #expect(throws: Never.self) { try server.verified(answer, to: request) }
        var elsewhere = request
        elsewhere.targetURI = server.url + Routes.device
        let askedAgain = try server.question("GET", Routes.accounts)
        for other in [elsewhere, askedAgain] {
          #expect(throws: SealedMessageError.notAuthentic) { try server.verified(answer, to: other) }
        }
        var altered = answer.body
        altered[10] ^= 1
        let changed = TestAnswer(
          status: answer.status, headers: answer.headers, body: altered, isHTTP2: answer.isHTTP2)
        #expect(throws: SealedMessageError.notAuthentic) { try server.verified(changed, to: request) }
      }
    }
  }

  @Test("An answer is signed if the request asks for it, a refusal too; an unreadable Accept-Signature is ignored")
  func onlyWhereAsked() async throws {
    try await RunningServer.with { server in
      let device = try await server.device()
      try await server.withClient(device) { client in
        let plain = try await client.request("GET", Routes.accounts)
        #expect(plain.status == 200 && plain.header("signature") == nil && plain.header("signature-input") == nil)
        let foreign = try await client.request(
          "GET", Routes.accounts, headers: [("accept-signature", #"sig=("@status");tag="other""#)])
        #expect(foreign.status == 200 && foreign.header("signature") == nil)
        let question = try server.question("POST", Routes.renewal)
        let refusal = try await client.ask(question)
        #expect(refusal.code == .unsupportedMediaType)
        #expect(throws: Never.self) { try server.verified(refusal, to: question) }
        for field in ["(", #"latchkey=();nonce="short";tag="latchkey-response""#] {
          let plain = try await client.request("GET", Routes.accounts, headers: [("accept-signature", field)])
          #expect(plain.status == 200 && plain.header("signature") == nil)
          var signed = try server.signed(by: device, body: [])
          signed.message.fields = HTTPFields(
            signed.message.fields.lines.map { ($0.name, $0.value) } + [("accept-signature", field)])
          #expect(try await client.send(signed).code == .malformedRequest)
        }
      }
    }
  }

  @Test("Without a certificate there are no accounts")
  func withoutCertificate() async throws {
    try await RunningServer.with { server in
      try await server.withClient { client in
        let answer = try await client.request("GET", Routes.accounts)
        #expect(answer.status == 401)
        #expect(answer.code == .certificateRequired)
      }
    }
  }

  @Test("A token is not needed beside the certificate; one that is sent must be this device's, and count")
  func token() async throws {
    try await RunningServer.with { server in
      let (device, other) = (try await server.device(), try await server.device())
      let accounts = try await server.openAccounts()
      let transfer = Transfer(
        from: accounts.from, to: accounts.to, amount: Amount(minorUnits: 100), currency: "EUR", notes: "")
      func session(_ device: TestDevice?) async throws -> String {
        let session = SessionToken(
          user: "demo", device: device?.id, random: (0..<32).map { _ in .random(in: .min ... .max) }, now: server.now,
          policy: ServerPolicy())
        try await server.store.write { try $0.addToken(session.record) }
        return session.text
      }
      let (own, others, nobodys) = (try await session(device), try await session(other), try await session(nil))
      try await server.withClient(device) { client in
        func expect(_ status: Int, _ field: String, _ location: SourceLocation = #_sourceLocation) async throws {
          var get = try server.question("GET", Routes.accounts)
          get.fields = HTTPFields(get.fields.lines.map { ($0.name, $0.value) } + [("authorization", field)])
          let list = try await client.ask(get)
          #expect(list.status == status, sourceLocation: location)
          // A refusal is signed as the list is.
          #expect(throws: Never.self, sourceLocation: location) { try server.verified(list, to: get) }
          var post = try server.signed(by: device, body: Array(try JSONEncoder().encode(transfer)))
          post.message.fields = HTTPFields(
            post.message.fields.lines.map { ($0.name, $0.value) } + [("authorization", field)])
          let moved = try await client.send(post)
          #expect(moved.status == (status == 200 ? 201 : status), sourceLocation: location)
          if status == 401 { #expect(moved.code == .notAuthenticated, sourceLocation: location) }
        }
        try await expect(200, "Bearer \(own)")
        for token in [others, nobodys, String(repeating: "t", count: 43), "short"] {
          try await expect(401, "Bearer \(token)")
        }
        try await expect(401, "Basic ZGVtbzpkZW1v")
        server.clock.advance(by: 16 * 60)
        try await expect(401, "Bearer \(own)")
        let without = try await client.request("GET", Routes.accounts)
        #expect(without.status == 200)
      }
      #expect(try await server.balance(accounts.to) == 100)
    }
  }
}
