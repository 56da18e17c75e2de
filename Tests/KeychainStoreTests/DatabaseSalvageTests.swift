import Foundation
import GRDB
import KeychainModel
import Synchronization
import Testing
import keychain_worker

@testable import KeychainStore

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
      return try folder.open().repair()
    } catch {
      switch error {
      case .damaged, .notAKeychain, .rootKeyUnavailable: return try KeychainDatabase.salvage(folder.configuration())
      default: throw error
      }
    }
  }

  /// The pages on which the key records stand: without them nothing opens.
  private func pagesOfKeys(_ file: Data, _ folder: StoreFolder) throws -> Set<Int> {
    try write(file, folder)
    let root: [Int] = try folder.ask("SELECT rootpage FROM sqlite_schema WHERE name = 'slot'")
    return Set(root.map { $0 - 1 })
  }

  @Test func itCostsWhatStandsOnIt() throws {
    let (folder, file) = try make()
    let keys = try pagesOfKeys(file, folder)
    for page in 0..<file.count / 4096 {
      try write(spoiled(file, page: page), folder)
      let comment = Comment(rawValue: "page \(page) of \(file.count / 4096)")
      // Meanwhile what is sound can be read, if the keychain opens.
      var before = 0
      if let store = try? folder.open() {
        before = try right(store, mayFail: true, comment)
        store.close()
      }
      if keys.contains(page) {
        #expect(failure { () throws(StoreError) in try repair(folder) }?.isDamaged == true, comment)
        continue
      }
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
  }

  @Test func aProcessThatDiesAtAnyStepLosesNothing() throws {
    let (folder, file) = try make()
    // The page that most items stand on, and so is neither keys nor header.
    let bad = try #require((2..<file.count / 4096).last { !((try? pagesOfKeys(file, folder)) ?? []).contains($0) })
    for step in Salvage.Step.allCases {
      try write(spoiled(file, page: bad), folder)
      var configuration = folder.configuration()
      configuration.salvageStep = { (reached) throws(StoreError) in
        if reached == step { throw .inputOutput("died") }
      }
      #expect(
        failure { () throws(StoreError) in try KeychainDatabase.salvage(configuration) } == .inputOutput("died"))
      _ = try repair(folder)
      let store = try folder.open()
      #expect(try right(store, mayFail: false, "\(step)") >= Self.count - 12)
      #expect(try store.verify().isClean)
      store.close()
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(!names.contains { $0.contains(".salvage.") }, "\(names)")
    }
  }

  @Test func whatOthersHaveOpenIsNotReplaced() throws {
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

  @Test func aSoundKeychainIsTheSameAfterIt() throws {
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

  @Test func pagesOfAnythingAreReadWithoutHarm() {
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
