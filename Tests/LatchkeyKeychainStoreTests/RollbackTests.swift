import LatchkeyTestSupport
import Foundation
import LatchkeySQLiteTestSupport
import Glibc
import LatchkeyKeychainModel
import Testing
import keychain_worker

@testable import LatchkeyKeychainStore

/// Old copies of a keychain's file beside a counter that only grows, and the one way to bring one back.
@Suite("Old copies and a counter") struct RollbackTests {
  private let passcode = Array("correct horse".utf8)

  private func copy(_ from: String, _ to: String) throws {
    for suffix in ["", "-wal", "-shm"] {
      unlink(to + suffix)
      if access(from + suffix, F_OK) == 0 {
        try FileManager.default.copyItem(atPath: from + suffix, toPath: to + suffix)
      }
    }
  }

  /// Has another process add an item to the keychain, which it makes if need be.
  private func addInAnotherProcess(_ key: Int, _ configuration: KeychainDatabase.Configuration, _ counter: String)
    throws
  {
    let worker = try TortureWorker([configuration.path, "--rounds", "16", "--counter", counter, "create", "\(key)"])
    #expect(try worker.rest().last == .finished)
    #expect(worker.endedWell())
  }

  @Test("Without a passcode each process that opens it makes earlier copies old; an old copy is refused at opening")
  func withoutPasscode() throws {
    let folder = try Folder()
    let file = folder.path + "/counter"
    let counter = FileCounter(file)
    let configuration = folder.configuration(counter: counter)
    let path = configuration.path
    try addInAnotherProcess(1, configuration, file)
    let first = try counter.value()
    try copy(path, folder.path + "/copy")
    try addInAnotherProcess(2, configuration, file)
    #expect(try counter.value() == first + 1, "the process that opened it counts once")
    let newest = try counter.value()
    try copy(path, folder.path + "/newest")
    try copy(folder.path + "/copy", path)
    var reading = configuration
    reading.isReadOnly = true
    for tried in [configuration, reading] {
      #expect(storeError { try KeychainDatabase(tried) } == .rolledBack(path: path))
    }
    #expect(try counter.value() == newest, "a look counts nothing")
    try copy(folder.path + "/newest", path)
    for _ in 0..<2 { #expect(try TortureItem.all(in: KeychainDatabase(configuration)) == [1: 1, 2: 1]) }
    #expect(try counter.value() == newest + 1, "a process counts at its first opening alone")
  }

  @Test("an opening that could not be counted, since another wrote, is counted by the next of the same process")
  func countedLater() throws {
    let folder = try Folder()
    let file = folder.path + "/counter"
    let counter = FileCounter(file)
    var configuration = folder.configuration(counter: counter)
    configuration.busyTimeout = 0.05
    try addInAnotherProcess(1, configuration, file)
    let first = try counter.value()
    let other = try ForeignConnection(configuration.path)
    try other.execute("BEGIN IMMEDIATE")
    #expect(try TortureItem.all(in: KeychainDatabase(configuration)) == [1: 1])
    #expect(try counter.value() == first, "nothing could be written")
    try other.execute("ROLLBACK")
    other.close()
    for _ in 0..<2 { #expect(try TortureItem.all(in: KeychainDatabase(configuration)) == [1: 1]) }
    #expect(try counter.value() == first + 1)
  }

  @Test("a restore makes a backup the newest copy, and what it replaced an old one", arguments: [false, true])
  func restored(_ hasPasscode: Bool) throws {
    let folder = try Folder()
    let counter = MemoryCounter()
    let configuration = folder.configuration(counter: counter)
    let first = try KeychainDatabase(configuration)
    if hasPasscode { try first.setPasscode(passcode, current: nil) }
    try first.add(.account("backed up"), as: .none)
    let snapshot = try first.snapshot()
    try first.retireCopies()
    try first.add(.account("later"), as: .none)
    try first.retireCopies()
    first.close()
    // By other means it is an old copy.
    try copy(configuration.path, folder.path + "/later")
    try Data(snapshot.database).write(to: URL(filePath: configuration.path))
    #expect(chmod(configuration.path, 0o600) == 0)
    for suffix in ["-wal", "-shm"] { unlink(configuration.path + suffix) }
    #expect(storeError { try KeychainDatabase(configuration) } == .rolledBack(path: configuration.path))
    try copy(folder.path + "/later", configuration.path)

    let aside = try #require(try KeychainDatabase.restore(snapshot, to: configuration, replacing: true))
    let restored = try KeychainDatabase(configuration)
    if hasPasscode { try restored.unlock(passcode: passcode) } else { try restored.retireCopies() }
    #expect(try accounts(restored) == ["backed up"])
    #expect(try restored.verify().findings.isEmpty)
    restored.close()
    try copy(aside, configuration.path)
    #expect(storeError { try KeychainDatabase(configuration) } == .rolledBack(path: configuration.path))
  }

  @Test("a restore that ends before it has changed anything leaves the keychain the newest copy") func ended() throws {
    let folder = try Folder()
    let configuration = folder.configuration(counter: MemoryCounter())
    let first = try KeychainDatabase(configuration)
    try first.add(.account("backed up"), as: .none)
    let snapshot = try first.snapshot()
    try first.retireCopies()
    try first.add(.account("later"), as: .none)
    first.close()
    #expect(throws: StoreError.self) {
      try KeychainDatabase.restore(snapshot, to: configuration, replacing: true) { (step) throws(StoreError) in
        if step == .verified { throw .inputOutput("ended") }
      }
    }
    #expect(try accounts(KeychainDatabase(configuration)) == ["backed up", "later"])
  }
}
