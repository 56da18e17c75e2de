import LatchkeyTestSupport
import Foundation
import LatchkeySQLiteTestSupport
import Glibc
import LatchkeyKeychainModel
import LatchkeySQLite
import Testing

@testable import LatchkeyKeychainStore

@Suite("Opening") struct DatabaseOpeningTests {
  private func mode(_ path: String) throws -> Int {
    try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }

  private func write(_ bytes: [UInt8], _ path: String, mode: Int = 0o600) {
    _ = FileManager.default.createFile(atPath: path, contents: Data(bytes), attributes: [.posixPermissions: mode])
  }

  @Test("Files are accessible to their owner alone") func filesAreTheirOwnersAlone() throws {
    let folder = try StoreFolder()
    var configuration = folder.configuration()
    configuration.path = folder.path + "/a/b/keychain.db"
    let store = try KeychainDatabase(configuration)
    try store.add(.password("a"), as: me)
    #expect(try mode(folder.path + "/a") == 0o700)
    #expect(try mode(folder.path + "/a/b") == 0o700)
    for file in ["keychain.db", "keychain.db-wal", "keychain.db-shm", "keychain.key"] {
      #expect(try mode(folder.path + "/a/b/" + file) == 0o600, "\(file)")
    }
  }

  @Test("Files open to others are refused") func filesOpenToOthersAreRefused() throws {
    let folder = try StoreFolder()
    try folder.open().close()
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder.database)
    guard case .unsafeLocation? = failure({ () throws(StoreError) in try folder.open() }) else {
      Issue.record("a file open to others was taken")
      return
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.database)
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
    guard case .unsafeLocation? = failure({ () throws(StoreError) in try folder.open() }) else {
      Issue.record("a folder open to others was taken")
      return
    }
  }

  @Test(
    "Files of another user are refused", .enabled(if: geteuid() == 0, "only root can give files away"),
    arguments: ["file", "folder"])
  func whatBelongsToAnotherUserIsRefused(_ what: String) throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try store.add(.password("a"), as: me)
    store.close()
    let foreign = what == "folder" ? folder.path : folder.database
    #expect(chown(foreign, 12345, 12345) == 0)
    for isReadOnly in [false, true] {
      var configuration = folder.configuration()
      configuration.isReadOnly = isReadOnly
      guard
        case .unsafeLocation(let text)? = failure({ () throws(StoreError) in try KeychainDatabase(configuration) })
      else {
        Issue.record("taken, though it is another user's: \(foreign)")
        continue
      }
      #expect(text.contains("belongs to another user (12345)"), "\(text)")
    }
    #expect(chown(foreign, 0, 0) == 0)
    #expect(try folder.open().find(.password("a"), as: me).count == 1)
  }

  @Test("a link to nothing in the place of the file, or of a folder above it, is refused and named, and makes nothing")
  func danglingLinks() throws {
    let folder = try StoreFolder()
    for (link, target, place) in [("file", "nofile", "file"), ("folder", "nofolder", "folder/keychain.db")] {
      let (from, to) = (folder.path + "/" + link, folder.path + "/" + target)
      try #require(symlink(to, from) == 0)
      var configuration = folder.configuration()
      configuration.path = folder.path + "/" + place
      guard
        case .unsafeLocation(let text)? = failure({ () throws(StoreError) in try KeychainDatabase(configuration) })
      else {
        Issue.record("\(place) was opened, or refused for another reason")
        continue
      }
      #expect(text.hasPrefix("\(from) is a link to a \(link) that does not exist"), "\(text)")
      #expect(!FileManager.default.fileExists(atPath: to))
    }
    // A link to a keychain that is there is that keychain.
    var configuration = folder.configuration()
    configuration.path = folder.path + "/nofile"
    try KeychainDatabase(configuration).close()
    configuration.path = folder.path + "/file"
    try KeychainDatabase(configuration).add(.password("a"), as: me)
  }

  @Test("A folder above that others can rename is refused") func aFolderAboveThatOthersCanRenameIsRefused() throws {
    let folder = try StoreFolder()
    var configuration = folder.configuration()
    configuration.path = folder.path + "/open/own/keychain.db"
    try KeychainDatabase(configuration).close()
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path + "/open")
    guard case .unsafeLocation? = failure({ () throws(StoreError) in try KeychainDatabase(configuration) }) else {
      Issue.record("a keychain below a folder open to others was taken")
      return
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: folder.path + "/open")
    try KeychainDatabase(configuration).close()
  }

  @Test("A missing or wrong key file is reported and loses nothing")
  func aMissingOrWrongKeyFileIsReportedAndLosesNothing()
    throws
  {
    let folder = try StoreFolder()
    let store = try folder.open()
    try store.add(.password("a"), as: me)
    store.close()
    let away = folder.path + "/away"
    try FileManager.default.moveItem(atPath: folder.key, toPath: away)
    for bytes in [nil, [UInt8](repeating: 7, count: 32), [1, 2, 3]] as [[UInt8]?] {
      if let bytes { write(bytes, folder.key) }
      guard case .rootKeyUnavailable? = failure({ () throws(StoreError) in try folder.open() }) else {
        Issue.record("opened without its key")
        continue
      }
      try? FileManager.default.removeItem(atPath: folder.key)
    }
    try FileManager.default.moveItem(atPath: away, toPath: folder.key)
    #expect(try folder.open().find(.password("a"), as: me).count == 1)
  }

  @Test("A file that is no keychain is left as it is") func aFileThatIsNoKeychainIsLeftAsItIs() throws {
    let folder = try StoreFolder()
    write(Array("this is a letter, and a long one at that ".utf8) + [UInt8](repeating: 7, count: 5000), folder.database)
    let letter = FileManager.default.contents(atPath: folder.database)
    #expect(failure { () throws(StoreError) in try folder.open() } == .notAKeychain(path: folder.database))
    #expect(FileManager.default.contents(atPath: folder.database) == letter)
    try FileManager.default.removeItem(atPath: folder.database)

    try ForeignConnection(folder.database).execute("CREATE TABLE letters(a); INSERT INTO letters VALUES(1)")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.database)
    let database = FileManager.default.contents(atPath: folder.database)
    #expect(failure { () throws(StoreError) in try folder.open() } == .notAKeychain(path: folder.database))
    #expect(FileManager.default.contents(atPath: folder.database) == database)
    #expect(!FileManager.default.fileExists(atPath: folder.key))
  }

  @Test("A newer format is reported") func aNewerFormatIsReported() throws {
    let folder = try StoreFolder()
    try folder.open().close()
    try folder.edit("UPDATE header SET format = 5; ALTER TABLE item ADD COLUMN color BLOB")
    #expect(
      failure { () throws(StoreError) in try folder.open() }
        == .newerFormat(path: folder.database, found: 5, known: 4))
  }

  @Test("A half made keychain is completed") func aHalfMadeKeychainIsCompleted() throws {
    // Nothing but a key file, an empty file, a file in write-ahead mode without tables: what a process leaves that ends
    // while it makes a keychain.
    for state in 0..<4 {
      let folder = try StoreFolder()
      if state != 1 { write([UInt8](repeating: 9, count: 32), folder.key) }
      if state >= 1 { write([], folder.database) }
      if state == 3 {
        try ForeignConnection(folder.database).execute("PRAGMA journal_mode = WAL; CREATE TABLE t(a); DROP TABLE t")
      }
      let store = try folder.open()
      try store.add(.password("a"), as: me)
      #expect(try store.verify().isClean)
    }
  }

  @Test("A keychain made during a look is not reported as another program's file")
  func aKeychainThatIsMadeWhileOneLooksIsNoOtherProgramsFile() throws {
    let folder = try StoreFolder()
    let options = SQLiteOptions(.readWrite, busyTimeout: 5)
    let maker = Connection(database: try SQLiteConnection(path: folder.database, options: options))
    let looker = Connection(database: try SQLiteConnection(path: folder.database, options: options))
    try maker.set(.writeAheadLog)
    // After the mark was read, and before the tables are.
    let trace = StatementTrace(looker.database) { statement in
      guard statement.contains("sqlite_schema") else { return }
      try? maker.run("BEGIN IMMEDIATE")
      try? StoreSchema.create(maker)
      try? maker.run("COMMIT")
    }
    #expect(try StoreSchema.look(looker) == .nothing)
    trace.end()
    let later = try StoreSchema.look(looker)
    #expect(later == .keychain)
  }

  @Test("Many at once make one keychain") func manyAtOnceMakeOneKeychain() throws {
    let folder = try StoreFolder()
    inThreads(8) { thread in
      do {
        let store = try folder.open()
        try store.add(.password("\(thread)"), as: me)
      } catch {
        Issue.record(error)
      }
    }
    let store = try folder.open()
    #expect(try store.find(.all(), as: me).count == 8)
    #expect(try store.verify().isClean)
  }

  @Test("A read only keychain finds and writes nothing") func aReadOnlyKeychainFindsAndWritesNothing() throws {
    let folder = try StoreFolder()
    let writer = try folder.open()
    try writer.add(.password("a"), as: me)
    try writer.setPasscode(DatabaseMatrixTests.passcode, current: nil)
    var configuration = folder.configuration()
    configuration.isReadOnly = true
    for isWriterOpen in [true, false] {
      if !isWriterOpen { writer.close() }
      let store = try KeychainDatabase(configuration)
      guard case .wrongPasscode? = failure({ () throws(StoreError) in try store.unlock(passcode: [1]) }) else {
        Issue.record("a wrong passcode was taken")
        continue
      }
      try store.unlock(passcode: DatabaseMatrixTests.passcode)
      #expect(try store.find(.password("a"), as: me).count == 1)
      let refused = StoreError.readOnly(path: folder.database)
      #expect(failure { () throws(StoreError) in try store.add(.password("b"), as: me) } == refused)
      #expect(failure { () throws(StoreError) in try store.delete(.password("a"), as: me) } == refused)
      #expect(failure { () throws(StoreError) in try store.repair() } == refused)
      #expect(try store.verify().isClean)
      if isWriterOpen {
        try writer.add(.password("c"), as: me)
        #expect(try store.find(.password("c"), as: me).count == 1)
        try writer.delete(.password("c"), as: me)
      }
      store.close()
    }
    try folder.edit("DELETE FROM item; DELETE FROM tag")
    let store = try KeychainDatabase(configuration)
    #expect(failure { () throws(StoreError) in try store.find(.password("a"), as: me) }?.isDamaged == true)
  }

  @Test("Nothing is made where that is not allowed") func nothingIsMadeWhereThatIsNotAllowed() throws {
    let folder = try StoreFolder()
    var configuration = folder.configuration()
    configuration.createsIfMissing = false
    for isReadOnly in [false, true] {
      configuration.isReadOnly = isReadOnly
      guard case .configuration? = failure({ () throws(StoreError) in try KeychainDatabase(configuration) }) else {
        Issue.record("made a keychain")
        continue
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    configuration.path = ""
    guard case .configuration? = failure({ () throws(StoreError) in try KeychainDatabase(configuration) }) else {
      Issue.record("opened no path")
      return
    }
  }

  @Test("A file held by another is busy") func aFileHeldByAnotherIsBusy() throws {
    let folder = try StoreFolder()
    var configuration = folder.configuration()
    configuration.busyTimeout = 0.01
    let store = try KeychainDatabase(configuration)
    try store.add(.password("a"), as: me)
    let other = try ForeignConnection(folder.database)
    try other.execute("BEGIN IMMEDIATE")
    #expect(
      failure { () throws(StoreError) in try store.add(.password("b"), as: me) } == .busy(path: folder.database))
    #expect(try store.find(.password("a"), as: me).count == 1)
    try other.execute("ROLLBACK")
    try store.add(.password("b"), as: me)
  }

  @Test("A full disk loses nothing") func aFullDiskLosesNothing() throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try store.add(.password("a"), as: me)
    let pages = try store.pool.withWriter { (connection) throws(StoreError) in
      let pages = try connection.number("PRAGMA page_count") ?? 0
      return try connection.number("PRAGMA max_page_count = \(pages + 2)") ?? 0
    }.get()
    #expect(pages > 0)
    let large = NewItem.password("large", data: String(repeating: "x", count: 100_000))
    #expect(failure { () throws(StoreError) in try store.add(large, as: me) } == .diskFull(path: folder.database))
    // One that does not fit takes no other with it.
    inThreads(4) { thread in
      _ = failure { () throws(StoreError) in try store.add(thread == 0 ? large : .password("small \(thread)"), as: me) }
    }
    #expect(try store.find(.all(), as: me).count == 4)
    #expect(try store.verify().isClean)
  }

  @Test("A closed keychain says so") func aClosedKeychainSaysSo() throws {
    let store = try StoreFolder().open()
    store.close()
    store.close()
    for error in [
      failure({ () throws(StoreError) in try store.find(.all(), as: me) }),
      failure({ () throws(StoreError) in try store.add(.password("a"), as: me) }),
      failure({ () throws(StoreError) in try store.status() }),
      failure({ () throws(StoreError) in try store.repair() }),
    ] {
      guard case .inputOutput? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
  }

  @Test("Network file systems are known by their mount") func networkFileSystemsAreKnownByTheirMount() {
    let mounts = """
      22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
      36 22 0:43 / /home rw,relatime shared:20 master:1 - nfs4 server:/home rw,vers=4.2
      """
    #expect(StoreLocation.fileSystem(ofDevice: 43, mounts: mounts) == "nfs4")
    #expect(StoreLocation.fileSystem(ofDevice: 254 << 8 | 1, mounts: mounts) == "ext4")
    #expect(StoreLocation.fileSystem(ofDevice: 7, mounts: mounts) == nil)
  }

  @Test(
    "Result codes of SQLite become errors of the store",
    arguments: [
      (13, 0, StoreError.diskFull(path: "p")), (8, 0, .readOnly(path: "p")), (14, 0, .readOnly(path: "p")),
      (14, 28, .diskFull(path: "p")), (3, 0, .readOnly(path: "p")), (26, 0, .notAKeychain(path: "p")),
      (5, 0, .busy(path: "p")), (261, 0, .busy(path: "p")), (778, 28, .diskFull(path: "p")),
      (776, 0, .readOnly(path: "p")),
    ])
  func resultCodesOfSQLiteBecomeStoreErrors(_ code: Int, _ systemError: Int, _ expected: StoreError) {
    #expect(
      StoreError(SQLiteError(code: Int32(code), systemError: Int32(systemError), message: "m"), path: "p") == expected)
  }

  @Test("Damage and failures of SQLite are reported") func damageAndFailuresOfSQLiteAreReported() {
    #expect(StoreError(SQLiteError(code: 11, systemError: 0, message: "m"), path: "p").isDamaged)
    #expect(StoreError(SQLiteError(code: 267, systemError: 0, message: "m"), path: "p").isDamaged)
    guard case .inputOutput = StoreError(SQLiteError(code: 10, systemError: 5, message: "m"), path: "p") else {
      Issue.record("an input error is none")
      return
    }
  }
}
