import LatchkeyLedger
import LatchkeyServerTestSupport
import Crypto
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeySealedMessages
import Logging
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("Transfers over the wire")
struct TransferRoutesTests {
  private func body(
    _ accounts: (from: String, to: String), amount: Int64 = 2323, date: Int64? = nil
  ) throws -> [UInt8] {
    try JSONBytes.encode(
      Transfer(from: accounts.from, to: accounts.to, amount: Amount(minorUnits: amount), currency: "EUR", date: date))
  }

  @Test("A date is signed with the rest, bounded by policy, compared by the key, and included in the receipt")
  func dated() async throws {
    var policy = LedgerPolicy()
    policy.dateAhead = 86_400
    try await RunningServer.with({ [policy] in $0.services = [try LedgerService(policy: policy)] }) { server in
      let device = try await server.device()
      let accounts = try await server.openAccounts()
      let now = server.now
      try await server.withClient(device) { client in
        let request = try server.signed(by: device, body: body(accounts, date: now + 60), key: "0123456789abcdef")
        var altered = request
        altered.body = try body(accounts, date: now + 61)
        #expect(try await client.send(altered).code == .notAuthenticated)
        altered.body = try body(accounts)
        #expect(try await client.send(altered).code == .notAuthenticated)
        let answer = try await client.send(request)
        #expect(try answer.decoded(TransferReceipt.self).date == now + 60)
        #expect(try await client.send(request).body == answer.body)
        let other = try server.signed(by: device, body: body(accounts, date: now + 61), key: "0123456789abcdef")
        #expect(try await client.send(other).code == .idempotencyMismatch)
        for (date, told) in [
          (now - 2 * 86_400, "has passed"), (now + 2 * 86_400, "at most 1 day from now"), (-1, "up to 9999"),
        ] {
          let answer = try await client.send(server.signed(by: device, body: body(accounts, date: date)))
          #expect(answer.code == .invalidTransfer && answer.text.contains(told), "\(answer.text)")
        }
        for date in ["1.5", "\"2026-11-30\"", "1e400", "true"] {
          let text = String(decoding: try body(accounts, date: 7), as: UTF8.self)
          let changed = text.replacing("\"date\":7", with: "\"date\":\(date)")
          #expect(changed != text)
          let answer = try await client.send(server.signed(by: device, body: Array(changed.utf8)))
          #expect(answer.code == .malformedRequest, "\(date): \(answer.text)")
        }
      }
      #expect(try await server.balance(accounts.from) == 97_677)
    }
  }

  @Test("A signed transfer is booked, and its answer is signed for just this request", arguments: [false, true])
  func books(http2: Bool) async throws {
    try await RunningServer.with { server in
      let device = try await server.device()
      let accounts = try await server.openAccounts()
      try await server.withClient(device, http2: http2) { client in
        let request = try server.signed(by: device, body: body(accounts))
        let answer = try await client.send(request)
        #expect(answer.status == 201)
        #expect(answer.isHTTP2 == http2)
        #expect(try answer.decoded(TransferReceipt.self).balance == Amount(minorUnits: 97_677))
        #expect(try server.verified(answer, to: request.message).created == server.now)
        // Swapped: the answer to another request.
        let other = try await client.send(server.signed(by: device, body: body(accounts, amount: 1)))
        #expect(throws: SealedMessageError.notAuthentic) { try server.verified(other, to: request.message) }
      }
      #expect(try await server.balance(accounts.from) == 97_676)
    }
  }

  @Test(
    "Fields that no answer's signature can cover are refused without one, and not as the server's fault",
    arguments: ["signature", "content-digest"], [1, 9000])
  func boundToNothing(field: String, length: Int) async throws {
    // Not ASCII, or longer than what is signed.
    let value = String(repeating: length == 1 ? "\u{e9}" : "a", count: length)
    let log = LoggedLines()
    try await RunningServer.with({ $0.logger = Logger(label: "test", factory: { _ in log.handler }) }) { server in
      let device = try await server.device()
      let accounts = try await server.openAccounts()
      try await server.withClient(device) { client in
        var request = try server.signed(by: device, body: body(accounts))
        request.message.fields.replace(field, with: "client=:\(value):")
        let answer = try await client.send(request)
        #expect((400..<500).contains(answer.status), "\(answer.text)")
        #expect(answer.header("signature") == nil)
        var question = try server.question("GET", Routes.device)
        question.fields.replace(field, with: value)
        let asked = try await client.ask(question)
        #expect(asked.status == 200 && asked.header("signature") == nil)
      }
      #expect(try await server.balance(accounts.from) == 100_000)
    }
    #expect(log.all.allSatisfy { $0.level < .warning }, "\(log.all)")
  }

  @Test("After a key change at one server, the other refuses the old key at once and accepts the new one")
  func otherServerKey() async throws {
    // The other one would learn of a revocation by itself after a minute only.
    let slow: (inout ServerConfiguration) -> Void = { $0.policy.revocationStaleness = .seconds(60) }
    try await RunningServer.with(slow) { server in
      let device = try await server.device()
      let accounts = try await server.openAccounts()
      let path = server.folder.appendingPathComponent("server.db").path
      try await RunningServer.with(clock: server.clock) {
        slow(&$0)
        $0.authority = server.authority
        $0.store = try SQLiteStore(path: path, node: "other")
        $0.node = "other"
      } _: { other in
        try await other.withClient(device) { client in
          #expect(try await client.send(other.signed(by: device, body: body(accounts))).status == 201)
          // The key changes at the first server, without a word to the second one.
          let next = P256.Signing.PrivateKey()
          let id = device.id
          try await server.store.write { store in
            var record = try #require(try store.device(id))
            record.identityKey = Array(next.publicKey.x963Representation)
            try store.updateDevice(record)
          }
          let changed = TestDevice(id: id, user: device.user, key: next, certificate: device.certificate)
          let old = try await client.send(other.signed(by: device, body: body(accounts)))
          #expect(old.code == .notAuthenticated)
          #expect(try await client.send(other.signed(by: changed, body: body(accounts))).status == 201)
          #expect(try await client.send(other.signed(by: device, body: body(accounts))).code == .notAuthenticated)
        }
      }
      #expect(try await server.balance(accounts.from) == 100_000 - 2 * 2323)
    }
  }

  @Test("Refusals of signed requests are signed, too: too many, too large; when to come again is covered")
  func signedRefusals() async throws {
    try await RunningServer.with({
      $0.limits.requestsPerSecond = 1
      $0.limits.bodySize = 1000
    }) { server in
      let device = try await server.device()
      let accounts = try await server.openAccounts()
      try await server.withClient(device) { client in
        var transfer = Transfer(
          from: accounts.from, to: accounts.to, amount: Amount(minorUnits: 1), currency: "EUR", notes: "x")
        transfer.notes = String(repeating: "x", count: 2000)
        let large = try server.signed(by: device, body: JSONBytes.encode(transfer))
        let tooLarge = try await client.send(large)
        #expect(tooLarge.status == 413)
        #expect(try server.verified(tooLarge, to: large.message).created == server.now)
      }
      try await server.withClient(device) { client in
        var answers: [(SignedRequest, TestAnswer)] = []
        for _ in 0..<8 {
          let request = try server.signed(by: device, body: body(accounts, amount: 1))
          answers.append((request, try await client.send(request)))
        }
        let (request, tooMany) = try #require(answers.last { $0.1.status == 429 })
        #expect(try server.verified(tooMany, to: request.message).created == server.now)
        let wait = try #require(tooMany.header("retry-after"))
        #expect(tooMany.header("signature-input")?.contains("\"retry-after\"") == true)
        // An attacker in between changes the time.
        let altered = TestAnswer(
          status: 429, headers: tooMany.headers.map { $0.name == "retry-after" ? ($0.name, wait + "0") : $0 },
          body: tooMany.body, isHTTP2: false)
        #expect(throws: SealedMessageError.notAuthentic) { try server.verified(altered, to: request.message) }
      }
    }
  }

  @Test("A store failure and an unsupported method have signed answers, too")
  func signedFailures() async throws {
    let store = RefusingStore(try ObservedStore())
    try await RunningServer.with({ $0.store = store }) { server in
      let device = try await server.device()
      let accounts = try await server.openAccounts()
      try await server.withClient(device) { client in
        for (refusal, status) in [(.unavailable("full"), 503), (.damaged("torn"), 500)] as [(EnrollmentStoreError, Int)]
        {
          let request = try server.signed(by: device, body: body(accounts))
          store.refusal = refusal
          let answer = try await client.send(request)
          store.refusal = nil
          #expect(answer.status == status)
          #expect(throws: Never.self, "\(status)") { try server.verified(answer, to: request.message) }
        }
        let request = try server.signed(by: device, "PUT", body: body(accounts))
        let answer = try await client.send(request)
        #expect(answer.status == 405 && answer.header("allow") == "POST")
        #expect(throws: Never.self) { try server.verified(answer, to: request.message) }
      }
    }
  }

  @Test("That an answer was given before is covered by its signature")
  func signedReplay() async throws {
    try await RunningServer.with { server in
      let device = try await server.device()
      let accounts = try await server.openAccounts()
      try await server.withClient(device) { client in
        let request = try server.signed(by: device, body: body(accounts), key: "0123456789abcdef")
        _ = try await client.send(request)
        let again = try await client.send(request)
        #expect(try server.verified(again, to: request.message).created == server.now)
        let without = TestAnswer(
          status: 201, headers: again.headers.filter { $0.name != HeaderNames.idempotencyReplayed }, body: again.body,
          isHTTP2: false)
        #expect(throws: SealedMessageError.self) { try server.verified(without, to: request.message) }
      }
    }
  }

  @Test("Replayed byte for byte, or signed again with its key, it is answered as before and booked once")
  func replays() async throws {
    try await RunningServer.with { server in
      let device = try await server.device()
      let accounts = try await server.openAccounts()
      try await server.withClient(device) { client in
        let request = try server.signed(by: device, body: body(accounts), key: "0123456789abcdef")
        let first = try await client.send(request)
        let again = try await client.send(request)
        let fresh = try await client.send(server.signed(by: device, body: body(accounts), key: "0123456789abcdef"))
        for answer in [again, fresh] {
          #expect(answer.status == 201)
          #expect(answer.body == first.body)
          #expect(answer.header(HeaderNames.idempotencyReplayed) == "true")
        }
        #expect(first.header(HeaderNames.idempotencyReplayed) == nil)
        let other = try await client.send(
          server.signed(by: device, body: body(accounts, amount: 1), key: "0123456789abcdef"))
        #expect(other.code == .idempotencyMismatch)
        // Its nonce under another key.
        let nonce = "abcdefghijklmnopqrstuv"
        _ = try await client.send(server.signed(by: device, body: body(accounts), nonce: nonce))
        let replayed = try await client.send(server.signed(by: device, body: body(accounts), nonce: nonce))
        #expect(replayed.code == .replayed)
      }
      #expect(try await server.balance(accounts.from) == 100_000 - 2 * 2323)
    }
  }

  @Test("Altered on the way, in any part that counts, it is refused and nothing moves")
  func altered() async throws {
    try await RunningServer.with { server in
      let device = try await server.device()
      let accounts = try await server.openAccounts()
      try await server.withClient(device) { client in
        let good = try server.signed(by: device, body: body(accounts))
        var changed = good
        changed.body = try body(accounts, amount: 99)
        #expect(try await client.send(changed).code == .notAuthenticated)
        for name in [HeaderNames.idempotencyKey, "content-digest", "signature", "signature-input", "content-type"] {
          var without = good
          without.message.fields.lines.removeAll { $0.name.lowercased() == name }
          #expect(try await client.send(without).status != 201, "without \(name)")
        }
        var otherKey = good
        for index in otherKey.message.fields.lines.indices
        where otherKey.message.fields.lines[index].name == HeaderNames.idempotencyKey {
          otherKey.message.fields.lines[index].value = "fedcba9876543210"
        }
        #expect(try await client.send(otherKey).code == .notAuthenticated)
        var withApproval = good
        withApproval.message.fields.lines.append((HeaderNames.approval, "e30"))
        #expect(try await client.send(withApproval).status != 201)
      }
      #expect(try await server.balance(accounts.from) == 100_000)
    }
  }

  @Test("Signed for another server, another path or method, or by another device's name, it is refused")
  func misdirected() async throws {
    try await RunningServer.with { server in
      let (device, other) = (try await server.device(), try await server.device())
      let accounts = try await server.openAccounts()
      let bytes = try body(accounts)
      try await server.withClient(device) { client in
        var requests = [
          try server.signed(by: device, body: bytes, authority: "bank.example"),
          try server.signed(by: device, "PUT", body: bytes),
          try server.signed(by: device, "POST", Routes.transfers + "?", body: bytes),
          try server.signed(by: device, "POST", Routes.accounts, body: bytes),
          try server.signed(by: device, body: bytes, keyID: other.id.description),
          try server.signed(by: other, body: bytes),
          try server.signed(by: other, body: bytes, keyID: device.id.description),
        ]
        for index in requests.indices {
          requests[index].message.method = "POST"
          requests[index].message.targetURI = "https://localhost:\(server.port)\(Routes.transfers)"
          #expect(try await client.send(requests[index]).code == .notAuthenticated, "request \(index)")
        }
      }
      #expect(try await server.balance(accounts.from) == 100_000)
    }
  }

  @Test(
    "With a wrong clock it is refused, and receives the server's time", arguments: [-301, 301, -86_400, 1_000_000_000])
  func clocks(offset: Int64) async throws {
    try await RunningServer.with { server in
      let device = try await server.device()
      let accounts = try await server.openAccounts()
      try await server.withClient(device) { client in
        let request = try server.signed(by: device, body: body(accounts), created: server.now + offset)
        let answer = try await client.send(request)
        #expect(answer.code == .clockSkew)
        #expect(try answer.decoded(Problem.self).serverTime == server.now)
        #expect(throws: Never.self) { try server.verified(answer, to: request.message) }
      }
      #expect(try await server.balance(accounts.from) == 100_000)
    }
  }

  @Test("Without a certificate, with one of a foreign authority or one that was revoked, nothing moves")
  func certificates() async throws {
    try await RunningServer.with { server in
      let device = try await server.device()
      let accounts = try await server.openAccounts()
      let request = try server.signed(by: device, body: body(accounts))
      try await server.withClient { client in
        let answer = try await client.send(request)
        #expect(answer.code == .certificateRequired)
      }
      try await server.withClient(device) { client in
        // The connection is open and has been used; then the device is revoked.
        #expect(try await client.request("GET", Routes.accounts).status == 200)
        _ = try await server.store.write { try $0.revokeDevice(device.id, at: 1, reason: 1) }
        #expect(try await client.send(request).code == .revoked)
      }
      #expect(try await server.balance(accounts.from) == 100_000)
    }
  }

  @Test("A large transfer is booked with the approval key's signature, under the same Idempotency-Key")
  func approvals() async throws {
    try await RunningServer.with { server in
      let device = try await server.device()
      let accounts = try await server.openAccounts()
      let approvalKey = P256.Signing.PrivateKey()
      try await server.store.write { transaction in
        guard var record = try transaction.device(device.id) else { return }
        record.approvalKey = Array(approvalKey.publicKey.x963Representation)
        try transaction.updateDevice(record)
      }
      let bytes = try body(accounts, amount: 100_000)
      let transfer = try JSONDecoder().decode(Transfer.self, from: Data(bytes))
      try await server.withClient(device) { client in
        let asked = try await client.send(server.signed(by: device, body: bytes, key: "0123456789abcdef"))
        #expect(asked.code == .approvalRequired)
        let challenge = try #require(try asked.decoded(Problem.self).challenge)
        let message = challenge.signedMessage(purpose: .transfer, content: transfer.digest)
        let approval = Approval(
          challengeID: challenge.id,
          signature: Base64Bytes(try approvalKey.signature(for: message).derRepresentation))
        let done = try await client.send(
          server.signed(by: device, body: bytes, key: "0123456789abcdef", approval: approval))
        #expect(done.status == 201)
        let twice = try await client.send(
          server.signed(by: device, body: bytes, key: "fedcba9876543210", approval: approval))
        #expect(twice.code == .approvalRequired)
      }
      #expect(try await server.balance(accounts.from) == 0)
    }
  }

  @Test("Malformed bodies and fields are refused with the next step, and the refusal is signed, too")
  func malformed() async throws {
    try await RunningServer.with { server in
      let device = try await server.device()
      let accounts = try await server.openAccounts()
      let good = String(decoding: try body(accounts), as: UTF8.self)
      try await server.withClient(device) { client in
        for (text, code) in [
          ("{}", .malformedRequest), ("[]", .malformedRequest), (good + "x", .malformedRequest),
          (good.replacing("\"23.23\"", with: "23.23"), .malformedRequest),
          (good.replacing("23.23", with: "0.00"), .invalidTransfer),
          (good.replacing("23.23", with: "1e3"), .malformedRequest),
          (good.replacing(accounts.to, with: accounts.from), .invalidTransfer),
          (String(repeating: "[", count: 5000), .malformedRequest),
        ] as [(String, Problem.Code)] {
          let request = try server.signed(by: device, body: Array(text.utf8))
          let answer = try await client.send(request)
          #expect(answer.code == code, "\(text.prefix(80))")
          #expect(throws: Never.self) { try server.verified(answer, to: request.message) }
        }
        for key in [nil, "short", "with spaces in it, sixteen"] {
          let request = try server.signed(by: device, body: Array(good.utf8), key: key)
          #expect(try await client.send(request).code == .malformedRequest)
        }
      }
      #expect(try await server.balance(accounts.from) == 100_000)
    }
  }
}
