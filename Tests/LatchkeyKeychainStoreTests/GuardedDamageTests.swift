import LatchkeyTestSupport
import Crypto
import Foundation
import LatchkeySQLiteTestSupport
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import Testing

@testable import LatchkeyKeychainStore

/// What somebody edits in the file around constrained items: nothing of it yields data.
@Suite("Damage to items with constraints") struct GuardedDamageTests {
  private static let flags: [AccessControl.Flags] = [.devicePasscode, .biometryAny, .biometryCurrentSet]

  /// Alters the row of "a" in another program, and tells what a keychain that opens then says to a caller that wants its data.
  private func edited(_ flags: AccessControl.Flags, _ sql: String, _ arguments: [any ColumnConvertible] = []) throws {
    let bench = try GuardedBench(hasBiometry: true)
    try bench.add("a", flags)
    try bench.add("b", flags, data: "another secret")
    bench.store.close()
    try bench.folder.edit(sql, arguments)
    let store = try bench.reopenedLocked()
    #expect(try !store.verify().isClean, "\(sql)")
    #expect(failure { () throws(StoreError) in try store.find(.password("a"), as: me) }?.isDamaged == true, "\(sql)")
    #expect(bench.timesAsked == 0, "nobody is asked for a keychain that was altered")
    let report = try store.repair(passcode: Array(GuardedBench.passcode.utf8))
    #expect(report.itemsDropped > 0)
    #expect(try store.verify().isClean)
  }

  @Test("an edited access control is damage", arguments: flags) func control(_ flags: AccessControl.Flags) throws {
    try edited(flags, "UPDATE item SET acl = NULL WHERE id = 1")
    try edited(flags, "UPDATE item SET acl = x'010000004000000000' WHERE id = 1")
    let asserted = StoredControl(control: AccessControl(protection: .whenUnlocked, flags: .userPresence)).encode()
    try edited(flags, "UPDATE item SET acl = ? WHERE id = 1", [Data(asserted ?? [])])
    let key = StoredControl(control: AccessControl(protection: .whenUnlocked, flags: flags), isEnclaveKey: true)
      .encode()
    try edited(flags, "UPDATE item SET acl = ? WHERE id = 1", [Data(key ?? [])])
  }

  @Test("another enrollment, another wrapped key, and another's data are damage", arguments: flags)
  func swapped(_ flags: AccessControl.Flags) throws {
    let other = StoredControl(
      control: AccessControl(protection: .whenUnlocked, flags: .biometryCurrentSet),
      enrollment: [UInt8](repeating: 1, count: 32)
    ).encode()
    try edited(flags, "UPDATE item SET acl = ? WHERE id = 1", [Data(other ?? [])])
    try edited(
      flags, "UPDATE item SET wrapped_dek = (SELECT wrapped_dek FROM item WHERE id = 2) WHERE id = 1")
    try edited(flags, "UPDATE item SET data = (SELECT data FROM item WHERE id = 2) WHERE id = 1")
    try edited(
      flags,
      """
      UPDATE item SET wrapped_dek = (SELECT wrapped_dek FROM item WHERE id = 2), \
      data = (SELECT data FROM item WHERE id = 2) WHERE id = 1
      """)
    try edited(flags, "UPDATE item SET wrapped_dek = NULL WHERE id = 1")
  }

  @Test("an edited header before the sealed key is damage") func header() throws {
    for place in [1, 2, 3, 7, 40, 71, 90] {
      let bench = try GuardedBench()
      let item = try bench.add("a", .devicePasscode)
      var wrapped = try #require(try bench.row(item)?.wrappedKey)
      wrapped[place - 1] ^= 1
      bench.store.close()
      try bench.folder.edit("UPDATE item SET wrapped_dek = ? WHERE id = 1", [Data(wrapped)])
      let store = try bench.reopenedLocked()
      #expect(failure { () throws(StoreError) in try store.find(.password("a"), as: me) }?.isDamaged == true)
      #expect(try store.verify().isClean == false)
    }
  }

  /// Anyone who has the root key makes marks and sums hold again; what the passcode binds stays closed even then.
  @Test("anyone who has the root key cannot open what the passcode binds, nor turn its constraint off") func marked()
    throws
  {
    let bench = try GuardedBench()
    let item = try bench.add("a", .devicePasscode)
    var row = try #require(try bench.row(item))
    let parts = bench.store.parts
    row.accessControl = nil
    let keys = try parts.ring.classKeys(of: row)
    #expect(failure { () throws(StoreError) in try parts.sealer.openData(row, keys: keys) }?.isDamaged == true)
    row.accessControl = StoredControl(control: AccessControl(protection: .whenUnlocked, flags: .userPresence)).encode()
    let control = try row.control
    #expect(
      failure { () throws(StoreError) in
        try parts.sealer.openData(row, under: control, with: .none, by: parts.constraints)
      }?.isDamaged == true)
    #expect(
      failure { () throws(StoreError) in try parts.sealer.checkData(row, under: control, by: parts.constraints) }?
        .isDamaged == true)
  }

  private static let dropCopy = "DELETE FROM header WHERE id = 2"

  @Test("the presence key's record dropped, swapped or put back from before, as its copy, is damage, and gives no data")
  func records() throws {
    for sql in [
      "DELETE FROM slot WHERE id = 2", "UPDATE slot SET record = (SELECT record FROM slot WHERE id = 3) WHERE id = 2",
      "INSERT INTO slot(id, record) SELECT 99, record FROM slot WHERE id = 2",
    ] {
      let bench = try GuardedBench()
      try bench.add("a", .devicePasscode)
      #expect(try bench.folder.ask("SELECT hex(substr(record, 1, 1)) FROM slot WHERE id = 2") == ["04"])
      try bench.folder.edit(sql)
      try bench.folder.edit(Self.dropCopy)
      #expect(failure { () throws(StoreError) in try bench.find("a") }?.isDamaged == true)
      bench.store.close()
      #expect(failure { () throws(StoreError) in try bench.reopenedLocked() }?.isDamaged == true)
    }
    let bench = try GuardedBench()
    try bench.add("a", .devicePasscode)
    let old: [Data] = try bench.folder.ask("SELECT record FROM slot WHERE id = 2")
    try bench.store.setPasscode(Array("another horse".utf8), current: Array(GuardedBench.passcode.utf8))
    bench.store.close()
    try bench.folder.edit("UPDATE slot SET record = ? WHERE id = 2", [old[0]])
    try bench.folder.edit(Self.dropCopy)
    #expect(
      failure { () throws(StoreError) in try bench.reopenedLocked() }?.isDamaged == true, "it is of another generation")
  }

  /// The records alone would make a keychain of an earlier format without the one or the other: the header names them.
  @Test("any one key record dropped, with the copy of all, is damage") func eachRecord() throws {
    let first = try GuardedBench()
    let kinds = try first.folder.ask("SELECT id || ':' || hex(substr(record, 1, 1)) FROM slot ORDER BY id") as [String]
    #expect(kinds.contains { $0.hasSuffix(":09") }, "the index key is one of them")
    for kind in kinds {
      let bench = try GuardedBench()
      try bench.add("a", .devicePasscode)
      try bench.folder.edit("DELETE FROM slot WHERE id = ?", [kind.prefix { $0 != ":" }.description])
      try bench.folder.edit(Self.dropCopy)
      #expect(failure { () throws(StoreError) in try bench.find("a") }?.isDamaged == true, "\(kind)")
      bench.store.close()
      // Where the other records make a ring it opens to be looked at, and its passcode, once given, mends nothing.
      let refusal = failure { () throws(StoreError) in
        let store = try bench.reopenedLocked()
        #expect(
          failure { () throws(StoreError) in try store.find(.password("a"), as: me) }?.isDamaged == true, "\(kind)")
        try? store.unlock(passcode: Array(GuardedBench.passcode.utf8))
        _ = try store.find(.password("a"), as: me)
      }
      #expect(refusal?.isDamaged == true, "\(kind)")
    }
  }

  @Test("Verification reports an item whose presence key is gone") func foreignPresenceKey() throws {
    let bench = try GuardedBench()
    let item = try bench.add("a", .devicePasscode)
    let row = try #require(try bench.row(item))
    let ring = bench.store.parts.ring
    let verification = { () throws -> Verification.Verdict in
      try bench.store.reading { (connection) throws(StoreError) in
        try Verification(connection: connection, parts: bench.store.parts).verify(row)
      }
    }
    guard case .sound = try verification() else {
      Issue.record("not sound at first")
      return
    }
    // The keys of WhenUnlocked stay, the presence key is another one.
    try ring.adopt(ring.removingPasscode(current: ring.attempt(Array(GuardedBench.passcode.utf8))))
    try ring.adopt(ring.settingPasscode(Array(GuardedBench.passcode.utf8), current: nil))
    guard case .altered = try verification() else {
      Issue.record("not told")
      return
    }
  }
}

extension GuardedBench {
  /// The same file, opened again as another process would.
  func reopenedLocked() throws(StoreError) -> KeychainDatabase {
    var configuration = folder.configuration()
    configuration.presence.biometry = hasBiometry ? [finger] : []
    configuration.presence.prompter = user
    return try KeychainDatabase(configuration)
  }
}
