import Dispatch
import Foundation
import Glibc
import KeychainModel
import Synchronization
import Testing

@testable import KeychainStore

/// A new root key: its file, the others who have the keychain open, and what is in its way.
@Suite("A new root key") struct RootKeyRotationTests {
  private let passcode = Array("correct horse".utf8)

  private func configuration(_ folder: Folder, key: String? = nil) -> KeychainDatabase.Configuration {
    var configuration = KeychainDatabase.Configuration(path: folder.path + "/keychain.db")
    configuration.scryptRounds = 16
    if let key { configuration.rootKey = .keyFile(path: key) }
    return configuration
  }

  private func item(_ account: String) -> NewItem {
    NewItem(.genericPassword, attributes: [.account: .text(account)], data: Array(account.utf8))
  }

  private func accounts(_ database: KeychainDatabase) throws -> Set<String> {
    let query = ItemQuery(.genericPassword, limit: nil, wantsData: true)
    return Set(try database.find(query, as: .none).map { String(decoding: $0.data ?? [], as: UTF8.self) })
  }

  private func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }

  @Test("passcode, items and audit log stay, and the key file is another one", arguments: [false, true])
  func rotated(_ hasPasscode: Bool) throws {
    let folder = try Folder()
    let database = try KeychainDatabase(configuration(folder))
    if hasPasscode { try database.setPasscode(passcode, current: nil) }
    for name in ["a", "b"] { try database.add(item(name), as: .none) }
    let (key, entries) = (try bytes(folder.path + "/keychain.key"), try database.auditEntries(after: 0, limit: 100))
    try database.rotateRootKey(passcode: hasPasscode ? passcode : nil)
    #expect(storeError { try accounts(database) }.isRootKeyUnavailable)
    #expect(storeError { try database.add(item("c"), as: .none) }.isRootKeyUnavailable)
    #expect(storeError { try database.verify() }.isRootKeyUnavailable)
    database.close()
    #expect(try bytes(folder.path + "/keychain.key") != key)
    #expect(try folder.mode("keychain.key") == 0o600)
    #expect(try !folder.names().contains("keychain.key.next"))
    let again = try KeychainDatabase(configuration(folder))
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
    #expect(storeError { try KeychainDatabase(configuration(folder)) }.isRootKeyUnavailable)
  }

  @Test("a wrong passcode, or none, changes nothing") func refused() throws {
    let folder = try Folder()
    let database = try KeychainDatabase(configuration(folder))
    try database.setPasscode(passcode, current: nil)
    let key = try bytes(folder.path + "/keychain.key")
    for given in [nil, Array("wrong horse".utf8)] {
      #expect(storeError { try database.rotateRootKey(passcode: given) }.isWrongPasscode)
    }
    #expect(try bytes(folder.path + "/keychain.key") == key)
    try database.add(item("a"), as: .none)
    #expect(try accounts(database) == ["a"])
  }

  @Test("others who have it open are told to open it again, reading and writing, and nothing acknowledged is lost")
  func others() throws {
    let folder = try Folder()
    let configuration = configuration(folder)
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
    let databases = try folders.map { try KeychainDatabase(configuration($0, key: key)) }
    for (number, database) in databases.enumerated() { try database.add(item("\(number)"), as: .none) }
    #expect(storeError { try databases[0].rotateRootKey(passcode: nil) }.isConfiguration)
    for (number, folder) in folders.enumerated() {
      databases[number].close()
      #expect(try accounts(KeychainDatabase(configuration(folder, key: key))) == ["\(number)"])
    }
    // As the error says: a key file of its own.
    try FileManager.default.copyItem(atPath: key, toPath: folders[0].path + "/own.key")
    let own = try KeychainDatabase(configuration(folders[0], key: folders[0].path + "/own.key"))
    try own.rotateRootKey(passcode: nil)
    #expect(try accounts(KeychainDatabase(configuration(folders[0], key: folders[0].path + "/own.key"))) == ["0"])
    #expect(try accounts(KeychainDatabase(configuration(folders[1], key: key))) == ["1"])
  }

  @Test("a key file with a second name is refused; one behind a link is replaced") func links() throws {
    let folder = try Folder()
    let file = folder.path + "/real.key"
    #expect(symlink(file, folder.path + "/link.key") == 0)
    try folder.write("real.key", (0..<32).map { UInt8($0) }, mode: 0o400)
    let configuration = configuration(folder, key: folder.path + "/link.key")
    let database = try KeychainDatabase(configuration)
    try database.add(item("a"), as: .none)
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
    var configuration = configuration(folder)
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
    var configuration = configuration(folder)
    let database = try KeychainDatabase(configuration)
    try database.add(item("a"), as: .none)
    database.close()
    try folder.write("keychain.key.next", [UInt8](repeating: 9, count: count))
    configuration.isReadOnly = true
    #expect(try accounts(KeychainDatabase(configuration)) == ["a"])
    #expect(try folder.names().contains("keychain.key.next"))
    configuration.isReadOnly = false
    let again = try KeychainDatabase(configuration)
    #expect(try accounts(again) == ["a"])
    #expect(try !folder.names().contains("keychain.key.next"))
    try again.rotateRootKey(passcode: nil)
    #expect(try accounts(KeychainDatabase(configuration)) == ["a"])
  }

  @Test("between commit and rename it opens without being written to, and a backup is not restored over it")
  func between() throws {
    let folder = try Folder()
    var configuration = configuration(folder)
    configuration.rotationStep = { (step) throws(StoreError) in
      if step == .committed { throw .inputOutput("ended") }
    }
    let database = try KeychainDatabase(configuration)
    try database.add(item("a"), as: .none)
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

  @Test("a keychain that is gone afterwards is missed, and not made anew") func marked() throws {
    let folder = try Folder()
    let configuration = configuration(folder)
    for name in ["a", "b", "c"] {
      let database = try KeychainDatabase(configuration)
      try database.add(item(name), as: .none)
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
  /// Signalled at each item.
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
