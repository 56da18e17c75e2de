import Foundation
import Security

/// A dictionary for the SecItem calls.
typealias Attributes = [String: Any]

/// The SecItem calls with thrown errors instead of statuses.
enum ItemCalls {
  /// The maximum attempts of `replace` while other processes add and delete the same item.
  private static let attempts = 16

  /// Returns the matches of `query`, in the form that its return keys select; nil if there are none.
  static func find(_ query: Attributes) throws(KeychainItemError) -> AnyObject? {
    var result: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &result)
    if status == errSecItemNotFound { return nil }
    try check(status)
    return result
  }

  /// Returns the data of the item that `query` matches; nil if it does not exist.
  static func data(_ query: Attributes) throws(KeychainItemError) -> Data? {
    var query = query
    query[kSecReturnData as String] = true
    query[kSecMatchLimit as String] = kSecMatchLimitOne
    guard let result = try find(query) else { return nil }
    return result as? Data ?? Data()
  }

  /// Whether `query` has a match.
  static func exists(_ query: Attributes) throws(KeychainItemError) -> Bool {
    var query = query
    query[kSecMatchLimit as String] = kSecMatchLimitOne
    let status = SecItemCopyMatching(query as CFDictionary, nil)
    guard status != errSecItemNotFound else { return false }
    try check(status)
    return true
  }

  /// Updates the items that `query` matches; false if there are none.
  static func update(_ query: Attributes, to changes: Attributes) throws(KeychainItemError) -> Bool {
    let status = SecItemUpdate(query as CFDictionary, changes as CFDictionary)
    guard status != errSecItemNotFound else { return false }
    try check(status)
    return true
  }

  /// Sets the contents of the item that `query` matches, or adds it.
  ///
  /// It updates the item, else adds it, and updates it after all if another process added it meanwhile: an existing item is
  /// never absent in between.
  static func replace(_ query: Attributes, with contents: Attributes) throws(KeychainItemError) {
    for _ in 0..<attempts {
      if try update(query, to: contents) { return }
      let status = SecItemAdd(query.merging(contents) { $1 } as CFDictionary, nil)
      guard status == errSecDuplicateItem else { return try check(status) }
    }
    throw .duplicateItem
  }

  /// Deletes all matches of `query`; false if there are none.
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
