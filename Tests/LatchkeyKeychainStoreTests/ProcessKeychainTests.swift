import LatchkeyTestSupport
import Foundation
import Glibc
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import Testing

@testable import LatchkeyKeychainStore

@Suite("The keychain of a process") struct ProcessKeychainTests {
  private func keychain(_ environment: [String: String]) -> ProcessKeychain {
    ProcessKeychain(
      settings: Result { () throws(StoreError) in
        try ProcessSettings(environment: environment, workingDirectory: nil, home: { nil })
      },
      configuration: { path in
        var configuration = KeychainDatabase.Configuration(path: path)
        configuration.scryptRounds = 16
        return configuration
      })
  }

  private func item(_ account: String, _ accessibility: Accessibility? = nil) -> NewItem {
    NewItem(
      .genericPassword, attributes: [.account: .text(account)], accessibility: accessibility, data: Array("s".utf8))
  }

  @Test("it is made where the settings say, once, with a key file beside it") func made() throws {
    let folder = try Folder()
    let keychain = keychain(["LATCHKEY_KEYCHAIN": folder.path + "/data/keychain.db"])
    let session = try keychain.session()
    #expect(session.entitlements == .none)
    #expect(session.store.lockState == .unlocked)
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/data"), "who has not written makes nothing")
    try session.store.add(item("a"), as: .none)
    let database = try keychain.database()
    #expect(try keychain.session().store === database)
    #expect(try keychain.database() === database)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/data")
    #expect(Set(names).isSuperset(of: ["keychain.db", "keychain.key"]))
    #expect(try folder.mode("data") == 0o700)
    for name in names { #expect(try folder.mode("data/" + name) == 0o600, "\(name)") }
  }

  @Test("a temporary one has a folder of its own, and leaves with it") func temporary() throws {
    let (one, two) = (keychain(["LATCHKEY_KEYCHAIN": "temporary:"]), keychain(["LATCHKEY_KEYCHAIN": "temporary:"]))
    let (first, second) = try (one.database(), two.database())
    #expect(first.path != second.path)
    #expect(try one.database() === first)
    try one.session().store.add(item("a"), as: .none)
    #expect(throws: StoreError.itemNotFound) { try two.session().store.find(ItemQuery(.genericPassword), as: .none) }
  }

  private func other(_ folder: Folder) throws -> KeychainDatabase {
    var configuration = KeychainDatabase.Configuration(path: folder.path + "/keychain.db")
    configuration.scryptRounds = 16
    return try KeychainDatabase(configuration)
  }

  @Test("after another process changed the keys it unlocks again by its passcode file") func keysChanged()
    throws
  {
    let folder = try Folder()
    let (first, second) = (Array("correct horse".utf8), Array("battery staple".utf8))
    let file = try folder.write("passcode", first)
    let keychain = keychain(["LATCHKEY_KEYCHAIN": folder.path + "/keychain.db", "LATCHKEY_PASSCODE_FILE": file])
    try keychain.session().store.add(item("a"), as: .none)
    let query = ItemQuery(.genericPassword, attributes: [.account: .text("a")], wantsData: true)
    let other = try other(folder)
    // A first passcode, then new keys under it.
    try other.setPasscode(first, current: nil)
    #expect(try keychain.session().store.find(query, as: .none).count == 1)
    try other.rotateKeys(passcode: first)
    #expect(try keychain.session().store.find(query, as: .none).count == 1)
    // Another passcode: the file is outdated, which is no error at each call, until somebody writes the new one into it.
    try other.setPasscode(second, current: first)
    for _ in 0..<2 {
      let session = try keychain.session()
      #expect(session.store.lockState == .beforeFirstUnlock)
      #expect(storeError { try session.store.find(query, as: .none) }?.isLocked == true)
    }
    unlink(file)
    try folder.write("passcode", second)
    #expect(try keychain.session().store.find(query, as: .none).count == 1)
    // Who unlocks by itself is not unlocked behind its back.
    try keychain.unlock(passcode: second)
    try other.rotateKeys(passcode: second)
    #expect(try keychain.session().store.lockState == .beforeFirstUnlock)
  }

  @Test("after another process changed the root key it opens the keychain again", arguments: [false, true])
  func rootKeyChanged(_ hasPasscode: Bool) throws {
    let folder = try Folder()
    let passcode = Array("correct horse".utf8)
    let file = try folder.write("passcode", passcode)
    let keychain = keychain(["LATCHKEY_KEYCHAIN": folder.path + "/keychain.db", "LATCHKEY_PASSCODE_FILE": file])
    try keychain.session().store.add(item("a"), as: .none)
    if hasPasscode { try other(folder).setPasscode(passcode, current: nil) }
    let held = try keychain.session().store
    for _ in 0..<2 {
      try other(folder).rotateRootKey(passcode: hasPasscode ? passcode : nil)
      #expect(try keychain.session().store.find(ItemQuery(.genericPassword), as: .none).count == 1)
    }
    #expect(storeError { try held.find(ItemQuery(.genericPassword), as: .none) }.isRootKeyUnavailable)
    #expect(try keychain.session().store !== held)
  }

  @Test("settings that make no sense are an error at every call") func badSettings() {
    let keychain = keychain([:])
    for _ in 0..<2 { #expect(storeError { try keychain.session() }.isConfiguration) }
  }

  @Test("a malformed entitlements file is an error until it is mended") func entitlements() throws {
    let folder = try Folder()
    let path = try folder.write("e", Array("nonsense".utf8))
    let keychain = keychain(["LATCHKEY_KEYCHAIN": folder.path + "/k.db", "LATCHKEY_ENTITLEMENTS": path])
    #expect(storeError { try keychain.session() }.isConfiguration)
    #expect(storeError { try keychain.session() }.isConfiguration)
    try folder.write(
      "e",
      Array("<plist><dict><key>keychain-access-groups</key><array><string>g</string></array></dict></plist>".utf8))
    #expect(try keychain.session().entitlements.accessGroups == ["g"])
    try folder.write("e", Array("nonsense again".utf8))
    #expect(try keychain.session().entitlements.accessGroups == ["g"], "read once")
  }

  @Test("a failed opening is tried again") func retried() throws {
    let folder = try Folder()
    let key = try folder.write("keychain.key", [UInt8](repeating: 1, count: 32), mode: 0o644)
    let keychain = keychain(["LATCHKEY_KEYCHAIN": folder.path + "/keychain.db"])
    #expect(storeError { try keychain.database() }.isUnsafeLocation)
    #expect(chmod(key, 0o600) == 0)
    #expect(throws: Never.self) { try keychain.database() }
  }

  @Test("a service's credential is the root key, and no key file is made") func credential() throws {
    let (folder, credentials) = (try Folder(), try Folder())
    try credentials.write("latchkey.root", [UInt8](repeating: 7, count: 32), mode: 0o400)
    let environment = ["LATCHKEY_KEYCHAIN": folder.path + "/k.db", "CREDENTIALS_DIRECTORY": credentials.path]
    // Which source is chosen is what counts here: the store itself asks systemd's variable of this very process.
    #expect(storeError { try keychain(environment).database() }.isRootKeyUnavailable)
    #expect(try !folder.names().contains("keychain.key"))
  }

  /// A keychain with a passcode, and something in it that only it opens.
  private func locked(_ folder: Folder) throws -> [String: String] {
    let environment = ["LATCHKEY_KEYCHAIN": folder.path + "/k.db"]
    let database = try keychain(environment).database()
    try database.add(item("a", .whenUnlocked), as: .none)
    try database.setPasscode(RingFixture.passcode, current: nil)
    database.close()
    return environment
  }

  @Test("without a passcode in the environment it starts before its first unlock") func beforeFirstUnlock() throws {
    let folder = try Folder()
    let keychain = try keychain(locked(folder))
    #expect(try keychain.session().store.lockState == .beforeFirstUnlock)
    #expect(storeError { try keychain.unlock(passcode: Array("wrong one".utf8)) }.isWrongPasscode)
    try keychain.unlock(passcode: RingFixture.passcode)
    #expect(try keychain.session().store.lockState == .unlocked)
    #expect(try keychain.session().store.find(ItemQuery(.genericPassword, wantsData: true), as: .none).count == 1)
  }

  @Test("the credential unlocks it at the start, before the passcode file is looked at") func unlocked() throws {
    let folder = try Folder()
    var environment = try locked(folder)
    environment["LATCHKEY_PASSCODE_FILE"] = try folder.write("p", RingFixture.passcode + [10])
    #expect(try keychain(environment).session().store.lockState == .unlocked)
    environment["LATCHKEY_PASSCODE_FILE"] = "/nowhere"
    environment["CREDENTIALS_DIRECTORY"] = folder.path
    try folder.write("latchkey.passcode", RingFixture.passcode, mode: 0o400)
    #expect(try keychain(environment).session().store.lockState == .unlocked)
  }

  @Test("a wrong passcode in the environment is an error, counts once, and the program's own goes before it")
  func wrongInEnvironment() throws {
    let folder = try Folder()
    var environment = try locked(folder)
    environment["LATCHKEY_PASSCODE_FILE"] = try folder.write("p", Array("wrong one".utf8))
    let keychain = keychain(environment)
    for _ in 0..<7 { #expect(storeError { try keychain.session() }.isWrongPasscode) }
    #expect(try keychain.database().lockState == .beforeFirstUnlock)
    try keychain.unlock(passcode: RingFixture.passcode)
    #expect(try keychain.session().store.lockState == .unlocked)
    keychain.lock()
    #expect(try keychain.session().store.lockState == .locked)
  }

  @Test("a passcode file is not held up by five wrong passcodes that were typed") func afterTypingErrors() throws {
    let folder = try Folder()
    var environment = try locked(folder)
    let typing = keychain(environment)
    for number in 0..<5 { #expect(storeError { try typing.unlock(passcode: [1, UInt8(number)]) }.isWrongPasscode) }
    guard case .passcodeDelayed? = storeError({ try typing.unlock(passcode: RingFixture.passcode) }) else {
      Issue.record("a typed passcode does not wait: this test shows nothing")
      return
    }
    environment["LATCHKEY_PASSCODE_FILE"] = try folder.write("p", RingFixture.passcode)
    #expect(try keychain(environment).session().store.lockState == .unlocked)
  }

  @Test("a program that locks is not unlocked behind its back") func locking() throws {
    let folder = try Folder()
    var environment = try locked(folder)
    environment["LATCHKEY_PASSCODE_FILE"] = try folder.write("p", RingFixture.passcode)
    let opened = keychain(environment)
    #expect(try opened.session().store.lockState == .unlocked)
    opened.lock()
    #expect(try opened.session().store.lockState == .locked)
    let unopened = keychain(environment)
    unopened.lock()
    #expect(try unopened.session().store.lockState == .beforeFirstUnlock)
  }

  @Test("a passcode file open to others keeps the keychain closed until it is mended") func openPasscodeFile() throws {
    let folder = try Folder()
    var environment = try locked(folder)
    let path = try folder.write("p", RingFixture.passcode, mode: 0o644)
    environment["LATCHKEY_PASSCODE_FILE"] = path
    let keychain = keychain(environment)
    #expect(storeError { try keychain.session() }.isUnsafeLocation)
    #expect(chmod(path, 0o600) == 0)
    #expect(try keychain.session().store.lockState == .unlocked)
  }

  @Test("a passcode file is of no interest to a keychain without a passcode") func needlessPasscode() throws {
    let folder = try Folder()
    let environment = ["LATCHKEY_KEYCHAIN": folder.path + "/k.db", "LATCHKEY_PASSCODE_FILE": "/nowhere"]
    #expect(try keychain(environment).session().store.lockState == .unlocked)
  }

  @Test("many at once open one keychain") func concurrently() async throws {
    let folder = try Folder()
    let keychain = keychain(["LATCHKEY_KEYCHAIN": folder.path + "/k.db"])
    let databases = try await withThrowingTaskGroup(of: KeychainDatabase.self) { group in
      for _ in 0..<8 { group.addTask { try keychain.database() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(databases.count == 8 && Set(databases.map { ObjectIdentifier($0) }).count == 1)
    // And then all calls go to it.
    #expect(try keychain.session().store === databases.first)
  }
}
