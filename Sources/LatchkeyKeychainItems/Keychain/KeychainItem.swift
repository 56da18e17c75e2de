public import Foundation
import Security

/// What is known of an item, without its data.
public struct KeychainItem: Hashable, Sendable {
  /// The account (`kSecAttrAccount`).
  public let key: String
  /// The service of a generic password.
  public let service: String?
  /// The host name of an internet password.
  public let server: String?
  /// The access group that the item is in.
  public let accessGroup: String?
  /// The label, for people to read.
  public let label: String?
  /// The comment.
  public let comment: String?
  /// When it was added.
  public let creationDate: Date?
  /// When it was changed last.
  public let modificationDate: Date?
  /// When its data can be read.
  public let accessibility: Keychain.Accessibility?
  /// Whether it is one of the synchronizable items.
  public let isSynchronizable: Bool
  /// Names this item for as long as it exists, whatever is changed in it (`kSecValuePersistentRef`).
  public let persistentReference: Data?

  init(_ attributes: Attributes) {
    // Attributes keep the type that they were given: a text may have been given as its bytes.
    func text(_ name: CFString) -> String? {
      let value = attributes[name as String]
      return value as? String ?? (value as? Data).flatMap { String(validating: $0, as: UTF8.self) }
    }
    key = text(kSecAttrAccount) ?? ""
    service = text(kSecAttrService)
    server = text(kSecAttrServer)
    accessGroup = text(kSecAttrAccessGroup)
    label = text(kSecAttrLabel)
    comment = text(kSecAttrComment)
    creationDate = attributes[kSecAttrCreationDate as String] as? Date
    modificationDate = attributes[kSecAttrModificationDate as String] as? Date
    accessibility = text(kSecAttrAccessible).flatMap { Keychain.Accessibility(rawValue: $0) }
    isSynchronizable = (attributes[kSecAttrSynchronizable as String] as? NSNumber)?.boolValue ?? false
    persistentReference = attributes[kSecValuePersistentRef as String] as? Data
  }
}
