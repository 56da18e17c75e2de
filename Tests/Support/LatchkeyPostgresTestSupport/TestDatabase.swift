#if PostgreSQL
  import Foundation
  package import LatchkeyEnrollmentPostgres
  import LatchkeyEnrollmentStore
  package import Logging

  /// A schema of its own on the tests' server: tests with the same table names run in parallel.
  package final class TestDatabase: Sendable {
    package let name: String
    package let url: String
    private let disk: String?

    /// - Parameter disk: the folder of its tables, which can run out of space: one of `TestServer.disks`, for this database alone.
    package init(disk: String? = nil) throws {
      let name = "t" + Identifier.random().description
      self.name = name
      self.disk = disk
      let server = TestServer.url ?? ""
      let place = disk.map { _ in "%20-cdefault_tablespace%3D\(name)" } ?? ""
      url =
        server + (server.contains("?") ? "&" : "?")
        + "application_name=\(name)&options=-csearch_path%3D\(name)\(place)"
      if let disk { try Self.run("CREATE TABLESPACE \(name) LOCATION '\(disk)'", at: server) }
      try Self.run("CREATE SCHEMA \(name)", at: server)
    }

    deinit {
      let server = TestServer.url ?? ""
      try? Self.run("DROP SCHEMA \(name) CASCADE", at: server)
      if disk != nil { try? Self.run("DROP TABLESPACE \(name)", at: server) }
    }

    /// Fills its disk while `body` runs. Does nothing without a disk of its own.
    ///
    /// - Returns: whether the disk was full.
    package func full(_ body: () async throws -> Void) async throws -> Bool {
      guard disk != nil else { return false }
      try run("CREATE TABLE ballast (bytes BYTEA) WITH (autovacuum_enabled = false)")
      try run("ALTER TABLE ballast ALTER bytes SET STORAGE PLAIN")
      // Space that a failed insertion used stays used until the table goes.
      let insertion =
        "INSERT INTO ballast SELECT decode(repeat(md5(n::text), 200), 'hex') FROM generate_series(1, 100000) n"
      let isFull = (try? run(insertion)) == nil
      do {
        try await body()
      } catch {
        try? run("DROP TABLE ballast")
        throw error
      }
      try run("DROP TABLE ballast")
      return isFull
    }

    package var address: PostgresAddress { get throws { try PostgresAddress(url: url) } }

    /// A session here, one of the operator's.
    package func session(_ timeouts: PostgresTimeouts = .init()) throws -> PostgresSession {
      try PostgresSession(address, timeouts: timeouts, logger: .quiet)
    }

    /// Runs a statement outside of the store's transactions.
    package func run(_ text: String) throws { try Self.run(text, at: url) }

    /// Ends one of the connections that are open here, as an operator or a failing network does.
    package func endOneConnection() throws {
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
    /// A log that is discarded.
    package static var quiet: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
  }
#endif
