import Foundation
import LatchkeyEnrollmentPostgres
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyPostgresTestSupport
import LatchkeySQLite
import Testing

@testable import LatchkeyEnrollmentServer

/// What the operator's lists cost: the statements of every one, as the databases plan them, and the rows that they read.
@Suite("Work of the operator's lists")
struct ListWorkTests {
  /// Tables with a row for each server, profile or administrator: they may be read whole, and sorted.
  private static let small = [
    "audit_heads", "audit_prunings", "profiles", "administrators", "settings", "service_versions",
  ]

  /// What one request did.
  private struct Work {
    /// How many statements it ran.
    var statements = 0
    /// How much one run of each did, in the database's own measure.
    var cost: [Int] = []
  }

  /// Asks a store for every list, before it has twice the rows and afterwards.
  ///
  /// - Parameters:
  ///   - plan: the faults of a statement's plan.
  ///   - cost: what one run of a statement costs.
  private static func compare(
    _ store: any EnrollmentStore, _ recorder: ListRecorder, fill: (_ first: Int, _ count: Int) throws -> Void,
    plan: (ListStatement) throws -> [String], cost: (ListStatement) throws -> Int
  ) async throws {
    let services = try CeremonyBench { $0.store = store }.services
    let calls = try ListCalls.all()
    try fill(1, 20_000)
    var before: [Work] = []
    var planned: Set<String> = []
    for isAfter in [false, true] {
      if isAfter { try fill(20_001, 20_000) }
      for (number, call) in calls.enumerated() {
        let statements = try await call.statements(from: services, recorder)
        // One that reads on runs the same statement again and again.
        let some = statements.reduce(into: [ListStatement]()) { some, next in
          if some.filter({ $0.text == next.text }).count < 2 { some.append(next) }
        }
        let work = Work(statements: statements.count, cost: try some.map(cost))
        for statement in some where isAfter && planned.insert(statement.text).inserted && !isSmall(statement.text) {
          for fault in try plan(statement) { Issue.record("\(call.name): \(fault): \(statement.text)") }
        }
        guard isAfter else {
          before.append(work)
          continue
        }
        #expect(work.statements <= before[number].statements + 1, "\(call.name)")
        #expect(work.cost.count == before[number].cost.count, "\(call.name)")
        for (statement, (cost, old)) in zip(some, zip(work.cost, before[number].cost)) {
          #expect(cost <= old + old / 10 + 100, "\(call.name): \(statement.text)")
        }
      }
    }
    // Lists that devices read, and no administrator.
    _ = try await store.read { try $0.pendingDevices(of: "fleet", after: nil, now: 2, limit: 9) }
    for statement in recorder.take() {
      planned.insert(statement.text)
      for fault in try plan(statement) { Issue.record("\(fault): \(statement.text)") }
    }
    for page in try pages() where !planned.contains(page) {
      Issue.record("no list of the admin listener runs the statement of a page: \(page)")
    }
  }

  private static func isSmall(_ text: String) -> Bool {
    let tables = text.matches(of: /(?:FROM|JOIN) ([a-z_]+)/).map { String($0.1) }
    return tables.allSatisfy(small.contains)
  }

  /// The statements of pages, as the source has them.
  private static func pages() throws -> [String] {
    let root = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let folder = root.appending(path: "Sources/LatchkeyEnrollmentStore/SQL")
    let found = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).flatMap {
      file in
      try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\"\"\"").filter {
        $0.contains("SELECT page.*")
      }
    }
    try #require(found.count > 10)
    return found.map(ListStatement.line)
  }

  @Test("SQLite scans and sorts no table for a list, and no page costs more in a store of twice the size")
  func onSQLite() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-list-work-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "server.db").path
    let recorder = ListRecorder()
    let store = try SQLiteStore(path: path, node: "node", limits: .init(), wrapReads: recorder.wrap)
    let connection = try SQLiteConnection(path: path, options: SQLiteOptions(.readWrite, busyTimeout: 60))
    do {
      try await Self.compare(
        store, recorder,
        fill: { first, count in
          try connection.execute("BEGIN")
          for statement in ListFilling(.sqlite).statements(from: first, count: count) {
            try connection.execute(statement)
          }
          try connection.execute("COMMIT")
        }, plan: { try SQLiteListPlan.faults(of: $0, on: connection) },
        cost: { try SQLiteListPlan.cost(of: $0, on: connection) })
    } catch {
      await store.close()
      throw error
    }
    await store.close()
  }

  @Test("A page of a list reads one row more than its limit, and a page of a search 1001 rows at most")
  func rows() async throws {
    let recorder = ListRecorder()
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-list-rows-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try SQLiteStore(
      path: folder.appending(path: "server.db").path, node: "node", limits: .init(), wrapReads: recorder.wrap)
    let engine = Operator(store)
    let searches: [(rows: Int64, ask: (Int) async throws -> Void)] = [
      (8, { _ = try await engine.users(limit: $0) }), (8, { _ = try await engine.devices(DeviceFilter(), limit: $0) }),
      (8, { _ = try await engine.certificates(CertificateFilter(), limit: $0) }),
      (8, { _ = try await engine.tokens(limit: $0) }), (1001, { _ = try await engine.sessions(limit: $0) }),
      (1001, { _ = try await engine.users(UserFilter(prefix: "a"), limit: $0) }),
      (1001, { _ = try await engine.devices(DeviceFilter(isRevoked: true), limit: $0) }),
      (1001, { _ = try await engine.certificates(CertificateFilter(state: .valid), limit: $0) }),
      (1001, { _ = try await engine.pendingDevices(limit: $0) }),
    ]
    for (number, search) in searches.enumerated() {
      _ = recorder.take()
      try await search.ask(7)
      #expect(recorder.take().map(\.arguments.last) == [.integer(search.rows)], "\(number)")
    }
    await store.close()
  }

  #if PostgreSQL
    @Test(
      "PostgreSQL scans and sorts no table for a list by its generic plans, and no page reads more rows in a store of twice the size",
      .enabled(if: TestServer.isThere))
    func onPostgreSQL() async throws {
      let database = try TestDatabase()
      let recorder = ListRecorder()
      let address = try database.address
      let store = try PostgresStore(
        address, node: "node", logger: .quiet, limits: .init(), wrap: recorder.wrap)
      let plans = try PostgresListPlan(database)
      do {
        try await Self.compare(
          store, recorder,
          fill: { first, count in
            for statement in ListFilling(.postgreSQL).statements(from: first, count: count) {
              try database.run(statement)
            }
            try database.run("ANALYZE")
          }, plan: plans.faults, cost: plans.cost)
      } catch {
        await store.close()
        throw error
      }
      await store.close()
    }
  #endif
}
