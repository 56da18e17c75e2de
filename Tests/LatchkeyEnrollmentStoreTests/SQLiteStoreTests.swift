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

struct SQLiteStoreTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  @Test("A written value is there after the next opening") func aWrittenValueIsThereAfterTheNextOpening() async throws {
    let store = try SQLiteStore(path: folder.path("server.db"), node: "node")
    try await LedgerService().makeTables(in: store)
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
    let again = try SQLiteStore(path: folder.path("server.db"), node: "node")
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

  @Test("Commits wait for the disk, and foreign keys are enforced")
  func commitsWaitForTheDiskAndForeignKeysAreEnforced() async throws {
    let store = try SQLiteStore(path: folder.path("server.db"), node: "node")
    #expect(try pragma("synchronous", of: store) == "2")
    #expect(try pragma("foreign_keys", of: store) == "1")
    #expect(try pragma("busy_timeout", of: store) == "5000")
    #expect(try pragma("journal_mode", of: store) == "wal")
    await store.close()
  }

  @Test("Its files are their owner's alone") func itsFilesAreTheirOwnersAlone() async throws {
    let store = try SQLiteStore(path: folder.path + "/new/folder/server.db", node: "node")
    try await store.write { transaction in
      _ = try transaction.addUser(UserRecord(name: "ann", passwordHash: nil))
      let device = DeviceRecord(id: .random(), user: "ann", name: "", created: 1, identityKey: [4])
      try transaction.addDevice(device)
      _ = try transaction.revokeDevice(device.id, at: 1, reason: 1)
    }
    for name in ["server.db", "server.db-wal", "server.db-shm", "server.db.revocations"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/new/folder/" + name)
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
    }
    await store.close()
  }

  @Test("A full disk is reported in words") func aFullDiskIsReportedInWords() async throws {
    let store = try SQLiteStore(path: folder.path("server.db"), node: "node")
    // As SQLite tells of a disk that has no room.
    try store.writer.execute("PRAGMA max_page_count = 1")
    await #expect(throws: EnrollmentStoreError.unavailable("the disk is full: make room")) {
      for number in 0..<100 {
        try await store.write { try $0.setSetting("\(number)", to: [UInt8](repeating: 1, count: 100_000)) }
      }
    }
    await store.close()
  }

  @Test("A file that others can read is refused, with the next step") func aFileThatOthersCanReadIsRefusedWithWhatToDo()
    async throws
  {
    await (try SQLiteStore(path: folder.path("server.db"), node: "node")).close()
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder.path("server.db"))
    let error = #expect(throws: EnrollmentStoreError.self) {
      try SQLiteStore(path: folder.path("server.db"), node: "node")
    }
    #expect("\(try #require(error))".contains("chmod 600"))
  }

  @Test(
    "A folder where others may write is refused, with the next step", arguments: [0o777, 0o770, 0o720, 0o702, 0o1777])
  func aFolderWhereOthersMayWriteIsRefusedWithWhatToDo(_ mode: Int) async throws {
    await (try SQLiteStore(path: folder.path("server.db"), node: "node")).close()
    let link = folder.path + "/elsewhere"
    try FileManager.default.createDirectory(atPath: link, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: link + "/server.db", withDestinationPath: folder.path("server.db"))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path)
    for path in [folder.path("server.db"), folder.path + "/another.db", link + "/server.db"] {
      let error = #expect(throws: EnrollmentStoreError.self, "\(path)") { try SQLiteStore(path: path, node: "node") }
      #expect("\(try #require(error))".contains("chmod go-w"))
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/another.db"))
  }

  @Test("A folder of another user is refused", .enabled(if: getuid() == 0, "needs root"))
  func aFolderOfAnotherUserIsRefused() async throws {
    await (try SQLiteStore(path: folder.path("server.db"), node: "node")).close()
    #expect(chown(folder.path, 65_534, 65_534) == 0)
    let error = #expect(throws: EnrollmentStoreError.self) {
      try SQLiteStore(path: folder.path("server.db"), node: "node")
    }
    #expect("\(try #require(error))".contains("belongs to another user"))
  }

  @Test(
    "A file that SQLite would read beside the database is checked like the database",
    arguments: ["-wal", "-shm", "-journal"])
  func aFileThatSQLiteWouldReadBeside(_ suffix: String) async throws {
    await (try SQLiteStore(path: folder.path("server.db"), node: "node")).close()
    let file = folder.path("server.db") + suffix
    #expect(FileManager.default.createFile(atPath: file, contents: Data(), attributes: [.posixPermissions: 0o600]))
    await (try SQLiteStore(path: folder.path("server.db"), node: "node")).close()
    #expect(FileManager.default.createFile(atPath: file, contents: Data(), attributes: [.posixPermissions: 0o602]))
    chmod(file, 0o602)
    let open = #expect(throws: EnrollmentStoreError.self) {
      try SQLiteStore(path: folder.path("server.db"), node: "node")
    }
    #expect("\(try #require(open))".contains("server.db\(suffix) is open to other users"))
    guard getuid() == 0 else { return }
    #expect(chmod(file, 0o600) == 0 && chown(file, 65_534, 65_534) == 0)
    let foreign = #expect(throws: EnrollmentStoreError.self) {
      try SQLiteStore(path: folder.path("server.db"), node: "node")
    }
    #expect("\(try #require(foreign))".contains("server.db\(suffix) belongs to another user"))
  }

  @Test("A text that is no file's path is refused", arguments: ["", ":memory:", "/", "/dev/null", "a\0b"])
  func aTextThatIsNoFilesPathIsRefused(_ path: String) {
    #expect(throws: EnrollmentStoreError.self) { try SQLiteStore(path: path, node: "node") }
  }

  @Test("A database of something else is refused and left as it is")
  func aDatabaseOfSomethingElseIsRefusedAndLeftAsItIs() throws {
    try ForeignConnection(folder.path("server.db")).execute("CREATE TABLE users (name TEXT)")
    chmod(folder.path("server.db"), 0o600)
    #expect(throws: EnrollmentStoreError.self) { try SQLiteStore(path: folder.path("server.db"), node: "node") }
    let tables: [String] = try ForeignConnection(folder.path("server.db")).values("SELECT name FROM sqlite_schema")
    #expect(tables == ["users"])
  }

  @Test("A file that is no database is refused") func aFileThatIsNoDatabaseIsRefused() throws {
    try Data(repeating: 0x41, count: 4096).write(to: URL(fileURLWithPath: folder.path("server.db")))
    chmod(folder.path("server.db"), 0o600)
    #expect(throws: EnrollmentStoreError.self) { try SQLiteStore(path: folder.path("server.db"), node: "node") }
  }

  @Test("However many open a new file at once, all get the same database")
  func howeverManyOpenANewFileAtOnceAllGetTheSameDatabase() async throws {
    let path = folder.path("server.db")
    let stores = try await withThrowingTaskGroup(of: SQLiteStore.self) { group in
      for number in 0..<8 {
        group.addTask {
          try await withCheckedThrowingContinuation { opener in
            Thread.detachNewThread {
              opener.resume(with: Result { try SQLiteStore(path: path, node: "node \(number)") })
            }
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    for (number, store) in stores.enumerated() {
      #expect(try await store.write { try $0.addUser(UserRecord(name: "\(number)", passwordHash: nil)) })
    }
    for store in stores {
      #expect(try await store.read { try $0.user(named: "7") } != nil)
      await store.close()
    }
  }

  /// As the connection has it that writes.
  private func pragma(_ name: String, of store: SQLiteStore) throws -> String? {
    let statement = try store.writer.statement("PRAGMA \(name)")
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return statement.text(0) ?? statement.integer(0).map { "\($0)" }
  }
}
