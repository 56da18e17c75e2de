import LatchkeyEnrollmentServer
import LatchkeyLedger
import LatchkeyServerTestSupport
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Testing

@Suite("The operator's commands")
struct OperatorTests {
  @Test("A user that was added logs in, and with the new password once it has changed")
  func users() async throws {
    try await RunningServer.with { server in
      let operating = Operator(server.store)
      try await operating.addUser("ann", password: "first password")
      await #expect(throws: OperatorError.exists("there is a user ann already")) {
        try await operating.addUser("ann", password: "other password")
      }
      try await server.withClient { client in
        let login = { try await client.post(Routes.login, PasswordLogin(user: "ann", password: $0)).status }
        #expect(try await login("first password") == 200)
        #expect(try await login("other password") == 401)
        try await operating.setPassword("second password", of: "ann")
        #expect(try await login("first password") == 401)
        #expect(try await login("second password") == 200)
      }
    }
  }

  @Test(
    "Impossible operations are refused with the next step",
    arguments: ["", "a\u{7}", String(repeating: "a", count: 129)])
  func names(_ name: String) async throws {
    try await RunningServer.with { server in
      await #expect(throws: OperatorError.self) {
        try await Operator(server.store).addUser(name, password: "good password")
      }
      await #expect(throws: OperatorError.self) { try await Operator(server.store).addUser("b", password: "short") }
    }
  }

  @Test("Accounts open with money from the house account, so that the sum stays zero")
  func accounts() async throws {
    try await RunningServer.with { server in
      let operating = Operator(server.store)
      let number = try await operating.openAccount(
        of: "demo", name: "Travel", currency: "CHF", amount: Amount(minorUnits: 4200))
      #expect(number.count == 12)
      let (account, sums) = try await server.store.read { (try $0.account(number), try $0.ledgerSums()) }
      #expect(account?.balance == 4200)
      #expect(Set(sums.values) == [0])
      for (user, number, currency) in [
        ("nobody", nil, "EUR"), ("demo", number, "EUR"), ("demo", "12", "EUR"), ("demo", nil, "euro"),
      ] {
        await #expect(throws: OperatorError.self) {
          try await operating.openAccount(
            of: user, number: number, name: "x", currency: currency, amount: Amount(minorUnits: 1))
        }
      }
    }
  }

  @Test("A device that the operator revokes is turned away on its open connection")
  func devices() async throws {
    try await RunningServer.with({ $0.policy.revocationStaleness = .zero }) { server in
      let device = try await server.device()
      let operating = Operator(server.store)
      try await server.withClient(device) { client in
        #expect(try await client.request("GET", Routes.accounts).status == 200)
        try await operating.revokeDevice(device.id.description)
        #expect(try await client.request("GET", Routes.accounts).code == .revoked)
      }
      #expect(try await operating.devices(of: "demo").map(\.revoked) != [nil])
      await #expect(throws: OperatorError.self) { try await operating.revokeDevice(device.id.description) }
    }
  }
}
