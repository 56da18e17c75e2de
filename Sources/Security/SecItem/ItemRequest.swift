internal import Foundation
internal import LatchkeyKeychainModel

/// The parsed dictionary of one call: a query, or an item to add.
struct ItemRequest {
  /// The class, from `kSecClass` or implied by a reference.
  var itemClass: ItemClass
  /// The attributes. Group, accessibility, access control and "synchronizable" have their own properties.
  var attributes: [ItemAttribute: AttributeValue] = [:]
  /// `kSecAttrAccessGroup`.
  var accessGroup: String?
  /// `kSecAttrSynchronizable`; nil if absent.
  var synchronizable: ItemQuery.Synchronizable?
  /// `kSecAttrAccessible`.
  var accessibility: Accessibility?
  /// `kSecAttrAccessControl`.
  var accessControl: AccessControl?
  /// `kSecValueData`: an item's secret; a search ignores it.
  var data: [UInt8]?
  /// `kSecValueRef`. ``attributes`` includes its attributes, and a label only if the caller set one.
  var reference: ValueReference?
  /// `kSecValuePersistentRef`.
  var persistentReference: PersistentReference?
  /// The `kSecReturn…` keys.
  var returns: ReturnTypes = []
  /// `kSecMatchLimit`; nil if absent.
  var limit: MatchLimit?
  /// The other `kSecMatch…` keys; nil if absent.
  var match: MatchCriteria?
  /// The source of consent to the use of constrained items, and whether prompts are allowed: `kSecUseAuthenticationContext`,
  /// `kSecUseAuthenticationUI`, `kSecUseOperationPrompt`.
  var consent = Consent()

  /// An object in `kSecValueRef`.
  enum ValueReference {
    case certificate(SecCertificate)
    case key(SecKey)
    case identity(SecIdentity)
  }

  /// Parses `dictionary`, a query or an item to add.
  ///
  /// If it has more than one error, the precedence does not depend on the order of the keys: `errSecParam` comes before an
  /// unknown attribute, and that before `errSecUnimplemented`.
  init(_ dictionary: CFDictionary) throws(RequestFault) {
    self.init(itemClass: try Self.itemClass(of: dictionary))
    var reader = KeyReader(request: self)
    dictionary.enumerateKeysAndObjects(options: []) { key, value, stop in
      if !reader.take(key, value) { stop.pointee = true }
    }
    self = try reader.finished()
  }

  /// Creates a request that has only a class.
  init(itemClass: ItemClass) { self.itemClass = itemClass }

  /// The class in `dictionary`, or the class that its persistent reference or its object implies.
  private static func itemClass(of dictionary: CFDictionary) throws(RequestFault) -> ItemClass {
    if let value = dictionary.object(forKey: kSecClass) {
      guard let name = value as? String else { throw .classMissing }
      guard let itemClass = ItemClass(rawValue: name) else { throw .noSuchClass }
      return itemClass
    }
    if let value = dictionary.object(forKey: kSecValuePersistentRef) {
      return try QueryValue(value).asPersistentReference().itemClass
    }
    guard let value = dictionary.object(forKey: kSecValueRef) else { throw .classMissing }
    return try ValueReference(value).itemClass
  }
}

extension ItemRequest.ValueReference {
  /// Casts `value` to a reference.
  init(_ value: Any) throws(RequestFault) {
    if let certificate = value as? SecCertificate {
      self = .certificate(certificate)
    } else if let key = value as? SecKey {
      self = .key(key)
    } else if let identity = value as? SecIdentity {
      self = .identity(identity)
    } else {
      throw .invalidValue
    }
  }

  /// The class of the item that the reference represents.
  var itemClass: ItemClass {
    switch self {
    case .certificate: .certificate
    case .key: .key
    case .identity: .identity
    }
  }
}

extension QueryValue {
  /// Converts the value of `kSecValuePersistentRef`: 20 bytes that an earlier call returned.
  func asPersistentReference() throws(RequestFault) -> PersistentReference {
    guard case .bytes(let data) = self, let reference = try? PersistentReference(bytes: [UInt8](data)) else {
      throw .invalidValue
    }
    return reference
  }
}

/// The consistency rules for an item's access control (Security-61901, SecItem.m and SecDbQuery.c).
enum AccessControlRule {
  /// Validates the access control of an item to add or update.
  ///
  /// - Throws: `.conflict` if the access control differs from a given accessibility, or if an item with constraints would be
  ///   synchronized.
  static func check(
    _ control: AccessControl?, with accessibility: Accessibility?, isSynchronizable: Bool
  ) throws(RequestFault) {
    guard let control else { return }
    if let accessibility, control != AccessControl(protection: accessibility) { throw .conflict }
    if isSynchronizable && control.isConstrained { throw .conflict }
  }
}

/// The requested results of a call: the `kSecReturn…` keys that are true.
struct ReturnTypes: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  static let data = ReturnTypes(rawValue: 1 << 0)
  static let attributes = ReturnTypes(rawValue: 1 << 1)
  static let reference = ReturnTypes(rawValue: 1 << 2)
  static let persistentReference = ReturnTypes(rawValue: 1 << 3)

  /// Whether the result for an item is a dictionary: for attributes, or for several results.
  var areDictionary: Bool { contains(.attributes) || rawValue.nonzeroBitCount > 1 }
}
