import Foundation
import LatchkeyKeychainItems
import LatchkeyKeychainTesting
import LatchkeySwiftTesting
import Security
import Testing

@Suite(.temporaryKeychain) struct KeychainTests {
  private let keychain = Keychain(service: "com.example.app")

  @Test("A text is set, read, changed and removed") func aTextIsSetReadChangedAndRemoved() throws {
    #expect(try keychain.get("token") == nil)
    try keychain.set("one", as: "token")
    #expect(try keychain.get("token") == "one")
    try keychain.set("two", as: "token")
    #expect(try keychain.get("token") == "two")
    #expect(try keychain.contains("token"))
    #expect(try keychain.remove("token"))
    #expect(try !keychain.remove("token"))
    #expect(try !keychain.contains("token"))
    #expect(try keychain.get("token") == nil)
  }

  @Test("Subscripts read, set and remove") func subscriptsReadSetAndRemove() {
    #expect(keychain["token"] == nil)
    keychain["token"] = "王尼玛"
    #expect(keychain["token"] == "王尼玛")
    #expect(keychain[data: "token"] == Data("王尼玛".utf8))
    keychain[data: "token"] = Data([0xFF])
    #expect(keychain[data: "token"] == Data([0xFF]))
    #expect(keychain["token"] == nil)
    keychain["token"] = nil
    #expect(keychain[data: "token"] == nil)
    #expect(keychain["never"] == nil)
    keychain["never"] = nil
  }

  @Test("An empty text and empty data are there") func anEmptyTextAndEmptyDataAreThere() throws {
    try keychain.set("", as: "text")
    try keychain.set(Data(), as: "data")
    #expect(try keychain.get("text") == "")
    #expect(try keychain.getData("data") == Data())
  }

  @Test("Data that are no text are distinguished from nothing") func dataThatAreNoTextAreDistinguishedFromNothing()
    throws
  {
    try keychain.set(Data([0xFF, 0xFE]), as: "key")
    #expect(throws: KeychainItemError.unreadable(reason: "its data are no UTF-8 text")) { try keychain.get("key") }
  }

  private struct Profile: Codable, Equatable, Sendable {
    var name: String
    var age: Int
  }

  @Test("Values of Codable types come back, of other types do not") func valuesOfCodableTypesComeBackOfOtherTypesDoNot()
    throws
  {
    let profile = Profile(name: "王尼玛", age: 30)
    #expect(try keychain.get(Profile.self, "profile") == nil)
    try keychain.set(profile, as: "profile")
    #expect(try keychain.get(Profile.self, "profile") == profile)
    #expect(throws: KeychainItemError.notDecodable(type: "Int")) { try keychain.get(Int.self, "profile") }
    try keychain.set(5, as: "number")
    #expect(try keychain.get(Int.self, "number") == 5)
    try keychain.set("plain", as: "text")
    #expect(throws: KeychainItemError.self) { try keychain.get(Int.self, "text") }
  }

  @Test("All keys and items are those of the service alone") func allKeysAndItemsAreThoseOfTheServiceAlone() throws {
    let other = Keychain(service: "com.example.other")
    try other.set("x", as: "a")
    #expect(try keychain.allKeys() == [])
    for key in ["a", "b", "c"] { try keychain.set(key, as: key) }
    #expect(try keychain.allKeys().sorted() == ["a", "b", "c"])
    let item = try #require(try keychain.allItems().first { $0.key == "b" })
    #expect(item.service == "com.example.app")
    try keychain.removeAll()
    try keychain.removeAll()
    #expect(try keychain.allKeys() == [])
    #expect(try other.get("a") == "x")
  }

  @Test("Attributes are those that were set") func attributesAreThoseThatWereSet() throws {
    #expect(try keychain.attributes("token") == nil)
    try keychain.label("a label").comment("a comment").accessibility(.afterFirstUnlockThisDeviceOnly)
      .set("secret", as: "token")
    let item = try #require(try keychain.attributes("token"))
    #expect(item.key == "token")
    #expect(item.service == "com.example.app")
    #expect(item.server == nil)
    #expect(item.label == "a label")
    #expect(item.comment == "a comment")
    #expect(item.accessibility == .afterFirstUnlockThisDeviceOnly)
    #expect(!item.isSynchronizable)
    #expect(item.creationDate != nil)
    #expect(item.modificationDate != nil)
    #expect(item.accessGroup != nil)
    let reference = try #require(item.persistentReference)

    // Setting a value alone leaves the rest, and the item, as they are.
    try keychain.set("other", as: "token")
    let after = try #require(try keychain.attributes("token"))
    #expect(after.label == "a label")
    #expect(after.accessibility == .afterFirstUnlockThisDeviceOnly)
    #expect(after.persistentReference == reference)
    try keychain.accessibility(.always).label("another").set("other", as: "token")
    #expect(try keychain.attributes("token")?.accessibility == .always)
    #expect(try keychain.attributes("token")?.label == "another")
  }

  @Test("New items are readable while unlocked") func newItemsAreReadableWhileUnlocked() throws {
    try keychain.set("secret", as: "token")
    #expect(try keychain.attributes("token")?.accessibility == .whenUnlocked)
  }

  @Test("Synchronizable items and others do not see each other") func synchronizableItemsAndOthersDoNotSeeEachOther()
    throws
  {
    let synchronizable = keychain.synchronizable(true)
    try keychain.set("here", as: "token")
    try synchronizable.set("everywhere", as: "token")
    #expect(try keychain.get("token") == "here")
    #expect(try synchronizable.get("token") == "everywhere")
    #expect(try synchronizable.attributes("token")?.isSynchronizable == true)
    try keychain.removeAll()
    #expect(try synchronizable.get("token") == "everywhere")
  }

  @Test("Server, protocol and port distinguish internet passwords")
  func serverProtocolAndPortDistinguishInternetPasswords() throws {
    let keychain = Keychain(server: "example.com", protocol: .https, authenticationType: .httpBasic, port: 443)
    try keychain.set("secret", as: "user")
    #expect(try keychain.get("user") == "secret")
    #expect(try keychain.attributes("user")?.server == "example.com")
    for other in [
      Keychain(server: "example.com", protocol: .http, authenticationType: .httpBasic, port: 443),
      Keychain(server: "example.org", protocol: .https, authenticationType: .httpBasic, port: 443),
      Keychain(server: "example.com", protocol: .https, authenticationType: .httpBasic, port: 8443),
      Keychain(server: "example.com", protocol: .https, authenticationType: .httpDigest, port: 443),
      Keychain(service: "example.com"),
    ] { #expect(try other.get("user") == nil) }
  }

  @Test("It is the item that SecItem calls see") func itIsTheItemThatSecItemCallsSee() throws {
    try keychain.set("secret", as: "token")
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "com.example.app",
      kSecAttrAccount as String: "token", kSecReturnData as String: true,
    ]
    var result: CFTypeRef?
    #expect(SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
    #expect(result as? Data == Data("secret".utf8))
  }

  // MARK: Asynchronous calls

  @Test("Asynchronous calls do the same, on the keychain of their task")
  func asynchronousCallsDoTheSameOnTheKeychainOfTheirTask() async throws {
    try await keychain.set("one", as: "token")
    #expect(try await keychain.get("token") == "one")
    #expect(try await keychain.getData("token") == Data("one".utf8))
    #expect(try await keychain.contains("token"))
    try await keychain.set(Profile(name: "a", age: 1), as: "profile")
    #expect(try await keychain.get(Profile.self, "profile") == Profile(name: "a", age: 1))
    #expect(try await keychain.allKeys().sorted() == ["profile", "token"])
    #expect(try await keychain.attributes("token")?.key == "token")
    #expect(try await keychain.remove("token"))
    #expect(try await !keychain.remove("token"))
    try await keychain.removeAll()
    #expect(try await keychain.allItems().isEmpty)
  }

  @Test("Asynchronous calls leave the main actor") @MainActor func asynchronousCallsLeaveTheMainActor() async throws {
    try await keychain.set("one", as: "token")
    #expect(try await keychain.get("token") == "one")
  }

  /// All find nothing to change and add: but for one they hear that it exists by now, and change it after all.
  @Test("Tasks that set one new item at the same time leave one item")
  func tasksThatSetOneNewItemAtTheSameTimeLeaveOneItem() async throws {
    for round in 0..<8 {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask { try await keychain.set("value \(number)", as: "key \(round)") }
        }
        try await group.waitForAll()
      }
      #expect(try await keychain.get("key \(round)")?.hasPrefix("value ") == true)
    }
    #expect(try await keychain.allKeys().count == 8)
  }

  @Test("An item that is set again and again is never away") func anItemThatIsSetAgainAndAgainIsNeverAway() async throws
  {
    try await keychain.set("value", as: "token")
    let reader = Task {
      for _ in 0..<100 where try await keychain.get("token") == nil { return false }
      return true
    }
    for number in 0..<50 { try await keychain.set("value \(number)", as: "token") }
    #expect(try await reader.value)
  }
}

@Suite struct KeychainRefusalTests {
  private let keychain = Keychain(service: "com.example.app")

  @Test("A locked keychain says so, and nothing else") func aLockedKeychainSaysSoAndNothingElse() throws {
    let temporary = try TemporaryKeychain(passcode: "correct horse battery")
    try temporary.use {
      try keychain.set("secret", as: "token")
      temporary.lock()
      #expect(throws: KeychainItemError.locked) { try keychain.get("token") }
      #expect(throws: KeychainItemError.locked) { try keychain.set("other", as: "token") }
      #expect(throws: KeychainItemError.locked) { try keychain.set("new", as: "new") }
      try temporary.unlock()
      #expect(try keychain.get("token") == "secret")
      #expect(try keychain.get("new") == nil)
    }
  }

  @Test("Items for after the first unlock are there while locked") func itemsForAfterTheFirstUnlockAreThereWhileLocked()
    throws
  {
    let temporary = try TemporaryKeychain(passcode: "correct horse battery")
    try temporary.use {
      let keychain = keychain.accessibility(.afterFirstUnlock)
      try keychain.set("secret", as: "token")
      temporary.lock()
      #expect(try keychain.get("token") == "secret")
    }
  }

  @Test("Items that need a passcode are refused without one", .temporaryKeychain)
  func itemsThatNeedAPasscodeAreRefusedWithoutOne() {
    #expect(throws: KeychainItemError.authenticationFailed) {
      try keychain.accessibility(.whenPasscodeSetThisDeviceOnly).set("secret", as: "token")
    }
  }

  @Test("Another program's access group needs an entitlement", .temporaryKeychain)
  func anotherProgramsAccessGroupNeedsAnEntitlement() {
    let keychain = Keychain(service: "com.example.app", accessGroup: "TEAM.other")
    #expect(throws: KeychainItemError.missingEntitlement) { try keychain.get("token") }
    #expect(throws: KeychainItemError.missingEntitlement) { try keychain.set("a", as: "token") }
    #expect(throws: KeychainItemError.missingEntitlement) { try keychain.remove("token") }
    #expect(throws: KeychainItemError.missingEntitlement) { try keychain.allKeys() }
  }
}
