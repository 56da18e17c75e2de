@testable import EnrollmentStore
import Foundation
import GRDB
import Testing

/// A folder that goes with its owner.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "/enrollment-store-" + Identifier.random().description
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var database: String { path + "/server.db" }
}

struct SQLiteStoreTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `what was written is there after the next opening`() async throws {
    let store = try SQLiteStore(path: folder.database, node: "node")
    #expect(try await store.write { try $0.addUser(UserRecord(name: "ann", passwordHash: nil)) })
    let result = try await store.write { transaction in
      for number in ["123123456456", "654654123123"] {
        _ = try transaction.addAccount(
          AccountRecord(number: number, user: "ann", name: "Checking", currency: "EUR", balance: 0))
      }
      let house = try transaction.houseAccount(currency: "EUR")
      try transaction.audit(AuditEntry(event: "a", time: 1, fields: ["x": "y"]))
      return try transaction.book(
        Booking(
          id: .random(), from: house.number, to: "123123456456", amount: 500, currency: "EUR", notes: "", booked: 1,
          device: nil))
    }
    #expect(result == .booked(balance: -500))
    await store.close()
    let again = try SQLiteStore(path: folder.database, node: "node")
    let (sums, balance, wrong, entries) = try await again.read {
      (
        try $0.ledgerSums(), try $0.account("123123456456")?.balance, try $0.accountsOutOfBalance(limit: 9),
        try $0.auditEntries(node: "node", after: 0, limit: 10)
      )
    }
    #expect(sums == ["EUR": 0])
    #expect(balance == 500)
    #expect(wrong == [])
    #expect(entries.map(\.entry) == [AuditEntry(event: "a", time: 1, fields: ["x": "y"])])
    await again.close()
  }

  @Test func `commits wait for the disk, and references are kept`() async throws {
    let store = try SQLiteStore(path: folder.database, node: "node")
    #expect(try pragma("synchronous", of: store) == "2")
    #expect(try pragma("foreign_keys", of: store) == "1")
    #expect(try pragma("busy_timeout", of: store) == "5000")
    #expect(try pragma("journal_mode", of: store) == "wal")
    await store.close()
  }

  /// As the connection has it that writes.
  private func pragma(_ name: String, of store: SQLiteStore) throws -> String? {
    try store.pool.writeWithoutTransaction { try String.fetchOne($0, sql: "PRAGMA \(name)") }
  }
}
