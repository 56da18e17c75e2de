import LatchkeyTestSupport
import Foundation
import Glibc
import LatchkeyKeychainModel
import Testing

@testable import LatchkeyKeychainStore

/// A keychain that is gone is never taken for one that never was, and who only looks makes none.
@Suite("A lost keychain") struct DatabaseLossTests {
  private func used() throws -> StoreFolder {
    let folder = try StoreFolder()
    let store = try folder.open()
    try store.setPasscode(DatabaseMatrixTests.passcode, current: nil)
    try store.add(.password("a"), as: me)
    store.close()
    return folder
  }

  private func files(_ folder: StoreFolder) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
  }

  private func write(_ bytes: [UInt8], _ path: String) {
    _ = FileManager.default.createFile(atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o600])
  }

  static let losses: [(String, @Sendable (StoreFolder) throws -> Void)] = [
    ("emptied", { try Data().write(to: URL(filePath: $0.database)) }),
    ("gone", { try FileManager.default.removeItem(atPath: $0.database) }),
    ("cut to a few bytes", { try Data(repeating: 7, count: 100).write(to: URL(filePath: $0.database)) }),
    ("all zeros", { try Data(count: 8192).write(to: URL(filePath: $0.database)) }),
    (
      "cut to one page",
      {
        let file = URL(filePath: $0.database)
        try Data(contentsOf: file).prefix(4096).write(to: file)
      }
    ),
  ]

  @Test("It is damage and no new one is made", arguments: losses.indices, [true, false])
  func itIsDamageAndNoNewOneIsMade(_ index: Int, keepsLog: Bool) throws {
    let (name, lose) = Self.losses[index]
    let folder = try used()
    if !keepsLog {
      for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder.database + suffix) }
    }
    try lose(folder)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600],
      ofItemAtPath: FileManager.default.fileExists(atPath: folder.database) ? folder.database : folder.key)
    for isLooking in [true, false] {
      let error = failure { () throws(StoreError) in
        if isLooking { _ = try KeychainDatabase.ifThere(folder.configuration()) } else { _ = try folder.open() }
        return 0
      }
      #expect(error?.isDamaged == true, "\(name), \(String(describing: error))")
    }
  }

  @Test("It removes the named mark to begin anew") func itTakesTheNamedMarkAwayToBeginAnew() throws {
    let folder = try used()
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder.database + suffix) }
    let error = failure { () throws(StoreError) in try folder.open() }
    #expect("\(try #require(error))".contains(folder.key + ".used"))
    try FileManager.default.removeItem(atPath: folder.key + ".used")
    let store = try folder.open()
    #expect(store.lockState == .unlocked)
    #expect(FileManager.default.fileExists(atPath: folder.key + ".used"))
  }

  @Test("It is known after its folder was moved") func itIsKnownAfterItsFolderWasMoved() throws {
    let folder = try used()
    let moved = folder.path + "-moved"
    try FileManager.default.moveItem(atPath: folder.path, toPath: moved)
    defer { try? FileManager.default.removeItem(atPath: moved) }
    try Data().write(to: URL(filePath: moved + "/keychain.db"))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: moved + "/keychain.db")
    #expect(
      failure { () throws(StoreError) in try KeychainDatabase(.init(path: moved + "/keychain.db")) }?.isDamaged == true)
  }

  @Test("A second keychain of the same root key is made") func aSecondKeychainOfTheSameRootKeyIsMade() throws {
    let folder = try used()
    var configuration = folder.configuration()
    configuration.path = folder.path + "/second.db"
    let second = try KeychainDatabase(configuration)
    try second.add(.password("b"), as: me)
    second.close()
    for path in [configuration.path, folder.database] {
      try Data().write(to: URL(filePath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      configuration.path = path
      #expect(failure { () throws(StoreError) in try KeychainDatabase(configuration) }?.isDamaged == true)
    }
  }

  @Test("A key file elsewhere remembers it") func aKeyFileElsewhereRemembersIt() throws {
    let folder = try StoreFolder()
    let other = try StoreFolder()
    var configuration = folder.configuration()
    configuration.rootKey = .keyFile(path: other.path + "/root")
    try KeychainDatabase(configuration).close()
    for file in try files(folder) { try FileManager.default.removeItem(atPath: folder.path + "/" + file) }
    #expect(failure { () throws(StoreError) in try KeychainDatabase(configuration) }?.isDamaged == true)
  }

  @Test("A keychain of before gets its mark when it is opened") func aKeychainOfBeforeGetsItsMarkWhenItIsOpened() throws
  {
    let folder = try used()
    let mark = folder.key + ".used"
    try FileManager.default.removeItem(atPath: mark)
    var configuration = folder.configuration()
    configuration.isReadOnly = true
    try KeychainDatabase(configuration).close()
    #expect(!FileManager.default.fileExists(atPath: mark), "who only reads writes nothing")
    try folder.open().close()
    #expect(FileManager.default.fileExists(atPath: mark))
  }

  @Test("A restored keychain is known before it is opened") func aRestoredKeychainIsKnownBeforeItIsOpened() throws {
    let source = try StoreFolder()
    let store = try source.open()
    try store.add(.password("a"), as: me)
    let snapshot = try store.snapshot()
    store.close()
    for isGone in [false, true] {
      let folder = try StoreFolder()
      try KeychainDatabase.restore(snapshot, to: folder.configuration())
      if isGone {
        try FileManager.default.removeItem(atPath: folder.database)
      } else {
        #expect(truncate(folder.database, 0) == 0)
      }
      #expect(failure { () throws(StoreError) in try folder.open() }?.isDamaged == true)
      #expect(failure { () throws(StoreError) in try KeychainDatabase.ifThere(folder.configuration()) }.isDamaged)
      #expect(FileManager.default.fileExists(atPath: folder.database) == !isGone, "nothing is made in its place")
    }
  }

  @Test("Another keychain of the same root key in its place is damage")
  func anotherKeychainOfTheSameRootKeyInItsPlaceIsDamage() throws {
    let folder = try StoreFolder()
    try folder.open().close()
    var second = folder.configuration()
    second.path = folder.path + "/second.db"
    let store = try KeychainDatabase(second)
    try store.add(.password("of the second"), as: me)
    let snapshot = try store.snapshot()
    store.close()
    let other = try Data(contentsOf: URL(filePath: second.path))
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder.database + suffix) }
    write(Array(other), folder.database)
    var configuration = folder.configuration()
    for isReadOnly in [true, false] {
      configuration.isReadOnly = isReadOnly
      let error = failure { () throws(StoreError) in try KeychainDatabase(configuration) }
      let text = String(describing: error)
      #expect(error.isDamaged && text.contains(folder.key + ".used"), "\(text)")
    }
    #expect(failure { () throws(StoreError) in try KeychainDatabase.salvage(configuration) }.isDamaged)
    #expect(try Data(contentsOf: URL(filePath: folder.database)) == other)
    // Who restores it there means it.
    try KeychainDatabase.restore(snapshot, to: folder.configuration(), replacing: true)
    #expect(try folder.open().find(.password("of the second"), as: me).count == 1)
  }

  // MARK: The log beside

  /// A keychain whose last items stand in its log alone, as a process leaves it that died while another one read.
  private func withLog() throws -> (folder: StoreFolder, log: Data) {
    let folder = try StoreFolder()
    let store = try folder.open()
    try store.add(.password("in the file"), as: me)
    store.close()
    let again = try folder.open()
    defer { again.close() }
    try again.add(.password("in the log"), as: me)
    let copy = try StoreFolder()
    for name in try files(folder) where !name.hasSuffix("-shm") {
      write([UInt8](try Data(contentsOf: URL(filePath: folder.path + "/" + name))), copy.path + "/" + name)
    }
    let log = try Data(contentsOf: URL(filePath: copy.database + "-wal"))
    #expect(!log.isEmpty)
    return (copy, log)
  }

  static let uses: [(String, @Sendable (StoreFolder) throws -> Void)] = [
    ("opened", { _ = try $0.open() }),
    ("looked for", { _ = try KeychainDatabase.ifThere($0.configuration()) }),
    ("salvaged", { _ = try KeychainDatabase.salvage($0.configuration()) }),
    (
      "read only",
      {
        var configuration = $0.configuration()
        configuration.isReadOnly = true
        _ = try KeychainDatabase(configuration)
      }
    ),
  ]

  @Test(
    "The log of a file that is gone stays", arguments: uses.indices,
    [(true, true), (true, false), (false, true), (false, false)])
  func theLogOfAFileThatIsGoneStays(_ index: Int, _ loss: (isGone: Bool, hasMark: Bool)) throws {
    let (name, use) = Self.uses[index]
    let (folder, log) = try withLog()
    let file = try Data(contentsOf: URL(filePath: folder.database))
    if !loss.hasMark { try FileManager.default.removeItem(atPath: folder.key + ".used") }
    if loss.isGone {
      try FileManager.default.removeItem(atPath: folder.database)
    } else {
      #expect(truncate(folder.database, 0) == 0)
    }
    let before = try files(folder)
    let error = #expect(throws: StoreError.self, "\(name)") { try use(folder) }
    #expect(error.isDamaged && String(describing: error).contains("-wal"), "\(String(describing: error))")
    #expect(try Data(contentsOf: URL(filePath: folder.database + "-wal")) == log, "\(name)")
    #expect(try files(folder) == before, "\(name)")
    write([UInt8](file), folder.database)
    let store = try folder.open()
    for account in ["in the file", "in the log"] { #expect(try store.find(.password(account), as: me).count == 1) }
    #expect(try store.verify().isClean)
  }

  @Test("A foreign or broken mark belongs to no process") func aForeignOrBrokenMarkIsNoOnes() throws {
    for bytes in [[], Array("LKU2".utf8), Array("LKU2".utf8) + [UInt8](repeating: 3, count: 32), [1, 2, 3]] as [[UInt8]]
    {
      let folder = try StoreFolder()
      write(bytes, folder.key + ".used")
      let store = try folder.open()
      try store.add(.password("a"), as: me)
      #expect(try store.verify().isClean)
    }
  }

  @Test("Looking makes no keychain") func whoLooksMakesNothing() throws {
    let folder = try StoreFolder()
    #expect(try KeychainDatabase.ifThere(folder.configuration()) == nil)
    #expect(try files(folder) == [])
    // What a process leaves that ended while it made the file.
    write([], folder.database)
    #expect(try KeychainDatabase.ifThere(folder.configuration()) == nil)
    #expect(try FileManager.default.attributesOfItem(atPath: folder.database)[.size] as? Int == 0)
    #expect(!FileManager.default.fileExists(atPath: folder.key))
  }

  @Test("A process that only finds makes no keychain") func aProcessThatOnlyFindsMakesNoKeychain() throws {
    let folder = try StoreFolder()
    let settings = try ProcessSettings(environment: ["LATCHKEY_KEYCHAIN": folder.database])
    let process = ProcessKeychain(settings: .success(settings))
    for _ in 0..<2 {
      let store = try process.session().store
      #expect(failure { () throws(StoreError) in try store.find(.password("a"), as: me) } == .itemNotFound)
      #expect(failure { () throws(StoreError) in try store.delete(.password("a"), as: me) } == .itemNotFound)
      let change = ItemChanges(data: [1])
      #expect(
        failure { () throws(StoreError) in try store.update(.password("a"), with: change, as: me) } == .itemNotFound)
      #expect(store.lockState == .unlocked)
      let nobody = Entitlements(accessGroups: [])
      #expect(
        failure { () throws(StoreError) in try store.find(.password("a"), as: nobody) }
          == .missingEntitlement(group: nil))
    }
    #expect(try files(folder) == [])
    let early = try process.session().store
    try early.add(.password("a"), as: me)
    #expect(try early.find(.password("a"), as: me).count == 1)
    #expect(try process.session().store is KeychainDatabase)
  }

  @Test("An altered UUID is damage and not another root key") func anAlteredUUIDIsDamageAndNotAnotherRootKey() throws {
    for byte in 0..<16 {
      let folder = try used()
      let uuids: [Data] = try folder.ask("SELECT uuid FROM header")
      var uuid = try #require(uuids.first)
      uuid[byte] ^= 1
      try folder.edit("UPDATE header SET uuid = ?", [uuid])
      #expect(failure { () throws(StoreError) in try folder.open() }?.isDamaged == true, "byte \(byte)")
    }
  }

  /// - Parameter isLarge: whether header and key records are too large for one page, so that the table has several.
  @Test("A file copied into its place is noticed before the next write is acknowledged", arguments: [false, true])
  func aFileCopiedIntoItsPlaceIsNoticedBeforeTheNextWriteIsAcknowledged(isLarge: Bool) throws {
    for isRenamed in [false, true] {
      let folder = try StoreFolder()
      let passcode = DatabaseMatrixTests.passcode
      func open() throws -> KeychainDatabase {
        let store = try folder.open()
        if store.lockState != .unlocked { try store.unlock(passcode: passcode) }
        return store
      }
      var store = try open()
      if isLarge {
        for number in 0..<120 { try store.add(.password("\(number)"), as: me) }
        try store.setPasscode(passcode, current: nil)
        for _ in 0..<8 { try store.rotateKeys(passcode: passcode) }
      }
      try store.add(.password("a"), as: me)
      store.close()
      let backup = try Data(contentsOf: URL(filePath: folder.database))
      let root: [Int] = try folder.ask("SELECT rootpage FROM sqlite_schema WHERE name = 'header'")
      #expect(backup[(root[0] - 1) * 4096] == (isLarge ? 0x05 : 0x0D), "an inner page, or a leaf")
      store = try open()
      try store.add(.password("b"), as: me)
      store.close()
      store = try open()
      try store.add(.password("c"), as: me)
      // Another process's checkpoint is no exchange.
      let other = try open()
      try other.add(.password("d"), as: me)
      other.close()
      try store.add(.password("e"), as: me)
      if isRenamed {
        write(Array(backup), folder.database + ".copy")
        try FileManager.default.removeItem(atPath: folder.database)
        try FileManager.default.moveItem(atPath: folder.database + ".copy", toPath: folder.database)
      } else {
        let handle = try FileHandle(forWritingTo: URL(filePath: folder.database))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: backup)
        // Not closed: that would drop the locks of this process, which another process's copy does not.
        withExtendedLifetime(handle) {
          for _ in 0..<2 {
            let error = failure { () throws(StoreError) in try store.add(.password("f"), as: me) }
            #expect(error?.isDamaged == true, "\(String(describing: error))")
          }
        }
      }
      #expect(failure { () throws(StoreError) in try store.add(.password("g"), as: me) } != nil)
    }
  }

  @Test(
    "Another keychain's file, or anything else, copied into the place of an open one is noticed before the next write",
    arguments: [true, false])
  func somethingElseCopiedIntoItsPlace(isKeychain: Bool) throws {
    let (folder, other) = (try StoreFolder(), try StoreFolder())
    // Written more often than the one whose place it takes.
    let stranger = try other.open()
    for number in 0..<20 { try stranger.add(.password("\(number)"), as: me) }
    stranger.close()
    var bytes = try Data(contentsOf: URL(filePath: other.database))
    if !isKeychain { for index in bytes.indices { bytes[index] ^= 0xA5 } }
    let first = try folder.open()
    try first.add(.password("a"), as: me)
    first.close()
    let store = try folder.open()
    try store.add(.password("b"), as: me)
    let handle = try FileHandle(forWritingTo: URL(filePath: folder.database))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: bytes)
    // Not closed: that would drop the locks of this process, which another process's copy does not.
    withExtendedLifetime(handle) {
      let error = failure { () throws(StoreError) in try store.add(.password("c"), as: me) }
      #expect(error?.isDamaged == true, "\(String(describing: error))")
    }
  }

  @Test("An earlier copy that comes before the first write is noticed too") func aCopyBeforeTheFirstWrite() throws {
    let folder = try StoreFolder()
    var store = try folder.open()
    try store.add(.password("a"), as: me)
    store.close()
    let backup = try Data(contentsOf: URL(filePath: folder.database))
    store = try folder.open()
    try store.add(.password("b"), as: me)
    store.close()
    let opened = try folder.open()
    let handle = try FileHandle(forWritingTo: URL(filePath: folder.database))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: backup)
    withExtendedLifetime(handle) {
      let error = failure { () throws(StoreError) in try opened.add(.password("c"), as: me) }
      #expect(error != nil && error != .duplicateItem, "\(String(describing: error))")
    }
  }

  @Test("A file that is emptied beside its log under an open keychain gets nothing, and the log stays")
  func emptiedBesideItsLog() throws {
    let folder = try StoreFolder()
    let first = try folder.open()
    try first.add(.password("a"), as: me)
    first.close()
    let reader = try folder.open()
    #expect(try reader.find(.password("a"), as: me).count == 1)
    let worker = try folder.open()
    try worker.add(.password("b"), as: me)
    let log = try Data(contentsOf: URL(filePath: folder.database + "-wal"))
    #expect(!log.isEmpty)
    let handle = try FileHandle(forWritingTo: URL(filePath: folder.database))
    try handle.truncate(atOffset: 0)
    let error = withExtendedLifetime(handle) {
      failure { () throws(StoreError) in try reader.add(.password("c"), as: me) }
    }
    #expect(error?.isDamaged == true, "\(String(describing: error))")
    #expect(try Data(contentsOf: URL(filePath: folder.database + "-wal")) == log)
  }
}
