import ByteCoding
import Foundation
import KeychainModel
import KeychainTesting
import Testing

@testable import KeychainStore

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

  /// Writes the fixtures anew into the folder that `LATCHKEY_WRITE_FIXTURE` names: for a next format, never for this one.
  @Test(
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
