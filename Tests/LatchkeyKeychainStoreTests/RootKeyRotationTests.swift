import LatchkeyTestSupport
import Dispatch
import Foundation
import LatchkeySQLiteTestSupport
import Glibc
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import LatchkeySystem
import Synchronization
import Testing
@testable import LatchkeyUserPresence

@testable import LatchkeyKeychainStore

/// A new root key: its file, the others who have the keychain open, and what is in its way.
@Suite("A new root key") struct RootKeyRotationTests {
  private let passcode = Array("correct horse".utf8)

  private func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }

  @Test("passcode, items and audit log stay, and the key file is another one", arguments: [false, true])
  func rotated(_ hasPasscode: Bool) throws {
    let folder = try Folder()
    let database = try KeychainDatabase(folder.configuration())
    if hasPasscode { try database.setPasscode(passcode, current: nil) }
    for name in ["a", "b"] { try database.add(.account(name), as: .none) }
    let (key, entries) = (try bytes(folder.path + "/keychain.key"), try database.auditEntries(after: 0, limit: 100))
    try database.rotateRootKey(passcode: hasPasscode ? passcode : nil)
    #expect(FilePaths.size(folder.path + "/keychain.db-wal") == 0, "what it replaced is in no file when it returns")
    #expect(storeError { try accounts(database) }.isRootKeyUnavailable)
    #expect(storeError { try database.add(.account("c"), as: .none) }.isRootKeyUnavailable)
    #expect(storeError { try database.verify() }.isRootKeyUnavailable)
    database.close()
    #expect(try bytes(folder.path + "/keychain.key") != key)
    #expect(try folder.mode("keychain.key") == 0o600)
    #expect(try !folder.names().contains("keychain.key.next"))
    let again = try KeychainDatabase(folder.configuration())
    #expect(again.lockState == (hasPasscode ? .beforeFirstUnlock : .unlocked))
    if hasPasscode {
      #expect(storeError { try again.unlock(passcode: Array("wrong horse".utf8)) }.isWrongPasscode)
      try again.unlock(passcode: passcode)
    }
    #expect(try accounts(again) == ["a", "b"])
    #expect(try again.verify().findings.isEmpty)
    let later = try again.auditEntries(after: 0, limit: 100)
    #expect(later.map(\.event).starts(with: entries.map(\.event)))
    #expect(later.contains { $0.event == .keysChanged })
    again.close()
    try Data(key).write(to: URL(filePath: folder.path + "/keychain.key"))
    #expect(storeError { try KeychainDatabase(folder.configuration()) }.isRootKeyUnavailable)
  }

  @Test("a wrong passcode, or none, changes nothing") func refused() throws {
    let folder = try Folder()
    let database = try KeychainDatabase(folder.configuration())
    try database.setPasscode(passcode, current: nil)
    let key = try bytes(folder.path + "/keychain.key")
    for given in [nil, Array("wrong horse".utf8)] {
      #expect(storeError { try database.rotateRootKey(passcode: given) }.isWrongPasscode)
    }
    #expect(try bytes(folder.path + "/keychain.key") == key)
    try database.add(.account("a"), as: .none)
    #expect(try accounts(database) == ["a"])
  }

  @Test("Other processes must reopen the keychain to read or write, and nothing acknowledged is lost")
  func others() throws {
    let folder = try Folder()
    let configuration = folder.configuration()
    let first = try KeychainDatabase(configuration)
    // Blocking calls, so threads: tasks share as many as there are processors.
    let writers = try (0..<3).map { Writer(lane: $0, try KeychainDatabase(configuration)) }
    for writer in writers { writer.start() }
    for writer in writers { for _ in 0..<5 { writer.begun.wait() } }
    // Writers that never rest may keep it waiting for longer than it waits.
    var busy: StoreError?
    repeat { busy = storeError { try first.rotateRootKey(passcode: nil) } } while busy.isBusy
    #expect(busy == nil)
    for writer in writers { writer.ended.wait() }
    for writer in writers {
      let ends = writer.state.withLock { $0 }
      for error in [ends.writing, ends.reading] {
        guard case .rootKeyUnavailable(let text) = error else {
          Issue.record("\(String(describing: error))")
          continue
        }
        #expect(text.contains("open it again"))
      }
    }
    let again = try KeychainDatabase(configuration)
    #expect(try accounts(again) == Set(writers.flatMap { $0.state.withLock { $0.acknowledged } }))
    #expect(try again.verify().findings.isEmpty)
  }

  @Test("a key file that opens another keychain too is left alone") func shared() throws {
    let folders = [try Folder(), try Folder()]
    let key = folders[0].path + "/shared.key"
    let databases = try folders.map { try KeychainDatabase($0.configuration(key: key)) }
    for (number, database) in databases.enumerated() { try database.add(.account("\(number)"), as: .none) }
    #expect(storeError { try databases[0].rotateRootKey(passcode: nil) }.isConfiguration)
    for (number, folder) in folders.enumerated() {
      databases[number].close()
      #expect(try accounts(KeychainDatabase(folder.configuration(key: key))) == ["\(number)"])
    }
    // As the error says: a key file of its own.
    try FileManager.default.copyItem(atPath: key, toPath: folders[0].path + "/own.key")
    let own = try KeychainDatabase(folders[0].configuration(key: folders[0].path + "/own.key"))
    try own.rotateRootKey(passcode: nil)
    #expect(try accounts(KeychainDatabase(folders[0].configuration(key: folders[0].path + "/own.key"))) == ["0"])
    #expect(try accounts(KeychainDatabase(folders[1].configuration(key: key))) == ["1"])
  }

  @Test("a key file with a second name is refused; one behind a link is replaced") func links() throws {
    let folder = try Folder()
    let file = folder.path + "/real.key"
    #expect(symlink(file, folder.path + "/link.key") == 0)
    try folder.write("real.key", (0..<32).map { UInt8($0) }, mode: 0o400)
    let configuration = folder.configuration(key: folder.path + "/link.key")
    let database = try KeychainDatabase(configuration)
    try database.add(.account("a"), as: .none)
    #expect(link(file, folder.path + "/second") == 0)
    #expect(storeError { try database.rotateRootKey(passcode: nil) }.isConfiguration)
    #expect(unlink(folder.path + "/second") == 0)
    try database.rotateRootKey(passcode: nil)
    var status = stat()
    #expect(lstat(folder.path + "/link.key", &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(try bytes(file) != (0..<32).map { UInt8($0) })
    #expect(try accounts(KeychainDatabase(configuration)) == ["a"])
  }

  @Test("a credential is refused by name, and so is a keychain that is only read") func otherSources() throws {
    #expect(
      storeError { try RootKeyReplacement(rotating: .systemdCredential(name: "latchkey.root"), databasePath: "/k") }
        .isConfiguration)
    let folder = try Folder()
    var configuration = folder.configuration()
    try KeychainDatabase(configuration).close()
    configuration.isReadOnly = true
    #expect(
      storeError { try KeychainDatabase(configuration).rotateRootKey(passcode: nil) }
        == .readOnly(path: configuration.path))
  }

  @Test(
    "a new key that nothing is sealed by is removed by who opens it next, and by no reader",
    arguments: [0, 7, 32, 40])
  func stale(_ count: Int) throws {
    let folder = try Folder()
    var configuration = folder.configuration()
    let database = try KeychainDatabase(configuration)
    try database.add(.account("a"), as: .none)
    database.close()
    try folder.write("keychain.key.next", [UInt8](repeating: 9, count: count))
    configuration.isReadOnly = true
    #expect(try accounts(KeychainDatabase(configuration)) == ["a"])
    #expect(try folder.names().contains("keychain.key.next"))
    configuration.isReadOnly = false
    let key = try bytes(folder.path + "/keychain.key")
    let again = try KeychainDatabase(configuration)
    #expect(try accounts(again) == ["a"])
    #expect(try !folder.names().contains("keychain.key.next"))
    #expect(try bytes(folder.path + "/keychain.key") == key)
    // A next key file that appears while the keychain is open does no harm.
    try folder.write("keychain.key.next", [UInt8](repeating: 9, count: count))
    try again.rotateRootKey(passcode: nil)
    #expect(try accounts(KeychainDatabase(configuration)) == ["a"])
    #expect(try !folder.names().contains("keychain.key.next"))
  }

  @Test("where neither file holds the key in force, both stay as they are") func neither() throws {
    let folder = try Folder()
    let database = try KeychainDatabase(folder.configuration())
    try database.add(.account("a"), as: .none)
    let files = [
      ("keychain.key", [UInt8](repeating: 7, count: 32)), ("keychain.key.next", [UInt8](repeating: 9, count: 32)),
    ]
    for (name, bytes) in files { try folder.write(name, bytes) }
    #expect(storeError { try database.rotateRootKey(passcode: nil) }.isRootKeyUnavailable)
    for (name, expected) in files { #expect(try bytes(folder.path + "/" + name) == expected) }
  }

  @Test("New keys do not hide items removed from outside") func altered() throws {
    let folder = try Folder()
    let configuration = folder.configuration()
    let database = try KeychainDatabase(configuration)
    // More than are counted when it is opened.
    for number in 0..<140 { try database.add(.account("\(number)"), as: .none) }
    database.close()
    try ForeignConnection(configuration.path).execute("DELETE FROM tag WHERE item = 7; DELETE FROM item WHERE id = 7")
    for isOfRootKey in [false, true] {
      let again = try KeychainDatabase(configuration)
      let error = storeError {
        if isOfRootKey { try again.rotateRootKey(passcode: nil) } else { try again.rotateKeys(passcode: nil) }
      }
      #expect(error.isDamaged, "\(String(describing: error))")
    }
  }

  @Test("between commit and rename it opens without being written to, and a backup is not restored over it")
  func between() throws {
    let folder = try Folder()
    var configuration = folder.configuration()
    configuration.rotationStep = { (step) throws(StoreError) in
      if step == .committed { throw .inputOutput("ended") }
    }
    let database = try KeychainDatabase(configuration)
    try database.add(.account("a"), as: .none)
    let snapshot = try database.snapshot()
    #expect(storeError { try database.rotateRootKey(passcode: nil) } == .inputOutput("ended"))
    database.close()
    configuration.rotationStep = { (_) throws(StoreError) in }
    let refused = storeError { try KeychainDatabase.restore(snapshot, to: configuration, replacing: true) }
    #expect(refused.isConfiguration)
    configuration.isReadOnly = true
    #expect(try accounts(KeychainDatabase(configuration)) == ["a"])
    #expect(try folder.names().contains("keychain.key.next"))
    configuration.isReadOnly = false
    #expect(try accounts(KeychainDatabase(configuration)) == ["a"])
    #expect(try !folder.names().contains("keychain.key.next"))
    #expect(try accounts(KeychainDatabase(configuration)) == ["a"])
  }

  @Test("keys that another program changes meanwhile are not overwritten", arguments: [false, true])
  func meanwhile(isOfRootKey: Bool) throws {
    let folder = try Folder()
    var configuration = folder.configuration()
    let other = try KeychainDatabase(configuration)
    try other.add(.account("a"), as: .none)
    configuration.rotationStep = { (step) throws(StoreError) in
      if step == .keysMade { try other.rotateKeys(passcode: nil) }
    }
    let database = try KeychainDatabase(configuration)
    #expect(
      storeError {
        if isOfRootKey { try database.rotateRootKey(passcode: nil) } else { try database.rotateKeys(passcode: nil) }
      }.isBusy)
    for one in [other, database] {
      #expect(try accounts(one) == ["a"])
      #expect(try one.verify().findings.isEmpty)
    }
  }

  /// A closed keychain with the item a, whose rotation ended at a step.
  private func ended(
    at last: RotationStep, _ folder: Folder, counter: (any HardwareCounter)? = nil
  ) throws -> KeychainDatabase.Configuration {
    var configuration = folder.configuration()
    configuration.counter = counter
    var ending = configuration
    ending.rotationStep = { (step) throws(StoreError) in if step == last { throw .inputOutput("ended") } }
    let database = try KeychainDatabase(ending)
    #expect([nil, .duplicateItem].contains(storeError { try database.add(.account("a"), as: .none) }))
    #expect(throws: StoreError.self) { try database.rotateRootKey(passcode: nil) }
    database.close()
    return configuration
  }

  @Test("a key that is replaced, and one that is not used after all, are overwritten, not only removed") func wiped()
    throws
  {
    let folder = try Folder()
    let configuration = folder.configuration()
    let database = try KeychainDatabase(configuration)
    try database.add(.account("a"), as: .none)
    let old = try #require(FileHandle(forReadingAtPath: folder.path + "/keychain.key"))
    try database.rotateRootKey(passcode: nil)
    #expect(try old.readToEnd() == Data(count: 32))
    database.close()
    try folder.write("keychain.key.next", [UInt8](repeating: 9, count: 40))
    let unused = try #require(FileHandle(forReadingAtPath: folder.path + "/keychain.key.next"))
    #expect(try accounts(KeychainDatabase(configuration)) == ["a"])
    #expect(try unused.readToEnd() == Data(count: 40))
  }

  @Test(
    "a change that fails is taken back at once, and leaves no mark of the key that was to come",
    arguments: [.rootKeyWritten, .rowsSealed] as [RotationStep])
  func takenBack(_ step: RotationStep) throws {
    let folder = try Folder()
    let configuration = try ended(at: step, folder)
    #expect(try !folder.names().contains("keychain.key.next"))
    #expect(try bytes(folder.path + "/keychain.key.used").count == 4 + 32)
    #expect(try accounts(KeychainDatabase(configuration)) == ["a"])
  }

  @Test(
    "between commit and rename a bad page costs what stands on it, and the key that is about to come opens the rest",
    arguments: [.committed, .rootKeyWiped] as [RotationStep], [nil, "header", "slot"] as [String?])
  func salvaged(_ step: RotationStep, table: String?) throws {
    let folder = try Folder()
    let configuration = try ended(at: step, folder)
    #expect(try folder.names().contains("keychain.key.next"))
    var file = try bytes(configuration.path)
    let pages: [Int]? = try table.map { table in
      try ForeignConnection(configuration.path).values("SELECT rootpage FROM sqlite_schema WHERE name = ?", [table])
    }
    // With the first page SQLite takes it for no database.
    for page in [1] + (pages ?? []) {
      file.replaceSubrange((page - 1) * 4096..<page * 4096, with: repeatElement(0xA5, count: 4096))
    }
    for suffix in ["-wal", "-shm"] { unlink(configuration.path + suffix) }
    try Data(file).write(to: URL(filePath: configuration.path))
    #expect(chmod(configuration.path, 0o600) == 0)
    let report = try KeychainDatabase.salvage(configuration, acceptsUnproven: true)
    #expect(report.itemsDropped == 0)
    #expect(report.items.allSatisfy { $0.isProven == (table != "header") })
    let database = try KeychainDatabase(configuration)
    #expect(try accounts(database) == ["a"])
    #expect(try database.verify().findings.isEmpty)
    #expect(try !folder.names().contains("keychain.key.next"))
  }

  @Test("a keychain that is gone between the two keys is missed, and none is made by an overwritten key") func gone()
    throws
  {
    let folder = try Folder()
    let configuration = try ended(at: .rootKeyWiped, folder)
    #expect(try bytes(folder.path + "/keychain.key") == [UInt8](repeating: 0, count: 32))
    for suffix in ["", "-wal", "-shm"] { unlink(configuration.path + suffix) }
    #expect(storeError { try KeychainDatabase(configuration) }.isDamaged)
    unlink(folder.path + "/keychain.key.next")
    unlink(folder.path + "/keychain.key.used")
    #expect(storeError { try KeychainDatabase(configuration) }.isRootKeyUnavailable)
    #expect(FilePaths.size(configuration.path) == 0)
  }

  @Test(
    "a copy from before, put back with its key file, is an old one where a counter tells",
    arguments: [nil, .committed, .rootKeyWiped, .rootKeyInstalled] as [RotationStep?])
  func oldCopies(_ step: RotationStep?) throws {
    let folder = try Folder()
    let counter = MemoryCounter()
    var configuration = folder.configuration()
    configuration.counter = counter
    let first = try KeychainDatabase(configuration)
    try first.add(.account("a"), as: .none)
    first.close()
    let kept = try ["keychain.db", "keychain.key"].map { ($0, try bytes(folder.path + "/" + $0)) }
    if let step {
      configuration = try ended(at: step, folder, counter: counter)
    } else {
      let database = try KeychainDatabase(configuration)
      try database.rotateRootKey(passcode: nil)
      database.close()
    }
    // Anyone who opens it next completes the change.
    let again = try KeychainDatabase(configuration)
    #expect(try accounts(again) == ["a"])
    if step == .rootKeyInstalled { try again.retireCopies() }
    again.close()
    for suffix in ["-wal", "-shm"] { unlink(configuration.path + suffix) }
    for (name, bytes) in kept {
      unlink(folder.path + "/" + name)
      try folder.write(name, bytes)
    }
    #expect(storeError { try KeychainDatabase(configuration) } == .rolledBack(path: configuration.path))
  }

  @Test("a keychain that is gone afterwards is missed, and not made anew") func marked() throws {
    let folder = try Folder()
    let configuration = folder.configuration()
    for name in ["a", "b", "c"] {
      let database = try KeychainDatabase(configuration)
      try database.add(.account(name), as: .none)
      try database.rotateRootKey(passcode: nil)
      database.close()
    }
    #expect(try accounts(KeychainDatabase(configuration)) == ["a", "b", "c"])
    #expect(try bytes(folder.path + "/keychain.key.used").count == 4 + 32, "one keychain, one root key")
    for suffix in ["", "-wal", "-shm"] { unlink(configuration.path + suffix) }
    #expect(storeError { try KeychainDatabase(configuration) }.isDamaged)
  }
}

/// Adds items until it is refused.
private final class Writer: Sendable {
  struct Ends {
    var acknowledged: Set<String> = []
    var writing: StoreError?
    var reading: StoreError?
  }

  let state = Mutex(Ends())
  /// Signaled at each item.
  let begun = DispatchSemaphore(value: 0)
  let ended = DispatchSemaphore(value: 0)
  private let lane: Int
  private let database: KeychainDatabase

  init(lane: Int, _ database: KeychainDatabase) {
    self.lane = lane
    self.database = database
  }

  func start() { Thread { self.run() }.start() }

  private func run() {
    defer { ended.signal() }
    for number in 0..<100_000 {
      let name = "\(lane) \(number)"
      do throws(StoreError) {
        try database.add(
          NewItem(.genericPassword, attributes: [.account: .text(name)], data: Array(name.utf8)), as: .none)
      } catch .busy {
        continue
      } catch {
        let reading = storeError { try database.find(ItemQuery(.genericPassword), as: .none) }
        state.withLock {
          $0.writing = error
          $0.reading = reading
        }
        database.close()
        return
      }
      state.withLock { _ = $0.acknowledged.insert(name) }
      begun.signal()
    }
  }
}

extension StoreError? {
  fileprivate var isBusy: Bool { if case .busy = self { true } else { false } }
}
