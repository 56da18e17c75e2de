public import Foundation
import Security

/// The attributes of an item, without its data.
public struct KeychainItem: Hashable, Sendable {
  /// The account (`kSecAttrAccount`).
  public let key: String
  /// The service of a generic password.
  public let service: String?
  /// The host name of an internet password.
  public let server: String?
  /// The item's access group.
  public let accessGroup: String?
  /// The label for display.
  public let label: String?
  /// The comment.
  public let comment: String?
  /// The date of its creation.
  public let creationDate: Date?
  /// The date of its last change.
  public let modificationDate: Date?
  /// The times at which its data is readable.
  public let accessibility: Keychain.Accessibility?
  /// Whether it is synchronizable.
  public let isSynchronizable: Bool
  /// A reference to this item for its lifetime, whatever changes in it (`kSecValuePersistentRef`).
  public let persistentReference: Data?

  init(_ attributes: Attributes) {
    // Attributes have the type that they were set with: a text may be its bytes.
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
