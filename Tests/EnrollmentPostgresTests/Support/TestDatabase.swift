#if PostgreSQL
  import EnrollmentPostgres
  import EnrollmentStore
  import Foundation
  import Logging

  /// A schema of its own on the tests' server: tables of one name do not meet, so that tests run side by side.
  final class TestDatabase: Sendable {
    let name: String
    let url: String

    init() throws {
      name = "t" + Identifier.random().description
      let server = TestServer.url ?? ""
      url = server + (server.contains("?") ? "&" : "?") + "application_name=\(name)&options=-csearch_path%3D\(name)"
      try Self.run("CREATE SCHEMA \(name)", at: server)
    }

    deinit { try? Self.run("DROP SCHEMA \(name) CASCADE", at: TestServer.url ?? "") }

    var address: PostgresAddress { get throws { try PostgresAddress(url: url) } }

    /// A session here, one of the operator's.
    func session(_ timeouts: PostgresTimeouts = .init()) throws -> PostgresSession {
      try PostgresSession(address, timeouts: timeouts, logger: .quiet)
    }

    /// Runs a statement outside of the store's transactions.
    func run(_ text: String) throws { try Self.run(text, at: url) }

    /// Ends one of the connections that are open here, as an operator or a failing network does.
    func endOneConnection() throws {
      try run(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE pid <> pg_backend_pid() AND application_name = '\(name)' ORDER BY random() LIMIT 1
        """)
    }

    private static func run(_ text: String, at url: String) throws {
      let session = try PostgresSession(PostgresAddress(url: url), timeouts: .init(), logger: .quiet)
      try session.define(text)
    }
  }

  extension Logger {
    /// A log that nobody reads.
    static var quiet: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
  }
#endif
