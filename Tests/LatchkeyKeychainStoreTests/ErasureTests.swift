import LatchkeyTestSupport
import Foundation
import LatchkeySQLiteTestSupport
import LatchkeyKeychainModel
import Synchronization
import Testing

@testable import LatchkeyKeychainStore

/// When what was deleted or replaced leaves the log.
@Suite("Erasure") struct ErasureTests {
  /// A clock that strikes when it is told to.
  final class Clock: Sendable {
    let waiting = Mutex<[(Double, @Sendable () -> Void)]>([])
    func strike() {
      let due = waiting.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
      for (_, body) in due { body() }
    }
  }

  private let folder: StoreFolder
  private let clock = Clock()

  init() throws { folder = try StoreFolder() }

  private func open() throws -> KeychainDatabase {
    var configuration = folder.configuration()
    configuration.later = { [clock] seconds, body in clock.waiting.withLock { $0.append((seconds, body)) } }
    return try KeychainDatabase(configuration)
  }

  private func logSize() throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.database + "-wal")
    return try #require(attributes[.size] as? Int)
  }

  @Test("two seconds after a deletion at the latest the log is empty, and many deletions pay once") func deletion()
    throws
  {
    let store = try open()
    for index in 0..<20 { try store.add(.password("\(index)"), as: me) }
    #expect(clock.waiting.withLock { $0.isEmpty }, "additions replace nothing")
    for index in 0..<19 { try store.delete(.password("\(index)"), as: me) }
    #expect(clock.waiting.withLock { $0.map(\.0) } == [2])
    #expect(try logSize() > 0)
    clock.strike()
    #expect(try logSize() == 0)
    #expect(try store.find(.password("19"), as: me).count == 1)
    #expect(clock.waiting.withLock { $0.isEmpty })
    try store.update(.password("19"), with: ItemChanges(data: [1]), as: me)
    #expect(clock.waiting.withLock { $0.count } == 1)
    store.close()
    #expect(try logSize() == 0)
    clock.strike()
  }

  /// Another program with the file open.
  private func reader() throws -> ForeignConnection { try ForeignConnection(folder.database) }

  @Test("while another program reads, it is tried again") func besideReader() throws {
    let store = try open()
    try store.add(.password("a"), as: me)
    let other = try reader()
    try other.execute("BEGIN; SELECT * FROM item")
    try store.delete(.password("a"), as: me)
    clock.strike()
    #expect(try logSize() > 0 && clock.waiting.withLock { $0.count } == 1)
    try other.execute("COMMIT")
    clock.strike()
    #expect(try logSize() == 0 && clock.waiting.withLock { $0.isEmpty })
    other.close()
  }

  @Test("a passcode that is set beside a reader says that the log was not emptied, and is set")
  func passcodeBesideReader()
    throws
  {
    var configuration = folder.configuration()
    configuration.busyTimeout = 0.05
    configuration.later = { [clock] seconds, body in clock.waiting.withLock { $0.append((seconds, body)) } }
    let store = try KeychainDatabase(configuration)
    try store.add(.password("a"), as: me)
    let other = try reader()
    try other.execute("BEGIN; SELECT * FROM item")
    let refusal = failure { () throws(StoreError) in try store.setPasscode(RingFixture.passcode, current: nil) }
    guard case .inputOutput(let text) = refusal else {
      throw TortureFailure(description: "\(String(describing: refusal))")
    }
    #expect(text.contains("the passcode was set") && text.contains("latchkey keychain rotate"))
    #expect(try store.status().hasPasscode)
    try other.execute("COMMIT")
    clock.strike()
    #expect(try logSize() == 0)
    other.close()
  }

  @Test("a log that was left is emptied by the next process that writes or closes, and one without deletions stays")
  func leftBehind() throws {
    let first = try open()
    try first.add(.password("a"), as: me)
    try first.add(.password("b"), as: me)
    #expect(try folder.ask("PRAGMA user_version") == [0])
    try first.delete(.password("a"), as: me)
    #expect(try folder.ask("PRAGMA user_version") == [1])
    clock.strike()
    try first.add(.password("c"), as: me)
    #expect(try folder.ask("PRAGMA user_version") == [0], "nothing waits any more")
    try first.delete(.password("c"), as: me)
    // As if it were killed: the clock never strikes.
    clock.waiting.withLock { $0 = [] }
    let second = try open()
    #expect(clock.waiting.withLock { $0.count } == 1)
    clock.strike()
    #expect(try logSize() == 0)
    second.close()
    first.close()
  }

  @Test("a keychain knows its own file again after it emptied the log") func knowledge() throws {
    let store = try open()
    for index in 0..<50 { try store.add(.password("\(index)"), as: me) }
    try store.delete(.password("0"), as: me)
    clock.strike()
    let marks = try store.reading { (connection) throws(StoreError) in
      (CommitMark.read(connection), store.verified.withLock { $0.commits })
    }
    #expect(marks.0 == marks.1)
  }
}
