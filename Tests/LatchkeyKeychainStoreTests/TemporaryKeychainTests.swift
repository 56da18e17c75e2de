import Foundation
import Glibc
import LatchkeyKeychainModel
import LatchkeyKeychainStore
import LatchkeyKeychainTesting
import Testing

@Suite("A temporary keychain") struct TemporaryKeychainTests {
  private let item = NewItem(.genericPassword, attributes: [.account: .text("a")], data: [1, 2, 3])
  private let everything = ItemQuery(.genericPassword, limit: nil, wantsData: true)

  @Test("stands in the place of the process's keychain while its body runs, in child tasks too") func use() async throws
  {
    let keychain = try TemporaryKeychain()
    try keychain.use { () throws in
      let session = try KeychainSession.current()
      #expect(session.store === keychain.database)
      #expect(session.entitlements == .none)
      try session.store.add(item, as: session.entitlements)
    }
    let found = try await keychain.use {
      try await withThrowingTaskGroup(of: Int.self) { group in
        group.addTask { try KeychainSession.current().store.find(everything, as: .none).count }
        return try await group.next()
      }
    }
    #expect(found == 1)
  }

  @Test("answers what its body answers, and throws what that throws") func passing() async throws {
    struct Failure: Error {}
    let keychain = try TemporaryKeychain()
    #expect(keychain.use { 7 } == 7)
    #expect(await keychain.use { () async in 8 } == 8)
    #expect(throws: Failure.self) { try keychain.use { throw Failure() } }
    await #expect(throws: Failure.self) { try await keychain.use { () async throws in throw Failure() } }
  }

  @Test("is alone with its items") func alone() throws {
    let (one, two) = (try TemporaryKeychain(), try TemporaryKeychain())
    try one.database.add(item, as: .none)
    #expect(throws: StoreError.itemNotFound) { try two.database.find(everything, as: .none) }
    #expect(one.path != two.path)
  }

  @Test("accepts access groups by name") func accessGroups() async throws {
    let keychain = try TemporaryKeychain(passcode: "1", accessGroups: ["T.one"], isUnlocked: false)
    #expect(keychain.entitlements.accessGroups == ["T.one"] && keychain.database.lockState == .beforeFirstUnlock)
    #expect(
      keychain.use(accessGroups: ["T.two"]) { KeychainSession.replacement?.entitlements.accessGroups } == ["T.two"])
    let inTask = await keychain.use(accessGroups: []) { () async in KeychainSession.replacement?.entitlements }
    #expect(inTask?.accessGroups == [])
  }

  @Test("leaves nothing behind") func gone() throws {
    var keychain: TemporaryKeychain? = try TemporaryKeychain(passcode: "1234")
    let path = try #require(keychain?.path)
    try keychain?.database.add(item, as: .none)
    #expect(access(path, F_OK) == 0)
    keychain = nil
    #expect(access(path, F_OK) != 0)
    #expect(access(URL(fileURLWithPath: path).deletingLastPathComponent().path, F_OK) != 0)
  }

  @Test("with a passcode, is locked and unlocked as a test likes") func locking() throws {
    let keychain = try TemporaryKeychain(passcode: "1")
    #expect(keychain.database.lockState == .unlocked)
    try keychain.use { () throws in
      #expect(try KeychainLock.state == .unlocked)
      KeychainLock.lock()
      #expect(try KeychainLock.state == .locked)
      #expect(throws: StoreError.wrongPasscode(attemptsBeforeDelay: 4)) { try KeychainLock.unlock(passcode: "2") }
      try KeychainLock.unlock(passcode: "1")
      #expect(try KeychainLock.state == .unlocked)
    }
    keychain.lock()
    #expect(keychain.database.lockState == .locked)
    try keychain.unlock()
    #expect(keychain.database.lockState == .unlocked)
  }

  @Test("can be as it is after a start, before its first unlock") func started() throws {
    let keychain = try TemporaryKeychain(passcode: "1", isUnlocked: false)
    #expect(keychain.database.lockState == .beforeFirstUnlock)
    try keychain.unlock()
    #expect(keychain.database.lockState == .unlocked)
  }

  @Test("without a passcode, is always unlocked") func withoutPasscode() throws {
    let keychain = try TemporaryKeychain()
    keychain.lock()
    #expect(keychain.database.lockState == .unlocked)
    try keychain.unlock()
    try keychain.use { () throws in
      KeychainLock.lock()
      #expect(try KeychainLock.state == .unlocked)
      #expect(throws: StoreError.passcodeNotSet) { try KeychainLock.unlock(passcode: "1") }
    }
  }
}

@Suite("Two programs on one keychain") struct SharedGroupTests {
  private func program(_ name: String, groups: [String] = ["T.shared"]) throws -> Entitlements {
    Entitlements(applicationIdentifier: "T.\(name)", keychainAccessGroups: groups)
  }

  private func item(_ account: String, in group: String?) -> NewItem {
    NewItem(
      .genericPassword, attributes: [.account: .text(account)], accessGroup: group, data: Array(account.utf8))
  }

  /// The accounts that the caller of this moment finds.
  private func accounts(_ group: String? = nil) throws -> [String] {
    let session = try KeychainSession.current()
    let query = ItemQuery(.genericPassword, accessGroup: group, limit: nil, wantsData: true)
    let found: [StoredItem]
    do {
      found = try session.store.find(query, as: session.entitlements)
    } catch {
      guard error == .itemNotFound else { throw error }
      return []
    }
    return found.map { String(decoding: $0.data ?? [], as: UTF8.self) }
  }

  private func add(_ account: String, in group: String? = nil) throws {
    let session = try KeychainSession.current()
    try session.store.add(item(account, in: group), as: session.entitlements)
  }

  @Test("they see the items of the group they share, and nothing else of one another") func shared() throws {
    let keychain = try TemporaryKeychain()
    let (mail, notes) = (try program("mail"), try program("notes"))
    try keychain.use(entitlements: mail) { () throws in
      try add("for both")
      try add("mail's own", in: "T.mail")
    }
    try keychain.use(entitlements: notes) { () throws in
      #expect(try accounts() == ["for both"])
      try add("notes' own", in: "T.notes")
      try add("from notes", in: "T.shared")
      #expect(throws: StoreError.missingEntitlement(group: "T.mail")) { try accounts("T.mail") }
      #expect(throws: StoreError.missingEntitlement(group: "T.mail")) { try add("planted", in: "T.mail") }
      let session = try KeychainSession.current()
      let mails = ItemQuery(.genericPassword, attributes: [.account: .text("mail's own")])
      #expect(throws: StoreError.itemNotFound) { try session.store.find(mails, as: notes) }
      #expect(throws: StoreError.itemNotFound) { try session.store.delete(mails, as: notes) }
      #expect(throws: StoreError.itemNotFound) {
        try session.store.update(mails, with: ItemChanges(data: [0]), as: notes)
      }
    }
    try keychain.use(entitlements: mail) { () throws in
      #expect(try Set(accounts()) == ["for both", "mail's own", "from notes"])
    }
  }

  @Test("an item named by reference is still its group's alone") func reference() throws {
    let keychain = try TemporaryKeychain()
    let mail = try program("mail")
    let stored = try keychain.database.add(item("own", in: "T.mail"), as: mail)
    let query = ItemQuery(.genericPassword, persistentReference: stored.reference, wantsData: true)
    #expect(try keychain.database.find(query, as: mail).count == 1)
    #expect(throws: StoreError.itemNotFound) { try keychain.database.find(query, as: program("notes")) }
  }

  @Test("A self-written entitlement to everything is honored, as no authority verifies it") func everything() throws {
    let keychain = try TemporaryKeychain()
    for name in ["mail", "notes"] {
      try keychain.use(entitlements: program(name, groups: [])) { try add(name) }
    }
    let dumper = try Entitlements(
      parsing: Array(
        "<plist><dict><key>keychain-access-groups</key><array><string>*</string></array></dict></plist>".utf8),
      named: "dumper.entitlements")
    try keychain.use(entitlements: dumper) { () throws in
      #expect(try Set(accounts()) == ["mail", "notes"])
      #expect(try accounts("T.mail") == ["mail"])
    }
  }

  @Test("a program without any group is refused everything") func nothing() throws {
    let keychain = try TemporaryKeychain()
    try keychain.use(entitlements: Entitlements(accessGroups: [])) { () throws in
      #expect(throws: StoreError.missingEntitlement(group: nil)) { try accounts() }
      #expect(throws: StoreError.missingEntitlement(group: nil)) { try add("a") }
    }
  }
}
