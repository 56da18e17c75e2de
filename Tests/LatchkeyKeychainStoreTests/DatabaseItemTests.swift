import LatchkeyTestSupport
import Foundation
import LatchkeyKeychainModel
import Synchronization
import Testing

@testable import LatchkeyKeychainStore

@Suite("Items in a database") struct DatabaseItemTests {
  @Test("An item is found with its data and attributes") func anItemIsFoundWithItsDataAndAttributes() throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    let added = try store.add(.password("anna"), as: me)
    #expect(added.data == nil)
    #expect(added.accessGroup == "mine")
    #expect(added.accessibility == .whenUnlocked)
    let found = try #require(try store.find(.password("anna"), as: me).first)
    #expect(found.data == Array("secret".utf8))
    #expect(found.reference == added.reference)
    #expect(found.attributes[.creationDate] == .date(800_000_000))
    #expect(found.attributes[.modificationDate] == .date(800_000_000))
    #expect(found.attributes[.account] == .text("anna"))
    #expect(!found.isSynchronizable)
  }

  @Test("An item survives closing and opening") func anItemSurvivesClosingAndOpening() throws {
    let folder = try StoreFolder()
    var store = try folder.open()
    try store.add(.password("anna"), as: me)
    store.close()
    store = try folder.open()
    #expect(try store.find(.password("anna"), as: me).first?.data == Array("secret".utf8))
    #expect(try store.verify().isClean)
  }

  @Test("A second item with the same primary key is a duplicate") func aSecondItemOfThePrimaryKeyIsADuplicate() throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try store.add(.password("anna"), as: me)
    #expect(failure { () throws(StoreError) in try store.add(.password("anna"), as: me) } == .duplicateItem)
    try store.add(.password("anna", "other"), as: me)
    #expect(try store.find(.all(), as: me).count == 2)
  }

  @Test("An update changes what it names and the modification date")
  func anUpdateChangesWhatItNamesAndTheModificationDate() throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    let added = try store.add(.password("anna"), as: me)
    folder.now.withLock { $0 += 10 }
    #expect(
      try store.update(
        .password("anna"), with: ItemChanges(attributes: [.account: .text("bert")], data: [1, 2, 3]), as: me) == 1)
    #expect(failure { () throws(StoreError) in try store.find(.password("anna"), as: me) } == .itemNotFound)
    let found = try #require(try store.find(.password("bert"), as: me).first)
    #expect(found.data == [1, 2, 3])
    #expect(found.reference == added.reference)
    #expect(found.attributes[.creationDate] == .date(800_000_000))
    #expect(found.attributes[.modificationDate] == .date(800_000_010))
    #expect(try store.verify().isClean)
  }

  @Test("A deleted item is gone") func aDeletedItemIsGone() throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    let added = try store.add(.password("anna"), as: me)
    try store.add(.password("bert"), as: me)
    #expect(try store.delete(.password("anna"), as: me) == 1)
    #expect(failure { () throws(StoreError) in try store.delete(.password("anna"), as: me) } == .itemNotFound)
    var query = ItemQuery(.genericPassword)
    query.persistentReference = added.reference
    #expect(failure { () throws(StoreError) in try store.find(query, as: me) } == .itemNotFound)
    #expect(try store.find(.all(), as: me).count == 1)
    #expect(try store.verify().isClean)
  }

  @Test("The writer waits for the disk") func theWriterWaitsForTheDisk() throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    let level = try store.pool.withWriter { (connection) throws(StoreError) in
      try connection.number("PRAGMA synchronous")
    }.get()
    #expect(level == 2)
  }

  @Test("A passcode locks and unlocks") func aPasscodeLocksAndUnlocks() throws {
    let folder = try StoreFolder()
    var store = try folder.open()
    try store.add(.password("anna"), as: me)
    try store.setPasscode(Array("correct horse".utf8), current: nil)
    #expect(store.lockState == .unlocked)
    store.lock()
    #expect(failure { () throws(StoreError) in try store.find(.password("anna"), as: me) }?.isLocked == true)
    try store.unlock(passcode: Array("correct horse".utf8))
    #expect(try store.find(.password("anna"), as: me).count == 1)
    store.close()
    store = try folder.open()
    #expect(store.lockState == .beforeFirstUnlock)
    #expect(failure { () throws(StoreError) in try store.find(.password("anna"), as: me) }?.isLocked == true)
    #expect(
      failure { () throws(StoreError) in try store.unlock(passcode: Array("wrong".utf8)) }
        == .wrongPasscode(attemptsBeforeDelay: 4))
    try store.unlock(passcode: Array("correct horse".utf8))
    #expect(try store.status().failedAttempts == 0)
    try store.removePasscode(current: Array("correct horse".utf8))
    #expect(try store.find(.password("anna"), as: me).count == 1)
    #expect(try store.verify().isClean)
    #expect(
      try store.auditEntries(after: 0, limit: 100).map(\.event) == [
        .created, .added, .passcodeSet, .unlockTried, .unlocked, .unlockTried, .unlockTried, .unlocked, .unlockTried,
        .passcodeRemoved,
      ])
  }

  @Test("A row that another program deletes is damage while the file is open")
  func whatAnotherProgramTakesAwayIsDamageWhileTheFileIsOpen() throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    try store.add(.password("anna"), as: me)
    try folder.edit("DELETE FROM item")
    try folder.edit("DELETE FROM tag")
    #expect(failure { () throws(StoreError) in try store.find(.password("anna"), as: me) }?.isDamaged == true)
    #expect(failure { () throws(StoreError) in try store.add(.password("bert"), as: me) }?.isDamaged == true)
    #expect(try store.repair().isClean == false)
    #expect(failure { () throws(StoreError) in try store.find(.password("anna"), as: me) } == .itemNotFound)
    try store.add(.password("bert"), as: me)
    #expect(try store.verify().isClean)
  }

  @Test("Two keychains on one file see each other") func twoKeychainsOnOneFileSeeEachOther() throws {
    let folder = try StoreFolder()
    let one = try folder.open()
    let two = try folder.open()
    for index in 0..<20 {
      try (index % 2 == 0 ? one : two).add(.password("\(index)"), as: me)
      #expect(try (index % 2 == 0 ? two : one).find(.password("\(index)"), as: me).count == 1)
    }
    #expect(try one.find(.all(), as: me).count == 20)
    #expect(try two.verify().isClean)
  }

  @Test("Writers of many threads share commits") func writersOfManyThreadsShareCommits() throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    inThreads(16) { thread in
      for index in 0..<20 { _ = try? store.add(.password("\(thread)-\(index)"), as: me) }
    }
    #expect(try store.find(.all(), as: me).count == 320)
    #expect(try store.status().counter < 200)
    #expect(try store.verify().isClean)
  }
}
