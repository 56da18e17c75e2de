import LatchkeyTestSupport
import Foundation
import LatchkeyKeychainModel
import Synchronization
import Testing
import keychain_worker

@testable import LatchkeyKeychainStore

/// One bad page costs at most what stands on it.
@Suite("A bad page") struct DatabaseSalvageTests {
  private static let count = 40

  private func make() throws -> (folder: StoreFolder, file: Data) {
    let folder = try StoreFolder()
    let store = try folder.open()
    for number in 0..<Self.count {
      try store.add(.password("name \(number)", data: "secret \(number)"), as: me)
    }
    try store.add(.password("large", data: String(repeating: "x", count: 20_000)), as: me)
    store.close()
    return (folder, try Data(contentsOf: URL(filePath: folder.database)))
  }

  private func write(_ file: Data, _ folder: StoreFolder) throws {
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder.database + suffix) }
    try file.write(to: URL(filePath: folder.database))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.database)
  }

  private func spoiled(_ file: Data, page: Int) -> Data {
    var file = file
    var chance = Chance(seed: UInt64(page))
    for index in page * 4096..<page * 4096 + 4096 { file[index] = UInt8.random(in: 0...255, using: &chance) }
    return file
  }

  /// How many of the items are right; a wrong one is an issue.
  private func right(_ store: KeychainDatabase, mayFail: Bool, _ comment: Comment) throws -> Int {
    var right = 0
    for number in 0..<Self.count {
      do throws(StoreError) {
        let found = try store.find(.password("name \(number)"), as: me)
        #expect(found.map(\.data) == [Array("secret \(number)".utf8)], comment)
        right += 1
      } catch {
        #expect(mayFail ? error.isDamaged : error == .itemNotFound, comment)
      }
    }
    return right
  }

  private func repair(_ folder: StoreFolder) throws(StoreError) -> VerificationReport {
    do throws(StoreError) {
      return try folder.open().repair(acceptsUnproven: true)
    } catch {
      switch error {
      case .damaged, .notAKeychain, .rootKeyUnavailable:
        return try KeychainDatabase.salvage(folder.configuration(), acceptsUnproven: true)
      default: throw error
      }
    }
  }

  /// The page on which the rows of a small table stand.
  private func page(of table: String, _ file: Data, _ folder: StoreFolder) throws -> Int {
    try write(file, folder)
    let roots: [Int] = try folder.ask("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'")
    return try #require(roots.first) - 1
  }

  @Test("A file that was cut has what stood before the cut", arguments: [1, 3, 6, 9])
  func aFileThatWasCut(_ lost: Int) throws {
    let (folder, file) = try make()
    let pages = file.count / 4096
    let left = pages - lost
    // In the midst of a page: SQLite takes the rest of it for zeros.
    try write(file.prefix(left * 4096 + 100), folder)
    let here = Comment(rawValue: "\(left) of \(pages) pages")
    let report = try repair(folder)
    #expect(!report.findings.isEmpty, here)
    let store = try folder.open()
    #expect(try store.verify().isClean, here)
    // Of the pages that are left, ten have no items, and each of the others some ten.
    #expect(try right(store, mayFail: false, here) >= min(Self.count, (left - 10) * 8), here)
    try store.add(.password("after", data: "after"), as: me)
    #expect(try store.verify().isClean, here)
  }

  @Test("A lost page costs what stands on it") func itCostsWhatStandsOnIt() throws {
    let (folder, file) = try make()
    var readable = 0
    for page in 0..<file.count / 4096 {
      try write(spoiled(file, page: page), folder)
      let comment = Comment(rawValue: "page \(page) of \(file.count / 4096)")
      // Meanwhile what is sound can be read, if the keychain opens.
      var before = 0
      if let store = try? folder.open() {
        before = try right(store, mayFail: true, comment)
        store.close()
      }
      if before >= Self.count - 12 { readable += 1 }
      do {
        let report = try repair(folder)
        let store = try folder.open()
        #expect(try store.verify().isClean, comment)
        let after = try right(store, mayFail: false, comment)
        // A page of 4096 bytes has room for some ten of these.
        #expect(after >= Self.count - 12, comment)
        #expect(after >= before, comment)
        if after < Self.count { #expect(!report.findings.isEmpty, comment) }
        try store.add(.password("after", data: "after"), as: me)
        #expect(try store.verify().isClean, comment)
        store.close()
      } catch {
        Issue.record("\(comment): \(error)")
      }
    }
    // Not without the first page, the header's, and inner pages.
    #expect(readable * 2 > file.count / 4096, "\(readable) of \(file.count / 4096)")
  }

  @Test("A process that dies at any step loses nothing") func aProcessThatDiesAtAnyStepLosesNothing() throws {
    let (folder, file) = try make()
    for (number, step) in SalvageStep.allCases.enumerated() {
      // A page that most items stand on, and the file's first one.
      try write(spoiled(file, page: number % 2 == 0 ? file.count / 4096 - 1 : 0), folder)
      let worker = try TortureWorker([folder.database, "salvage", "\(number)"])
      #expect(try worker.rest().isEmpty, "\(step)")
      #expect(worker.endingSignal() == SIGKILL, "\(step)")
      _ = try repair(folder)
      let store = try folder.open()
      #expect(try right(store, mayFail: false, "\(step)") >= Self.count - 12)
      #expect(try store.verify().isClean)
      store.close()
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(!names.contains { $0.contains(".salvage.") }, "\(names)")
    }
  }

  @Test("A file that another process has open is not replaced") func whatOthersHaveOpenIsNotReplaced() throws {
    let (folder, file) = try make()
    try write(file, folder)
    let holder = try folder.open()
    #expect(try holder.find(.password("name 1"), as: me).count == 1)
    var configuration = folder.configuration()
    configuration.busyTimeout = 0.05
    #expect(
      failure { () throws(StoreError) in try KeychainDatabase.salvage(configuration) } == .busy(path: folder.database))
    holder.close()
  }

  @Test("A file that SQLite refuses is not replaced while a process has it open") func aRefusedFileStaysItsHolders()
    throws
  {
    let (folder, file) = try make()
    try write(file, folder)
    let holder = try TortureWorker([folder.database, "hold"])
    guard case .ready? = try holder.next() else { throw TortureFailure(description: "the worker does not hold it") }
    let handle = try FileHandle(forWritingTo: URL(filePath: folder.database))
    try handle.write(contentsOf: Data(count: 100))
    try handle.close()
    let salvage = { () throws(StoreError) in try KeychainDatabase.salvage(folder.configuration()) }
    #expect(failure(salvage) == .busy(path: folder.database))
    holder.kill()
    #expect(failure(salvage) == nil)
    let store = try folder.open()
    #expect(try right(store, mayFail: false, "all") == Self.count)
  }

  // MARK: The copy of the key records

  /// A closed keychain whose passcode was changed, with one item, and the copy of the key records from before.
  private func makeWithPasscode() throws -> (folder: StoreFolder, file: Data, oldCopy: Data) {
    let folder = try StoreFolder()
    let store = try folder.open()
    try store.setPasscode(DatabaseRepairTests.oldPasscode, current: nil)
    try store.add(.password("a", data: "secret a"), as: me)
    store.close()
    let old: [Data] = try folder.ask("SELECT state FROM header WHERE id = 2")
    let again = try folder.open()
    try again.setPasscode(DatabaseRepairTests.newPasscode, current: DatabaseRepairTests.oldPasscode)
    again.close()
    return (folder, try Data(contentsOf: URL(filePath: folder.database)), try #require(old.first))
  }

  @Test(
    "Without their page the key records come from the copy: what is there can be read, and a repair brings all back")
  func theCopyStandsIn() throws {
    let (folder, file, _) = try makeWithPasscode()
    try write(spoiled(file, page: try page(of: "slot", file, folder)), folder)
    let store = try folder.open()
    #expect(try store.status().damage?.contains("copy") == true)
    #expect(
      failure { () throws(StoreError) in try store.unlock(passcode: DatabaseRepairTests.oldPasscode) }.isWrongPasscode)
    try store.unlock(passcode: DatabaseRepairTests.newPasscode)
    #expect(try store.find(.password("a"), as: me).first?.data == Array("secret a".utf8))
    #expect(failure { () throws(StoreError) in try store.add(.password("b"), as: me) }.isDamaged)
    let report = try store.repair()
    #expect(!report.findings.isEmpty && report.itemsDropped == 0)
    try store.add(.password("b"), as: me)
    store.close()
    let again = try folder.open()
    #expect(try again.verify().isClean)
    #expect(
      failure { () throws(StoreError) in try again.unlock(passcode: DatabaseRepairTests.oldPasscode) }.isWrongPasscode)
    try again.unlock(passcode: DatabaseRepairTests.newPasscode)
    #expect(try again.find(.all(), as: me).count == 2)
  }

  @Test("A copy that was put back opens nothing, whatever became of the table", arguments: [false, true])
  func anOlderCopyIsNotBelieved(isPageSpoiled: Bool) throws {
    let (folder, file, oldCopy) = try makeWithPasscode()
    try write(file, folder)
    try folder.edit("UPDATE header SET state = ? WHERE id = 2", [oldCopy])
    if isPageSpoiled {
      let edited = try Data(contentsOf: URL(filePath: folder.database))
      try write(spoiled(edited, page: try page(of: "slot", edited, folder)), folder)
    } else {
      try folder.edit("DELETE FROM slot")
    }
    for passcode in [DatabaseRepairTests.oldPasscode, DatabaseRepairTests.newPasscode] {
      #expect(failure { () throws(StoreError) in try folder.open().unlock(passcode: passcode) }.isDamaged)
      #expect(
        failure { () throws(StoreError) in
          do throws(StoreError) {
            _ = try folder.open().repair(passcode: passcode)
          } catch {
            _ = try KeychainDatabase.salvage(folder.configuration(), passcode: passcode)
          }
        }.isDamaged)
    }
  }

  @Test(
    "A copy that was altered is found by a verification, and mended by a repair",
    arguments: [
      "UPDATE header SET state = x'00' WHERE id = 2", "UPDATE header SET state = zeroblob(40) WHERE id = 2",
    ])
  func anAlteredCopyIsMended(_ edit: String) throws {
    let (folder, file) = try make()
    try write(file, folder)
    try folder.edit(edit)
    let store = try folder.open()
    #expect(try store.verify().findings == ["the copy of the key records was altered"])
    #expect(try right(store, mayFail: false, "all") == Self.count)
    #expect(try store.repair().aside == folder.database + ".before-repair", "as it was, it stays beside")
    #expect(try store.verify().isClean)
    store.close()
    try folder.edit("DELETE FROM slot")
    #expect(try right(try folder.open(), mayFail: false, "by the copy") == Self.count)
  }

  // MARK: The first page, beside a log

  /// The files of a keychain of which the last items stand in the log alone.
  private func makeWithLog() throws -> (folder: StoreFolder, database: Data, log: Data) {
    let (folder, _) = try make()
    let store = try folder.open()
    for number in 0..<Self.count {
      try store.update(
        .password("name \(number)"), with: ItemChanges(data: Array("newest \(number)".utf8)), as: me)
    }
    let (database, log) = (
      try Data(contentsOf: URL(filePath: folder.database)),
      try Data(contentsOf: URL(filePath: folder.database + "-wal"))
    )
    store.close()
    #expect(log.count > 32)
    return (folder, database, log)
  }

  /// Puts these two in the folder, without the log's index.
  private func write(_ database: Data, _ log: Data, _ folder: StoreFolder) throws {
    try write(database, folder)
    try log.write(to: URL(filePath: folder.database + "-wal"))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.database + "-wal")
  }

  @Test("Where the first page is spoiled, what stands in the log alone is salvaged too") func theLogIsReadToo() throws {
    let (folder, database, log) = try makeWithLog()
    let bad = spoiled(database, page: 0)
    try write(bad, log, folder)
    #expect(try KeychainDatabase.salvage(folder.configuration()).itemsDropped == 0)
    let store = try folder.open()
    for number in 0..<Self.count {
      let found = try store.find(.password("name \(number)"), as: me)
      #expect(found.map(\.data) == [Array("newest \(number)".utf8)])
    }
    #expect(try store.verify().isClean)
  }

  /// The pages of which a log has frames.
  private func pages(_ log: Data) -> Set<UInt32> {
    let bytes = [UInt8](log)
    return Set(
      stride(from: 32, to: bytes.count - 4119, by: 4120).map { bytes[$0..<$0 + 4].reduce(0) { $0 << 8 | UInt32($1) } })
  }

  @Test("So it is where the log does not have the first page, and SQLite takes neither for a database's")
  func theLogIsReadWithoutSQLite() throws {
    let (folder, _) = try make()
    let store = try folder.open()
    try store.update(.password("name 0"), with: ItemChanges(data: Array("older".utf8)), as: me)
    store.close()
    // What the first page has to say is said by now.
    let again = try folder.open()
    try again.update(.password("name 0"), with: ItemChanges(data: Array("newest".utf8)), as: me)
    let database = try Data(contentsOf: URL(filePath: folder.database))
    let log = try Data(contentsOf: URL(filePath: folder.database + "-wal"))
    again.close()
    let logged = pages(log)
    #expect(!logged.isEmpty && !logged.contains(1), "\(logged)")
    // SQLite has played the log into the file when the last one closed it.
    let played = [UInt8](try Data(contentsOf: URL(filePath: folder.database)))
    #expect(played != [UInt8](database))
    #expect(LogFrames.merged([UInt8](log), into: [UInt8](database)) == played)
    try write(spoiled(database, page: 0), log, folder)
    let report = try KeychainDatabase.salvage(folder.configuration())
    #expect(report.itemsDropped == 0)
    let salvaged = try folder.open()
    #expect(try salvaged.find(.password("name 0"), as: me).map(\.data) == [Array("newest".utf8)])
    #expect(try salvaged.find(.all(), as: me).count == Self.count + 1)
    #expect(try salvaged.verify().isClean)
  }

  @Test("A log that is cut or spoiled counts up to there, and none is an error") func aSpoiledLog() throws {
    let (folder, database, log) = try makeWithLog()
    let bad = spoiled(database, page: 0)
    for length in [0, 31, 32, 56, 4_000, log.count / 2, log.count - 1] {
      for isCut in [true, false] {
        var altered = log.prefix(isCut ? length : log.count)
        if !isCut { altered[min(length, log.count - 1)] ^= 0x20 }
        #expect(LogFrames.merged([UInt8](altered), into: [UInt8](bad)).count >= bad.count)
      }
    }
    var cut = log.prefix(log.count / 2)
    cut[cut.count - 5_000] ^= 1
    try write(bad, cut, folder)
    // The header of that time names the rows of that time.
    _ = try repair(folder)
    let store = try folder.open()
    #expect(try store.verify().isClean)
    #expect(try store.find(.all(), as: me).count == Self.count + 1)
  }

  // MARK: Pages that belong to nothing

  /// The pages of `other` that `file` does not have as they are.
  private func strange(_ other: Data, beside file: Data) -> Data {
    func pages(_ data: Data) -> [Data] {
      stride(from: 0, to: data.count, by: 4096).map { Data(data[$0..<min($0 + 4096, data.count)]) }
    }
    let known = Set(pages(file))
    return Data(pages(other).dropFirst().filter { !known.contains($0) }.joined())
  }

  /// Spoils the first page and has pages of another version of the file follow.
  private func salvage(_ file: Data, with other: Data, _ folder: StoreFolder) throws -> VerificationReport {
    try write(spoiled(file, page: 0) + strange(other, beside: file), folder)
    return try KeychainDatabase.salvage(folder.configuration(), acceptsUnproven: true)
  }

  @Test(
    "Pages from before a change, put behind the file's own, bring nothing back and hide nothing",
    arguments: [true, false])
  func olderPages(isHeaderThere: Bool) throws {
    let (folder, _) = try make()
    let before = try folder.open()
    for text in ["second", "third"] {
      try before.update(.password("name 3"), with: ItemChanges(data: Array(text.utf8)), as: me)
    }
    before.close()
    let older = try Data(contentsOf: URL(filePath: folder.database))
    let store = try folder.open()
    if isHeaderThere {
      // Another item with the same primary key, of which the log alone tells that it is the later one.
      try store.delete(.password("name 3"), as: me)
      try store.add(.password("name 3", data: "secret 3"), as: me)
    }
    try store.update(.password("name 0"), with: ItemChanges(data: Array("newest 0".utf8)), as: me)
    try store.delete(.password("name 1"), as: me)
    // The same versions of the items, sealed by other keys.
    try store.rotateKeys(passcode: nil)
    store.close()
    if !isHeaderThere { try folder.edit("DELETE FROM header WHERE id = 1") }
    let file = try Data(contentsOf: URL(filePath: folder.database))
    var pages = older
    // No header of before either.
    if !isHeaderThere {
      let page = try page(of: "header", older, folder)
      pages.replaceSubrange(page * 4096..<page * 4096 + 4096, with: Data(count: 4096))
    }
    let report = try salvage(file, with: pages, folder)
    let kept = report.items.filter { $0.reason == nil }
    #expect(kept.count == Self.count && kept.allSatisfy { $0.isProven == isHeaderThere }, "\(report.items)")
    let salvaged = try folder.open()
    #expect(try salvaged.verify().isClean)
    #expect(try salvaged.find(.all(), as: me).count == Self.count)
    #expect(try salvaged.find(.password("name 0"), as: me).map(\.data) == [Array("newest 0".utf8)])
    #expect(try salvaged.find(.password("name 2"), as: me).map(\.data) == [Array("secret 2".utf8)])
    let third = isHeaderThere ? "secret 3" : "third"
    #expect(try salvaged.find(.password("name 3"), as: me).map(\.data) == [Array(third.utf8)])
  }

  @Test("Rows that are not authentic replace no item, whatever version they claim", arguments: [true, false])
  func forgedPages(isHeaderThere: Bool) throws {
    var (folder, file) = try make()
    try write(file, folder)
    if !isHeaderThere {
      try folder.edit("DELETE FROM header WHERE id = 1")
      file = try Data(contentsOf: URL(filePath: folder.database))
    }
    try folder.edit("UPDATE item SET ver = 9, data = zeroblob(length(data))")
    let forged = try Data(contentsOf: URL(filePath: folder.database))
    let report = try salvage(file, with: forged, folder)
    #expect(report.itemsDropped == 0)
    let salvaged = try folder.open()
    #expect(try right(salvaged, mayFail: false, "forged") == Self.count)
    #expect(try salvaged.verify().isClean)
  }

  @Test("Another keychain of the same root key, put into the place, is not salvaged there") func anotherKeychain()
    throws
  {
    let (folder, _) = try make()
    let other = try StoreFolder()
    var configuration = other.configuration()
    configuration.rootKey = .keyFile(path: folder.key)
    let stranger = try KeychainDatabase(configuration)
    try stranger.add(.password("a"), as: me)
    stranger.close()
    let file = try Data(contentsOf: URL(filePath: other.database))
    try write(spoiled(file, page: 0), folder)
    #expect(failure { () throws(StoreError) in try KeychainDatabase.salvage(folder.configuration()) }.isDamaged)
  }

  @Test("A sound keychain is the same after a repair") func aSoundKeychainIsTheSameAfterIt() throws {
    let (folder, file) = try make()
    try write(file, folder)
    let report = try KeychainDatabase.salvage(folder.configuration())
    #expect(report.itemsDropped == 0)
    let store = try folder.open()
    #expect(try right(store, mayFail: false, "all") == Self.count)
    #expect(try store.find(.password("large"), as: me).first?.data?.count == 20_000)
    #expect(try store.auditEntries().last?.event == .repaired)
    #expect(try store.verify().isClean)
  }

  @Test("Pages of arbitrary bytes are read without a trap") func pagesOfAnythingAreReadWithoutHarm() {
    var chance = Chance(seed: 7)
    for size in [0, 1, 99, 100, 512, 4096, 9000] {
      for _ in 0..<40 {
        var bytes = (0..<size).map { _ in UInt8.random(in: 0...255, using: &chance) }
        if size > 4200 { bytes[4096] = [0x0D, 0x0A, 0x02].randomElement(using: &chance) ?? 0x0D }
        var records = 0
        DatabasePages(file: bytes).forEach { _ in records += 1 }
        #expect(records <= size)
      }
    }
  }
}
