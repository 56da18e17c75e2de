import LatchkeyTestSupport
import Foundation
import LatchkeyKeychainModel
import Synchronization
import Testing

@testable import LatchkeyKeychainStore

@Suite("Audit log") struct DatabaseAuditTests {
  @Test("The audit log says what happened and to which item") func itRecordsWhatHappenedAndToWhichItem() throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try store.add(.password("anna"), as: me)
    try store.add(.password("bert"), as: me)
    folder.now.withLock { $0 += 1 }
    try store.update(.password("anna"), with: ItemChanges(data: [1]), as: me)
    try store.delete(.password("anna"), as: me)
    _ = failure { () throws(StoreError) in try store.add(.password("bert"), as: me) }
    let entries = try store.auditEntries(after: 0, limit: 100)
    #expect(entries.map(\.event) == [.created, .added, .added, .updated, .deleted])
    #expect(entries.map(\.sequence) == [1, 2, 3, 4, 5])
    #expect(entries[1].item == entries[3].item)
    #expect(entries[1].item == entries[4].item)
    #expect(entries[1].item != entries[2].item)
    #expect(entries[0].item == nil)
    #expect(entries[2].time == 800_000_000_000)
    #expect(entries[3].time == 800_000_001_000)
    #expect(try store.auditEntries(after: 3, limit: 1).map(\.sequence) == [4])
  }

  @Test(
    "An edit breaks the chain",
    arguments: [
      "DELETE FROM audit WHERE seq = 2", "DELETE FROM audit WHERE seq = 4", "DELETE FROM audit WHERE seq = 1",
      "DELETE FROM audit", "UPDATE audit SET event = 4 WHERE seq = 2", "UPDATE audit SET time = time + 1 WHERE seq = 3",
      "UPDATE audit SET item = randomblob(16) WHERE seq = 3", "UPDATE audit SET item = NULL WHERE seq = 3",
      "UPDATE audit SET mac = randomblob(32) WHERE seq = 4", "UPDATE audit SET event = 99 WHERE seq = 4",
      "INSERT INTO audit SELECT 5, time, event, item, mac FROM audit WHERE seq = 4",
      "UPDATE audit SET seq = 9 WHERE seq = 2; UPDATE audit SET seq = 2 WHERE seq = 3; UPDATE audit SET seq = 3 WHERE seq = 9",
    ])
  func anEditBreaksTheChain(_ sql: String) throws {
    let folder = try StoreFolder()
    var store = try folder.open()
    for name in ["a", "b", "c"] { try store.add(.password(name), as: me) }
    store.close()
    try folder.edit(sql)
    store = try folder.open()
    #expect(failure { () throws(StoreError) in try store.auditEntries(after: 0, limit: 10) }?.isDamaged == true)
    #expect(try !store.verify().isClean)
    #expect(try store.repair().itemsDropped == 0)
    #expect(try store.auditEntries(after: 0, limit: 10).map(\.event).last == .repaired)
    #expect(try store.find(.all(), as: me).count == 3)
    #expect(try store.verify().isClean)
  }

  @Test("Old entries are removed, and the chain stays valid") func oldEntriesGoAndTheChainHolds() throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    // Faster than items: what is pruned is the same.
    for _ in 0..<11 {
      try store.writing { (transaction) throws(StoreError) in
        for _ in 0..<1000 { try transaction.log(.unlocked) }
      }
    }
    let entries = try store.auditEntries(after: 0, limit: .max)
    #expect(entries.count >= 10_000)
    #expect(entries.count <= 10_256)
    #expect(entries.first?.sequence == 11_002 - Int64(entries.count))
    #expect(entries.last?.sequence == 11_001)
    #expect(try store.verify().isClean)
    try folder.edit("DELETE FROM audit WHERE seq = (SELECT min(seq) FROM audit)")
    #expect(failure { () throws(StoreError) in try store.auditEntries(after: 0, limit: 1) }?.isDamaged == true)
  }

  @Test("An altered log shows in the status") func anAlteredLogShowsInTheStatus() throws {
    for edit in [
      "DELETE FROM audit WHERE seq = 2", "UPDATE audit SET time = time + 1 WHERE seq = 2", "DELETE FROM audit",
    ] {
      let folder = try StoreFolder()
      let store = try folder.open()
      try store.add(.password("a"), as: me)
      #expect(try store.status().damage == nil)
      try folder.edit(edit)
      #expect(try store.status().damage != nil)
      #expect(try store.find(.password("a"), as: me).count == 1)
    }
  }
}
