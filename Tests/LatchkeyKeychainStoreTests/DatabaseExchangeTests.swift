import LatchkeyTestSupport
import Foundation
import LatchkeySQLiteTestSupport
import Glibc
import LatchkeyKeychainModel
import Synchronization
import Testing
import keychain_worker

@testable import LatchkeyKeychainStore

/// A restore that takes the place of a keychain which others are opening, reading and writing at that moment, and one that ends
/// half-way.
@Suite("A restore beside others", .timeLimit(.minutes(10))) struct DatabaseExchangeTests {
  private func configuration(_ path: String) -> KeychainDatabase.Configuration {
    var configuration = TortureStore.configuration(path)
    configuration.busyTimeout = 0.2
    return configuration
  }

  /// A closed keychain with the items 1 to 4, and a snapshot with 1 and 2.
  private func make(_ folder: TortureFolder) throws -> (path: String, snapshot: KeychainSnapshot) {
    let path = folder.file("keychain.db")
    let database = try TortureStore.open(path)
    for key in 1...2 { try database.add(TortureItem.new(key, version: 1), as: .none) }
    let snapshot = try database.snapshot()
    for key in 3...4 { try database.add(TortureItem.new(key, version: 1), as: .none) }
    database.close()
    return (path, snapshot)
  }

  /// The log is opened by the first connection that reads and by the one that writes.
  @Test(
    "A program whose log is the new file's and whose database is the old one's writes to neither", arguments: [1, 2])
  func whileItIsOpened(_ opening: Int) throws {
    let folder = try TortureFolder()
    let (path, snapshot) = try make(folder)
    let recording = try Recording(folder)
    let failed = Mutex<(any Error)?>(nil)
    // It stays open, so that its log is not empty.
    let holder = Mutex<KeychainDatabase?>(nil)
    recording.beforeOpening("keychain.db-wal", nth: opening) {
      do {
        try KeychainDatabase.restore(snapshot, to: configuration(path), replacing: true)
        let other = try KeychainDatabase(configuration(path))
        for key in 5...6 { try other.add(TortureItem.new(key, version: 1), as: .none) }
        holder.withLock { $0 = other }
      } catch {
        failed.withLock { $0 = error }
      }
    }
    var expected = [1: 1, 2: 1, 5: 1, 6: 1]
    do throws(StoreError) {
      let database = try KeychainDatabase(configuration(path))
      defer { database.close() }
      try database.add(TortureItem.new(7, version: 1), as: .none)
      expected[7] = 1
    } catch {
      // What is not acknowledged need not be there.
      #expect("\(error)".contains("open it again"), "\(error)")
    }
    #expect(failed.withLock { $0 == nil }, "\(String(describing: failed.withLock { $0 }))")
    holder.withLock { $0?.close() }
    #expect(try TortureStore.look(at: path) == expected)
    #expect(try TortureStore.look(at: path + ".before-restore") == [1: 1, 2: 1, 3: 1, 4: 1])
  }

  @Test("A connection that is opened after another file has come is none of this keychain's") func laterConnections()
    throws
  {
    let folder = try TortureFolder()
    let (path, snapshot) = try make(folder)
    let database = try KeychainDatabase(configuration(path))
    try KeychainDatabase.restore(snapshot, to: configuration(path), replacing: true)
    let error = #expect(throws: StoreError.self) { try database.add(TortureItem.new(7, version: 1), as: .none) }
    #expect("\(String(describing: error))".contains("open it again"))
    database.close()
    #expect(try TortureStore.look(at: path) == [1: 1, 2: 1])
    #expect(try TortureStore.look(at: path + ".before-restore") == [1: 1, 2: 1, 3: 1, 4: 1])
  }

  @Test("A file that is exchanged while a transaction runs gets nothing of it, and nothing is acknowledged")
  func whileItIsWritten() throws {
    let folder = try TortureFolder()
    let (path, snapshot) = try make(folder)
    let exchanges = Mutex(0)
    @Sendable func isFirst() -> Bool {
      exchanges.withLock { count in
        count += 1
        return count == 1
      }
    }
    var holding = configuration(path)
    holding.rotationStep = { (step) throws(StoreError) in
      guard step == .rowsSealed, isFirst() else { return }
      // As a program does that moves a file over it.
      guard rename(path, path + ".moved") == 0 else { throw .inputOutput("not moved") }
      do { try Data(snapshot.database).write(to: URL(filePath: path)) } catch { throw .inputOutput("\(error)") }
      guard chmod(path, 0o600) == 0 else { throw .inputOutput("not readable") }
    }
    let database = try KeychainDatabase(holding)
    #expect(throws: StoreError.self) { try database.rotateKeys(passcode: nil) }
    database.close()
    #expect(exchanges.withLock { $0 } == 1)
    for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
    #expect(try TortureStore.look(at: path) == [1: 1, 2: 1])
  }

  @Test(
    "The log of the old file is played in before it moves; where somebody reads, it follows, at the latest the next time",
    arguments: [nil, .databaseMoved, .movedAside, .keyInstalled] as [RestoreStep?], [false, true])
  func theOldLog(_ last: RestoreStep?, isRead: Bool) throws {
    let folder = try TortureFolder()
    let (path, snapshot) = try make(folder)
    let writer = try KeychainDatabase(configuration(path))
    let reader = try ForeignConnection(path)
    if isRead { try reader.execute("BEGIN; SELECT count(*) FROM item") }
    try writer.add(TortureItem.new(5, version: 1), as: .none)
    func log() throws -> Int {
      try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0
    }
    let size = try log()
    #expect(size > 0)
    var ended: StoreError?
    do throws(StoreError) {
      let target = configuration(path)
      _ = try KeychainDatabase.restore(snapshot, to: target, replacing: true) { (step) throws(StoreError) in
        if step == last { throw .inputOutput("ended") }
      }
    } catch {
      ended = error
    }
    #expect((ended == nil) == (last == nil), "\(String(describing: ended))")
    if last == .databaseMoved {
      #expect(try log() == (isRead ? size : 0))
      let error = #expect(throws: StoreError.self) { try KeychainDatabase(configuration(path)) }
      #expect(error?.isDamaged == true)
      #expect(try log() == (isRead ? size : 0), "looking at it deletes nothing")
    }
    if isRead { try reader.execute("ROLLBACK") }
    if last != nil { try KeychainDatabase.restore(snapshot, to: configuration(path), replacing: true) }
    writer.close()
    reader.close()
    #expect(try TortureStore.look(at: path) == [1: 1, 2: 1])
    #expect(try TortureStore.look(at: path + ".before-restore") == [1: 1, 2: 1, 3: 1, 4: 1, 5: 1])
  }
}
