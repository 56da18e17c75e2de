import LatchkeyTestSupport
import Glibc
import LatchkeyKeychainModel
import Testing

@testable import LatchkeyKeychainStore

/// The lock under which a restore renames the database that it replaces.
@Suite struct MovedFileTests {
  private func database(in folder: borrowing Folder) throws -> String {
    let path = folder.path + "/keychain.db"
    try KeychainDatabase(KeychainDatabase.Configuration(path: path)).close()
    return path
  }

  @Test("A database is locked, and a second one waits and finds it busy") func locked() throws {
    let folder = try Folder()
    let path = try database(in: folder)
    let first = try #require(try MovedFile(path: path, busyTimeout: 0))
    #expect(throws: StoreError.busy(path: path)) { try MovedFile(path: path, busyTimeout: 0) }
    first.release()
    let second = try #require(try MovedFile(path: path, busyTimeout: 0))
    second.release()
  }

  @Test("A file that is no database has no lock, nor has an empty or a missing one") func noDatabase() throws {
    let folder = try Folder()
    try folder.write("text", [UInt8](repeating: 0x61, count: 4096))
    try folder.write("empty", [])
    for name in ["text", "empty", "missing"] {
      #expect(try MovedFile(path: folder.path + "/" + name, busyTimeout: 0) == nil, "\(name)")
    }
  }

  @Test("A database whose lock cannot be acquired is not renamed") func noLock() throws {
    let folder = try Folder()
    let path = try database(in: folder)
    for companion in ["-wal", "-shm"] {
      unlink(path + companion)
      try #require(mkdir(path + companion, 0o700) == 0)
    }
    #expect(throws: StoreError.self) { try MovedFile(path: path, busyTimeout: 0) }
  }
}
