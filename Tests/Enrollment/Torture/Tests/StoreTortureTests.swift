import LatchkeyPostgresTestSupport
import Foundation
import LatchkeyEnrollmentPostgres
import LatchkeyEnrollmentStore
import Logging
import Testing

/// How much is done: a sample of seconds, or all of it where LATCHKEY_SOAK is set.
enum Torture {
  static let isSoak = ProcessInfo.processInfo.environment["LATCHKEY_SOAK"] != nil
  static func count(sample: Int, soak: Int) -> Int { isSoak ? soak : sample }
}

@Suite("Transfers, sent three times each by eight clients to stores whose processes are killed", .serialized)
struct StoreTortureTests {
  @Test("are booked once each on SQLite, and all get the true answer", .timeLimit(.minutes(20))) func sqlite()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: "torture-\(Identifier.random())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "server.db").path
    let store = try SQLiteStore(path: path, node: "auditor")
    try await verify(store, at: path, workers: 1, name: "SQLite, one process")
    await store.close()
  }

  #if PostgreSQL
    @Test(
      "are booked once each on PostgreSQL by two processes, and all are told the truth",
      .enabled(if: TestServer.isThere),
      .timeLimit(.minutes(20)))
    func postgres() async throws {
      let database = try TestDatabase(disk: TestServer.disks.first)
      let store = try PostgresStore(database.address, node: "auditor", logger: .quiet)
      let url = database.url
      try await verify(
        store, at: url, workers: 2, name: "PostgreSQL, two processes",
        {
          try database.endOneConnection()
          return "connection ended"
        }, { try await database.fullForAMoment(store) })
      await store.close()
    }
  #endif

  private func verify(
    _ store: any EnrollmentStore, at place: String, workers: Int, name: String,
    _ harms: (@Sendable () async throws -> String?)...
  ) async throws {
    let ledger = try await TortureLedger(store)
    let servers = try await WorkerServers(place, store: store, count: workers, harms: harms)
    var chance = Chance(seed: 5)
    let transfers = TortureTransfer.plan(
      Torture.count(sample: 120, soak: 1_000), accounts: ledger.accounts, chance: &chance)
    var torture = TransferTorture()
    // In the sample each kind once.
    torture.harmLimit = Torture.isSoak ? .max : 5 + harms.count
    torture.harmEvery = Torture.isSoak ? 20...200 : 5...15
    let report = try await torture.run(transfers, on: servers, seed: 6)
    print("torture, \(name): \(report.summary)")
    #expect(report.answers.count == transfers.count)
    try await ledger.verify(report, in: store)
  }
}
