import LatchkeyTestSupport
import Foundation
import LatchkeyByteCoding
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import Testing
@testable import LatchkeyUserPresence

@testable import LatchkeyKeychainStore

/// Keychains of format 3 as they were once written, with a passcode and without one: every later version reads them. What is
/// expected of them never changes.
@Suite("Stored files of the third format") struct DatabaseFormatThreeTests {
  /// The passcode that all of them have, and the password of one item.
  static let passcode = DatabaseFixtureTests.passcode
  static let password = "a password of its own"
  static let caller = DatabaseFixtureTests.caller

  /// Which of the two.
  enum Kind: String, CaseIterable, Sendable {
    case withPasscode = "format-3"
    case withoutPasscode = "format-3-open"
  }

  /// The items in the order in which they were added.
  static func items(_ kind: Kind) -> [NewItem] {
    let all =
      DatabaseFixtureTests.items + [
        password("open door", .always, data: "an Always secret"),
        password("guarded", .whenUnlocked, .devicePasscode, data: "for the passcode"),
        password("sealed", .afterFirstUnlock, .applicationPassword, data: "for the password"),
      ]
    if kind == .withPasscode { return all }
    return all.filter {
      $0.accessibility != .whenPasscodeSetThisDeviceOnly && $0.accessControl?.flags != .devicePasscode
    }
  }

  private static func password(
    _ account: String, _ protection: Accessibility, _ flags: AccessControl.Flags = [], data: String
  ) -> NewItem {
    NewItem(
      .genericPassword,
      attributes: [
        .account: .text(account), .service: .text("format 3"), .label: .text("label of \(account)"),
        .creationDate: .date(0), .modificationDate: .date(0),
      ], accessControl: AccessControl(protection: protection, flags: flags), data: Array(data.utf8))
  }

  static let keyLabel = "a key of the enclave"

  /// A configuration in which somebody types the passcode.
  static func configuration(_ folder: StoreFolder) -> KeychainDatabase.Configuration {
    var configuration = folder.configuration()
    configuration.engines = .software
    configuration.presence = PresenceConfiguration(
      biometry: [], prompter: ScriptedPrompter(always: String(decoding: passcode, as: UTF8.self)))
    return configuration
  }

  /// A session that gives the password of the item which has one.
  static func consent(_ store: KeychainDatabase) throws -> Consent {
    let session = try #require(store.presence).makeSession()
    try session.setApplicationPassword(Array(password.utf8))
    return Consent(session: session)
  }

  /// A copy of the fixture, as its owner would have it, and the references of its items.
  private func copy(_ kind: Kind) throws -> (folder: StoreFolder, references: [PersistentReference]) {
    let folder = try StoreFolder()
    let fixture = try #require(Bundle.module.url(forResource: "Fixtures/\(kind.rawValue)", withExtension: nil))
    for file in ["keychain.db", "keychain.key"] {
      let copy = folder.path + "/" + file
      try FileManager.default.copyItem(atPath: fixture.path + "/" + file, toPath: copy)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
    }
    let lines = try String(contentsOf: fixture.appendingPathComponent("references.txt"), encoding: .utf8)
    let references = try lines.split(separator: "\n").map {
      try PersistentReference(bytes: try Hexadecimal.decode(String($0)))
    }
    return (folder, references)
  }

  private func expectEverything(
    _ store: KeychainDatabase, _ kind: Kind, _ references: [PersistentReference],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for (item, reference) in zip(Self.items(kind), references) {
      var query = ItemQuery(item.itemClass, persistentReference: reference, wantsData: true)
      query.consent = try Self.consent(store)
      let found = try #require(try store.find(query, as: Self.caller).first, sourceLocation: sourceLocation)
      #expect(found.attributes == item.attributes && found.data == item.data, sourceLocation: sourceLocation)
      let accessibility = item.accessibility ?? item.accessControl?.protection ?? .always
      #expect(found.accessibility == accessibility, sourceLocation: sourceLocation)
      // By its attributes too.
      var again = ItemQuery(item.itemClass, attributes: item.attributes)
      again.synchronizable = .any
      #expect(try store.find(again, as: Self.caller).map(\.reference) == [reference], sourceLocation: sourceLocation)
    }
    var key = ItemQuery(.key, attributes: [.label: .text(Self.keyLabel)])
    key.wantsEnclaveKeys = true
    let stored = try #require(try store.find(key, as: Self.caller).first, sourceLocation: sourceLocation)
    #expect(stored.reference == references.last, sourceLocation: sourceLocation)
    let enclave = try #require(store.enclave, sourceLocation: sourceLocation)
    #expect(try enclave.sign(try #require(stored.enclaveKey)).count == 64, sourceLocation: sourceLocation)
    #expect(try store.verify().isClean, sourceLocation: sourceLocation)
  }

  private func open(_ folder: StoreFolder, isReadOnly: Bool = false) throws -> KeychainDatabase {
    var configuration = Self.configuration(folder)
    configuration.isReadOnly = isReadOnly
    return try KeychainDatabase(configuration)
  }

  @Test("with a passcode: the first unlock makes its tags hang on that, once") func withPasscode() throws {
    let (folder, references) = try copy(.withPasscode)
    let guesser = try TagGuesser(folder)
    var confirmed: Set<String> { get throws { try guesser.confirmed("guarded", "format 3", group: "first") } }
    #expect(try confirmed == ["account", "label", "primary key"], "else this test shows nothing")
    var store = try open(folder)
    #expect(store.lockState == .beforeFirstUnlock)
    #expect(try store.status().format == 3)
    // What is not there is still told from what is locked.
    #expect(failure { () throws(StoreError) in try store.find(.password("nobody"), as: Self.caller) } == .itemNotFound)
    #expect(failure { () throws(StoreError) in try store.unlock(passcode: Array("wrong passcode".utf8)) } != nil)
    var open = NewItem.password("before the unlock")
    open.accessibility = .always
    try store.add(open, as: Self.caller)
    #expect(try store.status().format == 3)
    try store.unlock(passcode: Self.passcode)
    #expect(try store.status().format == 4)
    try expectEverything(store, .withPasscode, references)
    #expect(try store.find(.password("before the unlock"), as: Self.caller).count == 1)
    try store.erase(after: "it was unlocked")
    #expect(try confirmed == [])
    #expect(try guesser.confirmed("open door", "format 3", group: "first") == ["account", "label", "primary key"])
    store.close()
    let slots: [Data] = try folder.ask("SELECT record FROM slot ORDER BY id")
    store = try self.open(folder)
    #expect(failure { () throws(StoreError) in try store.find(.password("nobody"), as: Self.caller) }?.isLocked == true)
    try store.unlock(passcode: Self.passcode)
    try expectEverything(store, .withPasscode, references)
    let later: [Data] = try folder.ask("SELECT record FROM slot ORDER BY id")
    #expect(later == slots, "the second unlock changes no key")
    try store.removePasscode(current: Self.passcode)
    #expect(try store.status().format == 4)
    #expect(try store.find(ItemQuery(.genericPassword, attributes: [.account: .text("c")]), as: Self.caller).count == 1)
    #expect(try store.verify().isClean)
  }

  @Test("with a passcode, where nothing can be written: it is read as it is") func readOnly() throws {
    let (folder, references) = try copy(.withPasscode)
    let before = FileManager.default.contents(atPath: folder.database)
    let store = try open(folder, isReadOnly: true)
    try store.unlock(passcode: Self.passcode)
    #expect(try store.status().format == 3)
    try expectEverything(store, .withPasscode, references)
    store.lock()
    #expect(failure { () throws(StoreError) in try store.find(.password("nobody"), as: Self.caller) } == .itemNotFound)
    store.close()
    #expect(FileManager.default.contents(atPath: folder.database) == before)
  }

  @Test("with a passcode, beside another process: that one goes on with the passcode") func besideAnother() throws {
    let (folder, references) = try copy(.withPasscode)
    let (one, two) = (try open(folder), try open(folder))
    #expect(failure { () throws(StoreError) in try two.find(.password("nobody"), as: Self.caller) } == .itemNotFound)
    try one.unlock(passcode: Self.passcode)
    #expect(failure { () throws(StoreError) in try two.find(.password("nobody"), as: Self.caller) }?.isLocked == true)
    try two.unlock(passcode: Self.passcode)
    try expectEverything(two, .withPasscode, references)
    try expectEverything(one, .withPasscode, references)
  }

  @Test("damaged: the unlock reads on with the tags that are there, and a repair ends it") func damaged() throws {
    let (folder, _) = try copy(.withPasscode)
    try folder.edit("UPDATE item SET data = zeroblob(60) WHERE id = 1")
    let store = try open(folder)
    try store.unlock(passcode: Self.passcode)
    #expect(try store.status().format == 3)
    #expect(try store.repair(passcode: Self.passcode).itemsDropped == 1)
    store.close()
    let again = try open(folder)
    try again.unlock(passcode: Self.passcode)
    #expect(try again.status().format == 4)
    try again.erase(after: "it was unlocked")
    #expect(try TagGuesser(folder).confirmed("guarded", "format 3", group: "first") == [])
    #expect(try again.verify().isClean)
  }

  @Test("without a passcode: it stays as it is until one is set") func withoutPasscode() throws {
    let (folder, references) = try copy(.withoutPasscode)
    let store = try open(folder)
    try expectEverything(store, .withoutPasscode, references)
    try store.add(.password("new"), as: Self.caller)
    #expect(try store.status().format == 3)
    try store.setPasscode(Self.passcode, current: nil)
    #expect(try store.status().format == 4)
    try expectEverything(store, .withoutPasscode, references)
    #expect(try TagGuesser(folder).confirmed("sealed", "format 3", group: "first") == [])
    #expect(try TagGuesser(folder).confirmed("open door", "format 3", group: "first") != [])
  }

  /// Writes the fixtures anew into the folder that `LATCHKEY_WRITE_FIXTURE` names: for a next format, never for this one.
  @Test(
    "The fixtures were written by this code",
    .enabled(if: ProcessInfo.processInfo.environment["LATCHKEY_WRITE_FIXTURE"] != nil), arguments: Kind.allCases)
  func theyWereWrittenLikeThis(_ kind: Kind) throws {
    let place = try #require(ProcessInfo.processInfo.environment["LATCHKEY_WRITE_FIXTURE"]) + "/" + kind.rawValue
    let folder = try StoreFolder()
    var configuration = Self.configuration(folder)
    configuration.scryptRounds = 1 << 15
    let store = try KeychainDatabase(configuration)
    if kind == .withPasscode { try store.setPasscode(Self.passcode, current: nil) }
    var references = try Self.items(kind).map { item in
      var item = item
      item.consent = try Self.consent(store)
      return try store.add(item, as: Self.caller).reference
    }
    // What was changed and deleted has left its traces in the log.
    try store.add(.password("deleted"), as: Self.caller)
    try store.delete(.password("deleted"), as: Self.caller)
    var key = NewItem(.key, attributes: [.label: .text(Self.keyLabel)])
    key.enclaveKey = try #require(store.enclave).create(
      AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: .privateKeyUsage), consent: Consent())
    references.append(try store.add(key, as: Self.caller).reference)
    store.close()
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    for file in ["keychain.db", "keychain.key"] {
      try FileManager.default.copyItem(atPath: folder.path + "/" + file, toPath: place + "/" + file)
    }
    try (references.map { Hexadecimal.encode($0.bytes) }.joined(separator: "\n") + "\n").write(
      toFile: place + "/references.txt", atomically: true, encoding: .utf8)
  }
}
