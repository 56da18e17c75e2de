internal import Foundation
internal import LatchkeySystem
internal import Security

/// A dictionary for the SecItem calls.
typealias ItemAttributes = [CFString: Any]

/// The SecItem calls with errors instead of statuses.
enum Items {
  /// Returns the match of `query`, in the form that its return keys select; nil if there is none.
  static func find(_ query: ItemAttributes) throws(EnrollmentError) -> AnyObject? {
    var result: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &result)
    if status == errSecItemNotFound { return nil }
    try check(status)
    return result
  }

  /// Adds an item; false if it exists already.
  @discardableResult
  static func add(_ item: ItemAttributes) throws(EnrollmentError) -> Bool {
    let status = SecItemAdd(item as CFDictionary, nil)
    if status == errSecDuplicateItem { return false }
    try check(status)
    return true
  }

  /// Inserts or updates the item that `query` identifies, without a moment in which it is missing.
  static func put(_ contents: ItemAttributes, _ query: ItemAttributes) throws(EnrollmentError) {
    for _ in 0..<16 {
      let status = SecItemUpdate(query as CFDictionary, contents as CFDictionary)
      if status != errSecItemNotFound { return try check(status) }
      if try add(query.merging(contents) { $1 }) { return }
    }
    throw .keychain(status: errSecDuplicateItem, "another program keeps changing the same item: try again")
  }

  /// Deletes all matches of `query`; false if there are none.
  @discardableResult
  static func delete(_ query: ItemAttributes) throws(EnrollmentError) -> Bool {
    let status = SecItemDelete(query as CFDictionary)
    if status == errSecItemNotFound { return false }
    try check(status)
    return true
  }

  static func check(_ status: OSStatus) throws(EnrollmentError) {
    guard status == errSecSuccess else { throw .keychain(status: status, EnrollmentError.text(of: status)) }
  }
}

extension BlockingThreads {
  /// Where this module waits for the keychain, its keys and the user who is asked for them. There are eight, since a user who is
  /// asked must not hold up other calls.
  static let enrollment = BlockingThreads(label: "Enrollment", width: 8)
}

/// Runs `body` on a thread that may block, as part of the calling task, so that it finds the task's keychain.
func blocking<Result: Sendable>(
  _ body: @escaping @Sendable () throws(EnrollmentError) -> Result
) async throws(EnrollmentError) -> Result {
  try await BlockingThreads.enrollment.run(body)
}
