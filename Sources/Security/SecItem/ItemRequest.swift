internal import Foundation
internal import LatchkeyKeychainModel

/// One call's query or item, read once: everything the dictionary says, in types.
struct ItemRequest {
  /// The class: the one named, or the one that a reference implies.
  var itemClass: ItemClass
  /// The attributes. Group, accessibility, access control and "synchronizable" have places of their own.
  var attributes: [ItemAttribute: AttributeValue] = [:]
  /// `kSecAttrAccessGroup`.
  var accessGroup: String?
  /// `kSecAttrSynchronizable`; nil: the query says nothing.
  var synchronizable: ItemQuery.Synchronizable?
  /// `kSecAttrAccessible`.
  var accessibility: Accessibility?
  /// `kSecAttrAccessControl`.
  var accessControl: AccessControl?
  /// `kSecValueData`: an item's secret; a search takes no notice of it.
  var data: [UInt8]?
  /// `kSecValueRef`: its attributes are among ``attributes``, the label only if the caller gave it.
  var reference: ValueReference?
  /// `kSecValuePersistentRef`.
  var persistentReference: PersistentReference?
  /// What `kSecReturn…` asks for.
  var returns: ReturnTypes = []
  /// `kSecMatchLimit`; nil: the query says nothing.
  var limit: MatchLimit?
  /// What other `kSecMatch…` keys ask for; nil without any.
  var match: MatchCriteria?
  /// Who consents to what is constrained, and whether anybody may be asked: `kSecUseAuthenticationContext`,
  /// `kSecUseAuthenticationUI`, `kSecUseOperationPrompt`.
  var consent = Consent()

  /// An object in `kSecValueRef`.
  enum ValueReference {
    case certificate(SecCertificate)
    case key(SecKey)
    case identity(SecIdentity)
  }

  /// Reads `dictionary`, a query or an item to add.
  ///
  /// Where more than one thing is wrong, the status does not depend on the order of the keys: what is `errSecParam`
  /// comes before an unknown attribute, and that before what is not implemented.
  init(_ dictionary: CFDictionary) throws(RequestFault) {
    self.init(itemClass: try Self.itemClass(of: dictionary))
    var reader = KeyReader(request: self)
    dictionary.enumerateKeysAndObjects(options: []) { key, value, stop in
      if !reader.take(key, value) { stop.pointee = true }
    }
    self = try reader.finished()
  }

  /// A request of nothing but a class.
  init(itemClass: ItemClass) { self.itemClass = itemClass }

  /// The class that `dictionary` names, or that its persistent reference or its object implies.
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
  /// The object that `value` is.
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

  /// The class of items that it stands for.
  var itemClass: ItemClass {
    switch self {
    case .certificate: .certificate
    case .key: .key
    case .identity: .identity
    }
  }
}

extension QueryValue {
  /// The value of `kSecValuePersistentRef`: 20 bytes that a call has returned.
  func asPersistentReference() throws(RequestFault) -> PersistentReference {
    guard case .bytes(let data) = self, let reference = try? PersistentReference(bytes: [UInt8](data)) else {
      throw .invalidValue
    }
    return reference
  }
}
