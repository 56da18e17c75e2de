import LatchkeyTestSupport
import Foundation
import LatchkeySQLiteTestSupport
import LatchkeyKeychainModel
import LatchkeySQLite
import Testing
import keychain_worker

@testable import LatchkeyKeychainStore

/// Files of a keychain from outside, beside a process that lives on, after it was killed, and after it closed.
@Suite("Lifetime of keys") struct KeyLifetimeTests {
  /// A keychain at work in another process, and what an attacker has of it.
  final class Bench {
    let folder: TortureFolder
    var worker: TortureWorker
    var attacker: KeyLifetimeAttacker

    init(_ steps: [String]) throws {
      folder = try TortureFolder()
      worker = try Self.start(folder)
      for step in steps { try worker.perform(step) }
      attacker = KeyLifetimeAttacker(
        storeUUID: try Self.ask(folder, "SELECT uuid FROM header"), roots: [try Self.root(folder)], passcodes: [])
      try remember()
    }

    static func start(_ folder: TortureFolder) throws -> TortureWorker {
      let worker = try TortureWorker([folder.file("keychain.db"), "--rounds", "16", "lifetime"])
      guard try worker.next() == .ready else { throw TortureFailure(description: "the worker is not ready") }
      return worker
    }

    static func root(_ folder: TortureFolder) throws -> RootKey {
      var bytes = Array(try #require(try folder.contents()["keychain.key"]).prefix(RootKey.byteCount))
      return try #require(RootKey(consuming: &bytes))
    }

    /// A copy of the files, so that nobody's locks are touched.
    private static func copy(_ folder: TortureFolder) throws -> TortureFolder {
      let copy = try TortureFolder()
      try copy.set(folder.contents().filter { !$0.key.hasSuffix("-shm") })
      return copy
    }

    static func ask(_ folder: TortureFolder, _ sql: String) throws -> [UInt8] {
      let copy = try copy(folder)
      return Array(try #require(try ForeignConnection(copy.file("keychain.db")).value(sql) as Data?))
    }

    func bytes() throws -> [UInt8] { try KeyLifetimeAttacker.bytes(of: folder) }

    /// The rows as they stand there now.
    func rows() throws -> [ItemRow] {
      let copy = try Self.copy(folder)
      let connection = Connection(
        database: try SQLiteConnection(
          path: copy.file("keychain.db"), options: SQLiteOptions(.readWrite, busyTimeout: 5)))
      let statement = try connection.statement("SELECT \(ItemTable.columns) FROM item ORDER BY id")
      defer { statement.reset() }
      var rows: [ItemRow] = []
      while try statement.step() { rows.append(try ItemTable.row(statement)) }
      return rows
    }

    /// The attacker takes what there is now.
    func remember() throws {
      let seals = attacker.roots.map { RecordSeal(root: $0, storeUUID: attacker.storeUUID) }
      attacker.kept += KeyLifetimeAttacker.records(in: try bytes()).filter { record in
        seals.contains { $0.isAuthentic(record) }
      }
      let rows = try rows()
      attacker.rows += rows
      attacker.gone += rows.flatMap { [$0.meta, $0.wrappedKey, $0.data].compactMap { $0 } }.filter { $0.count > 16 }
      attacker.gone += attacker.kept.map(\.wrapped)
    }

    /// Of the rows that the attacker took, what does not stand there now is what should be gone.
    func forgetPresent() throws {
      let columns = Set(try rows().flatMap { [$0.meta, $0.wrappedKey, $0.data].compactMap { $0 } })
      attacker.gone = attacker.rows.flatMap { [$0.meta, $0.wrappedKey, $0.data].compactMap { $0 } }
        .filter { $0.count > 16 && !columns.contains($0) }
    }

    /// Nothing is opened, and nothing is left.
    func expectNothing(_ when: Comment, sourceLocation: SourceLocation = #_sourceLocation) throws {
      let bytes = try bytes()
      let opened = attacker.opened(try rows(), with: bytes)
      #expect(opened == 0, when, sourceLocation: sourceLocation)
      let remains = attacker.remains(in: bytes)
      #expect(remains == 0, when, sourceLocation: sourceLocation)
    }
  }

  private static let adding = (0..<12).map { "add \($0) \(20 + $0)" }

  @Test("a first passcode: anyone who had the files and the root key before opens nothing afterwards")
  func firstPasscode() throws {
    let bench = try Bench(Self.adding)
    #expect(bench.attacker.opened(try bench.rows(), with: try bench.bytes()) == 10)
    try bench.worker.perform("set 1")
    try bench.expectNothing("the process lives on")
    for key in 12..<20 { try bench.worker.perform("add \(key) 5") }
    try bench.expectNothing("secrets added afterwards")
    bench.worker.kill()
    try bench.expectNothing("the process was killed")
    bench.worker = try Bench.start(bench.folder)
    try bench.worker.perform("unlock 1")
    #expect(try bench.worker.perform("count") == 20)
    try bench.worker.finish()
    try bench.expectNothing("another one opened and closed it")
  }

  @Test(
    "a change, a removal, a rotation: the same, with every passcode that was valid before",
    arguments: [
      ["change 1 2", "unlock 2"], ["rotate 1", "unlock 1"], ["remove 1", "count"], ["remove 1", "set 3"],
      ["change 1 2", "change 2 3"],
    ]) func laterChanges(_ steps: [String]) throws
  {
    let bench = try Bench(["add 100 1", "set 1", "bind 101 1"] + Self.adding)
    bench.attacker.passcodes = [EndlessPasscodes.passcode(1)]
    #expect(bench.attacker.opened(try bench.rows(), with: try bench.bytes()) == 12)
    let isOpenAtLast = steps.last == "count"
    for step in steps { try bench.worker.perform(step) }
    // One of them goes with the passcode, and no byte of its row stays.
    #expect(try bench.worker.perform("count") == (steps.first == "remove 1" ? 13 : 14))
    if isOpenAtLast {
      // Without a passcode the root key opens what is there; what was there before is gone all the same.
      #expect(bench.attacker.remains(in: try bench.bytes()) == 0)
    } else if steps.first == "rotate 1" {
      // The passcode is the same: he who has it opens the keychain as its user does. Without it, nothing.
      bench.attacker.passcodes = []
      try bench.expectNothing("the process lives on")
    } else {
      try bench.expectNothing("the process lives on")
    }
    bench.worker.kill()
    #expect(bench.attacker.remains(in: try bench.bytes()) == 0)
  }

  @Test("a process that opened the keychain before stands before its first unlock, and goes on with the passcode")
  func otherProcess() throws {
    let bench = try Bench(Self.adding)
    let other = try Bench.start(bench.folder)
    #expect(try other.perform("count") == 12)
    try bench.worker.perform("set 1")
    try other.perform("unlock 1")
    #expect(try other.perform("count") == 12)
    try other.perform("update 3 77")
    #expect(try bench.worker.perform("find 3") == 77)
    try bench.expectNothing("both live on")
    try other.finish()
    try bench.worker.finish()
    try bench.expectNothing("both have closed it")
  }

  @Test("a process that lives on leaves nothing of what was deleted or replaced two seconds later") func laterInLog()
    throws
  {
    let bench = try Bench(Self.adding)
    try bench.worker.perform("delete 1")
    try bench.worker.perform("update 2 99")
    #expect(try bench.worker.perform("strike") == 2000)
    try bench.forgetPresent()
    #expect(bench.attacker.gone.count == 6)
    #expect(bench.attacker.remains(in: try bench.bytes()) == 0)
    #expect(try bench.worker.perform("find 2") == 99)
  }

  @Test("Log content left by a killed process is removed when the next process closes") func leftBehind() throws {
    let bench = try Bench(Self.adding)
    // It dies before the clock strikes.
    try bench.worker.perform("delete 1")
    try bench.worker.perform("update 2 99")
    bench.worker.kill()
    try bench.forgetPresent()
    #expect(bench.attacker.gone.count == 6)
    #expect(bench.attacker.remains(in: try bench.bytes()) > 0, "else this test shows nothing")
    bench.worker = try Bench.start(bench.folder)
    #expect(try bench.worker.perform("count") == 11)
    try bench.worker.finish()
    #expect(bench.attacker.remains(in: try bench.bytes()) == 0)
  }

  @Test("A child that uses a keychain opened before fork gets an error, and the parent continues") func fork() throws {
    let bench = try Bench(Self.adding)
    #expect(try bench.worker.perform("fork") == 0)
    #expect(try bench.worker.perform("count") == 12)
    try bench.worker.perform("add 50 1")
    try bench.worker.finish()
  }

  @Test("a process that is killed while all rows are sealed anew leaves the keychain as it was", arguments: [0, 1])
  func killedWhileRotating(_ version: Int) throws {
    let bench = try Bench((version == 0 ? [] : ["set \(version)"]) + Self.adding)
    #expect(throws: TortureFailure.self) { try bench.worker.perform("die \(version)") }
    bench.worker.kill()
    bench.worker = try Bench.start(bench.folder)
    if version > 0 { try bench.worker.perform("unlock \(version)") }
    #expect(try bench.worker.perform("count") == 12)
    try bench.worker.perform("rotate \(version)")
    #expect(try bench.worker.perform("count") == 12)
    try bench.worker.finish()
    #expect(bench.attacker.remains(in: try bench.bytes()) == 0)
  }
}
