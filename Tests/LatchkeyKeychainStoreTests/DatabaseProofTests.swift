import LatchkeyTestSupport
import Foundation
import LatchkeySQLiteTestSupport
import LatchkeyKeychainModel
import Synchronization
import Testing

@testable import LatchkeyKeychainStore

/// A process that finds one item among many proves that one, and counts no others.
@Suite("A find among many") struct DatabaseProofTests {
  private static let count = 300

  private static func folder() throws -> StoreFolder {
    let folder = try StoreFolder()
    let store = try folder.open()
    inThreads(16) { writer in
      for number in stride(from: writer, to: count, by: 16) {
        var item = NewItem.password("name \(number)", data: "secret \(number)")
        item.attributes[.label] = .text("label \(number)")
        do { try store.add(item, as: me) } catch { Issue.record(error) }
      }
    }
    store.close()
    return folder
  }

  /// Made once; each test has a copy.
  private static let made = Result { try folder() }

  private func copy() throws -> StoreFolder {
    let made = try Self.made.get()
    let folder = try StoreFolder()
    for name in ["keychain.db", "keychain.key", "keychain.key.used"] {
      try FileManager.default.copyItem(atPath: made.path + "/" + name, toPath: folder.path + "/" + name)
    }
    return folder
  }

  private func byLabel(_ number: Int) -> ItemQuery {
    ItemQuery(.genericPassword, attributes: [.label: .text("label \(number)")], wantsData: true)
  }

  private func proven(_ store: KeychainDatabase) -> Proven { store.verified.withLock { $0.proven } }

  private func expectFound(_ store: KeychainDatabase, _ number: Int) throws {
    let secret = Array("secret \(number)".utf8)
    #expect(try store.find(.password("name \(number)"), as: me).map(\.data) == [secret])
    #expect(try store.find(byLabel(number), as: me).map(\.data) == [secret])
  }

  @Test("A partial proof covers its part") func itProvesAPart() throws {
    let store = try copy().open()
    #expect(!proven(store).isWhole && proven(store).chunks.isEmpty, "opening counts nothing")
    try expectFound(store, 77)
    #expect(failure { () throws(StoreError) in try store.find(.password("nobody"), as: me) } == .itemNotFound)
    #expect(failure { () throws(StoreError) in try store.find(byLabel(100_000), as: me) } == .itemNotFound)
    #expect(!proven(store).isWhole && !proven(store).chunks.isEmpty)
    #expect(failure { () throws(StoreError) in try store.add(.password("name 5"), as: me) } == .duplicateItem)
    try store.add(.password("new"), as: me)
    try store.update(.password("name 6"), with: ItemChanges(data: Array("other".utf8)), as: me)
    try store.delete(.password("name 7"), as: me)
    #expect(!proven(store).isWhole)
    #expect(failure { () throws(StoreError) in try store.find(.password("name 7"), as: me) } == .itemNotFound)
    #expect(try store.find(.password("name 6"), as: me).first?.data == Array("other".utf8))
    #expect(try store.find(.all(), as: me).count == Self.count)
    #expect(proven(store).isWhole)
    #expect(try store.verify().isClean)
  }

  @Test("The cost of many searches is bounded by a count") func whatManyFindsCostIsBoundedByACount() throws {
    let store = try copy().open()
    for number in 0..<200 { try expectFound(store, number) }
    let known = proven(store)
    #expect(known.isWhole || known.entriesRead < 9 * Self.count)
  }

  @Test("Writes of another process leave what is proven") func anotherProcessesWritesLeaveWhatIsProven() throws {
    let folder = try copy()
    let (one, two) = (try folder.open(), try folder.open())
    try expectFound(one, 5)
    let before = proven(one)
    try two.add(.password("new"), as: me)
    try expectFound(one, 5)
    #expect(try one.find(.password("new"), as: me).count == 1)
    #expect(proven(one).chunks.isSuperset(of: before.chunks))
    #expect(try one.verify().isClean)
  }

  static let rowOf77 = "(SELECT id FROM item ORDER BY id LIMIT 1 OFFSET 77)"
  static let edits = [
    "DELETE FROM item", "DELETE FROM item WHERE id = ROW",
    "DELETE FROM item WHERE id = ROW; DELETE FROM tag WHERE item = ROW",
    "UPDATE item SET class = 2 WHERE id = ROW", "UPDATE item SET sync = 1 WHERE id = ROW",
    "UPDATE item SET agrp_tag = zeroblob(16) WHERE id = ROW", "UPDATE item SET pdmn = 3 WHERE id = ROW",
    "UPDATE item SET uniq = zeroblob(16) WHERE id = ROW", "UPDATE item SET ver = 2 WHERE id = ROW",
    "UPDATE item SET leaf = zeroblob(32) WHERE id = ROW", "UPDATE item SET tags = zeroblob(0) WHERE id = ROW",
    "UPDATE item SET data = zeroblob(60) WHERE id = ROW", "DELETE FROM tag", "DELETE FROM tag WHERE item = ROW",
    "UPDATE tag SET item = 1 WHERE item = ROW AND name = (SELECT min(name) FROM tag WHERE item = ROW)",
    "UPDATE item SET id = 100000 WHERE id = ROW; UPDATE tag SET item = 100000 WHERE item = ROW",
    "UPDATE item SET data = (SELECT data FROM item WHERE id = 3), wrapped_dek = (SELECT wrapped_dek FROM item WHERE id = 3) WHERE id = ROW",
  ]

  @Test("An altered item is never returned and never missing: it is damage", arguments: edits, [true, false])
  func whatIsAlteredIsNeverWrongAndNeverMissing(_ edit: String, isOpen: Bool)
    throws
  {
    let folder = try copy()
    let reader = try folder.open()
    let numbers: [Int64] = try folder.ask("SELECT id FROM item ORDER BY id LIMIT 1 OFFSET 77")
    let wanted = try #require(numbers.first)
    // Which item that is.
    let all = try reader.find(.all(), as: me)
    let item = all[77]
    let name = try #require(item.attributes[.account])
    let label = try #require(item.attributes[.label])
    if !isOpen { reader.close() }
    try folder.edit(edit.replacing("ROW", with: "\(wanted)"))
    let store = isOpen ? reader : try folder.open()
    var complaints = 0
    for query in [
      ItemQuery(.genericPassword, attributes: [.account: name, .service: .text("service")], wantsData: true),
      ItemQuery(.genericPassword, attributes: [.label: label], wantsData: true),
      ItemQuery(.genericPassword, attributes: [.account: name, .label: label], wantsData: true),
      ItemQuery(.genericPassword, persistentReference: item.reference, wantsData: true), .all(),
    ] {
      do throws(StoreError) {
        let found = try store.find(query, as: me)
        let hasIt = found.contains { $0.reference == item.reference && $0.data == item.data }
        #expect(hasIt, "\(edit)")
      } catch {
        #expect(error.isDamaged, "\(edit): \(error)")
        complaints += 1
      }
    }
    #expect(complaints > 0)
    #expect(try store.status().damage != nil)
    let refused = failure { () throws(StoreError) in try store.add(.password("another"), as: me) }
    #expect(refused?.isDamaged == true)
    #expect(try !store.verify().isClean)
  }

  @Test("A replaced version put back is damage") func aReplacedVersionPutBackIsDamage() throws {
    let folder = try copy()
    var store = try folder.open()
    let intruder = try ForeignConnection(folder.database)
    let old = try intruder.rows("SELECT * FROM item")
    try store.update(.password("name 9"), with: ItemChanges(data: Array("new secret".utf8)), as: me)
    try store.delete(.password("name 10"), as: me)
    store.close()
    for row in old { try intruder.replace(row, in: "item") }
    intruder.close()
    store = try folder.open()
    for name in ["name 9", "name 10"] {
      #expect(failure { () throws(StoreError) in try store.find(.password(name), as: me) }?.isDamaged == true)
    }
    let report = try store.repair()
    #expect(report.itemsDropped == 2)
    #expect(report.items.filter { $0.reason != nil }.count == 2)
    for name in ["name 9", "name 10"] {
      #expect(failure { () throws(StoreError) in try store.find(.password(name), as: me) } == .itemNotFound)
    }
    #expect(try store.find(.all(), as: me).count == Self.count - 2)
    #expect(try store.verify().isClean)
  }

  @Test("The sums of the header are read as they were written") func theHeadersSumsComeBackAsTheyWereWritten() throws {
    var sums = HeaderSums()
    var generator = SystemRandomNumberGenerator()
    var rows: [(Int64, UInt128)] = []
    for id in stride(from: Int64(1), to: 200_000, by: 311) {
      rows.append((id, UInt128(UInt64.random(in: 1 ... .max, using: &generator))))
    }
    for (id, share) in rows { sums.addRow(id, share) }
    sums[.tags, 3] = 7
    sums[.primaryKeys, 63] = UInt128.max
    #expect(sums.chunks.count <= HeaderSums.maximumChunks)
    let state = HeaderState(sums: sums, itemCount: 9, slotsDigest: [UInt8](repeating: 1, count: 32))
    let encoded = state.encode()
    #expect(encoded.count < 3900, "a header has one page")
    #expect(try HeaderState.decode(encoded) == state)
    for length in 0..<encoded.count {
      #expect(throws: (any Error).self) { try HeaderState.decode(Array(encoded.prefix(length))) }
    }
    for (id, share) in rows { sums.subtractRow(id, share) }
    #expect(sums.chunks.isEmpty)
  }
}
