import LatchkeyTestSupport
import LatchkeySQLiteTestSupport
import LatchkeyKeychainModel
import LatchkeyKeychainStore
import Testing
import keychain_worker

/// One way of altering a keychain's file without its keys.
struct TortureAttack: Sendable, CustomTestStringConvertible {
  let name: String
  /// What is done, with an old snapshot of all tables, made before the last updates and deletions.
  let body: @Sendable (TortureIntruder, _ old: [String: [ForeignRow]]) throws -> Void

  var testDescription: String { name }

  init(_ name: String, _ body: @escaping @Sendable (TortureIntruder, [String: [ForeignRow]]) throws -> Void) {
    self.name = name
    self.body = body
  }

  static let tables = ["item", "tag", "slot", "header", "audit"]

  /// What alters items.
  static let onItems: [TortureAttack] =
    [
      "uuid", "class", "sync", "agrp_tag", "pdmn", "uniq", "ver", "epoch", "acl", "leaf", "tags", "meta", "wrapped_dek",
      "data",
    ].map { column in
      TortureAttack("the column \(column) of an item is changed") { intruder, _ in
        try intruder.flip(column, of: "item", row: 2)
      }
    } + [
      TortureAttack("an item is deleted, with its tags") { intruder, _ in
        try intruder.execute("DELETE FROM item WHERE id = 2; DELETE FROM tag WHERE item = 2")
      },
      TortureAttack("all items are deleted, with their tags") { intruder, _ in
        try intruder.execute("DELETE FROM item; DELETE FROM tag")
      },
      TortureAttack("a deleted item is put back, with its tags") { intruder, old in
        for row in old["item"] ?? [] where row["id"] == 4 { try intruder.insert(row, into: "item") }
        for row in old["tag"] ?? [] where row["item"] == 4 { try intruder.insert(row, into: "tag") }
      },
      TortureAttack("an updated item is put back as it was, with its tags") { intruder, old in
        try intruder.execute("DELETE FROM tag WHERE item = 1")
        for row in old["item"] ?? [] where row["id"] == 1 { try intruder.insert(row, into: "item") }
        for row in old["tag"] ?? [] where row["item"] == 1 { try intruder.insert(row, into: "tag") }
      },
      TortureAttack("all items are put back as they were, with their tags") { intruder, old in
        try intruder.restore(old.filter { ["item", "tag"].contains($0.key) })
      },
      TortureAttack("two items exchange their data") { intruder, _ in
        try Self.exchange(["data"], intruder)
      },
      TortureAttack("two items exchange data and its keys") { intruder, _ in
        try Self.exchange(["wrapped_dek", "data"], intruder)
      },
      TortureAttack("two items exchange everything sealed") { intruder, _ in
        try Self.exchange(["meta", "wrapped_dek", "data", "leaf"], intruder)
      },
      TortureAttack("two items exchange their numbers, with their tags") { intruder, _ in
        try intruder.execute(
          """
          UPDATE item SET id = 1000 WHERE id = 2; UPDATE item SET id = 2 WHERE id = 3;
          UPDATE item SET id = 3 WHERE id = 1000;
          UPDATE tag SET item = 1000 WHERE item = 2; UPDATE tag SET item = 2 WHERE item = 3;
          UPDATE tag SET item = 3 WHERE item = 1000
          """)
      },
      TortureAttack("an item is doubled under a new name") { intruder, _ in
        try intruder.execute(
          """
          INSERT INTO item SELECT 77, zeroblob(16), class, sync, agrp_tag, pdmn, zeroblob(16), ver, epoch, acl, leaf, tags,
          meta, wrapped_dek, data FROM item WHERE id = 2
          """)
      },
      TortureAttack("an item loses its data") { intruder, _ in
        try intruder.execute("UPDATE item SET data = NULL, wrapped_dek = NULL WHERE id = 2")
      },
      TortureAttack("an item's protection is lowered to always") { intruder, _ in
        try intruder.execute("UPDATE item SET pdmn = 3 WHERE id = 2")
      },
      TortureAttack("an item moves to another item's access group") { intruder, _ in
        try intruder.execute("UPDATE item SET agrp_tag = (SELECT agrp_tag FROM item WHERE id = 7) WHERE id = 2")
      },
      TortureAttack("a tag is deleted") { intruder, _ in
        try intruder.execute("DELETE FROM tag WHERE item = 2 AND name = (SELECT min(name) FROM tag WHERE item = 2)")
      },
      TortureAttack("a tag points to another item") { intruder, _ in
        try intruder.execute(
          "UPDATE tag SET item = 3 WHERE item = 2 AND name = (SELECT min(name) FROM tag WHERE item = 2)")
      },
      TortureAttack("two items exchange their tags") { intruder, _ in
        try intruder.execute(
          """
          UPDATE tag SET item = 1000 WHERE item = 2; UPDATE tag SET item = 2 WHERE item = 3;
          UPDATE tag SET item = 3 WHERE item = 1000
          """)
      },
      TortureAttack("a tag of nothing is added") { intruder, _ in
        try intruder.execute("INSERT INTO tag VALUES(1633903476, zeroblob(16), 2)")
      },
      TortureAttack("an item's data is cut short") { intruder, _ in
        try intruder.execute("UPDATE item SET data = zeroblob(3) WHERE id = 2")
      },
    ]

  /// What alters all the rest.
  static let onKeychain: [TortureAttack] =
    ["counter", "state", "uuid"].flatMap { column in
      [0, 11, 40].map { byte in
        TortureAttack("the header's \(column) is changed at \(byte)") { intruder, _ in
          try intruder.flip(column, of: "header", row: 1, byte: byte)
        }
      }
    } + [
      TortureAttack("the header is deleted") { intruder, _ in try intruder.execute("DELETE FROM header") },
      TortureAttack("the header is an older one") { intruder, old in
        try intruder.restore(old.filter { $0.key == "header" })
      },
      TortureAttack("the header is an older one with a new counter") { intruder, old in
        let counter = try #require(try intruder.connection.value("SELECT counter FROM header") as Int64?)
        try intruder.restore(old.filter { $0.key == "header" })
        try intruder.execute("UPDATE header SET counter = ?", [counter + 1])
      },
      TortureAttack("the counter alone is raised") { intruder, _ in
        try intruder.execute("UPDATE header SET counter = counter + 100")
      },
      TortureAttack("a key record is deleted") { intruder, _ in try intruder.execute("DELETE FROM slot WHERE id = 2") },
      TortureAttack("all key records are deleted") { intruder, _ in try intruder.execute("DELETE FROM slot") },
      TortureAttack("two key records change places") { intruder, _ in
        try intruder.execute(
          "UPDATE slot SET id = 100 WHERE id = 2; UPDATE slot SET id = 2 WHERE id = 3; UPDATE slot SET id = 3 WHERE id = 100"
        )
      },
      TortureAttack("one key record is doubled") { intruder, _ in
        try intruder.execute("INSERT INTO slot SELECT 100, record FROM slot WHERE id = 2")
      },
      TortureAttack("one accessibility has another's keys") { intruder, _ in
        try intruder.execute("UPDATE slot SET record = (SELECT record FROM slot WHERE id = 3) WHERE id = 2")
      },
      TortureAttack("a trigger hangs on the items") { intruder, _ in
        try intruder.execute("CREATE TRIGGER thief AFTER INSERT ON item BEGIN DELETE FROM audit; END")
      },
      TortureAttack("a table is added") { intruder, _ in try intruder.execute("CREATE TABLE thief(a)") },
      TortureAttack("an index is gone") { intruder, _ in try intruder.execute("DROP INDEX item_uniq") },
      TortureAttack("the audit log's table is gone") { intruder, _ in try intruder.execute("DROP TABLE audit") },
    ]
    + (0..<7).map { index in
      TortureAttack("a byte of key record \(index + 1) is changed") { intruder, _ in
        let size = try intruder.bytes("SELECT record FROM slot WHERE id = \(index + 1)").count
        try intruder.flip("record", of: "slot", row: Int64(index + 1), byte: size * index / 7)
      }
    }

  static let onAudit: [TortureAttack] = [
    TortureAttack("its last entry is gone") { intruder, _ in
      try intruder.execute("DELETE FROM audit WHERE seq = (SELECT max(seq) FROM audit)")
    },
    TortureAttack("its first entry is gone") { intruder, _ in
      try intruder.execute("DELETE FROM audit WHERE seq = (SELECT min(seq) FROM audit)")
    },
    TortureAttack("an entry in the middle is gone") { intruder, _ in
      try intruder.execute("DELETE FROM audit WHERE seq = 3")
    },
    TortureAttack("an entry in the middle is gone and the later ones move up") { intruder, _ in
      try intruder.execute("DELETE FROM audit WHERE seq = 3")
      try intruder.execute("UPDATE audit SET seq = seq - 1 WHERE seq > 3")
    },
    TortureAttack("all entries are gone") { intruder, _ in try intruder.execute("DELETE FROM audit") },
    TortureAttack("an entry tells of another event") { intruder, _ in
      try intruder.execute("UPDATE audit SET event = CASE event WHEN 2 THEN 3 ELSE 2 END WHERE seq = 3")
    },
    TortureAttack("an entry has another time") { intruder, _ in
      try intruder.execute("UPDATE audit SET time = time - 1 WHERE seq = 3")
    },
    TortureAttack("an entry tells of another item") { intruder, _ in
      try intruder.execute("UPDATE audit SET item = (SELECT item FROM audit WHERE seq = 4) WHERE seq = 3")
    },
    TortureAttack("an entry tells of no item") { intruder, _ in
      try intruder.execute("UPDATE audit SET item = NULL WHERE seq = 3")
    },
    TortureAttack("two entries change places") { intruder, _ in
      try intruder.execute(
        "UPDATE audit SET seq = 1000 WHERE seq = 3; UPDATE audit SET seq = 3 WHERE seq = 4; UPDATE audit SET seq = 4 WHERE seq = 1000"
      )
    },
    TortureAttack("an entry is added at its end") { intruder, _ in
      try intruder.execute(
        "INSERT INTO audit SELECT seq + 1, time, event, item, mac FROM audit ORDER BY seq DESC LIMIT 1")
    },
  ]

  private static func exchange(_ columns: [String], _ intruder: TortureIntruder) throws {
    try intruder.connection.transaction { database in
      let list = columns.joined(separator: ", ")
      let places = columns.map { "\($0) = ?" }.joined(separator: ", ")
      let rows = try [2, 3].map { id in
        try #require(try database.rows("SELECT \(list) FROM item WHERE id = ?", [id]).first)
      }
      for (id, row) in zip([2, 3], rows.reversed()) {
        try database.execute("UPDATE item SET \(places) WHERE id = ?", row.values + [id.column])
      }
    }
  }
}

/// A keychain that somebody else writes to, while it is open and while it is closed: an error that says so, never wrong
/// data, never a "not found".
@Suite("A keychain altered from outside", .timeLimit(.minutes(60))) struct TortureTamperingTests {
  /// A folder with a keychain of items 1, 2, 3, 5, 6, 7 in rows of these numbers; item 1 updated and 4 deleted since the
  /// snapshot; item 7 in another access group.
  private func victim() throws -> (folder: TortureFolder, path: String, old: [String: [ForeignRow]]) {
    let folder = try TortureFolder()
    let path = folder.file("keychain.db")
    let database = try TortureStore.open(path)
    for key in 1...6 { try database.add(TortureItem.new(key, version: 1), as: .none) }
    try database.add(TortureItem.new(7, version: 1), as: Entitlements(accessGroups: ["elsewhere"]))
    database.close()
    let intruder = try TortureIntruder(path)
    let old = try intruder.snapshot(TortureAttack.tables)
    intruder.close()
    let again = try TortureStore.open(path)
    try again.update(TortureItem.query(1), with: TortureItem.changes(1, version: 2), as: .none)
    try again.delete(TortureItem.query(4), as: .none)
    again.close()
    return (folder, path, old)
  }

  private func attack(_ attack: TortureAttack, _ path: String, _ old: [String: [ForeignRow]]) throws {
    let intruder = try TortureIntruder(path)
    try attack.body(intruder, old)
    intruder.close()
  }

  /// Every find is right or refused as damaged, every write is refused.
  private func expectRefusal(_ database: KeychainDatabase, sourceLocation: SourceLocation = #_sourceLocation) {
    for (wanted, query) in [
      ([1: 2, 2: 1, 3: 1, 5: 1, 6: 1], TortureItem.queryForAll), ([1: 2], TortureItem.query(1, wantsData: true)),
      ([2: 1], TortureItem.query(2, wantsData: true)),
    ] {
      do {
        var found: [Int: Int] = [:]
        for item in try database.find(query, as: .none) {
          let (key, version) = try TortureItem.read(item)
          // One that was added before the attack.
          if key != 60 { found[key] = version }
        }
        #expect(found == wanted, sourceLocation: sourceLocation)
      } catch {
        switch error as? StoreError {
        case .damaged, .rolledBack: break
        default: Issue.record("\(wanted): \(error)", sourceLocation: sourceLocation)
        }
      }
    }
    let calls: [(String, () throws -> Any)] = [
      ("add", { try database.add(TortureItem.new(50, version: 1), as: .none) }),
      (
        "update",
        { try database.update(TortureItem.query(5), with: TortureItem.changes(5, version: 2), as: .none) }
      ),
      ("delete", { try database.delete(TortureItem.query(6), as: .none) }),
    ]
    for (name, call) in calls {
      do {
        _ = try call()
        Issue.record("\(name) was answered", sourceLocation: sourceLocation)
      } catch {
        switch error as? StoreError {
        case .damaged, .rolledBack: break
        default: Issue.record("\(name): \(error)", sourceLocation: sourceLocation)
        }
      }
    }
  }

  /// A keychain that was altered while it was closed does not open, or opens, finds what was done, and refuses to work.
  private func expectRefusalAfterOpening(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) {
    do {
      let database = try TortureStore.open(path)
      defer { database.close() }
      expectRefusal(database, sourceLocation: sourceLocation)
      #expect(try !database.verify().findings.isEmpty, sourceLocation: sourceLocation)
    } catch {
      switch error as? StoreError {
      case .damaged, .rootKeyUnavailable: break
      default: Issue.record("opening: \(error)", sourceLocation: sourceLocation)
      }
    }
  }

  @Test("while it was closed refuses to work", arguments: TortureAttack.onItems + TortureAttack.onKeychain)
  func closed(attack: TortureAttack) throws {
    let (folder, path, old) = try victim()
    try self.attack(attack, path, old)
    expectRefusalAfterOpening(path)
    withExtendedLifetime(folder) {}
  }

  @Test("while it is open refuses to work", arguments: TortureAttack.onItems + TortureAttack.onKeychain)
  func open(attack: TortureAttack) throws {
    let (folder, path, old) = try victim()
    let database = try TortureStore.open(path)
    #expect(try TortureItem.all(in: database) == [1: 2, 2: 1, 3: 1, 5: 1, 6: 1])
    try self.attack(attack, path, old)
    expectRefusal(database)
    database.close()
    withExtendedLifetime(folder) {}
  }

  @Test("while two have it open is refused by the one that finds it, and by the other")
  func openTwice() throws {
    let (folder, path, old) = try victim()
    let (one, two) = (try TortureStore.open(path), try TortureStore.open(path))
    try one.add(TortureItem.new(60, version: 1), as: .none)
    try attack(try #require(TortureAttack.onItems.first { $0.name == "an item is deleted, with its tags" }), path, old)
    expectRefusal(two)
    expectRefusal(one)
    one.close()
    two.close()
    withExtendedLifetime(folder) {}
  }

  @Test("in its audit log shows it, and works on", arguments: TortureAttack.onAudit) func audit(attack: TortureAttack)
    throws
  {
    let (folder, path, old) = try victim()
    try self.attack(attack, path, old)
    let database = try TortureStore.open(path)
    defer { database.close() }
    #expect(try !database.verify().findings.isEmpty)
    let error = #expect(throws: StoreError.self) { try database.auditEntries(after: 0, limit: 100) }
    guard case .damaged? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    withExtendedLifetime(folder) {}
  }

  @Test("that is put back whole while it is open is older than what was seen") func rollback() throws {
    let (folder, path, old) = try victim()
    let database = try TortureStore.open(path)
    #expect(try TortureItem.all(in: database)[1] == 2)
    let intruder = try TortureIntruder(path)
    try intruder.restore(old)
    intruder.close()
    #expect(throws: StoreError.rolledBack(path: path)) {
      try database.find(TortureItem.query(1, wantsData: true), as: .none)
    }
    #expect(throws: StoreError.rolledBack(path: path)) {
      try database.add(TortureItem.new(50, version: 1), as: .none)
    }
    database.close()
    withExtendedLifetime(folder) {}
  }

  @Test("by every byte of one row shows every one", .enabled(if: Torture.isSoak)) func everyByte() throws {
    let (folder, path, _) = try victim()
    let clean = try folder.contents()
    for column in ["uuid", "agrp_tag", "uniq", "leaf", "tags", "meta", "wrapped_dek", "data"] {
      let size = try TortureIntruder(path).bytes("SELECT \(column) FROM item WHERE id = 2").count
      for byte in 0..<size {
        try folder.set(clean)
        let intruder = try TortureIntruder(path)
        try intruder.flip(column, of: "item", row: 2, byte: byte)
        intruder.close()
        expectRefusalAfterOpening(path)
      }
    }
  }

  @Test("with rows of another keychain of the same root key refuses to work") func foreignRows() throws {
    let (folder, path, _) = try victim()
    let other = folder.file("other.db")
    let database = try TortureStore.open(other)
    for key in 1...6 { try database.add(TortureItem.new(key, version: 3), as: .none) }
    database.close()
    let source = try TortureIntruder(other)
    let foreign = try source.snapshot(TortureAttack.tables)
    source.close()
    let clean = try folder.contents()
    for tables in [["item"], ["item", "tag"], ["slot"], ["header"], ["header", "item", "tag"], ["header", "slot"]] {
      try folder.set(clean)
      let intruder = try TortureIntruder(path)
      try intruder.restore(foreign.filter { tables.contains($0.key) })
      // The copy of this keychain's own records would take the place of the foreign ones.
      if tables == ["slot"] { try intruder.execute("DELETE FROM header WHERE id = 2") }
      intruder.close()
      expectRefusalAfterOpening(path)
    }
  }
}
