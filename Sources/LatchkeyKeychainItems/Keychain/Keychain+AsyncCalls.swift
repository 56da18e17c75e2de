public import Foundation
import LatchkeySystem

/// Where the asynchronous calls wait for the disk and for other processes: at most 16 at the same time.
private let threads = BlockingThreads(label: "KeychainItems", width: 16)

// The same calls for asynchronous code. They run on threads that may block, in the task that makes them: its task-local values
// and its priority hold.

extension Keychain {
  /// Returns the text of the item `key`; nil if there is none.
  public func get(_ key: String) async throws(KeychainItemError) -> String? {
    try await threads.run { () throws(KeychainItemError) in try self.get(key) }
  }

  /// Returns the data of the item `key`, empty if it has none; nil if there is no such item.
  public func getData(_ key: String) async throws(KeychainItemError) -> Data? {
    try await threads.run { () throws(KeychainItemError) in try self.getData(key) }
  }

  /// Returns the value set as `key`; nil if there is none.
  public func get<Value: Decodable & Sendable>(
    _ type: Value.Type, _ key: String
  ) async throws(KeychainItemError) -> Value? {
    // Decoding happens here, so that the value need not be `Sendable` across the executor.
    guard let data = try await getData(key) else { return nil }
    return try CodableValue.decode(type, from: data)
  }

  /// Sets the item `key` to a text, in UTF-8: updates it if it exists, adds it if not, and never deletes it in between.
  public func set(_ text: String, as key: String) async throws(KeychainItemError) {
    try await set(Data(text.utf8), as: key)
  }

  /// Sets the item `key` to `data`.
  public func set(_ data: Data, as key: String) async throws(KeychainItemError) {
    try await threads.run { () throws(KeychainItemError) in try self.set(data, as: key) }
  }

  /// Sets the item `key` to `value`, encoded as a binary property list.
  public func set(_ value: some Encodable & Sendable, as key: String) async throws(KeychainItemError) {
    try await set(try CodableValue.encode(value), as: key)
  }

  /// Removes the item `key`.
  ///
  /// - Returns: whether the item existed.
  @discardableResult
  public func remove(_ key: String) async throws(KeychainItemError) -> Bool {
    try await threads.run { () throws(KeychainItemError) in try self.remove(key) }
  }

  /// Removes all items of this keychain: of its service or server, and of its access group if it has one.
  public func removeAll() async throws(KeychainItemError) {
    try await threads.run { () throws(KeychainItemError) in try self.removeAll() }
  }

  /// Whether the item `key` exists. Its data is not read.
  public func contains(_ key: String) async throws(KeychainItemError) -> Bool {
    try await threads.run { () throws(KeychainItemError) in try self.contains(key) }
  }

  /// The keys of all items, in no particular order.
  public func allKeys() async throws(KeychainItemError) -> [String] {
    try await threads.run { () throws(KeychainItemError) in try self.allKeys() }
  }

  /// Returns the attributes of all items, without their data, in no particular order.
  public func allItems() async throws(KeychainItemError) -> [KeychainItem] {
    try await threads.run { () throws(KeychainItemError) in try self.allItems() }
  }

  /// Returns the attributes of the item `key`, without its data; nil if there is none.
  public func attributes(_ key: String) async throws(KeychainItemError) -> KeychainItem? {
    try await threads.run { () throws(KeychainItemError) in try self.attributes(key) }
  }
}
