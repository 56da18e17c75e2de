import LatchkeyTestSupport
import LatchkeyKeychainModel
import Synchronization
import Testing

@testable import LatchkeyKeychainStore

/// A read that another thread overtakes, between its look at the file and its verdict.
@Suite("A read that is overtaken") struct DatabaseSnapshotTests {
  /// What is done once, at a step.
  private final class Once: Sendable {
    private let body = Mutex<(step: ReadingStep, body: @Sendable () -> Void)?>(nil)

    func at(_ step: ReadingStep, _ body: @escaping @Sendable () -> Void) { self.body.withLock { $0 = (step, body) } }

    func reach(_ step: ReadingStep) {
      let due = body.withLock { due in
        guard due?.step == step else { return nil as (@Sendable () -> Void)? }
        defer { due = nil }
        return due?.body
      }
      due?()
    }

    var isDone: Bool { body.withLock { $0 == nil } }
  }

  private func open(_ folder: Folder, _ once: Once) throws -> KeychainDatabase {
    var configuration = folder.configuration()
    configuration.busyTimeout = 0.1
    configuration.readingStep = { once.reach($0) }
    return try KeychainDatabase(configuration)
  }

  @Test("A commit that another thread has learned of meanwhile makes the file no older one") func laterCommit() throws {
    let folder = try Folder()
    let once = Once()
    let database = try open(folder, once)
    let other = try KeychainDatabase(folder.configuration())
    try other.add(.account("a"), as: .none)
    let failed = Mutex<StoreError?>(nil)
    once.at(.snapshotTaken) {
      let error = storeError { try database.add(.account("b"), as: .none) }
      failed.withLock { $0 = error }
    }
    #expect(try accounts(database) == ["a", "b"])
    #expect(once.isDone)
    #expect(failed.withLock { $0 } == nil)
  }

  @Test("Keys that another thread has changed meanwhile are not replaced by those of before", arguments: [false, true])
  func laterKeys(_ hasPasscode: Bool) throws {
    let passcode = hasPasscode ? Array("correct horse".utf8) : nil
    let folder = try Folder()
    let once = Once()
    let database = try open(folder, once)
    try database.add(.account("a"), as: .none)
    if let passcode { try database.setPasscode(passcode, current: nil) }
    let other = try KeychainDatabase(folder.configuration())
    try other.rotateKeys(passcode: passcode)
    let failed = Mutex<StoreError?>(nil)
    once.at(.keysFound) {
      // That this read holds up the emptying of the log, it says.
      _ = storeError { try database.rotateKeys(passcode: passcode) }
      let error = storeError { if let passcode { try database.unlock(passcode: passcode) } }
      failed.withLock { $0 = error }
    }
    #expect(try accounts(database) == ["a"])
    #expect(try database.auditEntries(after: 0, limit: 100).count { $0.event == .keysChanged } == 2)
    #expect(once.isDone)
    #expect(failed.withLock { $0 } == nil)
    #expect(try database.verify().findings.isEmpty)
    try database.add(.account("b"), as: .none)
    #expect(try accounts(database) == ["a", "b"])
  }
}
