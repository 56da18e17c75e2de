public import Foundation
import Security

extension Keychain {
  /// Returns the text of the item `key`; nil if there is none.
  ///
  /// - Throws: ``KeychainItemError``; `unreadable` if the item's data is not UTF-8.
  public func get(_ key: String) throws(KeychainItemError) -> String? {
    guard let data = try getData(key) else { return nil }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw .unreadable(reason: "its data are no UTF-8 text")
    }
    return text
  }

  /// Returns the data of the item `key`, empty if it has none; nil if there is no such item.
  public func getData(_ key: String) throws(KeychainItemError) -> Data? { try ItemCalls.data(query(key)) }

  /// Returns the value set as `key`; nil if there is none.
  ///
  /// - Throws: ``KeychainItemError``: `unreadable` if the item's data is not a property list, `notDecodable` if it is one of
  ///   another type.
  public func get<Value: Decodable>(_ type: Value.Type, _ key: String) throws(KeychainItemError) -> Value? {
    guard let data = try getData(key) else { return nil }
    return try CodableValue.decode(type, from: data)
  }

  /// Sets the item `key` to a text, in UTF-8: updates it if it exists, adds it if not, and never deletes it in between.
  public func set(_ text: String, as key: String) throws(KeychainItemError) { try set(Data(text.utf8), as: key) }

  /// Sets the item `key` to `data`.
  public func set(_ data: Data, as key: String) throws(KeychainItemError) {
    try ItemCalls.replace(query(key), with: contents(data))
  }

  /// Sets the item `key` to `value`, encoded as a binary property list.
  public func set(_ value: some Encodable, as key: String) throws(KeychainItemError) {
    try set(try CodableValue.encode(value), as: key)
  }

  /// Removes the item `key`.
  ///
  /// - Returns: whether the item existed.
  @discardableResult
  public func remove(_ key: String) throws(KeychainItemError) -> Bool { try ItemCalls.delete(query(key)) }

  /// Removes all items of this keychain: of its service or server, and of its access group if it has one.
  public func removeAll() throws(KeychainItemError) { _ = try ItemCalls.delete(query) }

  /// Whether the item `key` exists. Its data is not read.
  public func contains(_ key: String) throws(KeychainItemError) -> Bool { try ItemCalls.exists(query(key)) }

  /// The keys of all items, in no particular order.
  public func allKeys() throws(KeychainItemError) -> [String] { try allItems().map(\.key) }

  /// Returns the attributes of all items, without their data, in no particular order.
  public func allItems() throws(KeychainItemError) -> [KeychainItem] {
    try found(query, limit: kSecMatchLimitAll).map { KeychainItem($0) }
  }

  /// Returns the attributes of the item `key`, without its data; nil if there is none.
  public func attributes(_ key: String) throws(KeychainItemError) -> KeychainItem? {
    try found(query(key), limit: kSecMatchLimitOne).first.map { KeychainItem($0) }
  }

  private func found(_ query: Attributes, limit: CFString) throws(KeychainItemError) -> [Attributes] {
    var query = query
    query[kSecReturnAttributes as String] = true
    query[kSecReturnPersistentRef as String] = true
    query[kSecMatchLimit as String] = limit
    let result = try ItemCalls.find(query)
    return result as? [Attributes] ?? (result as? Attributes).map { [$0] } ?? []
  }

  /// The text of the item `key`. The getter returns nil for every error. The setter ignores errors, and nil removes the item.
  /// Use `get(_:)` and `set(_:as:)` where errors matter.
  public subscript(key: String) -> String? {
    get { try? get(key) }
    nonmutating set { self[data: key] = newValue.map { Data($0.utf8) } }
  }

  /// The data of the item `key`, with errors handled as in ``subscript(_:)``.
  public subscript(data key: String) -> Data? {
    get { try? getData(key) }
    nonmutating set {
      if let newValue { try? set(newValue, as: key) } else { _ = try? remove(key) }
    }
  }
}
