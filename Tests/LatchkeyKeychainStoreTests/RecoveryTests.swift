import LatchkeyTestSupport
import Crypto
import Foundation
import LatchkeySQLiteTestSupport
import LatchkeyAgeEncryption
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import LatchkeySystem
import Testing
@testable import LatchkeyUserPresence

@testable import LatchkeyKeychainStore

/// Recovery recipients: what their identities open, what they do not, and who may choose them.
@Suite("Recovery") struct RecoveryTests {
  private let passcode = Array("correct horse".utf8)
  private let next = Array("battery staple".utf8)

  private func identity() -> AgeIdentity { AgeIdentity(Curve25519.KeyAgreement.PrivateKey()) }

  /// A keychain with a passcode, an item of each kind, and recovery recipients.
  private func keychain(_ folder: Folder, _ recipients: [AgeRecipient]) throws -> KeychainDatabase {
    let database = try KeychainDatabase(folder.configuration())
    try database.setPasscode(passcode, current: nil)
    try database.add(.account("unlocked"), as: .none)
    try database.add(.account("passcode", .whenPasscodeSetThisDeviceOnly), as: .none)
    try database.setRecoveryRecipients(recipients, passcode: passcode)
    return database
  }

  @Test("each of several identities unlocks, and opens what the passcode opens") func unlocks() throws {
    let folder = try Folder()
    let identities = (0..<KeyRing.maximumRecoveryRecipients).map { _ in identity() }
    let first = try keychain(folder, identities.map(\.recipient))
    #expect(try first.recoveryRecipients() == identities.map(\.recipient))
    first.close()
    for one in identities {
      let database = try KeychainDatabase(folder.configuration())
      #expect(throws: StoreError.self) { try accounts(database) }
      try database.unlock(recoveryIdentities: [identity(), one])
      #expect(try accounts(database) == ["unlocked", "passcode"])
      #expect(try database.verify().findings.isEmpty)
      #expect(try database.auditEntries(after: 0, limit: 1000).last?.event == .recovered)
      database.close()
    }
  }

  @Test("other identities open nothing; nor does one that counted before, nor any once they are removed") func refused()
    throws
  {
    let folder = try Folder()
    let (one, two) = (identity(), identity())
    let database = try keychain(folder, [one.recipient])
    #expect(storeError { try database.unlock(recoveryIdentities: [two]) }.isUnavailable)
    #expect(storeError { try database.unlock(recoveryIdentities: []) }.isUnavailable)
    let record = try #require(database.parts.ring.records.first { $0.kind == .recovery })
    try database.setRecoveryRecipients([two.recipient], passcode: passcode)
    #expect(storeError { try database.unlock(recoveryIdentities: [one]) }.isUnavailable)
    #expect(throws: Never.self) { try database.unlock(recoveryIdentities: [two]) }
    // Anyone who kept the record of before, and the root key, has a user root that opens nothing.
    let ring = database.parts.ring
    let kept = try RecoverySeal(record, under: ring.deviceWrap, seal: ring.seal).open([one])
    let wrap = SymmetricKey(data: kept.prefix(32)).derive("class wrap", storeUUID: ring.storeUUID)
    for record in ring.records where record.kind == .classKeys && record.accessibility?.isUnderDeviceRoot == false {
      #expect(record.open(under: wrap, seal: ring.seal) == nil)
    }
    try database.setRecoveryRecipients([], passcode: passcode)
    #expect(try database.recoveryRecipients().isEmpty)
    #expect(storeError { try database.unlock(recoveryIdentities: [two]) }.isUnavailable)
  }

  @Test("setting them wants the passcode; too many, twice the same, or a point of low order are refused") func wanted()
    throws
  {
    let folder = try Folder()
    let one = identity().recipient
    let database = try keychain(folder, [one])
    for given in [nil, next] {
      #expect(
        storeError { try database.setRecoveryRecipients([identity().recipient], passcode: given) }.isWrongPasscode)
    }
    let many = (0...KeyRing.maximumRecoveryRecipients).map { _ in identity().recipient }
    let low = try AgeRecipient(publicKey: [UInt8](repeating: 0, count: 32))
    for refused in [many, [one, one], [low]] {
      #expect(
        storeError { try database.setRecoveryRecipients(refused, passcode: passcode) }.isInvalidParameter)
    }
    #expect(try database.recoveryRecipients() == [one])
    #expect(try accounts(database) == ["unlocked", "passcode"])
  }

  @Test("a lost passcode is replaced by one: nothing is lost, what is bound to it included") func reset() throws {
    let folder = try Folder()
    let one = identity()
    let first = try keychain(folder, [one.recipient])
    var bound = NewItem.account("bound")
    bound.accessibility = nil
    bound.accessControl = AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: .devicePasscode)
    try first.add(bound, as: .none)
    first.close()
    let database = try KeychainDatabase(folder.configuration())
    #expect(
      storeError { try database.resetPasscode(Array("1234".utf8), recoveryIdentities: [identity()]) }.isUnavailable)
    for _ in 0..<3 { #expect(throws: StoreError.self) { try database.unlock(passcode: next) } }
    try database.resetPasscode(next, recoveryIdentities: [one])
    #expect(try database.status().failedAttempts == 0)
    database.close()
    let again = try KeychainDatabase(folder.configuration())
    #expect(storeError { try again.unlock(passcode: passcode) }.isWrongPasscode)
    try again.unlock(passcode: next)
    for account in ["unlocked", "passcode"] {
      let query = ItemQuery(.genericPassword, attributes: [.account: .text(account)], wantsData: true)
      #expect(try again.find(query, as: .none).first?.data == Array(account.utf8))
    }
    #expect(try again.verify().findings.isEmpty)
    // The presence key came along: what was sealed to the one before opens with the one in force.
    let row = try boundRow(again)
    let opened = try again.parts.sealer.openData(
      row, under: try row.control, with: Authorization(presenceKey: try again.presenceKey(passcode: next)),
      by: again.parts.constraints)
    #expect(opened == Array("bound".utf8))
    #expect(try again.recoveryRecipients() == [one.recipient])
  }

  private func boundRow(_ database: KeychainDatabase) throws -> ItemRow {
    try database.reading { (connection) throws(StoreError) in
      let statement = try connection.statement("SELECT \(ItemTable.columns) FROM item ORDER BY id DESC LIMIT 1")
      defer { statement.reset() }
      _ = try statement.step()
      return try ItemTable.row(statement)
    }
  }

  @Test("it goes on through a rotation, another root key, another passcode, none, and a first one again") func goesOn()
    throws
  {
    let folder = try Folder()
    let one = identity()
    var database = try keychain(folder, [one.recipient])
    func expectRecovery(_ items: Set<String>) throws {
      database.close()
      database = try KeychainDatabase(folder.configuration())
      #expect(try database.recoveryRecipients() == [one.recipient])
      try database.unlock(recoveryIdentities: [one])
      #expect(try accounts(database) == items)
    }
    try database.rotateKeys(passcode: passcode)
    try expectRecovery(["unlocked", "passcode"])
    try database.rotateRootKey(passcode: passcode)
    try expectRecovery(["unlocked", "passcode"])
    try database.setPasscode(next, current: passcode)
    try expectRecovery(["unlocked", "passcode"])
    try database.removePasscode(current: next)
    try expectRecovery(["unlocked"])
    try database.setPasscode(passcode, current: nil)
    try expectRecovery(["unlocked"])
    try database.resetPasscode(next, recoveryIdentities: [one])
    try expectRecovery(["unlocked"])
  }

  @Test("the identity without the root key opens nothing; a backup keeps the recipients") func rootKey() throws {
    let folder = try Folder()
    let one = identity()
    let database = try keychain(folder, [one.recipient])
    let ring = database.parts.ring
    let record = try #require(ring.records.first { $0.kind == .recovery })
    #expect(!record.wrapped.starts(with: Array("age-encryption.org".utf8)))
    #expect(Data(record.wrapped).range(of: Data("age-encryption.org".utf8)) == nil)
    let other = RootKey()
    #expect(
      record.open(under: other.derive("device wrap", storeUUID: ring.storeUUID), seal: ring.seal) == nil)
    let place = try Folder()
    var target = place.configuration()
    target.path = place.path + "/restored.db"
    try KeychainDatabase.restore(try database.snapshot(), to: target)
    let restored = try KeychainDatabase(target)
    try restored.unlock(recoveryIdentities: [one])
    #expect(try accounts(restored) == ["unlocked", "passcode"])
  }

  @Test("Recipients written into the file with the root key get no key at the next change")
  func forged() throws {
    let folder = try Folder()
    let attacker = identity()
    let database = try keychain(folder, [identity().recipient])
    let ring = database.parts.ring
    let record = try #require(ring.records.first { $0.kind == .recovery })
    // The record of a user root of his own: it is as authentic as the root key can make it.
    let forged = try RecoverySeal.record(
      [attacker.recipient], RecoverySeal.Keys(userRoot: SymmetricKey(size: .bits256), presenceKey: nil), ring.storeUUID,
      epoch: record.epoch, under: ring.deviceWrap, seal: ring.seal)
    let records = ring.records.filter { $0.kind != .recovery } + [forged]
    let other = try KeyRing(records: records, storeUUID: ring.storeUUID, root: ring.root, cost: ring.cost)
    let attempt = try other.attempt(passcode)
    #expect(attempt.isRight)
    #expect(storeError { try other.rotating(current: attempt, to: passcode) }.isDamaged)
    #expect(storeError { try other.settingPasscode(next, current: attempt) }.isDamaged)
    // The way out that the error names.
    let mended = try other.rotating(current: attempt, to: passcode, recovery: .set([]))
    #expect(mended.after.recoveryRecipients.isEmpty)
    // With an unaltered record in which the recipients alone are others: it is not authentic.
    var altered = record
    altered.parameters = attacker.recipient.publicKey
    #expect(
      storeError {
        try KeyRing(
          records: ring.records.filter { $0.kind != .recovery } + [altered], storeUUID: ring.storeUUID, root: ring.root,
          cost: ring.cost)
      }.isDamaged)
  }

  @Test("A record with an added recipient opens with no identity, and the recipient gets no key at the next change")
  func otherRecipients() throws {
    let folder = try Folder()
    let (one, attacker) = (identity(), identity())
    let database = try keychain(folder, [one.recipient])
    let ring = database.parts.ring
    let record = try #require(ring.records.first { $0.kind == .recovery })
    // The root key is all that it takes to write the same record for one more.
    let opened = try #require(record.open(under: ring.deviceWrap, seal: ring.seal))
    let altered = try KeyRecord.seal(
      opened, kind: .recovery, epoch: record.epoch, parameters: record.parameters + attacker.recipient.publicKey,
      under: ring.deviceWrap, seal: ring.seal)
    let other = try KeyRing(
      records: ring.records.filter { $0.kind != .recovery } + [altered], storeUUID: ring.storeUUID, root: ring.root,
      cost: ring.cost)
    #expect(storeError { try other.recovered(by: [one]) }.isDamaged)
    let attempt = try other.attempt(passcode)
    #expect(attempt.isRight)
    #expect(storeError { try other.rotating(current: attempt, to: passcode) }.isDamaged)
  }

  @Test("Access that an identity opened ends when the keys change") func stale() throws {
    let folder = try Folder()
    let one = identity()
    let database = try keychain(folder, [one.recipient])
    let ring = database.parts.ring
    let recovered = try ring.recovered(by: [one])
    try database.setRecoveryRecipients([one.recipient], passcode: passcode)
    #expect(storeError { try ring.unlock(after: recovered, path: database.path) } == .busy(path: database.path))
    #expect(storeError { try ring.resettingPasscode(next, after: recovered) }.isWrongPasscode)
    #expect(try accounts(database) == ["unlocked", "passcode"])
  }

  @Test("A passcode set by an identity follows the usual rules, and there must be one to replace")
  func validated() throws {
    let folder = try Folder()
    let one = identity()
    let database = try keychain(folder, [one.recipient])
    let ring = database.parts.ring
    let strict = try KeyRing(
      records: ring.records, storeUUID: ring.storeUUID, root: ring.root, cost: PasscodeCost(rounds: nil, minimum: 16))
    let recovered = try strict.recovered(by: [one])
    guard case .passcodeRefused? = storeError({ try strict.resettingPasscode(Array("1".utf8), after: recovered) })
    else {
      Issue.record("it was taken")
      return
    }
    try database.removePasscode(current: passcode)
    #expect(storeError { try database.resetPasscode(next, recoveryIdentities: [one]) } == .passcodeNotSet)
    #expect(try accounts(KeychainDatabase(folder.configuration())) == ["unlocked"])
  }

  @Test("Data that a change of recipients or of the passcode replaces is in no file when the change returns")
  func erased() throws {
    let folder = try Folder()
    let one = identity()
    let database = try keychain(folder, [one.recipient])
    #expect(FilePaths.size(database.path + "-wal") == 0)
    try database.add(.account("another"), as: .none)
    #expect(FilePaths.size(database.path + "-wal") > 0)
    try database.resetPasscode(next, recoveryIdentities: [one])
    #expect(FilePaths.size(database.path + "-wal") == 0)
  }

  @Test("where a part of the file is spoiled an identity unlocks what can be read") func broken() throws {
    let folder = try Folder()
    let one = identity()
    try keychain(folder, [one.recipient]).close()
    try ForeignConnection(folder.path + "/keychain.db").execute("DELETE FROM slot")
    let database = try KeychainDatabase(folder.configuration())
    #expect(try database.status().damage != nil)
    try database.unlock(recoveryIdentities: [one])
    let query = ItemQuery(.genericPassword, attributes: [.account: .text("unlocked")], wantsData: true)
    #expect(try database.find(query, as: .none).first?.data == Array("unlocked".utf8))
  }

  @Test("a recovery record that is there twice, or of another generation, is damage") func whole() throws {
    let folder = try Folder()
    let database = try keychain(folder, [identity().recipient])
    let ring = database.parts.ring
    let record = try #require(ring.records.first { $0.kind == .recovery })
    try database.rotateKeys(passcode: passcode)
    let others = ring.records.filter { $0.kind != .recovery }
    for recovery in [[record], [try #require(ring.records.first { $0.kind == .recovery }), record]] {
      #expect(
        storeError {
          try KeyRing(
            records: others + recovery, storeUUID: ring.storeUUID, root: ring.root, cost: ring.cost)
        }.isDamaged)
    }
  }

  @Test("reading media: an identity unlocks where nothing can be written") func readOnly() throws {
    let folder = try Folder()
    let one = identity()
    try keychain(folder, [one.recipient]).close()
    var configuration = folder.configuration()
    configuration.isReadOnly = true
    let database = try KeychainDatabase(configuration)
    try database.unlock(recoveryIdentities: [one])
    #expect(try accounts(database) == ["unlocked", "passcode"])
  }
}
