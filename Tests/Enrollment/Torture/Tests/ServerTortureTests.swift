import LatchkeyPostgresTestSupport
import Foundation
import LatchkeyEnrollmentPostgres
import LatchkeyEnrollmentStore
import LatchkeySwiftTesting
import Logging
import Testing

@Suite(
  "Signed transfers, sent three times each by eight clients to servers that are killed, over lines that are cut",
  .serialized, .temporaryKeychain(typing: "1234"))
struct ServerTortureTests {
  @Test("are booked once each on SQLite with one server, and all get the true answer", .timeLimit(.minutes(30)))
  func sqlite() async throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/server.db"
    try await torture(
      try SQLiteStore(path: path, node: "auditor"), at: "sqlite:" + path, folder, servers: 1, name: "SQLite, one server"
    )
  }

  #if PostgreSQL
    @Test(
      "are booked once each on PostgreSQL with two servers, and all are told the truth",
      .enabled(if: TestServer.isThere), .timeLimit(.minutes(30)))
    func postgres() async throws {
      let folder = try Self.folder()
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let database = try TestDatabase(disk: TestServer.disks.last)
      let store = try PostgresStore(database.address, node: "auditor", logger: .quiet)
      try await torture(
        store, at: database.url, folder, servers: 2, name: "PostgreSQL, two servers",
        {
          try database.endOneConnection()
          return "connection ended"
        }, { try await database.fullForAMoment(store) })
    }
  #endif

  private func torture(
    _ store: any EnrollmentStore, at place: String, _ folder: String, servers count: Int, name: String,
    _ harms: (@Sendable () async throws -> String?)...
  ) async throws {
    let ledger = try await TortureLedger(store)
    let servers = try await EnrolledClients(
      folder: folder, place: place, servers: count, harms: harms)
    var chance = Chance(seed: 7)
    let transfers = TortureTransfer.plan(
      Torture.count(sample: 60, soak: 1_000), accounts: ledger.accounts, chance: &chance)
    var torture = TransferTorture()
    torture.harmEvery = Torture.isSoak ? 300...1_500 : 200...500
    torture.harmLimit = Torture.isSoak ? .max : 6 + harms.count
    let report = try await torture.run(transfers, on: servers, seed: 8)
    print("torture, \(name): \(report.summary)")
    #expect(servers.complaints == [])
    #expect(report.answers.count == transfers.count)
    await servers.close()
    try await ledger.verify(report, in: store)
    await store.close()
  }

  private static func folder() throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "torture-\(Identifier.random())")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return folder.path
  }
}
