import Crypto
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyPostgresTestSupport
import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Logging
import Testing

@testable import LatchkeyEnrollmentServer

#if PostgreSQL
  import LatchkeyEnrollmentPostgres

  /// Tenants whose databases are those of one PostgreSQL.
  @Suite("Tenants on PostgreSQL", .enabled(if: TestServer.isThere), .timeLimit(.minutes(5)))
  struct TenantPostgresTests {
    private static func store(_ database: TestDatabase, node: String = "test") throws -> PostgresStore {
      try PostgresStore(database.address, node: node, logger: .quiet)
    }

    @Test("Two tenants in two databases of one server have nothing in common: users, devices, tokens, revocations")
    func apart() async throws {
      let databases = ["red": try TestDatabase(), "blue": try TestDatabase()]
      try await RunningTenants.with(open: { try Self.store(#require(databases[$0])) }) { server in
        let red = try await server.red.device()
        let status = { (bench: RunningTenants.Bench) in
          try await server.withClient(bench, red) { try await $0.request("GET", Routes.device) }
        }
        #expect(try await status(server.red).status == 200)
        // Its authority is another one.
        await #expect(throws: (any Error).self) { try await status(server.blue) }
        #expect(try await server.blue.store.read { try $0.devices(of: "demo") }.isEmpty)
        let token = try await Operator(server.red.store).createToken(user: "demo", lifetime: 3600).text
        #expect(try await Operator(server.blue.store).tokens(limit: 10).records.isEmpty)
        for (bench, password, status) in [
          (server.red, server.red.password, 200), (server.red, server.blue.password, 401),
          (server.blue, server.blue.password, 200), (server.blue, server.red.password, 401),
        ] {
          let login = PasswordLogin(user: "demo", password: password)
          #expect(try await server.withClient(bench) { try await $0.post(Routes.login, login) }.status == status)
        }
        let signing = try signingRequest(.init())
        let crossed = try await server.withClient(server.blue) {
          try await $0.register(token: token, key: .init(), request: signing)
        }
        #expect(crossed.code == .notAuthenticated)
        try await Operator(server.red.store).revokeDevice(red.id.description, reason: .keyCompromise)
        // Within the time that the policy promises.
        while try await status(server.red).code != .revoked {}
        #expect(try await server.blue.store.read { try $0.revocationEpoch() } == 0)
        for bench in server.all {
          let owner = try await bench.store.read { try $0.setting(EnrollmentServer.tenantSetting) }
          #expect(owner == Array(bench.name.utf8))
        }
      }
    }

    @Test("Two tenants of one database do not start, whatever their addresses of it look like")
    func oneDatabase() async throws {
      let database = try TestDatabase()
      await #expect {
        _ = try await RunningTenants(
          shared: true,
          open: { name in
            let address = try PostgresAddress(url: database.url + "&connect_timeout=\(name == "red" ? 9 : 10)")
            return try PostgresStore(address, node: name, logger: .quiet)
          })
      } throws: { error in
        guard case .notStarted(let tenant, let cause)? = error as? TenantError else { return false }
        return cause.contains("belongs to the tenant \"\(tenant == "red" ? "blue" : "red")\"")
      }
    }

    @Test("Of many that claim one new database at once one has it, and all others are told whose it is")
    func race() async throws {
      for _ in 0..<4 {
        let database = try TestDatabase()
        let names = (0..<8).map { "tenant-\($0)" }
        let stores = try names.map { try Self.store(database, node: $0) }
        try await TenantClaims.race(names, stores)
        for store in stores { await store.close() }
      }
    }

    @Test("The program refuses two tenants of one database by two addresses, and its log names no password")
    func program() async throws {
      let database = try TestDatabase()
      let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-tenants-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: folder) }
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      func settings(_ name: String, _ url: String) throws -> String {
        let path = folder.appending(path: "\(name).json").path
        try #"{"state": "\#(folder.path)/\#(name)", "tls-name": "\#(name).example.org", "store": "\#(url)"}"#
          .write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return "\(name)=\(path)"
      }
      let same = try await ServedProgram.run([
        "serve", "--listen", "127.0.0.1:0", "--tenant", try settings("red", database.url), "--tenant",
        try settings("blue", database.url),
      ])
      #expect(same.status == 64 && same.output.contains("the tenants red and blue have one store"), "\(same.output)")
      let other = try await ServedProgram.run([
        "serve", "--listen", "127.0.0.1:0", "--tenant", try settings("red", database.url), "--tenant",
        try settings("blue", database.url + "&connect_timeout=9"),
      ])
      #expect(other.status == 69 && other.output.contains("belongs to the tenant"), "\(other.output)")
    }
  }
#endif
