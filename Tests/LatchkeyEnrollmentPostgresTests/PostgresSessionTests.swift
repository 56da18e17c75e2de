#if PostgreSQL
  import LatchkeyPostgresTestSupport
  import Foundation
  import LatchkeyEnrollmentPostgres
  import LatchkeyEnrollmentStore
  import Logging
  import Testing

  @Suite("A session of PostgreSQL", .enabled(if: TestServer.isThere)) struct PostgresSessionTests {
    private let database: TestDatabase
    private let session: PostgresSession

    init() throws {
      database = try TestDatabase()
      session = try database.session()
    }

    // MARK: Values

    @Test(
      "gives back what it was given",
      arguments: [
        SQLValue.null, .integer(0), .integer(-1), .integer(.max), .integer(.min), .text(""),
        .text("Grüße, 客厅 \u{1F511}"),
        .text("'; DROP TABLE users; --"), .bytes([]), .bytes([0]), .bytes(Array(0...255)),
        .bytes([UInt8](repeating: 0x5C, count: 70_000)),
      ])
    func roundTrip(value: SQLValue) throws {
      try session.define("CREATE TABLE kept (a BIGINT, b TEXT, c BYTEA)")
      session.begin("BEGIN")
      let arguments: [SQLValue] =
        switch value {
        case .integer: [value, .null, .null]
        case .text: [.null, value, .null]
        default: [.null, .null, value]
        }
      #expect(try session.change("INSERT INTO kept (a, b, c) VALUES ($1, $2, $3)", arguments) == 1)
      #expect(try session.rows("SELECT a, b, c FROM kept", []) == [arguments])
      try session.commit()
    }

    @Test(
      "reads the sum of a BIGINT, which PostgreSQL makes a numeric",
      arguments: [
        ([Int64](), SQLValue.null), ([0], .integer(0)), ([1, 2, 3], .integer(6)), ([-5, 3], .integer(-2)),
        ([10_000], .integer(10_000)), ([99_999_999, 1], .integer(100_000_000)), ([.max], .integer(.max)),
        ([.min], .integer(.min)), ([.max, .min], .integer(-1)), ([123_400_000_000], .integer(123_400_000_000)),
      ])
    func sums(numbers: [Int64], sum: SQLValue) throws {
      try session.define("CREATE TABLE numbers (n BIGINT)")
      for number in numbers { try session.change("INSERT INTO numbers (n) VALUES ($1)", [.integer(number)]) }
      #expect(try session.rows("SELECT SUM(n) FROM numbers", []) == [[sum]])
    }

    @Test("refuses numbers that 64 bits cannot hold, and types that no statement here asks for, and can be used on")
    func unreadable() throws {
      session.begin("BEGIN")
      #expect(throws: (any Error).self) { try session.rows("SELECT 9223372036854775808::numeric", []) }
      session.rollback()
      #expect(throws: (any Error).self) { try session.rows("SELECT 1.5::numeric", []) }
      session.rollback()
      #expect(throws: (any Error).self) { try session.rows("SELECT 'NaN'::numeric", []) }
      session.rollback()
      #expect(throws: (any Error).self) { try session.rows("SELECT now()", []) }
      session.rollback()
      #expect(
        try session.rows("SELECT 1, 2::smallint, 3::bigint, true, 'x'::varchar", []) == [
          [.integer(1), .integer(2), .integer(3), .integer(1), .text("x")]
        ])
    }

    @Test("refuses a text with U+0000 instead of cutting it") func zeroCharacter() throws {
      try session.define("CREATE TABLE texts (t TEXT)")
      #expect(throws: (any Error).self) { try session.change("INSERT INTO texts (t) VALUES ($1)", [.text("a\u{0}b")]) }
      session.rollback()
      #expect(try session.rows("SELECT COUNT(*) FROM texts", []) == [[.integer(0)]])
    }

    @Test("sends what was begun with the next statement, in order, and gives each its result") func begun() throws {
      try session.define("CREATE TABLE begun (n BIGINT PRIMARY KEY)")
      session.begin("BEGIN")
      let two = try session.begin("INSERT INTO begun (n) VALUES ($1), ($2)", [.integer(1), .integer(2)])
      let seen = try session.begin("SELECT n FROM begun ORDER BY n", [])
      let one = try session.begin("DELETE FROM begun WHERE n = $1", [.integer(1)])
      #expect(try session.rows("SELECT COUNT(*) FROM begun", []) == [[.integer(1)]])
      #expect(try session.count(of: two) == 2)
      #expect(try session.count(of: seen) == 2)
      #expect(try session.count(of: one) == 1)
      let last = try session.begin("INSERT INTO begun (n) VALUES ($1), ($2)", [.integer(3), .integer(4)])
      try session.commit()
      #expect(try session.count(of: last) == 2)
      #expect(try session.rows("SELECT COUNT(*) FROM begun", []) == [[.integer(3)]])
    }

    @Test("commits what alone was begun, and gives up what is rolled back before it went out")
    func begunAlone() throws {
      try session.define("CREATE TABLE alone (n BIGINT)")
      session.begin("BEGIN")
      _ = try session.begin("INSERT INTO alone (n) VALUES ($1)", [.integer(1)])
      try session.commit()
      session.begin("BEGIN")
      let lost = try session.begin("INSERT INTO alone (n) VALUES ($1)", [.integer(2)])
      session.rollback()
      #expect(throws: PostgresError.self) { try session.count(of: lost) }
      #expect(try session.rows("SELECT n FROM alone", []) == [[.integer(1)]])
    }

    @Test("undoes to the mark what was begun and failed, prepares again what was not prepared then, and goes on")
    func begunInVain() throws {
      try session.define("CREATE TABLE vain (n BIGINT PRIMARY KEY)")
      session.begin("BEGIN")
      try session.change("INSERT INTO vain (n) VALUES ($1)", [.integer(1)])
      session.savepoint()
      let twice = try session.begin("INSERT INTO vain (n) VALUES ($1)", [.integer(1)])
      // Its preparation stands behind the failure, and is not done.
      let behind = try session.begin("SELECT n + $1 FROM vain", [.integer(1)])
      #expect(throws: PostgresError.self) { try session.settle() }
      #expect(throws: PostgresError.self) { try session.count(of: twice) }
      #expect(throws: PostgresError.self) { try session.count(of: behind) }
      try session.rollbackToSavepoint()
      try session.release()
      #expect(try session.rows("SELECT n + $1 FROM vain", [.integer(1)]) == [[.integer(2)]])
      try session.commit()
      #expect(try session.rows("SELECT n FROM vain", []) == [[.integer(1)]])
    }

    @Test("prepares a statement for NULL and for a value apart") func nulls() throws {
      try session.define("CREATE TABLE maybe (a BIGINT, b BIGINT)")
      for (a, b): (SQLValue, SQLValue) in [
        (.null, .integer(1)), (.integer(2), .null), (.null, .null), (.null, .integer(3)),
      ] {
        try session.change("INSERT INTO maybe (a, b) VALUES ($1, $2)", [a, b])
      }
      #expect(
        try session.rows("SELECT b FROM maybe WHERE a IS NULL AND b IS NOT NULL ORDER BY b", []) == [
          [.integer(1)], [.integer(3)],
        ])
    }

    @Test("runs a statement again whose first run was refused") func refusedFirstRun() throws {
      try session.define("CREATE TABLE steps (n BIGINT PRIMARY KEY)")
      try database.run("INSERT INTO steps (n) VALUES (1)")
      for number: Int64 in [1, 1, 2] {
        session.begin("BEGIN")
        do { try insert(number) } catch { #expect((error as? PostgresError)?.state == "23505") }
        session.rollback()
      }
      session.begin("BEGIN")
      try insert(3)
      try session.commit()
      #expect(try steps() == [1, 3])
    }

    // MARK: Transactions

    @Test("undoes to its mark, and keeps what was before and after") func savepoints() throws {
      try session.define("CREATE TABLE steps (n BIGINT PRIMARY KEY)")
      session.begin("BEGIN")
      for step in 1...4 {
        session.savepoint()
        if step == 3 {
          #expect(throws: (any Error).self) { try insert(1) }
          try session.rollbackToSavepoint()
        } else {
          try insert(Int64(step))
          if step == 2 { try session.rollbackToSavepoint() }
        }
        try session.release()
      }
      try session.commit()
      #expect(try steps() == [1, 4])
    }

    @Test("fails on after a failure that a body does not look at") func stickyFailure() throws {
      try session.define("CREATE TABLE steps (n BIGINT PRIMARY KEY)")
      session.begin("BEGIN")
      session.savepoint()
      try insert(1)
      try? insert(1)
      #expect(throws: (any Error).self) { try insert(2) }
      #expect(throws: (any Error).self) { try session.release() }
      #expect(throws: PostgresError.self) { try session.commit() }
      session.rollback()
      #expect(try steps() == [])
    }

    @Test("costs nothing for transactions in which nothing is asked") func emptyTransactions() throws {
      session.begin("BEGIN")
      session.savepoint()
      try session.release()
      session.savepoint()
      try session.rollbackToSavepoint()
      try session.release()
      try session.commit()
      session.begin("BEGIN READ ONLY")
      session.rollback()
      #expect(try session.rows("SELECT 1", []) == [[.integer(1)]])
    }

    @Test("refuses to write while it reads") func readOnly() throws {
      try session.define("CREATE TABLE steps (n BIGINT PRIMARY KEY)")
      session.begin("BEGIN READ ONLY")
      #expect(throws: (any Error).self) { try insert(1) }
      session.rollback()
    }

    @Test("commits durably even where the role's default says otherwise") func durability() throws {
      #expect(try session.rows("SELECT current_setting('synchronous_commit')", []) == [[.text("on")]])
    }

    private func insert(_ number: Int64) throws {
      try session.change("INSERT INTO steps (n) VALUES ($1)", [.integer(number)])
    }

    private func steps() throws -> [Int64] {
      try session.rows("SELECT n FROM steps ORDER BY n", []).map { row in
        guard case .integer(let number) = row[0] else { return -1 }
        return number
      }
    }
  }
#endif
