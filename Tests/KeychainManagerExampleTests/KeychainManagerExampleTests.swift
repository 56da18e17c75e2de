import Foundation
import LLKeyChain
import LatchkeyKeychainItems
import LatchkeySwiftTesting
import Security
import Testing

/// The document's code and demo (Examples/003-keychain-manager), against Security; then the same by the manager.
@Suite(.temporaryKeychain, .serialized) struct KeychainManagerExampleTests {
  let demo = ["password": "12345", "name": "王尼玛", "id": "441781197887677873"]

  /// The demo's output: each value on a line.
  func printed(_ dic: NSDictionary?) -> [String] {
    let srting = NSMutableString(string: "")
    for str in dic?.allValues ?? [] {
      srting.append(str as? String ?? "")
      srting.append("\n")
    }
    return (srting as String).split(separator: "\n").map { String($0) }.sorted()
  }

  let lines = ["12345", "441781197887677873", "王尼玛"]

  // MARK: The document's code

  @Test("The demo's dictionary is saved and loaded") func theDemosDictionaryIsSavedAndLoaded() {
    LLKeyChain.saveData(demo, forIdentifier: "LLKeyChain")
    let dic = LLKeyChain.load(forIdentifier: "LLKeyChain") as? NSDictionary
    #expect(printed(dic) == lines)
    #expect(dic as? [String: String] == demo)
  }

  @Test("The demo's dictionary is saved and loaded, encrypted") func theDemosDictionaryIsSavedAndLoadedEncrypted() {
    LLKeyChain.saveDataWithEncrypt(demo, forIdentifier: "LLKeyChain")
    let dicEnCrypt = LLKeyChain.load(forIdentifierWithEncrypt: "LLKeyChain") as? NSDictionary
    #expect(printed(dicEnCrypt) == lines)

    var keyData: CFTypeRef?
    let query = LLKeyChain.getKeychainQuery("LLKeyChain")
    query.setObject(kCFBooleanTrue!, forKey: kSecReturnData)
    #expect(SecItemCopyMatching(query as CFDictionary, &keyData) == noErr)
    #expect((keyData as? Data)?.range(of: Data("12345".utf8)) == nil)
  }

  @Test(
    "Data that are no archive load as nil in both modes",
    arguments: [Data(), Data([1, 2, 3]), Data("bplist00".utf8) + Data(repeating: 0xFF, count: 64)])
  func dataThatAreNoArchiveLoadAsNilInBothModes(value: Data) {
    LLKeyChain.saveData(demo, forIdentifier: "LLKeyChain")
    let query = LLKeyChain.getKeychainQuery("LLKeyChain")
    #expect(SecItemUpdate(query as CFDictionary, [kSecValueData: value] as CFDictionary) == errSecSuccess)
    #expect(LLKeyChain.load(forIdentifier: "LLKeyChain") == nil)
    #expect(LLKeyChain.load(forIdentifierWithEncrypt: "LLKeyChain") == nil)
  }

  @Test("A value saved in one mode does not load in the other") func aValueSavedInOneModeDoesNotLoadInTheOther() {
    LLKeyChain.saveData(demo, forIdentifier: "LLKeyChain")
    #expect(LLKeyChain.load(forIdentifierWithEncrypt: "LLKeyChain") == nil)
    LLKeyChain.saveDataWithEncrypt(demo, forIdentifier: "LLKeyChain")
    #expect(LLKeyChain.load(forIdentifier: "LLKeyChain") == nil)
  }

  @Test("A second save replaces the first one") func aSecondSaveReplacesTheFirstOne() {
    LLKeyChain.saveData(demo, forIdentifier: "LLKeyChain")
    LLKeyChain.saveData(["name": "another"], forIdentifier: "LLKeyChain")
    #expect(LLKeyChain.load(forIdentifier: "LLKeyChain") as? [String: String] == ["name": "another"])
  }

  @Test("Identifiers are separate, and a deleted value is gone") func identifiersAreSeparateAndADeletedValueIsGone() {
    LLKeyChain.saveData(demo, forIdentifier: "one")
    #expect(LLKeyChain.load(forIdentifier: "two") == nil)
    LLKeyChain.delete("two")
    #expect(LLKeyChain.load(forIdentifier: "one") != nil)
    LLKeyChain.delete("one")
    #expect(LLKeyChain.load(forIdentifier: "one") == nil)
  }

  /// The document's change set holds the class, which no update accepts, here as on Apple's systems.
  @Test("The document's update is refused, and changes nothing") func theDocumentsUpdateIsRefusedAndChangesNothing() {
    LLKeyChain.saveData(demo, forIdentifier: "LLKeyChain")
    #expect(!LLKeyChain.updateKeychainValue(["name": "another"], forIdentifier: "LLKeyChain"))
    #expect(!LLKeyChain.updateKeychainValueWithEncrypt(["name": "another"], forIdentifier: "LLKeyChain"))
    #expect(LLKeyChain.load(forIdentifier: "LLKeyChain") as? [String: String] == demo)
    let query = LLKeyChain.getKeychainQuery("LLKeyChain")
    #expect(SecItemUpdate(query as CFDictionary, query as CFDictionary) == errSecNoSuchAttr)
  }

  @Test("Without the class in its change set the update is made") func withoutTheClassInItsChangeSetTheUpdateIsMade() {
    LLKeyChain.saveData(demo, forIdentifier: "LLKeyChain")
    let changes = LLKeyChain.getKeychainQuery("LLKeyChain")
    changes.removeObject(forKey: kSecClass)
    changes.setObject(Data([1]), forKey: kSecValueData)
    let query = LLKeyChain.getKeychainQuery("LLKeyChain")
    #expect(SecItemUpdate(query as CFDictionary, changes as CFDictionary) == errSecSuccess)
    query.setObject(kCFBooleanTrue!, forKey: kSecReturnData)
    var keyData: CFTypeRef?
    #expect(SecItemCopyMatching(query as CFDictionary, &keyData) == noErr)
    #expect(keyData as? Data == Data([1]))
  }

  // MARK: The manager

  @Test("The demo by the manager's names") func theDemoByTheManagersNames() throws {
    //非加密模式
    //保存
    try KeyChainManager.SaveKeyChain(["password": "12345", "name": "王尼玛", "id": "441781197887677873"])
    //读取
    let dic = try KeyChainManager.LoadKeyChain() as? NSDictionary
    //打印
    #expect(printed(dic) == lines)

    //加密模式
    //保存
    KeyChainManager.setPassphrase(LLKeyChain.APP_PUBLIC_PASSWORD)
    defer { KeyChainManager.setPassphrase(nil) }
    try KeyChainManager.SaveKeyChainWithEncrypt(["password": "12345", "name": "王尼玛", "id": "441781197887677873"])
    //读取
    let dicEnCrypt = try KeyChainManager.LoadKeyChainWithEncrypt() as? NSDictionary
    //打印内容
    #expect(printed(dicEnCrypt) == lines)
    // NSLog(@"%@",dicEnCrypt)
    for line in ["id = 441781197887677873;", "password = 12345;"] { #expect("\(dicEnCrypt ?? [:])".contains(line)) }

    // With and without `password:` it is the same value.
    #expect(try KeyChainManager.LoadKeyChainWithEncrypt(password: "APP_PUBLIC_PASSWORD") as? [String: String] == demo)
    #expect(throws: KeychainItemError.wrongPassword) { try KeyChainManager.LoadKeyChainWithEncrypt(password: "other") }
  }

  @Test("The encrypted calls need a passphrase of the process or a password")
  func theEncryptedCallsNeedAPassphraseOfTheProcessOrAPassword() throws {
    KeyChainManager.setPassphrase(nil)
    #expect(throws: KeychainItemError.noPassphrase) { try KeyChainManager.SaveKeyChainWithEncrypt(demo) }
    #expect(throws: KeychainItemError.noPassphrase) { try KeyChainManager.LoadKeyChainWithEncrypt() }
    #expect(try KeyChainManager.LoadKeyChain() == nil)
    KeyChainManager.setPassphrase("")
    defer { KeyChainManager.setPassphrase(nil) }
    #expect(throws: KeychainItemError.emptyPassword) { try KeyChainManager.SaveKeyChainWithEncrypt(demo) }
  }

  @Test("The manager loads and changes values that the legacy code saved")
  func theManagerLoadsAndChangesValuesThatTheLegacyCodeSaved() throws {
    LLKeyChain.saveData(demo, forIdentifier: "LLKeyChain")
    let manager = KeyChainManager()
    #expect(try manager.load("LLKeyChain") as? [String: String] == demo)
    #expect(try manager.update(["name": "another"], for: "LLKeyChain"))
    #expect(try manager.load("LLKeyChain") as? [String: String] == ["name": "another"])
    #expect(try manager.delete("LLKeyChain"))
    #expect(LLKeyChain.load(forIdentifier: "LLKeyChain") == nil)
  }

  @Test("The legacy code loads archives of the manager") func theLegacyCodeLoadsArchivesOfTheManager() throws {
    let manager = KeyChainManager(form: .keyedArchive, accessibility: .alwaysThisDeviceOnly)
    try manager.save(demo, for: "LLKeyChain")
    #expect(LLKeyChain.load(forIdentifier: "LLKeyChain") as? [String: String] == demo)
  }

  @Test("An update by the manager is false where nothing is") func anUpdateByTheManagerIsFalseWhereNothingIs() throws {
    #expect(try !KeyChainManager().update(demo, for: "LLKeyChain"))
    #expect(try KeyChainManager().load("LLKeyChain") == nil)
  }
}
