import Crypto
import Foundation
import Glibc
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore
import LatchkeyPostgresTestSupport
import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Synchronization
import Testing

#if PostgreSQL
  import LatchkeyEnrollmentPostgres
#endif

/// A pruning deletes in batches of 5000 entries; its process may be killed between two, and in one.
@Suite("A pruning that is killed", .timeLimit(.minutes(5))) struct KilledPruningTests {
  /// When the process is killed, of a pruning of three batches.
  enum Moment: String, Codable, CaseIterable {
    case beforeSecond, inSecond, beforeThird

    /// What is pruned then.
    var pruned: Int64 { self == .beforeThird ? 10_000 : 5000 }
  }

  private static let (written, old): (Int64, Int64) = (11_200, 11_000)

  @Test("On SQLite it leaves a log that is whole, and the next one finishes", arguments: Moment.allCases)
  func sqlite(_ moment: Moment) async throws {
    let folder = try Folder()
    let key = P256.Signing.PrivateKey()
    let path = folder.path("server.db")
    try await Self.write(to: try SQLiteStore(path: path, node: "old"))
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = path as String, key = key.rawRepresentation as Data, moment = moment as Moment] in
      _ = try await Self.prune(try SQLiteStore(path: path, node: "killed"), key, killedAt: moment)
    }
    try await Self.finish(try SQLiteStore(path: path, node: "next"), key, from: moment.pruned)
  }

  #if PostgreSQL
    @Test(
      "On PostgreSQL it leaves a log that is whole, and the next one finishes", .enabled(if: TestServer.isThere),
      arguments: Moment.allCases)
    func postgres(_ moment: Moment) async throws {
      let database = try TestDatabase()
      let key = P256.Signing.PrivateKey()
      try await Self.write(to: try PostgresStore(database.address, node: "old", logger: .quiet))
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [url = database.url as String, key = key.rawRepresentation as Data, moment = moment as Moment] in
        let store = try PostgresStore(try PostgresAddress(url: url), node: "killed", logger: .quiet)
        _ = try await Self.prune(store, key, killedAt: moment)
      }
      try await Self.finish(
        try PostgresStore(database.address, node: "next", logger: .quiet), key, from: moment.pruned)
    }
  #endif

  /// A chain whose entries are of the times 1, 2, …
  private static func write(to store: any EnrollmentStore) async throws {
    try await store.write { store in
      for number in 1...written { try store.audit(AuditEntry(event: "e", time: number)) }
    }
    await store.close()
  }

  /// Prunes what is old, and ends this process at a moment, if one is given.
  private static func prune(
    _ store: any EnrollmentStore, _ key: Data, killedAt moment: Moment? = nil
  ) async throws -> [Int64] {
    let key = try P256.Signing.PrivateKey(rawRepresentation: key)
    let operating = Operator(KilledStore(store, inWrite: moment == .inSecond ? 2 : nil))
    let parts = try await operating.prunableAudit(
      before: old + 1, signers: .keys([Array(key.publicKey.x963Representation)]))
    var counts: [Int64] = []
    for part in parts {
      var batches = 0
      let count = try await operating.pruneAudit(part, before: old + 1) { message in
        // Each batch is signed after the one before is stored.
        batches += 1
        if moment == .beforeSecond && batches == 2 || moment == .beforeThird && batches == 3 { kill(getpid(), SIGKILL) }
        return Array(try key.signature(for: message).derRepresentation)
      }
      counts.append(count)
    }
    return counts
  }

  /// Expects that so much is pruned and all else there, and prunes the rest.
  private static func finish(
    _ store: any EnrollmentStore, _ key: P256.Signing.PrivateKey, from pruned: Int64
  ) async throws {
    try await expect(store, key, pruned: pruned)
    let counts = try await prune(store, key.rawRepresentation)
    #expect(counts == [old - pruned])
    try await expect(store, key, pruned: old)
    #expect(try await prune(store, key.rawRepresentation).isEmpty)
    await store.close()
  }

  private static func expect(_ store: any EnrollmentStore, _ key: P256.Signing.PrivateKey, pruned: Int64) async throws {
    let reports = try await AuditChain.verify(store, signers: .keys([Array(key.publicKey.x963Representation)]))
    #expect(reports.allSatisfy { $0.fault == nil }, "\(reports)")
    let report = try #require(reports.first { $0.entries + $0.pruned == written })
    #expect(report.pruned == pruned)
    // By pages, and the times of all of them as one value: a failure prints no thousands of numbers.
    var last = pruned
    while true {
      let after = last
      let page = try await store.read { try $0.auditEntries(node: report.node, after: after, limit: 1000) }
      let isNext = page.map(\.entry.time).elementsEqual(after + 1..<after + 1 + Int64(page.count))
      #expect(isNext, "behind \(after)")
      guard isNext, !page.isEmpty else { break }
      last += Int64(page.count)
    }
    #expect(last == written)
    // Each batch that is stored has its entry, and no other one has.
    var noted: [String] = []
    for node in reports.map(\.node) where node != report.node {
      noted += try await store.read { try $0.auditEntries(node: node, after: 0, limit: 100) }
        .filter { $0.entry.event == "audit.pruned" }.compactMap { $0.entry.fields["entry"] }
    }
    let batches = stride(from: 5000, through: pruned, by: 5000).map { "\($0)" } + (pruned == old ? ["\(old)"] : [])
    #expect(noted.sorted() == batches.sorted())
  }
}

/// A store whose process is killed before one of its changes is stored.
private final class KilledStore: EnrollmentStore {
  private let store: any EnrollmentStore
  private let last: Int?
  private let writes = Mutex(0)

  /// - Parameter last: the number of the change, from 1.
  init(_ store: any EnrollmentStore, inWrite last: Int?) {
    self.store = store
    self.last = last
  }

  func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
    try await store.read(body)
  }

  func write<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
    let number = writes.withLock { writes in
      writes += 1
      return writes
    }
    return try await store.write { [last] store in
      let result = try body(store)
      if number == last { kill(getpid(), SIGKILL) }
      return result
    }
  }

  func close() async { await store.close() }
}
