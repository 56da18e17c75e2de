import LatchkeyTestSupport
import Foundation
import LatchkeySQLiteTestSupport
import LatchkeyKeychainModel
import Testing
import keychain_worker

@testable import LatchkeyKeychainStore

/// A keychain without its header: what is authentic is kept and said to be unproven, and nothing that only the header knew is
/// taken for granted.
@Suite("A lost header") struct DatabaseHeaderLossTests {
  private static let count = 12

  private func make(passcode: [UInt8]? = nil) throws -> StoreFolder {
    let folder = try StoreFolder()
    let store = try folder.open()
    for number in 0..<Self.count { try store.add(.password("name \(number)", data: "secret \(number)"), as: me) }
    // Newer than a log that lacks its end.
    try store.update(.password("name 1"), with: ItemChanges(data: Array("secret 1".utf8)), as: me)
    if let passcode { try store.setPasscode(passcode, current: nil) }
    store.close()
    return folder
  }

  private func repair(
    _ folder: StoreFolder, passcode: [UInt8]? = nil, acceptsUnproven: Bool = true
  ) throws(StoreError) -> VerificationReport {
    do throws(StoreError) {
      let store = try folder.open()
      defer { store.close() }
      return try store.repair(passcode: passcode, acceptsUnproven: acceptsUnproven)
    } catch {
      guard error.isDamaged else { throw error }
      return try KeychainDatabase.salvage(
        folder.configuration(), passcode: passcode, acceptsUnproven: acceptsUnproven)
    }
  }

  /// Fills the pages of these tables with zeros or noise.
  private func spoil(_ tables: [String], _ folder: StoreFolder, isNoise: Bool) throws {
    var pages: [Int] = []
    for table in tables {
      pages += try folder.ask("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'") as [Int]
    }
    let url = URL(filePath: folder.database)
    var file = try Data(contentsOf: url)
    var chance = Chance(seed: 11)
    for page in pages {
      for index in (page - 1) * 4096..<page * 4096 { file[index] = isNoise ? .random(in: 0...255, using: &chance) : 0 }
    }
    try file.write(to: url)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.database)
  }

  private func expectAll(_ folder: StoreFolder, _ comment: Comment) throws {
    let store = try folder.open()
    defer { store.close() }
    #expect(try store.verify().isClean, comment)
    for number in 0..<Self.count {
      let found = try store.find(.password("name \(number)"), as: me)
      #expect(found.map(\.data) == [Array("secret \(number)".utf8)], comment)
    }
  }

  static let losses: [(String, @Sendable (DatabaseHeaderLossTests, StoreFolder) throws -> Void)] = [
    ("rows of header and log", { try $1.edit("DELETE FROM header; DELETE FROM audit") }),
    ("the log's end too", { try $1.edit("DELETE FROM header; DELETE FROM audit WHERE seq > 5") }),
    ("the log's beginning too", { try $1.edit("DELETE FROM header; DELETE FROM audit WHERE seq < 5") }),
    ("pages, zeros", { try $0.spoil(["header", "audit"], $1, isNoise: false) }),
    ("pages, noise", { try $0.spoil(["header", "audit"], $1, isNoise: true) }),
    ("the header's page", { try $0.spoil(["header"], $1, isNoise: true) }),
  ]

  @Test("keeps every item, says that none is proven, and leaves the file as it was beside", arguments: losses.indices)
  func everyItemIsKept(_ index: Int) throws {
    let (name, lose) = Self.losses[index]
    let folder = try make()
    try lose(self, folder)
    let damaged = try Data(contentsOf: URL(filePath: folder.database))
    let report = try repair(folder)
    #expect(report.itemsDropped == 0, "\(name)")
    #expect(report.items.count == Self.count, "\(name)")
    #expect(report.items.allSatisfy { $0.reason == nil && !$0.isProven }, "\(name)")
    #expect(report.findings.contains { $0.contains("older versions") }, "\(name): \(report.findings)")
    let aside = try #require(report.aside)
    #expect(aside == folder.database + ".before-repair")
    #expect(try Data(contentsOf: URL(filePath: aside)).count == damaged.count, "\(name)")
    let mode = try FileManager.default.attributesOfItem(atPath: aside)[.posixPermissions] as? Int
    #expect(mode == 0o600, "\(name)")
    try expectAll(folder, "\(name)")
  }

  @Test("is repaired only where that is accepted; else nothing is changed", arguments: losses.indices)
  func nothingIsKeptUnasked(_ index: Int) throws {
    let (name, lose) = Self.losses[index]
    let folder = try make()
    try lose(self, folder)
    let damaged = try Data(contentsOf: URL(filePath: folder.database))
    for _ in 0..<2 {
      guard
        case .damaged(let text)? = failure({ () throws(StoreError) in try repair(folder, acceptsUnproven: false) })
      else {
        Issue.record("repaired unasked: \(name)")
        continue
      }
      #expect(text.contains("--accept-unproven"), "\(name): \(text)")
    }
    #expect(try Data(contentsOf: URL(filePath: folder.database)) == damaged, "\(name)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(!names.contains { $0.contains("before-repair") || $0.contains("salvage") }, "\(name): \(names)")
  }

  @Test("The copy of the key records alone, without header, log and table, is refused") func copyAlone()
    throws
  {
    let folder = try make()
    try folder.edit("DELETE FROM header WHERE id = 1; DELETE FROM slot; DELETE FROM audit")
    #expect(failure { () throws(StoreError) in try repair(folder) }.isDamaged)
  }

  @Test("Afterwards no authenticator is allowed, whatever the list was before", arguments: losses.indices)
  func nobodyVouches(
    _ index: Int
  ) throws {
    let folder = try StoreFolder()
    let store = try folder.open()
    for number in 0..<Self.count { try store.add(.password("name \(number)"), as: me) }
    _ = try store.allowAuthenticators(["fprintd"], passcode: nil)
    #expect(try store.allowedAuthenticators() == ["fprintd"])
    store.close()
    try Self.losses[index].1(self, folder)
    let report = try repair(folder)
    #expect(report.findings.contains { $0.contains("who may vouch") })
    #expect(try folder.open().allowedAuthenticators() == ["nobody"])
  }

  @Test("A counter that detects old copies counts on after it") func counted() throws {
    let folder = try Folder()
    let counter = MemoryCounter()
    let configuration = folder.configuration(counter: counter)
    let database = try KeychainDatabase(configuration)
    try database.add(.account("a"), as: .none)
    for _ in 0..<2 { try database.retireCopies() }
    database.close()
    try ForeignConnection(configuration.path).execute("UPDATE header SET state = zeroblob(200) WHERE id = 1")
    let damaged = try KeychainDatabase(configuration)
    let report = try damaged.repair(acceptsUnproven: true)
    #expect(report.findings.contains { $0.contains("the counter in the TPM does not tell any more") })
    damaged.close()
    #expect(try accounts(KeychainDatabase(configuration)) == ["a"])
  }

  @Test("An item that the log shows to be deleted or replaced is dropped nonetheless") func theLogStillCounts() throws {
    let victim = try DatabaseRepairTests.Victim(passcode: false)
    for table in ["item", "tag"] {
      try DatabaseRepairTests.putBack(try #require(victim.old[table]), table, replacing: false, victim.folder)
    }
    try victim.folder.edit("DELETE FROM header")
    #expect(
      try DatabaseRepairTests.expectNothingOld(
        victim.folder, passcode: false, acceptsUnproven: true, "header gone") == 3)
  }

  @Test("A log that is begun anew does not pass for the whole one later") func theNextLog() throws {
    let folder = try make()
    try folder.edit("DELETE FROM header; DELETE FROM audit")
    _ = try repair(folder)
    try folder.edit("DELETE FROM header")
    let report = try repair(folder)
    #expect(report.itemsDropped == 0)
    #expect(report.aside == folder.database + ".before-repair-2")
    try expectAll(folder, "the second time")
  }

  @Test("A repair that changes nothing leaves no copy, and one that fails changes nothing") func noCopy() throws {
    let folder = try make()
    #expect(try repair(folder).aside == nil)
    #expect(!FileManager.default.fileExists(atPath: folder.database + ".before-repair"))
    try folder.edit("DELETE FROM header; DELETE FROM slot")
    for _ in 0..<2 { #expect(failure { () throws(StoreError) in try repair(folder) } != nil) }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(!names.contains { $0.contains("before-repair") }, "\(names)")
  }

  @Test(
    "Of two sets of key records the one that a cut log names is not believed against the other",
    arguments: ["whole", "cut", "gone"])
  func keyRecordsOfBefore(_ log: String) throws {
    let victim = try DatabaseRepairTests.Victim(passcode: true)
    let folder = victim.folder
    try DatabaseRepairTests.putBack(try #require(victim.old["slot"]), "slot", replacing: true, folder)
    try DatabaseRepairTests.putBack(try #require(victim.old["item"]), "item", replacing: true, folder)
    let last = try #require(victim.old["audit"]?.last?["seq"])
    if log != "whole" { try folder.edit("DELETE FROM audit WHERE seq > ?", [log == "cut" ? last : 0]) }
    // The copy of those in force stands in the second row.
    try folder.edit("DELETE FROM header WHERE id = 1")
    for passcode in [DatabaseRepairTests.oldPasscode, DatabaseRepairTests.newPasscode] {
      let error = failure { () throws(StoreError) in try repair(folder, passcode: passcode) }
      if log != "whole" {
        #expect(error != nil, "nothing tells which are in force")
      } else {
        let isOld = passcode == DatabaseRepairTests.oldPasscode
        #expect((error == nil) == !isOld, "\(String(describing: error))")
      }
    }
  }
}
