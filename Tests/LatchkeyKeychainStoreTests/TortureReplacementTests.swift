import LatchkeySQLiteTestSupport
import LatchkeyTestSupport
import CRecordingVFS
import Foundation
import LatchkeyKeychainModel
import LatchkeyKeychainStore
import Testing
import keychain_worker

/// A keychain whose files are exchanged for older ones, whole or in parts, and one whose shared memory lies.
@Suite("A keychain whose past is put back", .timeLimit(.minutes(60))) struct TortureReplacementTests {
  private func make(_ folder: TortureFolder, keys: Range<Int> = 1..<7) throws -> String {
    let path = folder.file("keychain.db")
    let database = try TortureStore.open(path)
    for key in keys { try database.add(TortureItem.new(key, version: 1), as: .none) }
    database.close()
    return path
  }

  private func isDamage(_ error: StoreError?) -> Bool {
    switch error {
    case .damaged, .rolledBack: true
    default: false
    }
  }

  private static let dropCopy = "DELETE FROM header WHERE id = 2"

  // MARK: Whole files

  @Test("by another file of its name does not write to the one that has none") func renamed() throws {
    let folder = try TortureFolder()
    let path = try make(folder)
    let old = try folder.contents()
    let database = try TortureStore.open(path)
    try database.add(TortureItem.new(10, version: 1), as: .none)
    // As a backup is put back, or an editor saves: a new file under the name.
    try Data(try #require(old["keychain.db"])).write(to: URL(filePath: folder.file("backup")))
    chmod(folder.file("backup"), 0o600)
    #expect(rename(folder.file("backup"), path) == 0)
    let error = #expect(throws: StoreError.self) { try database.add(TortureItem.new(11, version: 1), as: .none) }
    guard case .inputOutput? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    database.close()
  }

  @Test("by none at all does not write to the one that has no name") func removed() throws {
    let folder = try TortureFolder()
    let path = try make(folder)
    let database = try TortureStore.open(path)
    try FileManager.default.removeItem(atPath: path)
    #expect(throws: StoreError.self) { try database.add(TortureItem.new(11, version: 1), as: .none) }
    database.close()
  }

  @Test("whole but for the audit log shows it") func wholeButAudit() throws {
    let folder = try TortureFolder()
    let path = try make(folder)
    let intruder = try TortureIntruder(path)
    let old = try intruder.snapshot(["item", "tag", "slot", "header"])
    let database = try TortureStore.open(path)
    try database.delete(TortureItem.query(1), as: .none)
    database.close()
    try intruder.restore(old)
    intruder.close()
    let again = try TortureStore.open(path)
    #expect(try !again.verify().findings.isEmpty)
    again.close()
  }

  // MARK: Passcodes

  /// With the copy of the key records the keychain is whole; without it, it is damaged: either way the past does not open it.
  @Test("to the time before its passcode is not unlocked by that", arguments: [true, false])
  func beforePasscode(hasCopy: Bool) throws {
    let folder = try TortureFolder()
    let path = try make(folder)
    let intruder = try TortureIntruder(path)
    let old = try intruder.snapshot(["slot"])
    let database = try TortureStore.open(path)
    try database.setPasscode(EndlessPasscodes.passcode(1), current: nil)
    database.close()
    let locked = try TortureStore.open(path)
    #expect(locked.lockState == .beforeFirstUnlock)
    try intruder.restore(old)
    if !hasCopy { try intruder.execute(Self.dropCopy) }
    // The one that has it open, and one that opens it now.
    #expect(throws: StoreError.self) { try locked.find(TortureItem.query(1, wantsData: true), as: .none) }
    locked.close()
    let error = #expect(throws: StoreError.self) {
      let again = try TortureStore.open(path)
      defer { again.close() }
      return try again.find(TortureItem.query(1, wantsData: true), as: .none)
    }
    if hasCopy, case .locked? = error {} else { #expect(isDamage(error)) }
    intruder.close()
  }

  @Test("to an older passcode is not unlocked by that one", arguments: [true, false])
  func olderPasscode(hasCopy: Bool) throws {
    let folder = try TortureFolder()
    let path = try make(folder)
    let database = try TortureStore.open(path)
    try database.setPasscode(EndlessPasscodes.passcode(1), current: nil)
    let intruder = try TortureIntruder(path)
    let old = try intruder.snapshot(["slot"])
    try database.setPasscode(EndlessPasscodes.passcode(2), current: EndlessPasscodes.passcode(1))
    database.close()
    let open = try TortureStore.open(path)
    try intruder.restore(old)
    if !hasCopy { try intruder.execute(Self.dropCopy) }
    for locked in [open, try? TortureStore.open(path)].compactMap(\.self) {
      #expect(throws: StoreError.self) { try locked.unlock(passcode: EndlessPasscodes.passcode(1)) }
      #expect(locked.lockState == .beforeFirstUnlock)
      let unlocked: Void? = try? locked.unlock(passcode: EndlessPasscodes.passcode(2))
      #expect((unlocked != nil) == hasCopy)
      locked.close()
    }
    intruder.close()
  }

  @Test("to the time before wrong passcodes were counted is older than it was") func attempts() throws {
    let folder = try TortureFolder()
    let path = try make(folder)
    let database = try TortureStore.open(path)
    try database.setPasscode(EndlessPasscodes.passcode(1), current: nil)
    database.close()
    let guesser = try TortureStore.open(path)
    let intruder = try TortureIntruder(path)
    let old = try intruder.snapshot(TortureAttack.tables)
    for version in 2..<7 {
      #expect(throws: StoreError.wrongPasscode(attemptsBeforeDelay: 6 - version)) {
        try guesser.unlock(passcode: EndlessPasscodes.passcode(version))
      }
    }
    try intruder.restore(old.filter { $0.key == "header" })
    let error = #expect(throws: StoreError.self) { try guesser.unlock(passcode: EndlessPasscodes.passcode(8)) }
    #expect(isDamage(error))
    guesser.close()
    intruder.close()
  }

  @Test("while it is locked shows it before any passcode is given") func whileLocked() throws {
    let folder = try TortureFolder()
    let path = try make(folder)
    let database = try TortureStore.open(path)
    try database.setPasscode(EndlessPasscodes.passcode(1), current: nil)
    database.close()
    for openBefore in [true, false] {
      let locked = openBefore ? try TortureStore.open(path) : nil
      let intruder = try TortureIntruder(path)
      let row = try #require(try intruder.rows("SELECT * FROM item WHERE id = 2").first)
      try intruder.execute("DELETE FROM item WHERE id = 2")
      let victim = try locked ?? TortureStore.open(path)
      #expect(try victim.status().damage != nil)
      #expect(try victim.verify().findings.isEmpty == false)
      // What is sound can be read, and what was taken away is not missing.
      #expect(try victim.find(TortureItem.query(6), as: .none).count == 1)
      try victim.unlock(passcode: EndlessPasscodes.passcode(1))
      let error = #expect(throws: StoreError.self) { try victim.find(TortureItem.query(2), as: .none) }
      #expect(isDamage(error))
      let adding = #expect(throws: StoreError.self) { try victim.add(TortureItem.new(9, version: 1), as: .none) }
      #expect(isDamage(adding))
      victim.close()
      try intruder.insert(row, into: "item")
      intruder.close()
    }
  }

  // MARK: Shared memory

  /// A process that dies while it writes the log's index has the next one make it anew, and SQLite's count of commits
  /// begins at 0 again: it may come back to the number that an open keychain knows, over other contents.
  @Test("is noticed where the count of commits came back to what it was", arguments: 0..<8) func count(commits: Int)
    throws
  {
    let folder = try TortureFolder()
    let path = try make(folder)
    let database = try TortureStore.open(path)
    for key in 20..<23 { try database.add(TortureItem.new(key, version: 1), as: .none) }
    let intruder = try TortureIntruder(path)
    #expect(try TortureItem.all(in: database).count == 9)
    let code = recording_vfs_spoil_index(intruder.connection.handle.map { UnsafeMutableRawPointer($0) })
    #expect(code == 0)
    try intruder.execute("DELETE FROM item WHERE id = 2; DELETE FROM tag WHERE item = 2")
    for _ in 0..<commits { try intruder.execute("UPDATE audit SET time = time") }
    let error = #expect(throws: StoreError.self) { try database.find(TortureItem.query(2), as: .none) }
    #expect(isDamage(error))
    database.close()
    intruder.close()
  }

  @Test("is not seen in an index that was made anew with nothing else changed") func index() throws {
    let folder = try TortureFolder()
    let path = try make(folder)
    let (one, two) = (try TortureStore.open(path), try TortureStore.open(path))
    let intruder = try TortureIntruder(path)
    var expected = try TortureItem.all(in: one)
    for key in 20..<30 {
      let code = recording_vfs_spoil_index(intruder.connection.handle.map { UnsafeMutableRawPointer($0) })
      #expect(code == 0)
      try (key.isMultiple(of: 3) ? one : two).add(TortureItem.new(key, version: 1), as: .none)
      expected[key] = 1
      #expect(try TortureItem.all(in: two) == expected)
      #expect(try TortureItem.all(in: one) == expected)
    }
    one.close()
    two.close()
    intruder.close()
    #expect(try TortureStore.look(at: path) == expected)
  }

  // MARK: Repair

  @Test("or altered otherwise is whole after a repair", arguments: TortureAttack.onItems) func repair(
    attack: TortureAttack
  ) throws {
    let folder = try TortureFolder()
    let path = try make(folder)
    let database = try TortureStore.open(path)
    try database.add(TortureItem.new(7, version: 1), as: Entitlements(accessGroups: ["elsewhere"]))
    let intruder = try TortureIntruder(path)
    let old = try intruder.snapshot(TortureAttack.tables)
    try database.update(TortureItem.query(1), with: TortureItem.changes(1, version: 2), as: .none)
    try database.delete(TortureItem.query(4), as: .none)
    try attack.body(intruder, old)
    intruder.close()
    #expect(try !database.repair().findings.isEmpty)
    #expect(try database.verify().findings == [])
    var found = try TortureItem.all(in: database)
    // What was put back is old and goes, what was altered is gone. All else is as it was.
    #expect([nil, 2].contains(found[1]))
    #expect(found[4] == nil)
    for key in [1, 2, 3, 4] { found[key] = nil }
    #expect(found == [5: 1, 6: 1] || found.isEmpty)
    try database.add(TortureItem.new(50, version: 1), as: .none)
    database.close()
    _ = try TortureStore.look(at: path)
  }
}
