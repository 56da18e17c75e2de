#if PostgreSQL
  import LatchkeyTestSupport
  import LatchkeyPostgresTestSupport
  import Foundation
  import LatchkeyEnrollmentPostgres
  import LatchkeyEnrollmentStore
  import Testing

  @Suite("Commands on a database of PostgreSQL in which there is nothing", .enabled(if: TestServer.isThere))
  struct EmptyDatabaseTests {
    @Test(
      "make no tables, and name the commands that do",
      arguments: [
        ["audit", "verify"], ["audit", "head"], ["ledger", "verify"], ["device", "list", "ann"],
        ["user", "unlock", "ann"],
      ])
    func reading(_ words: [String]) throws {
      let database = try TestDatabase()
      let folder = FileManager.default.temporaryDirectory.appending(path: "empty-\(Identifier.random())")
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      defer { try? FileManager.default.removeItem(at: folder) }
      let refused = try ChildProcess.run(
        "latchkey-server", words + ["--json", "--store", database.url, "--state", folder.path])
      #expect(refused.contains("there are no tables") && refused.contains("user add"), "\(refused)")
      let tables = try database.session().rows(
        "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()", [])
      #expect(tables == [])
    }
  }
#endif
