import LatchkeyTestSupport
import LatchkeyEnrollmentProtocol
@testable import LatchkeyEnrollmentStore
import Foundation
import LatchkeyEnrollmentServer
import LatchkeyLedger
import LatchkeySQLiteTestSupport
import Glibc
import LatchkeySQLite
import Testing

struct SchemaMigrationTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  /// A copy of the stored first version.
  private func takeFirstVersion() throws {
    let fixture = try #require(
      Bundle.module.url(forResource: "first-version", withExtension: "sqlite", subdirectory: "Fixtures"))
    try FileManager.default.copyItem(atPath: fixture.path, toPath: folder.path("server.db"))
    chmod(folder.path("server.db"), 0o600)
  }

  private func ask(_ sql: String, of other: Folder? = nil) throws -> [String] {
    try ForeignConnection((other ?? folder).path("server.db")).values(sql)
  }

  private func change(_ sql: String) throws {
    try ForeignConnection(folder.path("server.db")).execute(sql)
  }

  private static func bytes(_ value: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: value, count: count) }

  @Test("The first version comes forward with all that it has") func theFirstVersionComesForwardWithAllThatItHas()
    async throws
  {
    try takeFirstVersion()
    let store = try SQLiteStore(path: folder.path("server.db"), node: "first")
    let device = try #require(Identifier(bytes: Self.bytes(1, 16)))
    let (user, devices, found, revoked, epoch) = try await store.read {
      (
        try $0.user(named: "ann"), try $0.devices(of: "ann"),
        try $0.certificate(fingerprint: Fingerprint(Self.bytes(0x11, 32))),
        try $0.revokedCertificates(now: 0), try $0.revocationEpoch()
      )
    }
    #expect(user?.failures == 2)
    #expect(user?.lockedUntil == 1_800_000_000)
    #expect(devices.map(\.name) == ["Old phone", "Phone"])
    #expect(devices.map(\.revoked) == [1_700_000_001, nil])
    #expect(found?.device.id == device)
    #expect(revoked.map(\.serial) == [Self.bytes(0x22, 16)])
    #expect(epoch == 1)
    #expect(try await store.read { try $0.token(hash: Self.bytes(0x31, 32), now: 0)?.device } == device)
    #expect(try await store.read { try $0.answer(to: "key", scope: "ann")?.status } == 201)
    #expect(try await store.read { try $0.setting("authority") } == Array("DER".utf8))
    let challenge = try #require(Identifier(bytes: Self.bytes(0x41, 16)))
    // Of a minute, and of a purpose that no service has any more.
    #expect(try await store.write { try $0.takeChallenge(challenge, now: 0) } == nil)
    #expect(try await !store.write { try $0.claimNonce(Nonce(Self.bytes(0x51, 16)), device: device, expires: 1) })
    await store.close()
  }

  @Test("Answers that were stored by device are found by user") func answersThatWereStoredByDeviceAreFoundByUser()
    async throws
  {
    try takeFirstVersion()
    let device = String(repeating: "01", count: 16)
    for (key, scope) in [("asked", device), ("elsewhere", String(repeating: "09", count: 16))] {
      try change("INSERT INTO answers VALUES ('\(scope)', '\(key)', x'07', 201, x'08', 2000000000)")
    }
    let store = try SQLiteStore(path: folder.path("server.db"), node: "first")
    let found = try await store.read {
      (
        try $0.answer(to: "asked", scope: AnswerScope.requests(to: "ledger", of: "ann")),
        try $0.answer(to: "asked", scope: device),
        try $0.answer(to: "elsewhere", scope: String(repeating: "09", count: 16))
      )
    }
    #expect(found.0 == StoredAnswer(digest: RequestDigest([7]), status: 201, body: [8], expires: 2_000_000_000))
    #expect(found.1 == nil)
    #expect(found.2 != nil)
    await store.close()
  }

  @Test("The first version's ledger and audit chain go on") func theFirstVersionsLedgerAndAuditChainGoOn() async throws
  {
    try takeFirstVersion()
    let store = try SQLiteStore(path: folder.path("server.db"), node: "first")
    let booking = Booking(
      id: .random(), from: "654654123123", to: "123123456456", amount: 1, currency: "EUR", notes: "", booked: 1,
      device: nil)
    let result = try await store.write { transaction in
      try transaction.audit(AuditEntry(event: "transfer.booked", time: 1))
      return try transaction.book(booking)
    }
    #expect(result == .booked(balance: 499_999))
    #expect(try await store.read { try $0.ledgerSums() } == ["EUR": 0])
    #expect(try await store.read { try $0.accountsOutOfBalance(limit: 9) } == [])
    // The first three hashes were not computed by this package.
    #expect(try await AuditChain.verify(store) == [AuditChain.Report(node: "first", entries: 4)])
    await store.close()
  }

  @Test("Transfers from before there were dates keep all that they have, and have none")
  func transfersFromBeforeThereWereDatesKeep() async throws {
    try takeFirstVersion()
    let before = try ask("SELECT hex(id) || booked || COALESCE(hex(device), '') || notes FROM transfers ORDER BY id")
    #expect(before.count == 2)
    let store = try SQLiteStore(path: folder.path("server.db"), node: "first")
    let transfers = try await store.read { try $0.transfers(after: nil, limit: 9) }
    #expect(transfers.map(\.valueDate) == [nil, nil])
    #expect(transfers.allSatisfy { $0.entries.count == 2 })
    let booking = Booking(
      id: .random(), from: "654654123123", to: "123123456456", amount: 1, currency: "EUR", notes: "", booked: 1,
      valueDate: 86_400, device: nil)
    _ = try await store.write { try $0.book(booking) }
    #expect(try await store.read { try $0.transfer(booking.id)?.valueDate } == 86_400)
    await store.close()
    let after = try ask(
      "SELECT hex(id) || booked || COALESCE(hex(device), '') || notes FROM ledger_transfers WHERE value_date IS NULL ORDER BY id"
    )
    #expect(after == before)
  }

  /// A definition without its line breaks and indentation, which differ where a column was added to a table.
  private static func words(_ definition: String) -> [Substring] {
    definition.split { " \n(),".contains($0) }
  }

  @Test("The first version comes to the same tables as a new database, and the bank as its service makes it")
  func theFirstVersionComesToTheSameTablesAsANewDatabase() async throws {
    try takeFirstVersion()
    await (try SQLiteStore(path: folder.path("server.db"), node: "node")).close()
    let question = "SELECT type || ' ' || name || ': ' || COALESCE(sql, '') FROM sqlite_schema ORDER BY 1"
    // SQLite quotes the names of tables that it renamed.
    let brought = try ask(question).map { $0.replacing("\"", with: "") }
    #expect(try ask("SELECT version FROM schema_version ORDER BY 1") == (1...Schema.version).map(String.init))
    let other = try Folder()
    let fresh = try SQLiteStore(path: other.path("server.db"), node: "node")
    #expect(try ask("SELECT name FROM sqlite_schema WHERE name LIKE 'ledger%' OR name = 'accounts'", of: other).isEmpty)
    try await LedgerService().makeTables(in: fresh)
    await fresh.close()
    let new = try ask(question, of: other)
    #expect(brought.map(Self.words) == new.map(Self.words))
    #expect(new.contains { $0.hasPrefix("index nonces_by_end") })
  }

  @Test("A name that a token prescribed is the token's word; approvals whose maker is not known are asked for again")
  func approvals() async throws {
    let file = folder.path("server.db")
    await (try SQLiteStore(path: file, node: "node")).close()
    try change(
      """
      DROP INDEX devices_revoked; DROP INDEX pending_devices_by_maker; DROP TABLE audit_prunings;
      DROP TABLE requested_names; DROP TABLE acme_orders; DROP TABLE limit_reports;
      DROP INDEX users_disabled; DROP INDEX users_locked; DROP INDEX devices_revoked_by_id;
      DROP INDEX certificates_revoked_by_fingerprint; DROP INDEX enrollment_tokens_by_creation;
      DROP INDEX pending_devices_by_creation; DROP INDEX pending_devices_of_user;
      ALTER TABLE devices DROP COLUMN name_approval;
      ALTER TABLE pending_devices DROP COLUMN name_approval; ALTER TABLE pending_devices DROP COLUMN decided_by;
      DELETE FROM schema_version WHERE version >= 10;
      INSERT INTO users (name, failures) VALUES ('ann', 0);
      """)
    for (id, name) in [("01", "'pump'"), ("02", "NULL")] {
      let id = String(repeating: id, count: 16)
      try change(
        """
        INSERT INTO devices (id, user_name, name, created, identity_key) VALUES (x'\(id)', 'ann', 'pump', 1, x'04');
        INSERT INTO enrollment_tokens (id, hash, user_name, device_name, profile, created, expires, used, request, device)
          VALUES (x'\(id)', x'\(id)', 'ann', \(name), 'default', 1, 2, 1, 'r', x'\(id)');
        """)
    }
    for (id, decision) in [("03", "5, 1"), ("04", "5, 0"), ("05", "NULL, NULL")] {
      let id = String(repeating: id, count: 16)
      try change(
        """
        INSERT INTO pending_devices (id, user_name, name, profile, identity_key, identity_evidence, request, fingerprint,
          created, expires, decided, is_approved)
        VALUES (x'\(id)', 'ann', 'lamp', 'default', x'04', 'none', '\(id)', x'01', 1, 100, \(decision));
        """)
    }
    let store = try SQLiteStore(path: file, node: "node")
    let (devices, decisions) = try await store.read { store in
      (
        try store.devices(of: "ann"),
        try [3, 4, 5].map { number in
          try Identifier(bytes: Self.bytes(number, 16)).flatMap { try store.pendingDevice($0)?.decision }
        }
      )
    }
    #expect(devices.map(\.nameApproval) == [.token, nil])
    #expect(decisions == [nil, .init(isApproved: false, by: .operator), nil])
    await store.close()
  }

  @Test("Nonces and answers of a version that had them by their keys still count once, and are found by their end")
  func usedOnce() async throws {
    let file = folder.path("server.db")
    let session = SQLiteSession(try SQLiteConnection(path: file, options: SQLiteOptions(.readWrite, busyTimeout: 0)))
    try SchemaMigration(session, dialect: .sqlite, define: session.define).run(upTo: 10)
    session.close()
    chmod(file, 0o600)
    let device = try #require(Identifier(bytes: Self.bytes(7, 16)))
    try change(
      """
      PRAGMA application_id = \(SQLiteOpening.application);
      INSERT INTO nonces VALUES (x'\(device)', x'6F6E65', 50), (x'\(device)', x'74776F', 20);
      INSERT INTO answers VALUES ('ann', 'key', x'01', 201, x'7B7D', 50), ('ben', 'key', x'02', 422, x'5B5D', 20);
      """)
    let store = try SQLiteStore(path: file, node: "node")
    func claim(_ nonce: String) async throws -> Bool {
      try await store.write { try $0.claimNonce(Nonce(nonce.utf8), device: device, expires: 60) }
    }
    func answer(_ scope: String) async throws -> StoredAnswer? {
      try await store.read { try $0.answer(to: "key", scope: scope) }
    }
    let kept = StoredAnswer(digest: RequestDigest([1]), status: 201, body: Array("{}".utf8), expires: 50)
    #expect(try await answer("ann") == kept)
    #expect(try await answer("ben")?.status == 422)
    #expect(try await [claim("one"), claim("two"), claim("three"), claim("three")] == [false, false, true, false])
    #expect(try await !store.write { try $0.addAnswer(kept, to: "key", scope: "ann") })
    #expect(try await store.write { try $0.forgetEnded(now: 30, limit: 100) } == 2)
    #expect(try await answer("ben") == nil)
    #expect(try await answer("ann") == kept)
    #expect(try await [claim("one"), claim("two")] == [false, true])
    #expect(try ask("SELECT COUNT(*) FROM sqlite_schema WHERE name LIKE '%by_key'") == ["0"])
    await store.close()
  }

  @Test("The first step is what it was when it was released") func theFirstStepIsWhatItWasWhenItWasReleased() throws {
    let pristine = try #require(
      Bundle.module.url(forResource: "first-version", withExtension: "sqlite", subdirectory: "Fixtures"))
    let session = SQLiteSession(
      try SQLiteConnection(path: folder.path("server.db"), options: SQLiteOptions(.readWrite, busyTimeout: 0)))
    try SchemaMigration(session, dialect: .sqlite, define: session.define).run(upTo: 1)
    let question = "SELECT COALESCE(sql, name) FROM sqlite_schema ORDER BY name"
    let released: [String] = try ForeignConnection(pristine.path, isReadOnly: true).values(question)
    #expect(try ask(question) == released)
  }

  @Test("A later program's database is refused and left as it is") func aLaterProgramsDatabaseIsRefusedAndLeftAsItIs()
    async throws
  {
    await (try SQLiteStore(path: folder.path("server.db"), node: "node")).close()
    try change("INSERT INTO schema_version VALUES (\(Schema.version + 1))")
    #expect(throws: EnrollmentStoreError.unsupportedVersion(Schema.version + 1)) {
      try SQLiteStore(path: folder.path("server.db"), node: "node")
    }
    #expect(try ask("SELECT MAX(version) FROM schema_version") == ["\(Schema.version + 1)"])
  }
}
