import Foundation
import LatchkeyKeychainItems
import LatchkeyKeychainTesting
import LatchkeySwiftTesting
import Security
import Testing

@Suite(.temporaryKeychain) struct KeyChainManagerTests {
  private var manager: KeyChainManager {
    var manager = KeyChainManager()
    manager.logRounds = EnvelopeTests.logRounds
    return manager
  }

  private let person = ["password": "12345", "name": "王尼玛", "id": "441781197887677873"]

  /// The item's data, as SecItem returns it.
  private func stored(_ identifier: String) throws -> Data {
    var result: CFTypeRef?
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: identifier,
      kSecAttrAccount as String: identifier, kSecReturnData as String: true,
    ]
    #expect(SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
    return try #require(result as? Data)
  }

  private func store(_ data: Data, _ identifier: String) {
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: identifier,
      kSecAttrAccount as String: identifier,
    ]
    SecItemDelete(query as CFDictionary)
    let item = query.merging([kSecValueData as String: data]) { $1 }
    #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
  }

  @Test("A value is saved, loaded, replaced and deleted") func aValueIsSavedLoadedReplacedAndDeleted() throws {
    #expect(try manager.load("id") == nil)
    try manager.save(person, for: "id")
    #expect(try manager.load("id") as? [String: String] == person)
    try manager.save(["only": 1], for: "id")
    #expect(try manager.load("id") as? [String: Int] == ["only": 1])
    #expect(try manager.load("other") == nil)
    #expect(try manager.delete("id"))
    #expect(try !manager.delete("id"))
    #expect(try manager.load("id") == nil)
  }

  @Test("An update is false where nothing is, and saves nothing") func anUpdateIsFalseWhereNothingIsAndSavesNothing()
    throws
  {
    #expect(try !manager.update(person, for: "id"))
    #expect(try manager.load("id") == nil)
    try manager.save(1, for: "id")
    #expect(try manager.update(person, for: "id"))
    #expect(try manager.load("id") as? [String: String] == person)
    #expect(try !manager.update(person, for: "other", password: "pass"))
    #expect(try manager.load("other") == nil)
  }

  @Test("Values of every kind come back") func valuesOfEveryKindComeBack() throws {
    let values: [Any] = ["text", 5, 0.5, true, Data([1]), Date(timeIntervalSinceReferenceDate: 1), [1, 2], ["k": "v"]]
    for (index, value) in values.enumerated() {
      for form in [KeyChainManager.Form.propertyList, .keyedArchive] {
        let manager = KeyChainManager(form: form)
        try manager.save(value, for: "id")
        let back = try #require(try manager.load("id"))
        #expect(NSArray(array: [back]) == NSArray(array: [value]), "\(index)")
      }
    }
    #expect(throws: KeychainItemError.notAPropertyList) { try manager.save(NSNull(), for: "id") }
    #expect(throws: KeychainItemError.notAPropertyList) {
      try manager.save(["k": URL(fileURLWithPath: "/")], for: "id")
    }
  }

  @Test("Archives of the legacy code are loaded, and archives are written on request")
  func archivesOfTheLegacyCodeAreLoaded() throws {
    let archive = try NSKeyedArchiver.archivedData(withRootObject: person, requiringSecureCoding: true)
    store(archive, "id")
    #expect(try manager.load("id") as? [String: String] == person)

    try KeyChainManager(form: .keyedArchive).save(person, for: "id")
    let read = try NSKeyedUnarchiver.unarchivedObject(
      ofClasses: [NSDictionary.self, NSString.self], from: try stored("id"))
    #expect(read as? [String: String] == person)
    #expect(try manager.load("id") as? [String: String] == person)
  }

  @Test("Archives of other classes and damaged ones are errors, and the program goes on")
  func archivesOfOtherClassesAndDamagedOnes() throws {
    let archive = try NSKeyedArchiver.archivedData(withRootObject: person, requiringSecureCoding: true)
    store(try NSKeyedArchiver.archivedData(withRootObject: NSUUID(), requiringSecureCoding: true), "id")
    #expect(throws: KeychainItemError.self) { try manager.load("id") }
    for length in [0, 1, 40, archive.count - 1] {
      store(archive.prefix(length), "id")
      #expect(throws: KeychainItemError.self) { try manager.load("id") }
    }
  }

  @Test("An encrypted value needs its password") func anEncryptedValueNeedsItsPassword() throws {
    try manager.save(person, for: "id", password: "correct horse")
    #expect(try manager.load("id", password: "correct horse") as? [String: String] == person)
    #expect(throws: KeychainItemError.wrongPassword) { try manager.load("id", password: "Correct horse") }
    #expect(throws: KeychainItemError.emptyPassword) { try manager.load("id", password: "") }
    #expect(throws: KeychainItemError.emptyPassword) { try manager.save(person, for: "id", password: "") }
    #expect(throws: KeychainItemError.encrypted) { try manager.load("id") }
    #expect(try manager.load("other", password: "any") == nil)

    try manager.save(person, for: "id")
    #expect(throws: KeychainItemError.notEncrypted) { try manager.load("id", password: "correct horse") }
  }

  @Test("An encrypted value is updated and replaced") func anEncryptedValueIsUpdatedAndReplaced() throws {
    try manager.save(1, for: "id")
    #expect(try manager.update(2, for: "id", password: "one"))
    #expect(try manager.load("id", password: "one") as? Int == 2)
    #expect(try manager.update(3, for: "id", password: "two"))
    #expect(throws: KeychainItemError.wrongPassword) { try manager.load("id", password: "one") }
    #expect(try manager.load("id", password: "two") as? Int == 3)
    #expect(try manager.delete("id"))
  }

  @Test("No plain text stands in an encrypted item") func noPlainTextStandsInAnEncryptedItem() throws {
    try manager.save(["name": "needle"], for: "id", password: "haystack")
    let data = try stored("id")
    for text in ["needle", "haystack", "name"] { #expect(data.range(of: Data(text.utf8)) == nil) }
    try manager.save(["name": "needle"], for: "id")
    #expect(try stored("id").range(of: Data("needle".utf8)) != nil)
  }

  @Test("Damage is distinguished from a wrong password") func damageIsDistinguishedFromAWrongPassword() throws {
    try manager.save(person, for: "id", password: "pass")
    let whole = try stored("id")
    // A byte of salt, key check, nonce, digest, content, and one too few.
    for offset in [20, 50, 80, 90, 110] {
      var data = whole
      data[offset] ^= 1
      store(data, "id")
      #expect(throws: KeychainItemError.damaged, "\(offset)") { try manager.load("id", password: "pass") }
    }
    store(whole.dropLast(), "id")
    #expect(throws: KeychainItemError.damaged) { try manager.load("id", password: "pass") }
    var newer = whole
    newer[4] = 2
    store(newer, "id")
    #expect(throws: KeychainItemError.newerFormat) { try manager.load("id", password: "pass") }
    store(Data([1, 2, 3]), "id")
    #expect(throws: KeychainItemError.self) { try manager.load("id", password: "pass") }
    // Under another identifier it does not open, even with the password.
    store(whole, "other")
    #expect(throws: KeychainItemError.damaged) { try manager.load("other", password: "pass") }
  }

  @Test("The document's names serve the default identifier") func theDocumentsNamesServeTheDefaultIdentifier() throws {
    #expect(try KeyChainManager.LoadKeyChain() == nil)
    try KeyChainManager.SaveKeyChain(person)
    #expect(try KeyChainManager.LoadKeyChain() as? [String: String] == person)
    #expect(try manager.load() as? [String: String] == person)
    try KeyChainManager.SaveKeyChain(["only": 1])
    #expect(try KeyChainManager.LoadKeyChain() as? [String: Int] == ["only": 1])
    try manager.save(person, password: "pass")
    #expect(throws: KeychainItemError.encrypted) { try KeyChainManager.LoadKeyChain() }
  }

  @Test("Values are readable from the first unlock on by default") func valuesAreReadableFromTheFirstUnlockOnByDefault()
    throws
  {
    try manager.save(1, for: "id")
    let keychain = Keychain(service: "id")
    #expect(try keychain.attributes("id")?.accessibility == .afterFirstUnlockThisDeviceOnly)
    try KeyChainManager(accessibility: .whenUnlocked).save(1, for: "id")
    #expect(try keychain.attributes("id")?.accessibility == .whenUnlocked)
  }
}

@Suite struct KeyChainManagerRefusalTests {
  @Test("A locked keychain is distinguished from a missing item and from a wrong password")
  func aLockedKeychainIsDistinguishedFromA() throws {
    let temporary = try TemporaryKeychain(passcode: "correct horse battery")
    try temporary.use {
      let manager = KeyChainManager(accessibility: .whenUnlocked)
      try manager.save("secret", for: "id")
      temporary.lock()
      #expect(throws: KeychainItemError.locked) { try manager.load("id") }
      #expect(throws: KeychainItemError.locked) { try manager.load("id", password: "pass") }
      #expect(throws: KeychainItemError.locked) { try manager.save("other", for: "id") }
    }
  }
}
