#if PostgreSQL
  import LatchkeyPostgresTestSupport
  import Foundation
  import LatchkeyEnrollmentPostgres
  import LatchkeyEnrollmentStore
  import Logging
  import Testing

  @Suite("A session of PostgreSQL that fails", .enabled(if: TestServer.isThere)) struct PostgresFailureTests {
    private let database: TestDatabase

    init() throws {
      database = try TestDatabase()
      try database.run("CREATE TABLE steps (n BIGINT PRIMARY KEY, m BIGINT)")
    }

    // MARK: Two sessions

    @Test("says 40001 at a statement when another session has changed the row") func conflictAtStatement() throws {
      try database.run("INSERT INTO steps (n, m) VALUES (1, 0)")
      let (one, other) = (try database.session(), try database.session())
      one.begin("BEGIN")
      #expect(try one.rows("SELECT m FROM steps WHERE n = 1", []) == [[.integer(0)]])
      other.begin("BEGIN")
      try other.change("UPDATE steps SET m = 1 WHERE n = 1", [])
      try other.commit()
      let error = #expect(throws: PostgresError.self) { try one.change("UPDATE steps SET m = 2 WHERE n = 1", []) }
      #expect(error?.state == "40001")
      #expect(error?.isWorthRepeating == true)
      one.rollback()
    }

    @Test("says 40001 at COMMIT when two sessions read what the other writes") func conflictAtCommit() throws {
      try database.run("INSERT INTO steps (n, m) VALUES (1, 0), (2, 0)")
      let (one, other) = (try database.session(), try database.session())
      one.begin("BEGIN")
      other.begin("BEGIN")
      _ = try one.rows("SELECT SUM(m) FROM steps", [])
      _ = try other.rows("SELECT SUM(m) FROM steps", [])
      try one.change("UPDATE steps SET m = 1 WHERE n = 1", [])
      try other.change("UPDATE steps SET m = 1 WHERE n = 2", [])
      try one.commit()
      let error = #expect(throws: PostgresError.self) { try other.commit() }
      #expect(error?.state == "40001")
      #expect(error?.isWorthRepeating == true)
      other.rollback()
      // The session is as good as new.
      other.begin("BEGIN READ ONLY")
      #expect(try other.rows("SELECT m FROM steps ORDER BY n", []) == [[.integer(1)], [.integer(0)]])
      try other.commit()
    }

    @Test("keeps the SQLSTATE of what is refused, and nothing of what was sent") func refusals() throws {
      let session = try database.session()
      try session.change("INSERT INTO steps (n) VALUES ($1)", [.integer(4_711_000_042)])
      let error = #expect(throws: PostgresError.self) {
        try session.change("INSERT INTO steps (n) VALUES ($1)", [.integer(4_711_000_042)])
      }
      #expect(error?.state == "23505")
      #expect(error.map { "\($0)".contains("4711000042") } == false)
      #expect(error?.isWorthRepeating == false)
      #expect(error?.leavesConnection == true)
    }

    // MARK: Connections that end

    @Test("finds its connection ended in the middle, and says that all may run again") func killedBetween() throws {
      let session = try database.session()
      session.begin("BEGIN")
      try session.change("INSERT INTO steps (n) VALUES (1)", [])
      try kill(session)
      let error = #expect(throws: PostgresError.self) { try session.change("INSERT INTO steps (n) VALUES (2)", []) }
      guard case .lost? = error else { Issue.record("\(String(describing: error))"); return }
      #expect(error?.isWorthRepeating == true)
      #expect(!session.isOpen)
      #expect(throws: PostgresError.self) { try session.commit() }
      #expect(try count() == 0)
    }

    @Test("finds its connection ended while it was idle, without sending anything") func killedIdle() throws {
      let session = try database.session()
      #expect(!session.hasEnded())
      try kill(session)
      #expect(session.hasEnded())
    }

    @Test("reports an unknown outcome for a COMMIT whose answer never came") func lostAtCommit() throws {
      let session = try database.session()
      session.begin("BEGIN")
      try session.change("INSERT INTO steps (n) VALUES (1)", [])
      // Our end of the line is cut: nothing goes out and nothing comes in.
      #expect(shutdown(session.socket, CInt(SHUT_RDWR)) == 0)
      let error = #expect(throws: PostgresError.self) { try session.commit() }
      guard case .commitUnknown? = error else { Issue.record("\(String(describing: error))"); return }
      #expect(error?.isWorthRepeating == false)
      #expect(!session.isOpen)
    }

    @Test("knows that nothing was committed when what goes before COMMIT finds the connection ended") func lostBefore()
      throws
    {
      let session = try database.session()
      session.begin("BEGIN")
      session.savepoint()
      try session.change("INSERT INTO steps (n) VALUES (1)", [])
      try session.release()
      #expect(shutdown(session.socket, CInt(SHUT_RDWR)) == 0)
      let error = #expect(throws: PostgresError.self) { try session.commit() }
      guard case .lost? = error else { Issue.record("\(String(describing: error))"); return }
      #expect(error?.isWorthRepeating == true)
    }

    @Test("gives up on a server that is there and says nothing") func silence() throws {
      var timeouts = PostgresTimeouts()
      timeouts.statement = .milliseconds(400)
      let session = try database.session(timeouts)
      session.begin("BEGIN")
      try session.change("INSERT INTO steps (n) VALUES (1)", [])
      // The server's own clock must not end the statement first, so its timeout is disabled.
      try session.define("SET LOCAL statement_timeout = 0")
      let begin = ContinuousClock.now
      let error = #expect(throws: PostgresError.self) { try session.rows("SELECT pg_sleep(60)", []) }
      guard case .late? = error else { Issue.record("\(String(describing: error))"); return }
      #expect(ContinuousClock.now - begin < .seconds(20))
      #expect(error?.isWorthRepeating == false)
      #expect(!session.isOpen)
    }

    @Test("is ended by the server's clock if a statement takes too long, and can be used on") func serverTimeout()
      throws
    {
      var timeouts = PostgresTimeouts()
      timeouts.statement = .seconds(1)
      let session = try database.session(timeouts)
      session.begin("BEGIN")
      let error = #expect(throws: PostgresError.self) { try session.rows("SELECT pg_sleep(60)", []) }
      #expect(error?.state == "57014")
      session.rollback()
      #expect(try session.rows("SELECT 1", []) == [[.integer(1)]])
    }

    // MARK: Connecting

    @Test("names no password when it cannot connect, nor when the address cannot be read") func secrets() throws {
      let password = "open-sesame-4711"
      let folder = FileManager.default.temporaryDirectory.appending(path: "none").path
      let address = try PostgresAddress(url: "postgres://me:\(password)@/latchkey?host=\(folder)&port=9")
      #expect(!"\(address)".contains(password))
      #expect(!String(reflecting: address).contains(password))
      var dumped = ""
      dump(address, to: &dumped)
      #expect(!dumped.contains(password))
      let error = #expect(throws: PostgresError.self) {
        try PostgresSession(address, timeouts: .init(), logger: .quiet)
      }
      #expect(error.map { "\($0)".contains(password) } == false)
      for url in [
        "postgres://me:\(password)%zz@/x", "postgres://me:\(password)@[::1/x",
        "postgres://me:\(password)@/x?nonsense=1",
        "mysql://me:\(password)@/x", "",
      ] {
        let error = #expect(throws: EnrollmentStoreError.self) { try PostgresAddress(url: url) }
        #expect(error.map { "\($0)".contains(password) } == false, "\(String(describing: error))")
      }
    }

    @Test("reads the password from the address, or from a file, and is refused with a wrong one") func passwords()
      throws
    {
      let role = "guarded"
      let admin = try database.session()
      try admin.define(
        """
        DO $$ BEGIN
          IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '\(role)') THEN
            CREATE ROLE \(role) LOGIN PASSWORD 'right/one@home';
          END IF;
        END $$
        """)
      let server = database.url.replacing("latchkey@", with: "guarded@")
      let file = FileManager.default.temporaryDirectory.appending(path: database.name)
      defer { try? FileManager.default.removeItem(at: file) }
      try Data("right/one@home\n".utf8).write(to: file)
      for address in [
        try PostgresAddress(url: server.replacing("guarded@", with: "guarded:right%2Fone%40home@")),
        try PostgresAddress(url: server, passwordFile: file.path),
        try PostgresAddress(url: server.replacing("guarded@", with: "guarded:wrong@"), passwordFile: file.path),
      ] {
        let session = try PostgresSession(address, timeouts: .init(), logger: .quiet)
        #expect(try session.rows("SELECT current_user", []) == [[.text(role)]])
      }
      let wrong = try PostgresAddress(url: server.replacing("guarded@", with: "guarded:wrong-4711@"))
      let error = #expect(throws: PostgresError.self) { try PostgresSession(wrong, timeouts: .init(), logger: .quiet) }
      guard case .unreachable(let text)? = error else { Issue.record("\(String(describing: error))"); return }
      #expect(!text.contains("wrong-4711"))
      #expect(throws: EnrollmentStoreError.self) { try PostgresAddress(url: server, passwordFile: file.path + ".none") }
    }

    private func kill(_ session: PostgresSession) throws {
      try database.run("SELECT pg_terminate_backend(\(session.serverProcess), 5000)")
    }

    private func count() throws -> Int64 {
      let session = try database.session()
      guard case .integer(let count)? = try session.rows("SELECT COUNT(*) FROM steps", []).first?.first else {
        return -1
      }
      return count
    }
  }
#endif
