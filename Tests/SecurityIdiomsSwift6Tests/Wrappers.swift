import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// Constants as raw values.
private enum ItemClass: CaseIterable, Sendable {
  case genericPassword, internetPassword, certificate, key, identity

  var rawValue: CFString {
    switch self {
    case .genericPassword: kSecClassGenericPassword
    case .internetPassword: kSecClassInternetPassword
    case .certificate: kSecClassCertificate
    case .key: kSecClassKey
    case .identity: kSecClassIdentity
    }
  }

  init?(rawValue: CFString) {
    guard let match = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = match
  }
}

/// A setting that crosses threads keeps texts, not Core Foundation's strings.
private struct Options: Sendable {
  static let accessibleKey = kSecAttrAccessible as String
  static var limitKey: CFString { kSecMatchLimit }
  var accessibility = kSecAttrAccessibleAfterFirstUnlock as String
  var service: String
}

/// A store behind an actor, of values that can be encoded.
private actor SecretStore {
  private let options: Options
  init(_ options: Options) { self.options = options }

  func set<Value: Encodable>(_ value: Value, for account: String) throws {
    let data = try JSONEncoder().encode(value)
    var query = query(account)
    let status = SecItemUpdate(query as CFDictionary, [kSecValueData as String: data] as CFDictionary)
    if status == errSecItemNotFound {
      query[kSecValueData as String] = data
      query[Options.accessibleKey] = options.accessibility
      try check(SecItemAdd(query as CFDictionary, nil))
    } else {
      try check(status)
    }
  }

  func value<Value: Decodable>(_ type: Value.Type, for account: String) throws -> Value? {
    var query = query(account)
    query[kSecReturnData as String] = true
    query[Options.limitKey as String] = kSecMatchLimitOne
    var item: CFTypeRef?
    switch SecItemCopyMatching(query as CFDictionary, &item) {
    case errSecSuccess: return try (item as? Data).map { try JSONDecoder().decode(type, from: $0) }
    case errSecItemNotFound: return nil
    case let status: throw Failure(status: status)
    }
  }

  private func query(_ account: String) -> [String: Any] {
    [
      kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: options.service,
      kSecAttrAccount as String: account,
    ]
  }
}

@Suite(.temporaryKeychain) struct Wrappers {
  @Test func anActorKeepsValues() async throws {
    let store = SecretStore(Options(service: "actor"))
    #expect(try await store.value([String].self, for: "list") == nil)
    try await store.set(["a"], for: "list")
    try await store.set(["a", "b"], for: "list")
    #expect(try await store.value([String].self, for: "list") == ["a", "b"])
  }

  @Test func manyTasksAtOnce() async throws {
    await withTaskGroup(of: OSStatus.self) { group in
      for number in 0..<20 {
        group.addTask {
          let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: "task \(number % 10)", kSecValueData: Data([1]),
          ]
          return SecItemAdd(query as CFDictionary, nil)
        }
      }
      var counts: [OSStatus: Int] = [:]
      for await status in group { counts[status, default: 0] += 1 }
      #expect(counts == [errSecSuccess: 10, errSecDuplicateItem: 10])
    }
  }

  @Test func rawValuesGoBothWays() {
    for itemClass in ItemClass.allCases { #expect(ItemClass(rawValue: itemClass.rawValue) == itemClass) }
    #expect(ItemClass(rawValue: "none" as CFString) == nil)
  }

  @Test func aSwitchOverCoreFoundationStrings() {
    let names = ItemClass.allCases.map { itemClass in
      switch itemClass.rawValue {
      case kSecClassGenericPassword, kSecClassInternetPassword: "password"
      case kSecClassCertificate: "certificate"
      case let other: other as String
      }
    }
    #expect(names == ["password", "password", "certificate", "keys", "idnt"])
  }

  @Test func stringsAreComparedAndPutTogether() {
    #expect(kSecClass == "class" as CFString)
    #expect((kSecAttrAccount as String) + "." + String(kSecAttrService) == "acct.svce")
    #expect("\(kSecMatchLimitAll)" == "m_LimitAll")
    #expect(Set([kSecAttrType, kSecAttrKeyType]).count == 1)
    #expect([kSecClass as String: 1][kSecClass as String] == 1)
  }

  @Test func objectsInAny() throws {
    let values: [Any] = [kCFBooleanTrue!, kCFBooleanFalse as Any, kSecClass, Data([1]) as CFData, 5 as CFNumber]
    #expect(values.compactMap { $0 as? Bool }.first == true)
    #expect(values[1] as! Bool == false)
    #expect(values[3] as? Data == Data([1]))
    #expect((values[4] as! NSNumber).intValue == 5)
    #expect(CFGetTypeID(values[0] as CFTypeRef) == CFBooleanGetTypeID())
    #expect(CFGetTypeID(values[4] as CFTypeRef) == CFNumberGetTypeID())
  }

  @Test func randomBytes() throws {
    var key = Data(count: 32)
    let status = key.withUnsafeMutableBytes { buffer in
      SecRandomCopyBytes(kSecRandomDefault, buffer.count, buffer.baseAddress!)
    }
    try check(status)
    #expect(key != Data(count: 32))
    let nonce = [UInt8](unsafeUninitializedCapacity: 12) { buffer, count in
      count = SecRandomCopyBytes(kSecRandomDefault, 12, buffer.baseAddress!) == errSecSuccess ? 12 : 0
    }
    #expect(nonce.count == 12)
  }
}
