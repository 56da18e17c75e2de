import LatchkeyTestSupport
import Foundation
import LatchkeySQLiteTestSupport
import LatchkeyKeychainModel
import Testing

@testable import LatchkeyKeychainStore

/// What somebody else does to the file is an error: never other data, and never "not found" for what was there.
@Suite("Damage") struct DatabaseDamageTests {
  /// A keychain of three items, closed.
  static func folder(passcode: Bool = false) throws -> StoreFolder {
    let folder = try StoreFolder()
    let store = try folder.open()
    for name in ["anna", "bert", "carl"] {
      var item = NewItem.password(name, data: "secret of \(name)")
      item.attributes[.label] = .text("label of \(name)")
      item.accessControl = AccessControl(protection: .afterFirstUnlock, flags: .privateKeyUsage)
      try store.add(item, as: me)
    }
    store.close()
    return folder
  }

  /// What a caller can see must be right or an error, and nothing is written any more.
  static func expectDamage(_ store: KeychainDatabase, _ comment: Comment? = nil) {
    for name in ["anna", "bert", "carl"] {
      do throws(StoreError) {
        let found = try store.find(.password(name), as: me)
        #expect(found.map(\.data) == [Array("secret of \(name)".utf8)], comment)
      } catch {
        #expect(error.isDamaged, comment)
      }
    }
    do throws(StoreError) {
      #expect(try store.status().damage != nil, comment)
    } catch {
      #expect(error.isDamaged, comment)
    }
    #expect(failure { () throws(StoreError) in try store.find(.all(), as: me) }?.isDamaged == true, comment)
    #expect(failure { () throws(StoreError) in try store.add(.password("dora"), as: me) }?.isDamaged == true, comment)
    #expect(
      failure { () throws(StoreError) in try store.delete(.password("anna"), as: me) }?.isDamaged == true, comment)
    #expect(
      failure { () throws(StoreError) in try store.update(.password("anna"), with: ItemChanges(data: [1]), as: me) }?
        .isDamaged == true, comment)
  }

  static func expectSound(_ store: KeychainDatabase, _ comment: Comment? = nil) throws {
    let items = try store.find(.all(), as: me)
    #expect(
      items.map { $0.data.map { String(decoding: $0, as: UTF8.self) } }
        == ["secret of anna", "secret of bert", "secret of carl"], comment)
  }

  static let numbers = ["class", "sync", "pdmn", "ver", "epoch"]
  static let blobs = ["uuid", "agrp_tag", "uniq", "acl", "leaf", "tags", "meta", "wrapped_dek", "data"]

  /// Every byte of every column of the second row, each flipped in turn, while the file is open.
  @Test("A change of any byte of a row is found while the file is open", arguments: numbers + blobs)
  func everyByteOfARowIsHeldWhileTheFileIsOpen(_ column: String) throws {
    let folder = try Self.folder()
    let store = try folder.open()
    try Self.expectSound(store)
    let intruder = try ForeignConnection(folder.database)
    let rowID = try #require(try intruder.value("SELECT id FROM item ORDER BY id LIMIT 1 OFFSET 1") as Int64?)
    func set(_ value: some ColumnConvertible) throws {
      try intruder.execute("UPDATE item SET \(column) = ? WHERE id = ?", [value, rowID])
    }
    if Self.numbers.contains(column) {
      let number = try #require(
        try intruder.value("SELECT \(column) FROM item WHERE id = ?", [rowID]) as Int64?)
      for bit in 0..<64 {
        try set(number ^ 1 << bit)
        #expect(
          failure { () throws(StoreError) in try store.find(.password("bert"), as: me) }?.isDamaged == true,
          "bit \(bit)")
      }
      try set(number)
    } else {
      let bytes = try #require(
        try intruder.value("SELECT \(column) FROM item WHERE id = ?", [rowID]) as Data?)
      for index in bytes.indices {
        var flipped = bytes
        flipped[index] ^= 1 << UInt8(index % 8)
        try set(flipped)
        #expect(
          failure { () throws(StoreError) in try store.find(.password("bert"), as: me) }?.isDamaged == true,
          "byte \(index)")
      }
      try set(bytes.dropLast())
      #expect(failure { () throws(StoreError) in try store.find(.all(), as: me) }?.isDamaged == true)
      try set(bytes)
    }
    // Put back as it was, it is sound again.
    try Self.expectSound(store)
    #expect(try store.verify().isClean)
  }

  /// The same with the file closed: opening finds it.
  @Test("A changed column is found at opening", arguments: numbers + blobs) func aChangedColumnIsFoundAtOpening(
    _ column: String
  ) throws {
    let folder = try Self.folder()
    if Self.numbers.contains(column) {
      try folder.edit("UPDATE item SET \(column) = \(column) + 1 WHERE id = 2")
    } else {
      let bytes: [Data] = try folder.ask("SELECT \(column) FROM item WHERE id = 2")
      var flipped = try #require(bytes.first)
      flipped[flipped.count / 2] ^= 1
      try folder.edit("UPDATE item SET \(column) = ? WHERE id = 2", [flipped])
    }
    let store = try folder.open()
    Self.expectDamage(store, "\(column)")
    #expect(try !store.verify().isClean)
    let report = try store.repair()
    #expect(report.itemsDropped == 1)
    #expect(try store.find(.all(), as: me).count == 2)
    #expect(try store.verify().isClean)
  }

  static let edits = [
    "a row deleted": "DELETE FROM item WHERE id = 2",
    "a row and its tags deleted": "DELETE FROM item WHERE id = 2; DELETE FROM tag WHERE item = 2",
    "the last row deleted": "DELETE FROM item WHERE id = 3; DELETE FROM tag WHERE item = 3",
    "all rows deleted": "DELETE FROM item; DELETE FROM tag",
    "all tags deleted": "DELETE FROM tag",
    "the tags of one attribute deleted": "DELETE FROM tag WHERE name = (SELECT min(name) FROM tag)",
    "a tag moved to another row": moveTag,
    "two rows' data swapped": swap("data"), "two rows' attributes swapped": swap("meta"),
    "two rows' keys swapped": swap("wrapped_dek"), "two rows' tags swapped": swap("tags"),
    "two rows' marks swapped": swap("leaf"),
    "two rows' numbers swapped": """
    UPDATE item SET id = 99 WHERE id = 1; UPDATE item SET id = 1 WHERE id = 2; UPDATE item SET id = 2 WHERE id = 99
    """,
    "two rows' numbers and tags swapped": """
    UPDATE item SET id = 99 WHERE id = 1; UPDATE item SET id = 1 WHERE id = 2; UPDATE item SET id = 2 WHERE id = 99; \
    UPDATE tag SET item = 99 WHERE item = 1; UPDATE tag SET item = 1 WHERE item = 2; \
    UPDATE tag SET item = 2 WHERE item = 99
    """,
    "a lower accessibility": "UPDATE item SET pdmn = 3 WHERE id = 2",
    "no access control": "UPDATE item SET acl = NULL WHERE id = 2",
    "no data": "UPDATE item SET data = NULL, wrapped_dek = NULL WHERE id = 2",
    "another group": "UPDATE item SET agrp_tag = randomblob(16) WHERE id = 2",
    "a row copied": """
    INSERT INTO item SELECT 9, randomblob(16), class, sync, agrp_tag, pdmn, randomblob(16), ver, epoch, acl, leaf, tags, \
    meta, wrapped_dek, data FROM item WHERE id = 2
    """,
    "the counter raised": "UPDATE header SET counter = counter + 1",
    "the sum altered": "UPDATE header SET state = randomblob(length(state))",
    "no header": "DELETE FROM header",
    "a key record and the copy gone": "DELETE FROM slot WHERE id = 3; DELETE FROM header WHERE id = 2",
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON item BEGIN DELETE FROM tag; END",
    "no unique index": "DROP INDEX item_uniq",
    "another table": "CREATE TABLE other(a)",
  ]

  static let moveTag = """
    UPDATE tag SET item = 3 WHERE item = 2 AND name = (SELECT min(name) FROM tag)
    """

  static func swap(_ column: String) -> String {
    """
    CREATE TEMP TABLE kept AS SELECT id, \(column) AS c FROM item WHERE id IN (1, 2); \
    UPDATE item SET \(column) = (SELECT c FROM kept WHERE kept.id = 3 - item.id) WHERE id IN (1, 2)
    """
  }

  @Test("An edit is found while the file is open", arguments: edits.keys.sorted()) func anEditIsFoundWhileTheFileIsOpen(
    _ name: String
  ) throws {
    let folder = try Self.folder()
    let store = try folder.open()
    try Self.expectSound(store)
    try folder.edit(try #require(Self.edits[name]))
    Self.expectDamage(store)
    #expect(try !store.verify().isClean)
  }

  /// No read lies between our own last commit and the edit, so that the header has changed too.
  @Test("An edit behind a commit is found", arguments: edits.keys.sorted()) func anEditBehindACommitIsFound(
    _ name: String
  ) throws {
    let folder = try Self.folder()
    let store = try folder.open()
    try store.add(.password("x"), as: me)
    try store.delete(.password("x"), as: me)
    try folder.edit(try #require(Self.edits[name]))
    Self.expectDamage(store)
  }

  /// Another keychain's process commits, then somebody edits: as many commits as the counter tells, and one more.
  @Test("An edit behind another keychain's commit is found") func anEditBehindAnotherKeychainsCommitIsFound() throws {
    let folder = try Self.folder()
    let store = try folder.open()
    let other = try folder.open()
    try Self.expectSound(store)
    try other.add(.password("x"), as: me)
    try folder.edit("DELETE FROM item WHERE id = 2; DELETE FROM tag WHERE item = 2")
    Self.expectDamage(store)
    Self.expectDamage(other)
  }

  @Test("An edit is found at opening", arguments: edits.keys.sorted()) func anEditIsFoundAtOpening(_ name: String)
    throws
  {
    let folder = try Self.folder()
    try folder.edit(try #require(Self.edits[name]))
    do throws(StoreError) {
      let store = try folder.open()
      Self.expectDamage(store)
    } catch {
      // Keys and tables that are not whole cannot even be opened.
      #expect(error.isDamaged)
    }
  }

  @Test("An old version of a row put back is found") func anOldVersionOfARowPutBackIsFound() throws {
    for isOpen in [true, false] {
      let folder = try Self.folder()
      var store = try folder.open()
      let intruder = try ForeignConnection(folder.database)
      let columns = "uuid, class, sync, agrp_tag, pdmn, uniq, ver, epoch, acl, leaf, tags, meta, wrapped_dek, data"
      let old = try #require(try intruder.rows("SELECT \(columns) FROM item WHERE id = 2").first)
      try store.update(.password("bert"), with: ItemChanges(data: [1, 2, 3]), as: me)
      if !isOpen { store.close() }
      let sets = columns.split(separator: ", ").map { "\($0) = ?" }.joined(separator: ", ")
      try intruder.execute("UPDATE item SET \(sets) WHERE id = 2", old.values)
      if !isOpen { store = try folder.open() }
      Self.expectDamage(store)
    }
  }

  @Test("Another keychain's rows are found") func anotherKeychainsRowsAreFound() throws {
    let folder = try Self.folder()
    let other = try Self.folder()
    // Even under the same root key.
    try FileManager.default.removeItem(atPath: other.key)
    try FileManager.default.copyItem(atPath: folder.key, toPath: other.key)
    try FileManager.default.removeItem(atPath: other.database)
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: other.database + suffix) }
    let theirs = try other.open()
    try theirs.add(.password("bert", data: "forged"), as: me)
    theirs.close()
    for table in ["item", "item, tag", "item, tag, header", "item, tag, header, slot, audit"] {
      let copy = try StoreFolder()
      for file in [folder.database, folder.key] {
        try FileManager.default.copyItem(
          atPath: file, toPath: copy.path + "/" + URL(fileURLWithPath: file).lastPathComponent)
      }
      let intruder = try ForeignConnection(copy.database)
      try intruder.execute("ATTACH '\(other.database)' AS other")
      for table in table.split(separator: ", ") {
        try intruder.execute("DELETE FROM main.\(table); INSERT INTO main.\(table) SELECT * FROM other.\(table)")
      }
      // With the copy of the key records it would be the whole of the other keychain.
      if !table.contains("slot") { try intruder.execute("DELETE FROM main.header WHERE id = 2") }
      intruder.close()
      if table.contains("audit") {
        // The whole of the other keychain is that keychain.
        #expect(try copy.open().find(.password("bert"), as: me).first?.data == Array("forged".utf8))
        continue
      }
      do throws(StoreError) {
        Self.expectDamage(try copy.open(), "\(table)")
      } catch {
        if case .rootKeyUnavailable = error { continue }
        #expect(error.isDamaged, "\(table) \(error)")
      }
    }
  }

  @Test("An older file put back while open is rolled back") func anOlderFilePutBackWhileOpenIsRolledBack() throws {
    let folder = try Self.folder()
    let store = try folder.open()
    let intruder = try ForeignConnection(folder.database)
    let header = try #require(try intruder.rows("SELECT counter, state FROM header").first)
    try store.add(.password("x"), as: me)
    try intruder.execute("UPDATE header SET counter = ?, state = ?", header.values)
    try intruder.execute("DELETE FROM item WHERE id = 4; DELETE FROM tag WHERE item = 4")
    guard case .rolledBack? = failure({ () throws(StoreError) in try store.find(.password("x"), as: me) }) else {
      Issue.record("an older state was taken")
      return
    }
    guard case .rolledBack? = failure({ () throws(StoreError) in try store.add(.password("y"), as: me) }) else {
      Issue.record("an older state was written to")
      return
    }
  }

  @Test("Authentic rows survive a repair") func whatIsAuthenticSurvivesARepair() throws {
    let folder = try Self.folder()
    try folder.edit(
      "DELETE FROM item WHERE id = 2; DELETE FROM tag; UPDATE item SET meta = randomblob(64) WHERE id = 3")
    let store = try folder.open()
    let report = try store.repair()
    #expect(report.itemsDropped == 1)
    #expect(report.findings.contains { $0.contains("gone") })
    #expect(try store.find(.password("anna"), as: me).first?.data == Array("secret of anna".utf8))
    for name in ["bert", "carl"] {
      #expect(failure { () throws(StoreError) in try store.find(.password(name), as: me) } == .itemNotFound)
    }
    #expect(try store.auditEntries(after: 0, limit: 100).last?.event == .repaired)
    #expect(try store.verify().isClean)
    store.close()
    #expect(try folder.open().verify().isClean)
  }

  @Test("A repair of a sound keychain changes nothing") func aRepairOfASoundKeychainChangesNothing() throws {
    let folder = try Self.folder()
    let store = try folder.open()
    let counter = try store.status().counter
    #expect(try store.repair().isClean)
    #expect(try store.status().counter == counter)
  }

  @Test("A repair while locked drops no row that is unaltered") func aRepairWhileLockedDropsNothingThatNobodyAltered()
    throws
  {
    let folder = try StoreFolder()
    var store = try folder.open()
    try store.setPasscode(DatabaseMatrixTests.passcode, current: nil)
    for name in ["anna", "bert"] { try store.add(.password(name), as: me) }
    store.close()
    try folder.edit("DELETE FROM tag")
    store = try folder.open()
    #expect(failure { () throws(StoreError) in try store.repair() }?.isLocked == true, "who repairs has the passcode")
    guard case .wrongPasscode? = failure({ () throws(StoreError) in try store.repair(passcode: [1, 2]) }) else {
      Issue.record("repaired with a wrong passcode")
      return
    }
    let report = try store.repair(passcode: DatabaseMatrixTests.passcode)
    #expect(report.itemsDropped == 0)
    #expect(report.items.map(\.reason) == [nil, nil])
    #expect(try store.find(.all(), as: me).count == 2)
  }

  @Test("An unreadable header can be repaired") func anUnreadableHeaderCanBeRepaired() throws {
    for edit in ["UPDATE header SET state = randomblob(200)", "UPDATE header SET counter = 77"] {
      let folder = try Self.folder()
      try folder.edit(edit)
      let store = try folder.open()
      Self.expectDamage(store)
      #expect(try store.repair(acceptsUnproven: true).itemsDropped == 0)
      try Self.expectSound(store)
      #expect(try store.verify().isClean)
    }
  }
}
