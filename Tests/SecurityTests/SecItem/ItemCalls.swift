import Foundation
import Security
import Testing

/// A query or an item, as tests write it.
typealias Item = [CFString: Any]

/// A call's status, and the result that it wrote.
struct Answer {
  let status: OSStatus
  /// The written result; nil if it was left unchanged.
  let object: CFTypeRef?

  var data: Data? { object as? Data }
  var dictionary: [String: Any]? { object as? [String: Any] }
  var array: [Any]? { object as? [Any] }
  var dictionaries: [[String: Any]]? { object as? [[String: Any]] }

  /// Makes the call with a result that already holds something.
  init(_ call: (UnsafeMutablePointer<CFTypeRef?>) -> OSStatus) {
    let before = NSObject()
    var result: CFTypeRef? = before
    status = call(&result)
    object = result === before ? nil : result
  }
}

func add(_ item: Item, returning more: Item = [:]) -> Answer {
  Answer { SecItemAdd(item.merging(more) { $1 } as CFDictionary, $0) }
}

func find(_ query: Item, returning more: Item = [:]) -> Answer {
  Answer { SecItemCopyMatching(query.merging(more) { $1 } as CFDictionary, $0) }
}

func update(_ query: Item, _ changes: Item) -> OSStatus {
  SecItemUpdate(query as CFDictionary, changes as CFDictionary)
}

func delete(_ query: Item) -> OSStatus { SecItemDelete(query as CFDictionary) }

/// How many items match.
func count(_ query: Item) -> Int {
  find(query, returning: [kSecMatchLimit: kSecMatchLimitAll, kSecReturnPersistentRef: true]).array?.count ?? 0
}

/// The secret of the one item that matches.
func secret(_ query: Item) -> Data? { find(query, returning: [kSecReturnData: true]).data }

/// The attributes of the one item that matches.
func attributes(_ query: Item) -> [String: Any]? {
  find(query, returning: [kSecReturnAttributes: true]).dictionary
}

let letter = Data("a secret".utf8)
let otherLetter = Data("another secret".utf8)

/// A generic password.
func password(_ account: String = "ada", service: String = "post", _ more: Item = [:]) -> Item {
  [kSecClass: kSecClassGenericPassword, kSecAttrAccount: account, kSecAttrService: service].merging(more) { $1 }
}

/// An internet password, with every attribute of the primary key.
func internetPassword(_ server: String = "example.org", _ more: Item = [:]) -> Item {
  [
    kSecClass: kSecClassInternetPassword, kSecAttrAccount: "ada", kSecAttrServer: server, kSecAttrPort: 443,
    kSecAttrProtocol: kSecAttrProtocolHTTPS, kSecAttrAuthenticationType: kSecAttrAuthenticationTypeHTTPBasic,
    kSecAttrPath: "/inbox", kSecAttrSecurityDomain: "mail",
  ].merging(more) { $1 }
}

/// A private key's item, made of attributes alone.
func key(_ tag: String = "tag", _ more: Item = [:]) -> Item {
  [
    kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrApplicationTag: Data(tag.utf8),
    kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
  ].merging(more) { $1 }
}
