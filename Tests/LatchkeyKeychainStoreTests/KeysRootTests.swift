import LatchkeyTestSupport
import Foundation
import Glibc
import LatchkeyByteCoding
import LatchkeyKeychainModel
import LatchkeySecretData
import Testing

@testable import LatchkeyKeychainStore

@Suite("Root key") struct KeysRootTests {
  private let bytes = (0..<32).map { UInt8($0) }

  @Test("a new key file has 32 bytes, mode 0600, and opens again") func created() throws {
    let folder = try Folder()
    let source = RootKeySource.keyFile(path: nil)
    let database = folder.path + "/keychain.db"
    #expect(storeError { try source.load(databasePath: database) }.isRootKeyUnavailable)
    let key = try source.loadOrCreate(databasePath: database)
    #expect(try folder.names() == ["keychain.key"])
    #expect(try folder.mode("keychain.key") == 0o600)
    #expect(try source.load(databasePath: database).key == key.key)
    #expect(try source.loadOrCreate(databasePath: database).key == key.key)
    #expect(try RootKeySource.keyFile(path: folder.path + "/other").loadOrCreate(databasePath: database).key != key.key)
  }

  @Test("many at once that make a key file all get the same key") func race() async throws {
    let folder = try Folder()
    let keys = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for _ in 0..<16 {
        group.addTask {
          try RootKeySource.keyFile(path: folder.path + "/k").loadOrCreate(databasePath: "").key.exposedBytes
        }
      }
      return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
    }
    #expect(keys.count == 1)
    #expect(try folder.names() == ["k"])
  }

  @Test("a key file of another length is no root key", arguments: [0, 1, 31, 33, 64, 4096])
  func wrongLength(_ count: Int) throws {
    let folder = try Folder()
    let path = try folder.write("k", [UInt8](repeating: 1, count: count))
    #expect(storeError { try RootKeySource.keyFile(path: path).load(databasePath: "") }.isRootKeyUnavailable)
    #expect(storeError { try RootKeySource.keyFile(path: path).loadOrCreate(databasePath: "") }.isRootKeyUnavailable)
  }

  @Test(
    "a key file that others may read or write is refused", arguments: [0o640, 0o604, 0o644, 0o620, 0o602, 0o601, 0o660])
  func openMode(_ mode: Int) throws {
    let folder = try Folder()
    let path = try folder.write("k", bytes, mode: mode_t(mode))
    #expect(storeError { try RootKeySource.keyFile(path: path).load(databasePath: "") }.isUnsafeLocation)
    #expect(chmod(path, 0o400) == 0)
    #expect(throws: Never.self) { try RootKeySource.keyFile(path: path).load(databasePath: "") }
  }

  @Test("a key file in a folder where others may rename files is refused") func openFolder() throws {
    let folder = try Folder()
    let path = try folder.write("k", bytes)
    for mode: mode_t in [0o777, 0o770, 0o702] {
      #expect(chmod(folder.path, mode) == 0)
      #expect(storeError { try RootKeySource.keyFile(path: path).load(databasePath: "") }.isUnsafeLocation)
    }
    #expect(chmod(folder.path, 0o1777) == 0)
    #expect(throws: Never.self) { try RootKeySource.keyFile(path: path).load(databasePath: "") }
    #expect(chmod(folder.path, 0o755) == 0)
    #expect(throws: Never.self) { try RootKeySource.keyFile(path: path).load(databasePath: "") }
  }

  @Test("a link to a key file is followed, but not into a folder of others") func links() throws {
    let (folder, odd) = (try Folder(), try Folder())
    let target = try odd.write("k", bytes)
    let link = folder.path + "/link"
    #expect(symlink(target, link) == 0)
    #expect(throws: Never.self) { try RootKeySource.keyFile(path: link).load(databasePath: "") }
    #expect(chmod(odd.path, 0o777) == 0)
    #expect(storeError { try RootKeySource.keyFile(path: link).load(databasePath: "") }.isUnsafeLocation)
    #expect(symlink("circle", folder.path + "/circle") == 0)
    #expect(
      storeError { try RootKeySource.keyFile(path: folder.path + "/circle").load(databasePath: "") }.isUnsafeLocation)
    #expect(symlink("nowhere", folder.path + "/dangling") == 0)
    #expect(
      storeError { try RootKeySource.keyFile(path: folder.path + "/dangling").load(databasePath: "") }
        .isRootKeyUnavailable)
  }

  @Test("Without hard links a file is still placed, and replaces no other file") func withoutHardLinks()
    throws
  {
    let folder = try Folder()
    let (draft, path) = (try folder.write("draft", [1]), folder.path + "/k")
    func place() throws(StoreError) -> Bool {
      try OwnedFile.place(draft, at: path) { _, _ in
        errno = EPERM
        return -1
      }
    }
    #expect(try place())
    #expect(try folder.names() == ["k"])
    try folder.write("draft", [2])
    #expect(try !place())
    #expect(FileManager.default.contents(atPath: path) == Data([1]))
    #expect(unlink(draft) == 0)
    #expect(storeError { try place() } != nil)
  }

  @Test("another user's key file is refused", .enabled(if: geteuid() == 0, "only root can give files away"))
  func foreignOwner() throws {
    let folder = try Folder()
    let path = try folder.write("k", bytes)
    #expect(chown(path, 12345, 12345) == 0)
    #expect(storeError { try RootKeySource.keyFile(path: path).load(databasePath: "") }.isUnsafeLocation)
    let own = try folder.write("own", bytes)
    #expect(chown(folder.path, 12345, 12345) == 0)
    #expect(storeError { try RootKeySource.keyFile(path: own).load(databasePath: "") }.isUnsafeLocation)
    #expect(chown(folder.path, 0, 0) == 0)
  }

  @Test("a folder, a pipe or a device is no key file") func notPlain() throws {
    let folder = try Folder()
    #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
    for path in [folder.path, folder.path + "/pipe", "/dev/zero"] {
      #expect(storeError { try RootKeySource.keyFile(path: path).load(databasePath: "") }.isUnsafeLocation, "\(path)")
    }
  }

  @Test("nothing is made in a folder that is not there") func noFolder() throws {
    let folder = try Folder()
    #expect(
      storeError { try RootKeySource.keyFile(path: folder.path + "/a/k").loadOrCreate(databasePath: "") } != nil)
    #expect(try folder.names().isEmpty)
  }

  @Test("a systemd credential of 32 bytes is a root key, in a file of root's or the service's") func credential() throws
  {
    let folder = try Folder()
    let source = RootKeySource.systemdCredential()
    try folder.write("latchkey.root", bytes, mode: 0o440)
    let key = try source.load(databasePath: "", credentialsDirectory: folder.path)
    #expect(key.key.exposedBytes == bytes)
    #expect(try source.loadOrCreate(databasePath: "", credentialsDirectory: folder.path).key == key.key)
  }

  @Test("a credential that is missing, of another length, or open to all is refused") func badCredential() throws {
    let folder = try Folder()
    let source = RootKeySource.systemdCredential(name: "r")
    func load(_ directory: String?) -> StoreError? {
      storeError { try source.loadOrCreate(databasePath: "", credentialsDirectory: directory) }
    }
    #expect(load(folder.path).isRootKeyUnavailable)
    #expect(load(nil).isRootKeyUnavailable)
    #expect(load("relative").isRootKeyUnavailable)
    #expect(try folder.names().isEmpty, "a credential is never made here")
    try folder.write("r", bytes + [10])
    #expect(load(folder.path).isRootKeyUnavailable)
    try folder.write("r", bytes, mode: 0o444)
    #expect(load(folder.path).isUnsafeLocation)
    for name in ["", ".", "..", "../r", "/etc/passwd"] {
      #expect(
        storeError {
          try RootKeySource.systemdCredential(name: name).load(databasePath: "", credentialsDirectory: folder.path)
        }.isConfiguration)
    }
  }

  @Test("The protection that a root key gives is described in words") func warnings() {
    #expect(RootKeySource.keyFile().warning.contains("not against"))
    #expect(RootKeySource.systemdCredential().warning.contains("not against"))
  }

  @Test("wiping leaves zeros") func wiping() {
    var secret = bytes
    secret.wipe()
    #expect(secret == [UInt8](repeating: 0, count: 32))
    var copy = bytes
    _ = RootKey(consuming: &copy)
    #expect(copy == [UInt8](repeating: 0, count: 32))
    var short = [UInt8](repeating: 7, count: 31)
    #expect(RootKey(consuming: &short) == nil)
    #expect(short == [UInt8](repeating: 0, count: 31))
    var none: [UInt8] = []
    none.wipe()
    #expect(none.isEmpty)
  }
}
