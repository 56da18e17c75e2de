import EnrollmentProtocol
import EnrollmentStore
import SealedMessages
import Testing

@testable import EnrollmentServer

@Suite("Accounts over the wire")
struct AccountRoutesTests {
  @Test("A device sees its user's accounts alone, and the answer is signed for its request")
  func accounts() async throws {
    try await RunningServer.with { server in
      let device = try await server.device()
      let mine = try await server.openAccounts()
      try await server.store.write { transaction in
        _ = try transaction.addUser(.init(name: "bert", passwordHash: nil))
      }
      _ = try await server.openAccounts(of: "bert")
      try await server.withClient(device) { client in
        let answer = try await client.request("GET", Routes.accounts)
        let list = try answer.decoded(AccountList.self).accounts
        #expect(Set(list.map(\.number)) == [mine.from, mine.to])
        #expect(list.first { $0.number == mine.from }?.balance == Amount(minorUnits: 100_000))
        #expect(answer.header("cache-control") == "no-store")
        let request = HTTPRequestMessage(
          method: "GET", targetURI: server.url + Routes.accounts, fields: HTTPFields())
        #expect(throws: Never.self) { try server.verified(answer, to: request) }
        let other = HTTPRequestMessage(method: "GET", targetURI: server.url + Routes.device, fields: HTTPFields())
        #expect(throws: SealedMessageError.notAuthentic) { try server.verified(answer, to: other) }
        var altered = answer.body
        altered[10] ^= 1
        let changed = TestAnswer(
          status: answer.status, headers: answer.headers, body: altered, isHTTP2: answer.isHTTP2)
        #expect(throws: SealedMessageError.notAuthentic) { try server.verified(changed, to: request) }
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
}
