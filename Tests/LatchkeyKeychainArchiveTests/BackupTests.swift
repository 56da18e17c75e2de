import Crypto
import Foundation
import LatchkeyAgeEncryption
import LatchkeyKeychainArchive
import LatchkeyKeychainModel
import LatchkeyKeychainStore
import LatchkeyKeychainTesting
import Testing

/// A live keychain's backup, and the same keychain made of it elsewhere; ended at each step, altered, in the way of others.
@Suite struct BackupTests {
  private let caller = Entitlements.none

  private func password(_ account: String) -> NewItem {
    NewItem(.genericPassword, attributes: [.account: .text(account)], data: Array(account.utf8))
  }

  private func accounts(_ database: KeychainDatabase) throws -> Set<String> {
    let query = ItemQuery(.genericPassword, limit: nil, wantsData: true)
    return Set(try database.find(query, as: caller).map { String(decoding: $0.data ?? [], as: UTF8.self) })
  }

  private func configuration(_ folder: TemporaryPlace) -> KeychainDatabase.Configuration {
    var configuration = KeychainDatabase.Configuration(path: folder.path + "/restored.db")
    configuration.scryptRounds = 16
    return configuration
  }

  @Test("A restored keychain equals the original") func theKeychainIsTheSameElsewhere() throws {
    let source = try TemporaryKeychain(passcode: "1234")
    for account in ["a", "b", "c"] { try source.database.add(password(account), as: caller) }
    let place = try TemporaryPlace()
    try KeychainDatabase.restore(try source.database.snapshot(), to: configuration(place))
    let restored = try KeychainDatabase(configuration(place))
    defer { restored.close() }
    #expect(restored.lockState == .beforeFirstUnlock)
    #expect(throws: StoreError.self) { try restored.unlock(passcode: Array("4321".utf8)) }
    try restored.unlock(passcode: Array("1234".utf8))
    #expect(try accounts(restored) == ["a", "b", "c"])
    #expect(try restored.verify().findings.isEmpty)
    try restored.add(password("d"), as: caller)
    #expect(try accounts(source.database) == ["a", "b", "c"])
  }

  @Test("A backup passes through an age file") func throughAnAgeFile() throws {
    let source = try TemporaryKeychain()
    try source.database.add(password("a"), as: caller)
    let snapshot = try source.database.snapshot()
    #expect(snapshot.rootKey?.count == 32)
    #expect(snapshot.itemCount == 1)
    let identity = AgeIdentity(Curve25519.KeyAgreement.PrivateKey())
    let created = Date(timeIntervalSince1970: 1_800_000_000)
    let file = try KeychainBackup(snapshot, created: created).sealed(for: .recipients([identity.recipient])) { count in
      (0..<count).map { _ in UInt8.random(in: 0...255) }
    }
    #expect(try KeychainBackup(opening: file, .identities([identity])).snapshot == snapshot)
    #expect(throws: ArchiveError.malformed("it is a backup: `latchkey keychain restore` takes it")) {
      try KeychainDocument(opening: file, .identities([identity]))
    }
  }

  @Test("A backup of a keychain in use shows one moment") func aBackupOfALiveKeychainIsOneMoment() throws {
    let source = try TemporaryKeychain()
    let database = source.database
    let caller = caller
    let writer = Thread {
      for number in 0..<200 {
        _ = try? database.add(
          NewItem(.genericPassword, attributes: [.account: .text("\(number)")], data: Array("\(number)".utf8)),
          as: caller)
      }
    }
    writer.start()
    var snapshots: [KeychainSnapshot] = []
    while !writer.isFinished { snapshots.append(try database.snapshot()) }
    let place = try TemporaryPlace()
    for snapshot in [snapshots.first, snapshots.last].compactMap({ $0 }) {
      try KeychainDatabase.restore(snapshot, to: configuration(place), replacing: true)
      let restored = try KeychainDatabase(configuration(place))
      let found = snapshot.itemCount == 0 ? [] : try accounts(restored)
      // Items that were added one after the other are there up to some number.
      #expect(found == Set((0..<snapshot.itemCount).map { "\($0)" }))
      restored.close()
    }
  }

  @Test("A restore that ends at any step is completed by another one", arguments: RestoreStep.allCases)
  func aRestoreThatEndsAtAnyStepIsCompletedByAnother(_ last: RestoreStep) throws {
    let source = try TemporaryKeychain()
    try source.database.add(password("backed up"), as: caller)
    let snapshot = try source.database.snapshot()
    try source.database.add(password("later"), as: caller)
    source.database.close()
    var target = KeychainDatabase.Configuration(path: source.path)
    target.scryptRounds = 16
    let ended = StoreError.inputOutput("ended")
    var failure: StoreError?
    do throws(StoreError) {
      _ = try KeychainDatabase.restore(snapshot, to: target, replacing: true) { (step) throws(StoreError) in
        if step == last { throw ended }
      }
    } catch {
      failure = error
    }
    #expect(failure == ended)
    // Never an empty keychain in its place.
    switch Result(catching: { () throws(StoreError) in try KeychainDatabase(target) }) {
    case .success(let database):
      let expected: Set = last == .verified ? ["backed up", "later"] : ["backed up"]
      let found = try accounts(database)
      #expect(found == expected)
      database.close()
    case .failure(let error):
      guard case .damaged = error else {
        Issue.record("\(error)")
        return
      }
    }
    try KeychainDatabase.restore(snapshot, to: target, replacing: true)
    let restored = try KeychainDatabase(target)
    #expect(try accounts(restored) == ["backed up"])
    restored.close()
  }

  @Test("A file in the way of a restore stays") func whatIsInTheWayStays() throws {
    let source = try TemporaryKeychain()
    try source.database.add(password("a"), as: caller)
    let snapshot = try source.database.snapshot()
    let other = try TemporaryKeychain()
    try other.database.add(password("other"), as: caller)
    let target = KeychainDatabase.Configuration(path: other.path)
    #expect(throws: StoreError.self) { try KeychainDatabase.restore(snapshot, to: target) }
    // Its key file is another keychain's, even where the keychain may go.
    #expect(throws: StoreError.self) { try KeychainDatabase.restore(snapshot, to: target, replacing: true) }
    #expect(try accounts(other.database) == ["other"])
    #expect(try other.database.verify().findings.isEmpty)
  }

  @Test("Altered snapshots change nothing") func alteredSnapshotsChangeNothing() throws {
    let source = try TemporaryKeychain()
    try source.database.add(password("a"), as: caller)
    let sound = try source.database.snapshot()
    let place = try TemporaryPlace()
    for offset in stride(from: 0, to: sound.database.count, by: 997) {
      var altered = sound
      altered.database[offset] ^= 0xFF
      // Some bytes mean nothing; the others are noticed.
      do throws(StoreError) {
        try KeychainDatabase.restore(altered, to: configuration(place), replacing: true)
        let database = try KeychainDatabase(configuration(place))
        let found = try database.find(ItemQuery(.genericPassword, wantsData: true), as: caller)
        #expect(found.first?.data == Array("a".utf8))
        database.close()
      } catch {
        #expect(error != .itemNotFound)
      }
    }
    var cut = sound
    cut.database.removeLast(4096)
    #expect(throws: StoreError.self) { try KeychainDatabase.restore(cut, to: configuration(place), replacing: true) }
    var otherKey = sound
    otherKey.rootKey = [UInt8](repeating: 7, count: 32)
    #expect(throws: StoreError.self) {
      try KeychainDatabase.restore(otherKey, to: configuration(place), replacing: true)
    }
    var empty = sound
    empty.database = []
    #expect(throws: StoreError.self) { try KeychainDatabase.restore(empty, to: configuration(place), replacing: true) }
  }

  @Test("A backup without the root key opens only where the root key is") func withoutTheRootKeyItOpensOnlyWhereThatIs()
    throws
  {
    let source = try TemporaryKeychain()
    try source.database.add(password("a"), as: caller)
    let snapshot = try source.database.snapshot(includesRootKey: false)
    #expect(snapshot.rootKey == nil)
    let place = try TemporaryPlace()
    #expect(throws: StoreError.self) { try KeychainDatabase.restore(snapshot, to: configuration(place)) }
    let target = KeychainDatabase.Configuration(path: source.path)
    source.database.close()
    try KeychainDatabase.restore(snapshot, to: target, replacing: true)
    let restored = try KeychainDatabase(target)
    #expect(try accounts(restored) == ["a"])
    restored.close()
  }
}

/// A folder that goes with the test.
private final class TemporaryPlace {
  let path = FileManager.default.temporaryDirectory.path + "/restore-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
