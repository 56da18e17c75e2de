public import Foundation

// The same calls for asynchronous code. They run on a queue of Dispatch, in the task that makes them: its task-local values
// and its priority hold.

extension Keychain {
  /// The text of the item `key`; nil if there is none.
  public func get(_ key: String) async throws(KeychainItemError) -> String? {
    try await Blocking.run { () throws(KeychainItemError) in try self.get(key) }
  }

  /// The data of the item `key`, empty if it has none; nil if there is no such item.
  public func getData(_ key: String) async throws(KeychainItemError) -> Data? {
    try await Blocking.run { () throws(KeychainItemError) in try self.getData(key) }
  }

  /// The value that was set as `key`; nil if there is none.
  public func get<Value: Decodable & Sendable>(
    _ type: Value.Type, _ key: String
  ) async throws(KeychainItemError) -> Value? {
    // What is decoded here needs no conformance to travel.
    guard let data = try await getData(key) else { return nil }
    return try CodableValue.decode(type, from: data)
  }

  /// Sets the item `key` to a text, in UTF-8: it is changed if it exists and added if not, and never away in between.
  public func set(_ text: String, as key: String) async throws(KeychainItemError) {
    try await set(Data(text.utf8), as: key)
  }

  /// Sets the item `key` to `data`.
  public func set(_ data: Data, as key: String) async throws(KeychainItemError) {
    try await Blocking.run { () throws(KeychainItemError) in try self.set(data, as: key) }
  }

  /// Sets the item `key` to `value`, encoded as a binary property list.
  public func set(_ value: some Encodable & Sendable, as key: String) async throws(KeychainItemError) {
    try await set(try CodableValue.encode(value), as: key)
  }

  /// Removes the item `key`.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  public func remove(_ key: String) async throws(KeychainItemError) -> Bool {
    try await Blocking.run { () throws(KeychainItemError) in try self.remove(key) }
  }

  /// Removes all items of this keychain: of its service or server, and its access group if it has one.
  public func removeAll() async throws(KeychainItemError) {
    try await Blocking.run { () throws(KeychainItemError) in try self.removeAll() }
  }

  /// Whether there is an item `key`. Its data are not read.
  public func contains(_ key: String) async throws(KeychainItemError) -> Bool {
    try await Blocking.run { () throws(KeychainItemError) in try self.contains(key) }
  }

  /// The keys of all items, in no particular order.
  public func allKeys() async throws(KeychainItemError) -> [String] {
    try await Blocking.run { () throws(KeychainItemError) in try self.allKeys() }
  }

  /// What is known of all items, without their data, in no particular order.
  public func allItems() async throws(KeychainItemError) -> [KeychainItem] {
    try await Blocking.run { () throws(KeychainItemError) in try self.allItems() }
  }

  /// What is known of the item `key`, without its data; nil if there is none.
  public func attributes(_ key: String) async throws(KeychainItemError) -> KeychainItem? {
    try await Blocking.run { () throws(KeychainItemError) in try self.attributes(key) }
  }
}
