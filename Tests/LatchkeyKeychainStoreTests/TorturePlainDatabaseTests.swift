import LatchkeyTestSupport
import LatchkeySQLiteTestSupport
import Testing

/// The power loss harness over a plain database: it must find nothing where commits are synced, and must find the
/// acknowledged writes that `synchronous = NORMAL` loses, or else it finds nothing anywhere.
@Suite("A plain database that loses power", .timeLimit(.minutes(60))) struct TorturePlainDatabaseTests {
  @Test("has all acknowledged rows with synchronous = FULL") func full() throws {
    let complaints = try complaints(synchronous: "FULL")
    #expect(complaints.isEmpty, "\(complaints.prefix(3))")
  }

  @Test("lacks acknowledged rows with synchronous = NORMAL, and the harness sees it") func normal() throws {
    let complaints = try complaints(synchronous: "NORMAL")
    #expect(complaints.contains { $0.contains("was acknowledged as version") })
  }

  @Test("is torn with its journal off, and the harness sees it") func journalOff() throws {
    let complaints = try complaints(synchronous: "OFF", journal: "OFF", rowsEach: 16)
    #expect(complaints.contains { $0.contains("half there") || $0.contains("does not open") })
  }

  private func complaints(synchronous: String, journal: String = "WAL", rowsEach: Int = 2) throws -> [String] {
    let folder = try TortureFolder()
    let recording = try Recording(folder)
    let ledger = TortureLedger()
    do {
      let writer = try ForeignConnection(folder.file("plain.db"))
      try writer.execute("PRAGMA journal_mode = \(journal); PRAGMA synchronous = \(synchronous)")
      try writer.execute("CREATE TABLE row(key INTEGER PRIMARY KEY, version INTEGER, padding BLOB)")
      recording.mark(TortureLedger.begun(ledger.begin([:])))
      for round in 0..<6 {
        let versions = (0..<rowsEach).map { (round % 3 * rowsEach + $0, round) }
        let effects = Dictionary(uniqueKeysWithValues: versions.map { ($0.0, Int?.some($0.1)) })
        try ledger.record(effects, in: recording) {
          try writer.transaction { database in
            for (key, version) in versions {
              try database.execute("INSERT OR REPLACE INTO row VALUES (?, ?, zeroblob(500))", [key, version])
            }
          }
        }
        if round == 3, journal == "WAL" { try writer.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
      }
      writer.close()
    }
    let image = try TortureFolder()
    var complaints: [String] = []
    let loss = PowerLoss(before: [:], events: try recording.events())
    try loss.forEachRemains(.sample(Torture.count(sample: 80, soak: 5_000)), seed: 1) { remains in
      // Before the table was there, nothing is promised.
      guard !remains.marks.isEmpty else { return }
      try image.set(remains.contents)
      do {
        let found = try versions(in: image.file("plain.db"))
        if let complaint = ledger.complaint(about: found, after: remains.marks) {
          complaints.append("\(complaint), \(remains.description)")
        }
      } catch {
        complaints.append("does not open: \(error), \(remains.description)")
      }
    }
    return complaints
  }

  private func versions(in path: String) throws -> [Int: Int] {
    let database = try ForeignConnection(path)
    let verdict: [String] = try database.values("PRAGMA integrity_check")
    guard verdict == ["ok"] else { throw TortureFailure(description: "\(verdict)") }
    let rows = try database.rows("SELECT key, version FROM row").map { ($0[0], $0[1]) }
    return Dictionary(
      uniqueKeysWithValues: try rows.map { (try #require(Int($0.0)), try #require(Int($0.1))) })
  }
}
