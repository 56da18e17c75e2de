import LatchkeyTestSupport
import Foundation
import LatchkeyKeychainModel
import Synchronization
import Testing

@testable import LatchkeyKeychainStore

/// A keychain with a passcode has rows under two roots, whose tags come from two keys: what calls answer, and when they cannot.
@Suite("Rows under two roots") struct DatabaseTwoRootsTests {
  static let passcode = DatabaseMatrixTests.passcode
  /// Which of the hidden items match cannot be told, so that none of them is named.
  private let notYet = StoreError.locked(nil, .beforeFirstUnlock)

  /// Opened anew: before its first unlock.
  private func keychain(_ items: [(String, Accessibility)]) throws -> (folder: StoreFolder, store: KeychainDatabase) {
    let folder = try StoreFolder()
    let store = try folder.open()
    try store.setPasscode(Self.passcode, current: nil)
    for (name, accessibility) in items { try store.add(item(name, accessibility), as: me) }
    store.close()
    return (folder, try folder.open())
  }

  private func item(_ name: String, _ accessibility: Accessibility, group: String? = "mine") -> NewItem {
    var item = NewItem.password(name)
    item.attributes[.label] = .text("label")
    item.accessibility = accessibility
    item.accessGroup = group
    return item
  }

  private func query(_ name: String, group: String? = "mine") -> ItemQuery {
    var query = ItemQuery.password(name)
    query.accessGroup = group
    return query
  }

  private func byLabel(limit: Int? = nil) -> ItemQuery {
    ItemQuery(.genericPassword, attributes: [.label: .text("label")], limit: limit)
  }

  private func names(_ store: KeychainDatabase, _ query: ItemQuery) throws(StoreError) -> [String] {
    try store.find(query, as: me).map { item in
      if case .text(let name)? = item.attributes[.account] { name } else { "" }
    }
  }

  // MARK: Before the first unlock

  @Test("an Always item is found, changed and deleted where it must be the only one") func always() throws {
    let (_, store) = try keychain([("u", .whenUnlocked), ("a", .always), ("b", .alwaysThisDeviceOnly)])
    #expect(try names(store, query("a")) == ["a"])
    #expect(try names(store, .password("a")) == ["a"], "one is wanted, and one is found")
    #expect(try names(store, byLabel(limit: 2)) == ["a", "b"])
    #expect(try store.update(query("a"), with: ItemChanges(data: [7]), as: me) == 1)
    let found = try #require(try store.find(query("a"), as: me).first)
    #expect(found.data == [7])
    var all = byLabel()
    all.accessibility = .always
    #expect(try names(store, all) == ["a"])
    let reference = ItemQuery(.genericPassword, persistentReference: found.reference)
    #expect(try names(store, reference) == ["a"])
    #expect(try store.delete(reference, as: me) == 1)
    #expect(try store.delete(query("b"), as: me) == 1)
    #expect(failure { () throws(StoreError) in try store.find(all, as: me) } == .itemNotFound)
    try store.unlock(passcode: Self.passcode)
    #expect(try names(store, byLabel()) == ["u"])
    #expect(try store.verify().isClean)
  }

  @Test("A possible match among the passcode's items is reported as locked, and nothing is changed") func unknown()
    throws
  {
    let (_, store) = try keychain([("u", .whenUnlocked), ("a", .always)])
    for question in [query("u"), query("nothing"), .password("nothing"), byLabel(), .all(), byLabel(limit: 2)] {
      #expect(failure { () throws(StoreError) in try store.find(question, as: me) } == notYet, "\(question)")
    }
    // A deletion takes all that match: some alone are not enough.
    for question in [query("u"), .password("a"), byLabel(), .all()] {
      #expect(failure { () throws(StoreError) in try store.delete(question, as: me) } == notYet, "\(question)")
      #expect(
        failure { () throws(StoreError) in try store.update(question, with: ItemChanges(data: [1]), as: me) } == notYet)
    }
    // Of other classes there is none, and an item that is not synchronizable is no other that is.
    #expect(failure { () throws(StoreError) in try store.find(.all(.certificate), as: me) } == .itemNotFound)
    var other = ItemQuery.all()
    other.synchronizable = .yes
    #expect(failure { () throws(StoreError) in try store.find(other, as: me) } == .itemNotFound)
    other.synchronizable = .no
    other.accessibility = .whenUnlocked
    #expect(
      failure { () throws(StoreError) in try store.find(other, as: me) } == .locked(.whenUnlocked, .beforeFirstUnlock))
    other.accessibility = .afterFirstUnlock
    #expect(failure { () throws(StoreError) in try store.find(other, as: me) } == .itemNotFound)
    try store.unlock(passcode: Self.passcode)
    #expect(try names(store, byLabel()) == ["u", "a"])
    #expect(try store.find(query("a"), as: me).first?.data == Array("secret".utf8))
    #expect(try store.verify().isClean)
  }

  @Test("a reference to one of the passcode's items is locked, and one to nothing is not found") func references()
    throws
  {
    let (folder, store) = try keychain([("u", .whenUnlocked), ("a", .always)])
    try store.unlock(passcode: Self.passcode)
    let reference = try #require(try store.find(query("u"), as: me).first?.reference)
    store.close()
    let again = try folder.open()
    let question = ItemQuery(.genericPassword, persistentReference: reference)
    // The reference names the item, so that its accessibility is known.
    let locked = StoreError.locked(.whenUnlocked, .beforeFirstUnlock)
    #expect(failure { () throws(StoreError) in try again.find(question, as: me) } == locked)
    #expect(failure { () throws(StoreError) in try again.delete(question, as: me) } == locked)
    let nothing = try PersistentReference(itemClass: .genericPassword, uuid: [UInt8](repeating: 9, count: 16))
    #expect(
      failure { () throws(StoreError) in
        try again.find(ItemQuery(.genericPassword, persistentReference: nothing), as: me)
      } == .itemNotFound)
  }

  @Test("an Always item is added where no other can have its primary key") func additions() throws {
    let (_, store) = try keychain([("u", .whenUnlocked), ("a", .always)])
    #expect(failure { () throws(StoreError) in try store.add(item("u", .always), as: me) } == notYet)
    #expect(failure { () throws(StoreError) in try store.add(item("new", .always), as: me) } == notYet)
    #expect(
      failure { () throws(StoreError) in try store.add(item("new", .whenUnlocked), as: me) }
        == .locked(.whenUnlocked, .beforeFirstUnlock))
    var other = item("new", .always)
    other.isSynchronizable = true
    try store.add(other, as: me)
    let certificate = NewItem(.certificate, attributes: [.serialNumber: .bytes([1])], data: [1])
    try store.add(certificate, as: me)
    #expect(failure { () throws(StoreError) in try store.add(certificate, as: me) } == .duplicateItem)
    // An update that keeps the primary key makes no other; one that changes it might.
    #expect(try store.update(query("a"), with: ItemChanges(attributes: [.label: .text("x")]), as: me) == 1)
    #expect(
      failure { () throws(StoreError) in
        try store.update(query("a"), with: ItemChanges(attributes: [.account: .text("u")]), as: me)
      } == notYet)
    try store.unlock(passcode: Self.passcode)
    #expect(try store.verify().isClean)
  }

  @Test("a keychain of Always items alone answers as if it were unlocked") func alwaysAlone() throws {
    let (_, store) = try keychain([("a", .always), ("b", .always)])
    #expect(try names(store, byLabel()) == ["a", "b"])
    #expect(failure { () throws(StoreError) in try store.find(query("nothing"), as: me) } == .itemNotFound)
    try store.add(item("c", .always), as: me)
    #expect(try store.delete(byLabel(), as: me) == 3)
    #expect(failure { () throws(StoreError) in try store.delete(byLabel(), as: me) } == .itemNotFound)
  }

  // MARK: Locked again

  @Test("A locked keychain distinguishes missing items from locked ones") func locked() throws {
    let (_, store) = try keychain([("u", .whenUnlocked), ("f", .afterFirstUnlock), ("a", .always)])
    try store.unlock(passcode: Self.passcode)
    store.lock()
    #expect(failure { () throws(StoreError) in try store.find(query("u"), as: me) } == .locked(.whenUnlocked, .locked))
    #expect(failure { () throws(StoreError) in try store.find(query("nothing"), as: me) } == .itemNotFound)
    #expect(try names(store, query("f")) == ["f"])
    #expect(failure { () throws(StoreError) in try store.add(item("u", .always), as: me) } == .duplicateItem)
    try store.add(item("new", .always), as: me)
    #expect(try store.delete(query("u"), as: me) == 1)
    #expect(try names(store, byLabel()) == ["f", "a", "new"])
  }

  @Test("another process's new keys leave this one before its first unlock, and its names unknown") func others() throws
  {
    let (folder, one) = try keychain([("u", .whenUnlocked), ("a", .always)])
    try one.unlock(passcode: Self.passcode)
    #expect(try names(one, byLabel()) == ["u", "a"])
    let two = try folder.open()
    try two.unlock(passcode: Self.passcode)
    try two.rotateKeys(passcode: Self.passcode)
    #expect(failure { () throws(StoreError) in try one.find(query("u"), as: me) } == notYet)
    #expect(try names(one, query("a")) == ["a"])
    try one.unlock(passcode: Self.passcode)
    #expect(try names(one, byLabel()) == ["u", "a"])
  }

  // MARK: Unlocked

  @Test("a primary key is one item's, whichever root it is under") func uniqueness() throws {
    let (_, store) = try keychain([("u", .whenUnlocked), ("a", .always), ("w", .afterFirstUnlock)])
    try store.unlock(passcode: Self.passcode)
    for (name, accessibility) in [("u", Accessibility.always), ("a", .whenUnlocked)] {
      #expect(failure { () throws(StoreError) in try store.add(item(name, accessibility), as: me) } == .duplicateItem)
      try store.add(item(name, accessibility, group: "shared"), as: me)
    }
    for (from, to) in [("u", "a"), ("a", "u"), ("w", "a"), ("a", "w")] {
      #expect(
        failure { () throws(StoreError) in
          try store.update(query(from), with: ItemChanges(attributes: [.account: .text(to)]), as: me)
        } == .duplicateItem)
      #expect(
        failure { () throws(StoreError) in
          try store.update(query(from), with: ItemChanges(accessGroup: "shared"), as: me)
        } == (from == "w" ? nil : .duplicateItem))
      if from == "w" { try store.update(query("w", group: "shared"), with: ItemChanges(accessGroup: "mine"), as: me) }
    }
    // Two that one update would make the same, one under each root.
    #expect(
      failure { () throws(StoreError) in
        try store.update(byLabel(), with: ItemChanges(attributes: [.account: .text("one")]), as: me)
      } == .duplicateItem)
    // Moved, it is itself.
    #expect(try store.update(query("a"), with: ItemChanges(accessibility: .whenUnlocked), as: me) == 1)
    #expect(try store.update(query("a"), with: ItemChanges(accessibility: .always), as: me) == 1)
    #expect(try names(store, byLabel()).sorted() == ["a", "a", "u", "u", "w"])
    #expect(try store.verify().isClean)
  }

  @Test("of many that add one primary key at once, under either root, one does") func racing() throws {
    let (_, store) = try keychain([])
    try store.unlock(passcode: Self.passcode)
    let added = Mutex(0)
    inThreads(16) { writer in
      for round in 0..<4 {
        do throws(StoreError) {
          try store.add(item("\(round)", writer.isMultiple(of: 2) ? .always : .whenUnlocked), as: me)
          added.withLock { $0 += 1 }
        } catch {
          if error != .duplicateItem { Issue.record(error) }
        }
      }
    }
    #expect(added.withLock { $0 } == 4)
    #expect(try names(store, byLabel()).count == 4)
    #expect(try store.verify().isClean)
  }

  @Test("items of both roots come in the order of their adding, as many as are wanted") func order() throws {
    let items = (0..<12).map { ("\($0)", $0.isMultiple(of: 3) ? Accessibility.always : .whenUnlocked) }
    let (_, store) = try keychain(items)
    try store.unlock(passcode: Self.passcode)
    let expected = items.map(\.0)
    #expect(try names(store, byLabel()) == expected)
    #expect(try names(store, .all()) == expected)
    for limit in 1...12 { #expect(try names(store, byLabel(limit: limit)) == Array(expected.prefix(limit))) }
    var byService = ItemQuery(
      .genericPassword, attributes: [.service: .text("service"), .label: .text("label")], limit: 5)
    #expect(try names(store, byService) == Array(expected.prefix(5)))
    byService.accessibility = .always
    #expect(try names(store, byService) == ["0", "3", "6", "9"])
    store.lock()
    #expect(try names(store, byLabel(limit: 1)) == ["0"], "the first one is not locked")
    #expect(try store.delete(byLabel(), as: me) == 12)
  }

  @Test("a keychain without Always items is searched by one key alone") func oneSearch() throws {
    let (_, store) = try keychain([("u", .whenUnlocked)])
    try store.unlock(passcode: Self.passcode)
    func plans() throws -> Int {
      try CheckedQuery(byLabel(), as: me, isWriting: false).plans(
        store.parts.tags, try store.soundHeader().state
      ).count
    }
    #expect(try plans() == 1)
    try store.add(item("a", .always), as: me)
    #expect(try plans() == 2)
    try store.update(query("a"), with: ItemChanges(accessibility: .whenUnlocked), as: me)
    #expect(try plans() == 1)
    try store.update(query("a"), with: ItemChanges(accessibility: .always), as: me)
    try store.delete(query("u"), as: me)
    #expect(try plans() == 1, "none of the passcode's is there any more")
    try store.removePasscode(current: Self.passcode)
    #expect(try plans() == 1)
    #expect(try store.verify().isClean)
  }

  // MARK: Damage

  /// Items of both roots by turns, made once; each test has a copy.
  private static let made = Result { () throws -> StoreFolder in
    let folder = try StoreFolder()
    let store = try folder.open()
    try store.setPasscode(passcode, current: nil)
    inThreads(8) { writer in
      for number in stride(from: writer, to: 160, by: 8) {
        var item = NewItem.password("name \(number)", data: "secret \(number)")
        item.attributes[.label] = .text("label \(number)")
        item.accessibility = number.isMultiple(of: 2) ? .always : .afterFirstUnlock
        do { try store.add(item, as: me) } catch { Issue.record(error) }
      }
    }
    store.close()
    return folder
  }

  private static let edits = [
    "DELETE FROM item WHERE id = ROW", "DELETE FROM item WHERE id = ROW; DELETE FROM tag WHERE item = ROW",
    "UPDATE item SET pdmn = 9 - pdmn WHERE id = ROW",
    "UPDATE item SET pdmn = CASE pdmn WHEN 3 THEN 2 ELSE 3 END WHERE id = ROW",
    "UPDATE item SET uniq = zeroblob(16) WHERE id = ROW", "DELETE FROM tag WHERE item = ROW",
    "DELETE FROM item WHERE pdmn = 3", "DELETE FROM item WHERE pdmn = 2",
  ]

  @Test(
    "An altered item under either root is never returned wrong, and never reported as missing", arguments: edits,
    [0, 1])
  func damage(_ edit: String, offset: Int) throws {
    let made = try Self.made.get()
    let folder = try StoreFolder()
    for name in ["keychain.db", "keychain.key", "keychain.key.used"] {
      try FileManager.default.copyItem(atPath: made.path + "/" + name, toPath: folder.path + "/" + name)
    }
    let reader = try folder.open()
    try reader.unlock(passcode: Self.passcode)
    let all = try reader.find(.all(), as: me)
    let wanted = try #require(all.first { $0.accessibility == (offset == 0 ? .always : .afterFirstUnlock) })
    let rows: [Int64] = try folder.ask(
      "SELECT id FROM item WHERE uuid = x'\(wanted.reference.uuid.map { String(format: "%02x", $0) }.joined())'")
    reader.close()
    try folder.edit(edit.replacing("ROW", with: "\(rows[0])"))
    let store = try folder.open()
    try? store.unlock(passcode: Self.passcode)
    let name = try #require(wanted.attributes[.account])
    let label = try #require(wanted.attributes[.label])
    for question in [
      ItemQuery(.genericPassword, attributes: [.account: name, .service: .text("service")], wantsData: true),
      ItemQuery(.genericPassword, attributes: [.label: label], wantsData: true),
      ItemQuery(.genericPassword, persistentReference: wanted.reference, wantsData: true), .all(),
    ] {
      do throws(StoreError) {
        let hasIt = try store.find(question, as: me).contains {
          $0.reference == wanted.reference && $0.data == wanted.data
        }
        #expect(hasIt, "\(edit)")
      } catch {
        #expect(error.isDamaged, "\(edit): \(error)")
      }
    }
    #expect(try !store.verify().isClean)
    // Repaired, it is a keychain whose counts are right.
    _ = try store.repair(passcode: Self.passcode)
    #expect(try store.verify().isClean)
    let left = try store.find(.all(), as: me)
    #expect(left.allSatisfy { item in all.contains { $0.reference == item.reference && $0.data == item.data } })
    try store.add(item("new", .always), as: me)
    #expect(try store.delete(.all(), as: me) == left.count + 1)
    #expect(try store.verify().isClean)
  }

  @Test("a repair without the passcode is refused, and a backup verifies and opens without it") func withoutPasscode()
    throws
  {
    let (folder, store) = try keychain([("u", .whenUnlocked), ("a", .always)])
    #expect(try store.verify().isClean)
    let snapshot = try store.snapshot()
    let other = try StoreFolder()
    try KeychainDatabase.restore(snapshot, to: other.configuration())
    let restored = try other.open()
    #expect(failure { () throws(StoreError) in try restored.find(query("u"), as: me) } == notYet)
    #expect(try names(restored, query("a")) == ["a"])
    try restored.unlock(passcode: Self.passcode)
    #expect(try names(restored, byLabel()) == ["u", "a"])
    store.close()
    try folder.edit("UPDATE item SET tags = x'' WHERE pdmn = 3")
    let damaged = try folder.open()
    #expect(failure { () throws(StoreError) in try damaged.repair() }?.isLocked == true)
    #expect(try damaged.repair(passcode: Self.passcode).itemsDropped == 1)
    #expect(try names(damaged, byLabel()) == ["u"])
    #expect(try damaged.verify().isClean)
  }
}
