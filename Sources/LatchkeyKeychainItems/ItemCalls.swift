import Foundation
import Security

/// A dictionary for the SecItem calls.
typealias Attributes = [String: Any]

/// The SecItem calls with errors instead of statuses.
enum ItemCalls {
  /// How often `replace` begins anew when other processes keep adding and deleting the same item.
  private static let attempts = 16

  /// What `query` finds, in the form that its return keys ask for; nil if there is nothing.
  static func find(_ query: Attributes) throws(KeychainItemError) -> AnyObject? {
    var result: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &result)
    if status == errSecItemNotFound { return nil }
    try check(status)
    return result
  }

  /// The data of the one item that `query` names; nil if it does not exist.
  static func data(_ query: Attributes) throws(KeychainItemError) -> Data? {
    var query = query
    query[kSecReturnData as String] = true
    query[kSecMatchLimit as String] = kSecMatchLimitOne
    guard let result = try find(query) else { return nil }
    return result as? Data ?? Data()
  }

  /// Whether `query` finds anything.
  static func exists(_ query: Attributes) throws(KeychainItemError) -> Bool {
    var query = query
    query[kSecMatchLimit as String] = kSecMatchLimitOne
    let status = SecItemCopyMatching(query as CFDictionary, nil)
    guard status != errSecItemNotFound else { return false }
    try check(status)
    return true
  }

  /// Changes what `query` names; false if it does not exist.
  static func update(_ query: Attributes, to changes: Attributes) throws(KeychainItemError) -> Bool {
    let status = SecItemUpdate(query as CFDictionary, changes as CFDictionary)
    guard status != errSecItemNotFound else { return false }
    try check(status)
    return true
  }

  /// Gives the item that `query` names these contents, whether it exists or not.
  ///
  /// It is changed, or else added, or else, since another process was faster, changed after all: at no moment is an item
  /// away that was there.
  static func replace(_ query: Attributes, with contents: Attributes) throws(KeychainItemError) {
    for _ in 0..<attempts {
      if try update(query, to: contents) { return }
      let status = SecItemAdd(query.merging(contents) { $1 } as CFDictionary, nil)
      guard status == errSecDuplicateItem else { return try check(status) }
    }
    throw .duplicateItem
  }

  /// Deletes all that `query` finds; false if there is nothing.
  static func delete(_ query: Attributes) throws(KeychainItemError) -> Bool {
    let status = SecItemDelete(query as CFDictionary)
    guard status != errSecItemNotFound else { return false }
    try check(status)
    return true
  }

  private static func check(_ status: OSStatus) throws(KeychainItemError) {
    if let error = KeychainItemError(status: status) { throw error }
  }
}
