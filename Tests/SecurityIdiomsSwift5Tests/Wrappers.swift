import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// Constants in types, as wrappers of the keychain have them.
private enum Accessibility: RawRepresentable, CaseIterable {
  case whenUnlocked
  case afterFirstUnlock
  case whenPasscodeSet

  init?(rawValue: String) {
    switch rawValue {
    case String(kSecAttrAccessibleWhenUnlocked): self = .whenUnlocked
    case String(kSecAttrAccessibleAfterFirstUnlock): self = .afterFirstUnlock
    case String(kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly): self = .whenPasscodeSet
    default: return nil
    }
  }

  var rawValue: String {
    switch self {
    case .whenUnlocked: return String(kSecAttrAccessibleWhenUnlocked)
    case .afterFirstUnlock: return String(kSecAttrAccessibleAfterFirstUnlock)
    case .whenPasscodeSet: return kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly as String
    }
  }
}

private let SecClass: String = kSecClass as String
private let SecAttrAccount: String! = kSecAttrAccount as String?
private struct Constants {
  static let matchLimit = kSecMatchLimit as String
  static let returnData: String = toString(kSecReturnData)
  static let classKey: CFString = kSecClass
  static func toString(_ value: CFString) -> String { value as String }
}

/// The smallest wrapper that people write.
private final class TinyKeychain {
  subscript(key: String) -> String? {
    get {
      var query = base(key)
      query[Constants.returnData] = kCFBooleanTrue
      query[Constants.matchLimit] = kSecMatchLimitOne
      var result: AnyObject?
      guard SecItemCopyMatching(query as CFDictionary, &result) == noErr, let data = result as? Data else { return nil }
      return String(data: data, encoding: .utf8)
    }
    set {
      SecItemDelete(base(key) as CFDictionary)
      guard let data = newValue?.data(using: .utf8, allowLossyConversion: false) else { return }
      var query = base(key)
      query[kSecValueData as String] = data
      lastStatus = SecItemAdd(query as CFDictionary, nil)
    }
  }
  var lastStatus: OSStatus = noErr

  private func base(_ key: String) -> [String: Any] {
    [SecClass: kSecClassGenericPassword, SecAttrAccount: key, kSecAttrSynchronizable as String: kCFBooleanFalse as Any]
  }
}

@Suite(.temporaryKeychain) struct Wrappers {
  @Test func aSubscript() {
    let keychain = TinyKeychain()
    keychain["token"] = "abc"
    #expect(keychain["token"] == "abc" && keychain.lastStatus == errSecSuccess)
    keychain["token"] = "def"
    #expect(keychain["token"] == "def")
    keychain["token"] = nil
    #expect(keychain["token"] == nil)
  }

  @Test func anEnumOfConstants() {
    for accessibility in Accessibility.allCases {
      #expect(Accessibility(rawValue: accessibility.rawValue) == accessibility)
    }
    #expect(Accessibility(rawValue: "dk") == nil)
    #expect(Constants.classKey as String == SecClass)
  }

  @Test func randomBytesForAKey() {
    var bytes = [UInt8](repeating: 0, count: 32)
    let status = SecRandomCopyBytes(kSecRandomDefault, bytes.count, &bytes)
    #expect(status == errSecSuccess && bytes.contains { $0 != 0 })
    var data = Data(count: 16)
    let result = data.withUnsafeMutableBytes {
      SecRandomCopyBytes(kSecRandomDefault, 16, $0.bindMemory(to: UInt8.self).baseAddress!)
    }
    #expect(result == errSecSuccess && data != Data(count: 16))
  }

  @Test func everythingIsDeletedClassByClass() {
    TinyKeychain()["one"] = "1"
    let classes = [
      kSecClassGenericPassword, kSecClassInternetPassword, kSecClassCertificate, kSecClassKey, kSecClassIdentity,
    ]
    for itemClass in classes {
      let status = SecItemDelete([kSecClass: itemClass] as NSDictionary)
      #expect(status == (itemClass == kSecClassGenericPassword ? errSecSuccess : errSecItemNotFound))
    }
  }

  @Test func updateOrAdd() {
    let query: NSDictionary = [kSecClass: kSecClassGenericPassword, kSecAttrService: "upsert", kSecAttrAccount: "me"]
    for value in ["one", "two"] {
      let attributes: NSDictionary = [kSecValueData: Data(value.utf8)]
      var status = SecItemUpdate(query, attributes)
      if status == errSecItemNotFound {
        let add = query.mutableCopy() as! NSMutableDictionary
        add.addEntries(from: attributes as! [AnyHashable: Any])
        status = SecItemAdd(add, nil)
      }
      #expect(status == errSecSuccess)
    }
    let find = query.mutableCopy() as! NSMutableDictionary
    find[kSecReturnData] = kCFBooleanTrue
    var result: CFTypeRef?
    #expect(SecItemCopyMatching(find, &result) == errSecSuccess)
    #expect((result as? Data).map { String(decoding: $0, as: UTF8.self) } == "two")
  }

  @Test func typesAreAskedFor() {
    let value: Any = kCFBooleanTrue as Any
    #expect(CFGetTypeID(value as CFTypeRef) == CFBooleanGetTypeID())
    #expect(CFBooleanGetValue((value as! CFBoolean)))
    #expect(CFEqual(kSecClass, "class" as CFString))
  }
}
