import LatchkeyTestSupport
import Crypto
import Foundation
import LatchkeyByteCoding
import LatchkeyKeychainModel
import Testing

@testable import LatchkeyKeychainStore

/// A keychain of format 1 as it was once written: every later version reads it. What is expected of it never changes.
@Suite("A stored file of the first format") struct DatabaseFixtureTests {
  static let passcode = Array("a fixture's passcode".utf8)
  static let caller = Entitlements(accessGroups: ["first", "second"])

  /// The items in the order in which they were added.
  static let items: [NewItem] = [
    NewItem(
      .genericPassword,
      attributes: [
        .account: .text("anna"), .service: .text("mail"), .label: .text("Grüße 🔑"), .generic: .bytes([0, 1, 255]),
        .creator: .number(-7), .isInvisible: .number(1), .creationDate: .date(1.5), .modificationDate: .date(2.5),
      ], accessibility: .whenUnlocked, data: Array("first secret".utf8)),
    NewItem(
      .internetPassword,
      attributes: [
        .account: .text("bert"), .server: .bytes(Array("example.org".utf8)), .networkProtocol: .text("http"),
        .port: .number(8080), .path: .text(""), .creationDate: .date(-1), .modificationDate: .date(0),
      ], accessGroup: "second", isSynchronizable: true, accessibility: .afterFirstUnlock, data: []),
    NewItem(
      .certificate,
      attributes: [
        .certificateType: .number(3), .issuer: .bytes([0x30, 0]), .serialNumber: .bytes([1]), .creationDate: .date(0),
        .modificationDate: .date(0),
      ], data: [UInt8](repeating: 0xC0, count: 1000)),
    NewItem(
      .key,
      attributes: [
        .keyClass: .text("1"), .applicationLabel: .bytes([9, 9]), .applicationTag: .text("tag"),
        .startDate: .date(100), .creationDate: .date(0), .modificationDate: .date(0),
      ], accessControl: AccessControl(protection: .alwaysThisDeviceOnly, flags: .privateKeyUsage), data: [4]),
    NewItem(
      .genericPassword,
      attributes: [.account: .text("no data"), .creationDate: .date(0), .modificationDate: .date(0)],
      accessibility: .whenPasscodeSetThisDeviceOnly, data: nil),
    NewItem(
      .genericPassword,
      attributes: [.account: .text("large"), .creationDate: .date(0), .modificationDate: .date(0)],
      accessibility: .whenUnlockedThisDeviceOnly, data: [UInt8](repeating: 7, count: 20_000)),
    NewItem(
      .genericPassword,
      attributes: [.account: .text("c"), .creationDate: .date(0), .modificationDate: .date(0)],
      accessibility: .afterFirstUnlockThisDeviceOnly, data: [1]),
  ]

  private static let files = ["keychain.db", "keychain.key"]

  /// A copy of the fixture, as its owner would have it.
  private func copy() throws -> StoreFolder {
    let folder = try StoreFolder()
    let fixture = try #require(Bundle.module.url(forResource: "Fixtures/format-1", withExtension: nil))
    for file in Self.files {
      let copy = folder.path + "/" + file
      try FileManager.default.copyItem(atPath: fixture.path + "/" + file, toPath: copy)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
    }
    return folder
  }

  private func references() throws -> [String] {
    let file = try #require(Bundle.module.url(forResource: "Fixtures/format-1/references", withExtension: "txt"))
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  @Test("A keychain of this format is read with everything in it") func itIsReadWithEverythingInIt() throws {
    let folder = try copy()
    let store = try KeychainDatabase(KeychainDatabase.Configuration(path: folder.database))
    #expect(store.lockState == .beforeFirstUnlock)
    #expect(try store.status().format == 1)
    #expect(
      failure { () throws(StoreError) in try store.find(.all(), as: Self.caller) }?.isLocked == true)
    try store.unlock(passcode: Self.passcode)
    for (item, reference) in zip(Self.items, try references()) {
      let bytes = try Hexadecimal.decode(reference)
      let query = ItemQuery(
        item.itemClass, persistentReference: try PersistentReference(bytes: bytes), wantsData: true)
      let found = try #require(try store.find(query, as: Self.caller).first)
      #expect(found.attributes == item.attributes)
      #expect(found.data == item.data)
      #expect(found.accessGroup == item.accessGroup ?? "first")
      #expect(found.isSynchronizable == item.isSynchronizable)
      #expect(found.accessControl.flags == item.accessControl?.flags ?? [])
      let accessibility = item.accessibility ?? item.accessControl?.protection ?? .always
      #expect(found.accessibility == accessibility)
      // By its attributes too: the tags are still the same.
      var again = ItemQuery(item.itemClass, attributes: item.attributes, wantsData: true)
      again.synchronizable = .any
      #expect(try store.find(again, as: Self.caller).map(\.reference) == [found.reference])
    }
    #expect(try store.verify().isClean)
    let status = try store.status()
    #expect(status.format == 4, "the right passcode gives it a presence key, and tags that hang on it")
    #expect(status.hasPasscode)
    #expect(status.items == [.genericPassword: 4, .internetPassword: 1, .certificate: 1, .key: 1])
    #expect(try store.auditEntries().map(\.event).prefix(3) == [.created, .passcodeSet, .added])
  }

  @Test("A keychain stays in its format until its passcode is given") func itStaysOfItsFormatUntilItsPasscodeIsGiven()
    throws
  {
    let folder = try copy()
    func open() throws -> KeychainDatabase { try KeychainDatabase(.init(path: folder.database)) }
    var store = try open()
    #expect(failure { () throws(StoreError) in try store.unlock(passcode: Array("wrong passcode".utf8)) } != nil)
    #expect(try store.status().format == 1)
    #expect(store.parts.ring.presencePublicKey == nil)
    store.close()
    var readOnly = KeychainDatabase.Configuration(path: folder.database)
    readOnly.isReadOnly = true
    store = try KeychainDatabase(readOnly)
    try store.unlock(passcode: Self.passcode)
    #expect(
      failure { () throws(StoreError) in try store.presenceKey(passcode: Self.passcode) }
        == .readOnly(path: folder.database))
    store.close()
    store = try open()
    #expect(try store.status().format == 1)
    let key = try store.presenceKey(passcode: Self.passcode)
    #expect(store.lockState == .beforeFirstUnlock)
    #expect(try store.status().format == 3)
    store.close()
    store = try open()
    #expect(store.parts.ring.presencePublicKey?.rawRepresentation == key.publicKey.rawRepresentation)
    #expect(try store.verify().isClean)
    #expect(try folder.ask("SELECT count(*) FROM slot") == [9])
  }

  @Test("Its log names no key records, and shows at least that there is a passcode") func keyRecordsWithoutAPasscode()
    throws
  {
    let folder = try copy()
    let store = try KeychainDatabase(KeychainDatabase.Configuration(path: folder.database))
    let ring = store.parts.ring
    store.close()
    // As authentic as the root key makes them, and of a keychain without a passcode.
    let (_, records) = try KeyRing.create(storeUUID: ring.storeUUID, root: ring.root, cost: ring.cost)
    try folder.edit("UPDATE header SET state = zeroblob(200); DELETE FROM slot")
    for (index, record) in records.enumerated() {
      try folder.edit("INSERT INTO slot(id, record) VALUES(?, ?)", [index + 1, Data(record.encoded)])
    }
    let error = failure { () throws(StoreError) in try folder.open().repair(acceptsUnproven: true) }
    #expect(error.map { "\($0)".contains("older key records") } == true, "\(String(describing: error))")
  }

  @Test("A keychain of this format can be written, and its passcode removed") func itCanBeWrittenAndItsPasscodeRemoved()
    throws
  {
    let folder = try copy()
    let store = try folder.open()
    try store.unlock(passcode: Self.passcode)
    #expect(
      failure { () throws(StoreError) in try store.add(Self.items[0], as: Self.caller) } == .duplicateItem)
    try store.add(.password("new"), as: Self.caller)
    try store.removePasscode(current: Self.passcode)
    #expect(try store.find(.all(), as: Self.caller).count == 4)
    #expect(try store.verify().isClean)
  }

  /// Writes a fixture anew into the folder that `LATCHKEY_WRITE_FIXTURE` names: for a next format, never for this one.
  @Test(
    "The fixture was written by this code",
    .enabled(if: ProcessInfo.processInfo.environment["LATCHKEY_WRITE_FIXTURE"] != nil))
  func itWasWrittenLikeThis() throws {
    let place = try #require(ProcessInfo.processInfo.environment["LATCHKEY_WRITE_FIXTURE"])
    let folder = try StoreFolder()
    var configuration = folder.configuration()
    configuration.scryptRounds = 1 << 15
    let store = try KeychainDatabase(configuration)
    try store.setPasscode(Self.passcode, current: nil)
    let references = try Self.items.map {
      Hexadecimal.encode(try store.add($0, as: Self.caller).reference.bytes)
    }
    store.close()
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    for file in Self.files {
      try FileManager.default.copyItem(atPath: folder.path + "/" + file, toPath: place + "/" + file)
    }
    try (references.joined(separator: "\n") + "\n").write(
      toFile: place + "/references.txt", atomically: true, encoding: .utf8)
  }
}
