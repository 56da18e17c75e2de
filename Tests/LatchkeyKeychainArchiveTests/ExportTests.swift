import Crypto
import Foundation
import LatchkeyAgeEncryption
import LatchkeyKeychainArchive
import LatchkeyKeychainModel
import LatchkeyKeychainStore
import LatchkeyKeychainTesting
import Testing

/// Items that leave a keychain, items that do not, and items that come back into another.
@Suite struct ExportTests {
  private let caller = Entitlements.none
  private let created = Date(timeIntervalSince1970: 1_800_000_000)

  private func password(_ account: String, _ data: [UInt8]?, _ accessibility: Accessibility = .whenUnlocked) -> NewItem
  {
    NewItem(
      .genericPassword, attributes: [.account: .text(account), .service: .text("mail")], accessibility: accessibility,
      data: data)
  }

  private func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255) } }

  @Test("Items come back as they were") func itemsComeBackAsTheyWere() throws {
    let source = try TemporaryKeychain()
    try source.database.add(password("älice", [0, 1, 255]), as: caller)
    try source.database.add(password("none", nil, .afterFirstUnlock), as: caller)
    try source.database.add(
      NewItem(
        .internetPassword,
        attributes: [
          .account: .text("bob"), .server: .text("example.com"), .port: .number(443), .path: .bytes([47, 0xFF]),
          .creationDate: .date(123_456.789), .isInvisible: .number(1),
        ], isSynchronizable: true, accessibility: .always, data: Array("pässword".utf8)), as: caller)
    let document = try source.database.export(as: caller, created: created)
    #expect(document.items.count == 3)
    #expect(document.excluded.isEmpty)

    let identity = AgeIdentity(Curve25519.KeyAgreement.PrivateKey())
    let file = try document.sealed(for: .recipients([identity.recipient]), random: random)
    let opened = try KeychainDocument(opening: file, .identities([identity]))
    #expect(opened == document)

    let target = try TemporaryKeychain()
    var report = ImportReport()
    try target.database.importItems(of: opened, as: caller, report: &report)
    #expect(report.added == 3 && report.refused.isEmpty && report.kept == 0)
    let again = try target.database.export(as: caller, created: created)
    #expect(again.items.map { withoutModification($0) } == document.items.map { withoutModification($0) })
  }

  /// The modification date is the time of the import.
  private func withoutModification(_ item: KeychainDocument.Item) -> KeychainDocument.Item {
    var item = item
    item.attributes["mdat"] = nil
    return item
  }

  @Test("Items that are not exported are listed") func whatStaysIsListed() throws {
    let keychain = try TemporaryKeychain(
      passcode: "1234", prompter: ScriptedPrompter(otherwise: .fails(.userCancel)))
    try keychain.database.add(password("leaves", [1]), as: caller)
    try keychain.database.add(password("stays", [2], .whenUnlockedThisDeviceOnly), as: caller)
    var guarded = password("guarded", [3])
    guarded.accessibility = nil
    guarded.accessControl = AccessControl(protection: .whenUnlocked, flags: .devicePasscode)
    try keychain.database.add(guarded, as: caller)
    let document = try keychain.database.export(as: caller, created: created)
    #expect(document.items.map(\.attributes["acct"]) == [.text("leaves")])
    #expect(document.excluded.map(\.reason) == [.thisDeviceOnly, .guarded])
    #expect(document.excluded.map(\.name) == ["mail / stays", "mail / guarded"])

    var options = ExportOptions()
    options.includesThisDeviceOnly = true
    let more = try keychain.database.export(options, as: caller, created: created)
    #expect(more.items.count == 2)
  }

  @Test("Guarded items leave with consent") func guardedItemsLeaveWithConsent() throws {
    let keychain = try TemporaryKeychain(passcode: "1234", prompter: ScriptedPrompter(always: "1234"))
    var guarded = password("guarded", [3])
    guarded.accessibility = nil
    guarded.accessControl = AccessControl(protection: .whenUnlocked, flags: .devicePasscode)
    try keychain.database.add(guarded, as: caller)
    var options = ExportOptions()
    options.consent = Consent()
    let document = try keychain.database.export(options, as: caller, created: created)
    #expect(document.items.first?.data == Data([3]))
    #expect(document.items.first?.accessControl == UInt64(AccessControl.Flags.devicePasscode.rawValue))
  }

  @Test("A locked item ends the export") func aLockedItemEndsTheExport() throws {
    let keychain = try TemporaryKeychain(passcode: "1234")
    try keychain.database.add(password("alice", [1]), as: caller)
    keychain.lock()
    let lockedStore = keychain.database
    #expect(throws: StoreError.locked(.whenUnlocked, .locked)) {
      try lockedStore.export(as: caller, created: created)
    }
  }

  @Test("An item that exists stays or is replaced, as the caller chooses") func whatIsThereStaysOrGivesWay() throws {
    let source = try TemporaryKeychain()
    try source.database.add(password("alice", [1]), as: caller)
    let document = try source.database.export(as: caller, created: created)
    let target = try TemporaryKeychain()
    try target.database.add(password("alice", [9]), as: caller)
    try target.database.add(password("bob", [8]), as: caller)
    var report = ImportReport()
    try target.database.importItems(of: document, as: caller, report: &report)
    #expect(report == ImportReport(kept: 1))
    #expect(try data(of: "alice", target) == [9])
    report = ImportReport()
    try target.database.importItems(of: document, existing: .replace, as: caller, report: &report)
    #expect(report == ImportReport(replaced: 1))
    #expect(try data(of: "alice", target) == [1])
    #expect(try data(of: "bob", target) == [8])
  }

  private func data(of account: String, _ keychain: TemporaryKeychain) throws -> [UInt8]? {
    let query = ItemQuery(.genericPassword, attributes: [.account: .text(account)], wantsData: true)
    return try keychain.database.find(query, as: caller).first?.data
  }

  @Test("Items that no keychain has are refused one by one") func itemsThatNoKeychainHasAreRefusedOneByOne() throws {
    let source = try TemporaryKeychain()
    try source.database.add(password("alice", [1]), as: caller)
    var document = try source.database.export(as: caller, created: created)
    let good = try #require(document.items.first)
    var items: [KeychainDocument.Item] = []
    for change in [
      { (item: inout KeychainDocument.Item) in item.itemClass = "idnt" },
      { $0.itemClass = "nope" },
      { $0.accessible = "xx" },
      { $0.attributes["abc"] = .text("three letters") },
      { $0.attributes["zzzz"] = .text("unknown") },
      { $0.attributes["cdat"] = .date(.infinity) },
      { $0.accessControl = 1 << 40 },
      { $0.accessControl = 0b1010 },
      { $0.accessGroup = "not.mine" },
      { $0.data = Data(repeating: 1, count: 64 << 20) },
    ] {
      var item = good
      change(&item)
      items.append(item)
    }
    document.items = items + [good]
    let target = try TemporaryKeychain(entitlements: Entitlements(accessGroups: [good.accessGroup]))
    var report = ImportReport()
    try target.database.importItems(of: document, as: target.entitlements, report: &report)
    #expect(report.refused.map(\.index) == Array(items.indices))
    #expect(report.added == 1)
  }
}

extension ImportReport {
  init(added: Int = 0, replaced: Int = 0, kept: Int = 0) {
    self.init()
    (self.added, self.replaced, self.kept) = (added, replaced, kept)
  }
}
