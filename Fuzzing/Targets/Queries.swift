// modules: LatchkeyByteCoding LatchkeyKeychainModel Security
import Foundation
package import LatchkeyKeychainModel
import Security

/// Makes dictionaries of unusual keys and values from the input, and passes them to all four calls, over a keychain in memory.
/// Nothing may trap, each status is one that the calls document, and a call that fails leaves the result unchanged.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzQueries(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var source = ValueSource(bytes: Array(UnsafeBufferPointer(start: start, count: min(count, 4096))))
  let store = MemoryStore()
  KeychainSession.$replacement.withValue(KeychainSession(store: store, entitlements: .none)) {
    while !source.isEmpty {
      let dictionary = source.dictionary(depth: 0)
      let untouched = NSObject()
      var result: CFTypeRef? = untouched
      let status: OSStatus
      switch source.byte() % 4 {
      case 0: status = SecItemAdd(dictionary, &result)
      case 1: status = SecItemCopyMatching(dictionary, &result)
      case 2: status = SecItemUpdate(dictionary, source.dictionary(depth: 0))
      default: status = SecItemDelete(dictionary)
      }
      guard documented.contains(status) else { fatalError("\(status)") }
      if status != errSecSuccess, result !== untouched { fatalError("a result of a call that failed") }
    }
  }
  return 0
}

private let documented: Set<OSStatus> = [
  errSecSuccess, errSecParam, errSecNoSuchClass, errSecNoSuchAttr, errSecItemNotFound, errSecDuplicateItem,
  errSecMissingEntitlement, errSecUnimplemented, errSecDecode,
]

/// Keys and values, chosen by bytes: well-formed ones often enough that calls get beyond their first check.
private struct ValueSource {
  private var bytes: ArraySlice<UInt8>

  init(bytes: [UInt8]) { self.bytes = bytes[...] }

  var isEmpty: Bool { bytes.isEmpty }

  mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  private mutating func data() -> Data {
    let count = Int(byte() % 24)
    defer { bytes = bytes.dropFirst(count) }
    return Data(bytes.prefix(count))
  }

  private mutating func number() -> UInt64 { (0..<8).reduce(0) { sum, _ in sum << 8 | UInt64(byte()) } }

  mutating func dictionary(depth: Int) -> NSDictionary {
    let dictionary = NSMutableDictionary()
    if depth == 0, byte() % 8 > 0 { dictionary[kSecClass] = Self.classes[Int(byte()) % Self.classes.count] as NSString }
    for _ in 0..<(byte() % 10) { dictionary[key()] = value(depth: depth) }
    return dictionary
  }

  private mutating func key() -> NSObject {
    switch byte() % 16 {
    case 0: NSNumber(value: byte())
    case 1: Self.null
    case 2: data() as NSData
    case 3: String(decoding: data(), as: UTF8.self) as NSString
    case 4: NSDate(timeIntervalSinceReferenceDate: Double(bitPattern: number()))
    default: Self.keys[Int(byte()) % Self.keys.count] as NSString
    }
  }

  private mutating func value(depth: Int) -> Any {
    switch byte() % 20 {
    case 0: return NSNull()
    case 1: return NSNumber(value: Int64(bitPattern: number()))
    case 2: return NSNumber(value: number())
    case 3: return NSNumber(value: Double(bitPattern: number()))
    case 4: return NSDate(timeIntervalSinceReferenceDate: Double(bitPattern: number()))
    case 5: return depth < 4 ? dictionary(depth: depth + 1) : NSDictionary()
    case 6: return depth < 4 ? NSArray(array: (0..<(byte() % 4)).map { _ in value(depth: depth + 1) }) : NSArray()
    case 7: return NSObject()
    case 8: return UUID()
    case 9: return SecCertificateCreateWithData(nil, Self.certificate as NSData) as Any
    case 10:
      return SecAccessControlCreateWithFlags(
        nil, Self.texts[Int(byte()) % Self.texts.count] as NSString,
        SecAccessControlCreateFlags(rawValue: UInt(byte())), nil)
        as Any
    case 11: return Data(Self.classes[Int(byte()) % Self.classes.count].utf8) + Data([byte()]) + Data(count: 15)
    case 12: return data()
    case 13: return String(decoding: data(), as: UTF8.self)
    case 14: return Int(byte())
    case 15, 16: return byte() & 1 == 1
    default: return Self.texts[Int(byte()) % Self.texts.count]
    }
  }

  /// One object: Foundation's dictionary traps when it is given two as keys, since they are equal and hash differently.
  private static let null = NSNull()
  private static let classes = ["genp", "inet", "cert", "keys", "idnt", "apls"]
  private static let keys =
    ItemClass.stored.flatMap { AttributeSchema.attributes(of: $0).map(\.description).sorted() } + [
      "class", "agrp", "sync", "pdmn", "accc", "nleg", "clip", "v_Data", "v_Ref", "v_PersistentRef", "r_Data",
      "r_Attributes", "r_Ref", "r_PersistentRef", "m_Limit", "m_Issuers", "m_Policy", "m_EmailAddressIfPresent",
      "m_ValidOnDate", "m_TrustedOnly", "m_HostOrSubdomainOfHost", "m_SubjectContains", "m_SubjectStartsWith",
      "m_SubjectEndsWith", "m_SubjectWholeString", "m_CaseInsensitive", "m_DiacriticInsensitive", "m_WidthInsensitive",
      "u_ItemList", "u_AuthUI", "u_NoAuthUI", "u_OpPrompt", "u_AuthCtx", "u_CredRef", "f_", "f", "", "x",
    ]
  private static let texts = [
    "", "0", "1", "42", "-7", "text", "example.org", "default", "foreign", "com.apple.token", "syna", "m_LimitAll",
    "m_LimitOne", "u_AuthUIA", "u_AuthUIF", "u_AuthUIS", "ak", "ck", "dk", "aku", "cku", "dku", "akpu", "å", "Å", "😀",
    "Latchkey",
  ]
  /// C=NO, O=Latchkey Test, CN=Bob of Example.
  private static let certificate =
    Data(
      base64Encoded: """
        MIIBxTCCAWugAwIBAgICEAMwCgYIKoZIzj0EAwIwRzELMAkGA1UEBhMCTk8xFjAUBgNVBAoMDUxhdGNoa2V5IFRlc3QxIDAeBgNVBAMMF0xh\
        dGNoa2V5IFRlc3QgQXV0aG9yaXR5MB4XDTIwMDEwMTAwMDAwMFoXDTIxMDEwMTAwMDAwMFowPjELMAkGA1UEBhMCTk8xFjAUBgNVBAoMDUxh\
        dGNoa2V5IFRlc3QxFzAVBgNVBAMMDkJvYiBvZiBFeGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEM9ALbpkUn3vjEq7ORPbScLFX\
        2tfGKtXmyfZnDupPUio1aAhn8xL+ijHTk5ZTy1h1oloZGa8zl7T4W6Ff0uS++KNQME4wDAYDVR0TAQH/BAIwADAdBgNVHQ4EFgQUcBTbEXY0\
        PkpN2Oely30bLmyFqBcwHwYDVR0jBBgwFoAU5HjFSo1C6gezYun5ZL/1K0MivFEwCgYIKoZIzj0EAwIDSAAwRQIgRrE9pK31jpInIBYSe90+\
        +ZlN2zvR75fN41jbVWKGF1kCIQCREcBf8CQz+eAJ5wjb3VcA59dtvXfY2Ld93RTuUHxbCg==
        """) ?? Data()
}

/// A keychain in memory, without a lock and without keys: the store is not under test.
private final class MemoryStore: ItemStore, @unchecked Sendable {
  private var items: [StoredItem] = []
  private var added: UInt8 = 0
  let lockState = LockState.unlocked
  let sharedPath: String? = nil

  func add(_ item: NewItem, as caller: Entitlements) throws(StoreError) -> StoredItem {
    try require(item.accessGroup, caller)
    guard item.itemClass != .identity else { throw .invalidParameter("an identity") }
    var attributes = item.attributes
    attributes[.creationDate] = attributes[.creationDate] ?? .date(0)
    attributes[.modificationDate] = .date(0)
    added &+= 1
    let control =
      item.accessControl ?? AccessControl(protection: item.accessibility ?? .whenUnlocked)
    let uuid = [added] + [UInt8](repeating: 0, count: 15)
    guard let reference = try? PersistentReference(itemClass: item.itemClass, uuid: uuid) else {
      fatalError("a reference without 16 bytes")
    }
    var stored = StoredItem(
      reference: reference,
      attributes: attributes, accessGroup: item.accessGroup ?? Entitlements.defaultGroup,
      isSynchronizable: item.isSynchronizable, accessControl: control, data: item.data)
    if items.contains(where: { isDuplicate($0, stored) }) { throw .duplicateItem }
    items.append(stored)
    stored.data = nil
    return stored
  }

  func find(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> [StoredItem] {
    guard query.itemClass != .identity else { fatalError("a query for identities") }
    return try matching(query, caller).prefix(query.limit ?? .max).map {
      var item = items[$0]
      if !query.wantsData { item.data = nil }
      return item
    }
  }

  func update(_ query: ItemQuery, with changes: ItemChanges, as caller: Entitlements) throws(StoreError) -> Int {
    if let group = changes.accessGroup { try require(group, caller) }
    let found = try matching(query, caller)
    for index in found {
      items[index].attributes.merge(changes.attributes) { $1 }
      items[index].data = changes.data ?? items[index].data
    }
    return found.count
  }

  func delete(_ query: ItemQuery, as caller: Entitlements) throws(StoreError) -> Int {
    let found = try matching(query, caller)
    for index in found.reversed() { items.remove(at: index) }
    return found.count
  }

  private func require(_ group: String?, _ caller: Entitlements) throws(StoreError) {
    if let group, !caller.include(group) { throw .missingEntitlement(group: group) }
  }

  private func isDuplicate(_ a: StoredItem, _ b: StoredItem) -> Bool {
    a.itemClass == b.itemClass && a.isSynchronizable == b.isSynchronizable
      && AttributeSchema.primaryKey(of: a.itemClass).allSatisfy {
        let (first, second) = (a.attributes[$0] ?? .text(""), b.attributes[$0] ?? .text(""))
        return first.matches(second) || first.isEmptyOrZero && second.isEmptyOrZero
      }
  }

  private func matching(_ query: ItemQuery, _ caller: Entitlements) throws(StoreError) -> [Int] {
    try require(query.accessGroup, caller)
    let found = items.indices.filter { index in
      let item = items[index]
      guard item.itemClass == query.itemClass, query.accessibility.map({ $0 == item.accessibility }) ?? true,
        query.persistentReference.map({ $0 == item.reference }) ?? true,
        query.synchronizable == .any || (query.synchronizable == .yes) == item.isSynchronizable
      else { return false }
      return query.attributes.allSatisfy { attribute, value in
        item.attributes[attribute].map { value.matches($0) } ?? value.isEmptyOrZero
      }
    }
    if found.isEmpty { throw .itemNotFound }
    return found
  }
}

/// The process's own keychain, which the calls would open if this target did not put one in its place.
@_silgen_name("latchkey_process_keychain_session")
package func processKeychainSession() throws(StoreError) -> KeychainSession { throw .configuration("none") }
