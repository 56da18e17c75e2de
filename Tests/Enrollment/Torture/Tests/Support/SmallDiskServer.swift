#if PostgreSQL
  import EnrollmentPostgres
  import EnrollmentStore
  import Foundation
  import Synchronization

  /// A PostgreSQL of one test, whose tables lie on a disk of 16 MiB.
  final class SmallDiskServer: Sendable {
    /// Where it is, for a store whose tables lie on that disk.
    let url: String
    private let store: PostgresStore
    private let count = Mutex(0)

    /// How often a write was refused since the disk was full.
    var refusals: Int { count.withLock { $0 } }

    /// Whether a disk can be mounted; said in one line if not.
    static let isThere: Bool = {
      guard TestServer.isThere else { return false }
      guard getuid() == 0, (try? TestServer.started(["--small-disk", "1"])) != nil else {
        print("PostgreSQL on a full disk is skipped: only root can mount a small one (unshare, tmpfs)")
        return false
      }
      return true
    }()

    init() throws {
      let server = try TestServer.started(["--small-disk", "16"])
      guard let folder = URLComponents(string: server)?.queryItems?.first(where: { $0.name == "host" })?.value else {
        throw TortureFailure("\(server) names no folder")
      }
      let session = try PostgresSession(PostgresAddress(url: server), timeouts: .init(), logger: .quiet)
      try session.define("CREATE TABLESPACE small LOCATION '\(folder)/small'")
      url = server + "&options=-cdefault_tablespace%3Dsmall"
      store = try PostgresStore(PostgresAddress(url: url), node: "filler", logger: .quiet)
      let filler = try PostgresSession(PostgresAddress(url: url), timeouts: .init(), logger: .quiet)
      // Neither logged nor compressed: it fills this disk alone, at once.
      try filler.define("CREATE UNLOGGED TABLE filling (x TEXT STORAGE PLAIN)")
    }

    /// Fills the disk, sees that the store says so, and makes room again.
    func fillForAMoment() async throws {
      let session = try PostgresSession(PostgresAddress(url: url), timeouts: .init(), logger: .quiet)
      do {
        try session.define("INSERT INTO filling SELECT repeat('x', 7000) FROM generate_series(1, 1000000)")
        throw TortureFailure("the disk has no end")
      } catch is PostgresError {}
      do {
        try await store.write { try $0.setSetting("filling", to: (0..<65_536).map { _ in UInt8.random(in: 0...255) }) }
      } catch EnrollmentStoreError.unavailable(let reason) {
        guard reason.contains("disk is full") else { throw TortureFailure("a full disk is told as: \(reason)") }
        count.withLock { $0 += 1 }
      }
      try await Task.sleep(for: .milliseconds(100))
      try session.define("TRUNCATE filling")
    }
  }
#endif
