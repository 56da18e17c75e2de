@testable import LatchkeyEnrollmentStore
import LatchkeyTestSupport
import StoreContract
import Testing

/// Every rule of the contract, on SQLite.
struct SQLiteContractTests {
  @Test("SQLite keeps the rule", arguments: StoreContract.all) func sqliteKeepsTheRule(_ rule: StoreContract)
    async throws
  {
    try await rule.hold(try SQLitePlace())
  }
}

/// A file of its own.
struct SQLitePlace: StorePlace {
  private let folder: Folder

  init() throws { folder = try Folder() }

  func open(node: String, faults: FaultPlan?) async throws -> any EnrollmentStore {
    try SQLiteStore(path: folder.path("server.db"), node: node, limits: CommitBatcher.Limits()) {
      faults?.wrap($0) ?? $0
    }
  }

  func openImpatient(node: String, faults: FaultPlan) async throws -> any EnrollmentStore {
    var limits = CommitBatcher.Limits()
    (limits.tries, limits.patience) = (3, .milliseconds(200))
    return try SQLiteStore(path: folder.path("server.db"), node: node, limits: limits) { faults.wrap($0) }
  }
}
