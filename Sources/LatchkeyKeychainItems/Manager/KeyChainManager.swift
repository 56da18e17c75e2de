import Foundation
import LatchkeyPropertyLists
import Security

/// The manager of `Examples/003-keychain-manager`: whole values under an identifier, optionally encrypted by a password.
///
///     try KeyChainManager.SaveKeyChain(["name": "王尼玛", "password": "12345"])
///     let saved = try KeyChainManager.LoadKeyChain() as? [String: String]
///
/// Values are property lists: texts, numbers, Booleans, data, dates, and arrays and dictionaries (with text keys) of them. An
/// identifier is both service and account of a generic password. Archives of `NSKeyedArchiver` are read too, if they contain
/// only such values. <doc:LatchkeyKeychainItems> lists the differences from the example's document.
public struct KeyChainManager: Hashable, Sendable {
  /// The format of written values. Both formats are read.
  public enum Form: Hashable, Sendable {
    /// A binary property list.
    case propertyList
    /// A keyed archive of `NSKeyedArchiver`, for programs that unarchive.
    case keyedArchive
  }

  /// The identifier of ``SaveKeyChain(_:)`` and related calls.
  public static let defaultIdentifier = "KeyChainManager"

  /// The format of written values.
  public var form: Form
  /// The accessibility of saved values.
  public var accessibility: Keychain.Accessibility
  /// The access group of the values; nil: any of the program's, and the first of them for new values.
  public var accessGroup: String?
  /// log2 of scrypt's N for encrypted values; only tests set it below the minimum.
  package var logRounds = Envelope.logRounds

  /// Creates a manager. By default it writes property lists that are readable from the first unlock on, on this device.
  public init(
    form: Form = .propertyList, accessibility: Keychain.Accessibility = .afterFirstUnlockThisDeviceOnly,
    accessGroup: String? = nil
  ) {
    self.form = form
    self.accessibility = accessibility
    self.accessGroup = accessGroup
  }
}

// MARK: Plain values

extension KeyChainManager {
  /// Saves `value` under `identifier`, replacing the former value in one step.
  ///
  /// - Throws: ``KeychainItemError``; `notAPropertyList` if the value contains anything else.
  public func save(_ value: Any, for identifier: String = defaultIdentifier) throws(KeychainItemError) {
    try replace(identifier, with: try encode(value))
  }

  /// Returns the value under `identifier`; nil if there is none.
  ///
  /// - Throws: ``KeychainItemError``: `encrypted` if the value needs a password, `unreadable` if it is not a property list.
  public func load(_ identifier: String = defaultIdentifier) throws(KeychainItemError) -> Any? {
    guard let bytes = try stored(identifier) else { return nil }
    guard !bytes.starts(with: EnvelopeHeader.magic) else { throw .encrypted }
    return try FoundationValue.value(try StoredValue.decode(bytes))
  }

  /// Replaces the value under `identifier`.
  ///
  /// - Returns: false if there is no value; then nothing is saved.
  @discardableResult
  public func update(
    _ value: Any, for identifier: String = defaultIdentifier
  ) throws(KeychainItemError) -> Bool {
    try change(identifier, to: try encode(value))
  }

  /// Deletes the value under `identifier`, encrypted or not.
  ///
  /// - Returns: whether there was a value.
  @discardableResult
  public func delete(_ identifier: String = defaultIdentifier) throws(KeychainItemError) -> Bool {
    try ItemCalls.delete(query(identifier))
  }
}

// MARK: Encrypted values

extension KeyChainManager {
  /// Saves `value` under `identifier`, encrypted by `password`, replacing the former value in one step.
  ///
  /// The derivation takes 64 MiB of memory and part of a second, so that passwords are slow to guess.
  public func save(
    _ value: Any, for identifier: String = defaultIdentifier, password: String
  ) throws(KeychainItemError) {
    try replace(identifier, with: try seal(value, identifier, password))
  }

  /// Returns the value under `identifier`, decrypted by `password`; nil if there is none.
  ///
  /// - Throws: ``KeychainItemError``: `wrongPassword`, `damaged` or `notEncrypted`, each only for its own cause.
  public func load(
    _ identifier: String = defaultIdentifier, password: String
  ) throws(KeychainItemError) -> Any? {
    guard !password.isEmpty else { throw .emptyPassword }
    guard let bytes = try stored(identifier) else { return nil }
    let value: [UInt8]
    do throws(EnvelopeError) {
      value = try Envelope.open(
        bytes, password: password, context: identifier,
        minimumLogRounds: min(logRounds, EnvelopeHeader.logRoundsRange.lowerBound))
    } catch {
      guard error == .notAnEnvelope else { throw KeychainItemError(error) }
      _ = try StoredValue.decode(bytes)
      throw .notEncrypted
    }
    return try FoundationValue.value(try StoredValue.decode(value))
  }

  /// Replaces the value under `identifier` by `value`, encrypted by `password`, whatever password the former value has.
  ///
  /// - Returns: false if there is no value; then nothing is saved.
  @discardableResult
  public func update(
    _ value: Any, for identifier: String = defaultIdentifier, password: String
  ) throws(KeychainItemError) -> Bool {
    try change(identifier, to: try seal(value, identifier, password))
  }

  private func seal(_ value: Any, _ identifier: String, _ password: String) throws(KeychainItemError) -> [UInt8] {
    guard !password.isEmpty else { throw .emptyPassword }
    let bytes = try encode(value)
    do throws(EnvelopeError) {
      return try Envelope.seal(bytes, password: password, context: identifier, logRounds: logRounds)
    } catch {
      throw KeychainItemError(error)
    }
  }
}

extension KeychainItemError {
  fileprivate init(_ error: EnvelopeError) {
    self =
      switch error {
      case .notAnEnvelope: .notEncrypted
      case .newerFormat: .newerFormat
      case .damaged: .damaged
      case .wrongPassword: .wrongPassword
      case .outOfMemory: .status(errSecAllocate)
      }
  }
}

// MARK: Items

extension KeyChainManager {
  private func query(_ identifier: String) -> Attributes {
    var query: Attributes = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: identifier,
      kSecAttrAccount as String: identifier,
    ]
    if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
    return query
  }

  private func encode(_ value: Any) throws(KeychainItemError) -> [UInt8] {
    try StoredValue.encode(try FoundationValue.list(value), as: form)
  }

  private func stored(_ identifier: String) throws(KeychainItemError) -> [UInt8]? {
    try ItemCalls.data(query(identifier)).map { Array($0) }
  }

  private func contents(_ bytes: [UInt8]) -> Attributes {
    [kSecValueData as String: Data(bytes), kSecAttrAccessible as String: accessibility.rawValue]
  }

  private func replace(_ identifier: String, with bytes: [UInt8]) throws(KeychainItemError) {
    try ItemCalls.replace(query(identifier), with: contents(bytes))
  }

  private func change(_ identifier: String, to bytes: [UInt8]) throws(KeychainItemError) -> Bool {
    try ItemCalls.update(query(identifier), to: contents(bytes))
  }
}
