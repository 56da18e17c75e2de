import LatchkeyTestSupport
import Foundation
import LatchkeySQLiteTestSupport
import LatchkeyKeychainModel
import Testing
import keychain_worker

@testable import LatchkeyKeychainStore

/// What a repair makes of a damaged keychain: what is authentic and newest, never what was replaced, deleted or revoked.
@Suite("Repair") struct DatabaseRepairTests {
  static let tables = ["item", "tag", "slot", "header", "audit"]
  static let oldPasscode = Array("the revoked passcode".utf8)
  static let newPasscode = Array("the passcode in force".utf8)

  /// A closed keychain, and what its tables held before the last changes.
  struct Victim {
    let folder: StoreFolder
    let old: [String: [ForeignRow]]
    let files: [String: Data]
    private let proofs: [String: [Data]]

    /// What each item holds now; nil for those that were deleted.
    static let expected: [String: String?] = [
      "a": "new a", "b": nil, "c": "first c", "d": "new d", "e": nil, "f": "first f", "g": "late g",
    ]

    init(passcode: Bool) throws {
      folder = try StoreFolder()
      let store = try folder.open()
      if passcode { try store.setPasscode(oldPasscode, current: nil) }
      for name in ["a", "b", "c", "d", "e", "f"] { try store.add(.password(name, data: "first \(name)"), as: me) }
      store.close()
      old = try DatabaseRepairTests.snapshot(folder)
      let again = try folder.open()
      if passcode { try again.unlock(passcode: oldPasscode) }
      for name in ["a", "d"] {
        try again.update(.password(name), with: ItemChanges(data: Array("new \(name)".utf8)), as: me)
      }
      for name in ["b", "e"] { try again.delete(.password(name), as: me) }
      try again.add(.password("g", data: "late g"), as: me)
      if passcode { try again.setPasscode(newPasscode, current: oldPasscode) }
      again.close()
      var files: [String: Data] = [:]
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where !name.hasSuffix("-shm") {
        files[name] = try Data(contentsOf: URL(filePath: folder.path + "/" + name))
      }
      self.files = files
      let state: [Data] = try folder.ask("SELECT state FROM header WHERE id = 1")
      proofs = [
        "header": state.flatMap { [$0.prefix(32), $0.suffix(32)] }, "audit": try folder.ask("SELECT mac FROM audit"),
      ]
    }

    /// Bytes that stand in each row of the header or the log alone.
    func marks(of table: String) -> [Data] { proofs[table] ?? [] }

    /// Puts all files back as they were before the damage.
    func reset() throws {
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
        try FileManager.default.removeItem(atPath: folder.path + "/" + name)
      }
      for (name, data) in files {
        _ = FileManager.default.createFile(
          atPath: folder.path + "/" + name, contents: data, attributes: [.posixPermissions: 0o600])
      }
    }
  }

  static func snapshot(_ folder: StoreFolder) throws -> [String: [ForeignRow]] {
    let other = try ForeignConnection(folder.database)
    var rows: [String: [ForeignRow]] = [:]
    for table in tables { rows[table] = try other.rows("SELECT * FROM \(table)") }
    return rows
  }

  static func putBack(_ rows: [ForeignRow], _ table: String, replacing all: Bool, _ folder: StoreFolder) throws {
    let intruder = try ForeignConnection(folder.database)
    if all { try intruder.execute("DELETE FROM \(table)") }
    for row in rows { try intruder.replace(row, in: table) }
  }

  private static func repaired(
    _ folder: StoreFolder, _ passcode: [UInt8]?, _ acceptsUnproven: Bool
  ) throws(StoreError) -> KeychainDatabase {
    do throws(StoreError) {
      let store = try folder.open()
      _ = try store.repair(passcode: passcode, acceptsUnproven: acceptsUnproven)
      return store
    } catch {
      switch error {
      case .damaged, .notAKeychain, .rootKeyUnavailable: break
      default: throw error
      }
      _ = try KeychainDatabase.salvage(
        folder.configuration(), passcode: passcode, acceptsUnproven: acceptsUnproven)
      return try folder.open()
    }
  }

  private static func expectRefusal(_ error: StoreError, _ comment: Comment) {
    switch error {
    case .damaged, .notAKeychain, .rootKeyUnavailable, .rolledBack, .wrongPasscode, .locked, .newerFormat: break
    default: Issue.record("\(comment): \(error)")
    }
  }

  /// Repairs by whatever way opens, and looks at what there is then.
  ///
  /// - Returns: how many items were found; nil if it was refused.
  @discardableResult
  static func expectNothingOld(
    _ folder: StoreFolder, passcode: Bool, acceptsUnproven: Bool = false, _ comment: Comment
  ) throws -> Int? {
    let store: KeychainDatabase
    do throws(StoreError) {
      store = try repaired(folder, passcode ? newPasscode : nil, acceptsUnproven)
    } catch {
      expectRefusal(error, comment)
      return nil
    }
    defer { store.close() }
    do throws(StoreError) {
      #expect(try store.verify().isClean, comment)
      if store.lockState != .unlocked {
        let old = failure { () throws(StoreError) in try store.unlock(passcode: oldPasscode) }
        #expect(old != nil, "a revoked passcode opens it: \(comment)")
        try store.unlock(passcode: newPasscode)
      }
    } catch {
      expectRefusal(error, comment)
      return nil
    }
    var found = 0
    for (name, wanted) in Victim.expected {
      do throws(StoreError) {
        let items = try store.find(.password(name), as: me)
        #expect(items.map { $0.data.map { String(decoding: $0, as: UTF8.self) } } == [wanted], "\(name): \(comment)")
        found += 1
      } catch {
        #expect(error == .itemNotFound, "\(name): \(comment)")
      }
    }
    return found
  }

  @Test("Rows that were put back are dropped", arguments: [false, true]) func rowsThatWerePutBackAreDropped(
    _ passcode: Bool
  ) throws {
    let victim = try Victim(passcode: passcode)
    for table in ["item", "tag"] {
      try Self.putBack(try #require(victim.old[table]), table, replacing: false, victim.folder)
    }
    let found = try Self.expectNothingOld(victim.folder, passcode: passcode, "old rows")
    // With a new passcode all keys are new: the old rows of c and f are of keys that are gone, and took the place of theirs.
    #expect(found == (passcode ? 1 : 3))
  }

  @Test("The report names each item") func theReportNamesEachItem() throws {
    let victim = try Victim(passcode: false)
    for table in ["item", "tag"] {
      try Self.putBack(try #require(victim.old[table]), table, replacing: false, victim.folder)
    }
    let report = try victim.folder.open().repair()
    let reasons = report.items.map(\.reason)
    #expect(reasons.filter { $0 == nil }.count == 3)
    #expect(reasons.filter { $0 == "it was deleted" }.count == 2)
    #expect(reasons.filter { $0?.contains("replaced") == true }.count == 2)
    #expect(report.items.allSatisfy { $0.uuid?.count == 16 && $0.itemClass == .genericPassword })
  }

  @Test("Key records that were put back are not believed") func keyRecordsThatWerePutBackAreNotBelieved() throws {
    for alsoHeader in [false, true] {
      let victim = try Victim(passcode: true)
      try Self.putBack(try #require(victim.old["slot"]), "slot", replacing: true, victim.folder)
      if alsoHeader { try victim.folder.edit("UPDATE header SET state = zeroblob(100)") }
      // Without the header, which has their copy beside it, nothing has the right ones.
      for passcode in alsoHeader ? [Self.oldPasscode, Self.newPasscode] : [Self.oldPasscode] {
        #expect(
          failure { () throws(StoreError) in
            let store = try victim.folder.open()
            defer { store.close() }
            _ = try store.repair(passcode: passcode, acceptsUnproven: true)
            return 0
          } != nil)
      }
      if !alsoHeader { #expect(try Self.expectNothingOld(victim.folder, passcode: true, "by the copy") == 5) }
      let store = try victim.folder.open()
      let old = failure { () throws(StoreError) in
        try store.unlock(passcode: Self.oldPasscode)
        return try store.find(.all(), as: me)
      }
      #expect(old != nil)
    }
  }

  @Test("An older header is no authority") func anOlderHeaderIsNoAuthority() throws {
    let victim = try Victim(passcode: false)
    for table in ["header", "item", "tag"] {
      try Self.putBack(try #require(victim.old[table]), table, replacing: true, victim.folder)
    }
    #expect(
      try Self.expectNothingOld(
        victim.folder, passcode: false, acceptsUnproven: true, "an older header with its rows") == 2)
  }

  /// Random edits: rows of any table put back, columns altered, pages overwritten.
  @Test("Random edits bring nothing back", arguments: [false, true]) func randomEditsBringNothingBack(_ passcode: Bool)
    throws
  {
    let victim = try Victim(passcode: passcode)
    for round in 0..<Torture.count(sample: 30, soak: 5_000) {
      var chance = Chance(seed: UInt64(round))
      try victim.reset()
      var edits: [String] = []
      // Header and log both put back are the older keychain itself, which only a counter in hardware tells.
      let untouched = Bool.random(using: &chance) ? "header" : "audit"
      for _ in 0..<Int.random(in: 1...4, using: &chance) {
        edits.append(try Self.edit(victim, sparing: untouched, &chance))
      }
      // Without the header the log alone tells what is old, and proves nothing more.
      try Self.expectNothingOld(
        victim.folder, passcode: passcode, acceptsUnproven: untouched == "audit", "round \(round): \(edits)")
    }
  }

  /// The same with the header gone, and the log put back as it was or broken: no version can be told from another.
  @Test("Without header and log nothing is repaired unasked", arguments: [false, true])
  func withoutHeaderAndLogNothingIsRepairedUnasked(_ passcode: Bool) throws {
    let victim = try Victim(passcode: passcode)
    for round in 0..<Torture.count(sample: 20, soak: 1_000) {
      var chance = Chance(seed: UInt64(round))
      try victim.reset()
      try victim.folder.edit("DELETE FROM header WHERE id = 1")
      if Bool.random(using: &chance) {
        try Self.putBack(try #require(victim.old["audit"]), "audit", replacing: true, victim.folder)
      } else {
        try victim.folder.edit("DELETE FROM audit WHERE seq % 3 = \(Int.random(in: 0..<3, using: &chance))")
      }
      var edits: [String] = []
      for _ in 0..<Int.random(in: 1...4, using: &chance) {
        edits.append(try Self.edit(victim, sparing: "header", &chance))
      }
      let found = try Self.expectNothingOld(victim.folder, passcode: passcode, "round \(round): \(edits)")
      #expect(found == nil, "round \(round): \(edits)")
    }
  }

  private static func edit(_ victim: Victim, sparing untouched: String, _ chance: inout Chance) throws -> String {
    let table = tables.filter { $0 != untouched }.randomElement(using: &chance) ?? "item"
    do {
      switch Int.random(in: 0..<5, using: &chance) {
      case 0:
        try putBack(victim.old[table] ?? [], table, replacing: true, victim.folder)
        return "all of \(table) put back"
      case 1, 2:
        let rows = (victim.old[table] ?? []).filter { _ in Bool.random(using: &chance) }
        try putBack(rows, table, replacing: false, victim.folder)
        return "\(rows.count) of \(table) put back"
      case 3:
        try victim.folder.edit("DELETE FROM \(table) WHERE rowid % 3 = \(Int.random(in: 0..<3, using: &chance))")
        return "rows of \(table) deleted"
      default:
        let url = URL(filePath: victim.folder.database)
        var file = try Data(contentsOf: url)
        let page = Int.random(in: 0..<max(1, file.count / 4096), using: &chance)
        let content = file[page * 4096..<min(file.count, page * 4096 + 4096)]
        // Without header and log nothing tells older versions.
        guard !victim.marks(of: untouched).contains(where: { content.firstRange(of: $0) != nil }) else {
          return "nothing"
        }
        for index in page * 4096..<min(file.count, page * 4096 + 4096) {
          file[index] = UInt8.random(in: 0...255, using: &chance)
        }
        try file.write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
        return "page \(page) overwritten"
      }
    } catch {
      return "nothing: \(error)"
    }
  }
}
