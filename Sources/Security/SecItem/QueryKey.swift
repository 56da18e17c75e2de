internal import Foundation
internal import LatchkeyKeychainModel

/// A key of a query that is not an attribute. Its name is longer: `class`, `m_…`, `r_…`, `u_…` or `v_…`.
enum QueryKey: Hashable, Sendable {
  case itemClass
  case data, reference, persistentReference
  case returns(ReturnTypes)
  case match(MatchKey)
  case itemList, authenticationUI, noAuthenticationUI, operationPrompt, authenticationContext, credentialReference

  /// The key with this name; nil for an unknown name.
  init?(_ name: String) {
    guard let key = Self.byName[name] else { return nil }
    self = key
  }

  private static let byName: [String: QueryKey] = [
    kSecClass as String: .itemClass,
    kSecValueData as String: .data,
    kSecValueRef as String: .reference,
    kSecValuePersistentRef as String: .persistentReference,
    kSecReturnData as String: .returns(.data),
    kSecReturnAttributes as String: .returns(.attributes),
    kSecReturnRef as String: .returns(.reference),
    kSecReturnPersistentRef as String: .returns(.persistentReference),
    kSecMatchLimit as String: .match(.limit),
    kSecMatchIssuers as String: .match(.issuers),
    kSecMatchPolicy as String: .match(.policy),
    kSecMatchEmailAddressIfPresent as String: .match(.emailAddress),
    kSecMatchValidOnDate as String: .match(.validOnDate),
    kSecMatchTrustedOnly as String: .match(.trustedOnly),
    "m_HostOrSubdomainOfHost": .match(.hostOrSubdomain),
    kSecMatchSubjectContains as String: .match(.subjectContains),
    kSecMatchSubjectStartsWith as String: .match(.subjectStartsWith),
    kSecMatchSubjectEndsWith as String: .match(.subjectEndsWith),
    kSecMatchSubjectWholeString as String: .match(.subjectWholeString),
    kSecMatchCaseInsensitive as String: .match(.caseInsensitive),
    kSecMatchDiacriticInsensitive as String: .match(.diacriticInsensitive),
    kSecMatchWidthInsensitive as String: .match(.widthInsensitive),
    kSecUseItemList as String: .itemList,
    kSecUseAuthenticationUI as String: .authenticationUI,
    kSecUseNoAuthenticationUI as String: .noAuthenticationUI,
    kSecUseOperationPrompt as String: .operationPrompt,
    kSecUseAuthenticationContext as String: .authenticationContext,
    "u_CredRef": .credentialReference,
  ]
}

/// A `kSecMatch…` key.
enum MatchKey: Hashable, Sendable {
  case limit
  case issuers, policy, emailAddress, validOnDate, trustedOnly, hostOrSubdomain
  case subjectContains, subjectStartsWith, subjectEndsWith, subjectWholeString
  case caseInsensitive, diacriticInsensitive, widthInsensitive
}

/// Keys of four characters: those of items' attributes, and some with another meaning.
extension ItemAttribute {
  /// The attribute with this name: each key of four characters is one (Security-61901, SecDbQuery.c).
  init?(key: String) {
    var code: UInt32 = 0
    var count = 0
    for byte in key.utf8 {
      guard count < 4, byte < 0x80 else { return nil }
      code = code << 8 | UInt32(byte)
      count += 1
    }
    guard count == 4 else { return nil }
    self.init(code: code)
  }

  /// `kSecAttrAccessGroup`, "agrp".
  static let accessGroup = ItemAttribute(code: 0x6167_7270)
  /// `kSecAttrSynchronizable`, "sync".
  static let synchronizable = ItemAttribute(code: 0x7379_6E63)
  /// `kSecAttrAccessible`, "pdmn".
  static let accessible = ItemAttribute(code: 0x7064_6D6E)
  /// `kSecAttrAccessControl`, "accc".
  static let accessControl = ItemAttribute(code: 0x6163_6363)
  /// `kSecUseDataProtectionKeychain`, "nleg": ignored, because there is no other keychain.
  static let usesDataProtectionKeychain = ItemAttribute(code: 0x6E6C_6567)

  /// Names of columns that Apple's keychain reserves for itself or for Apple's programs; callers may not use them.
  static let internalKeys: Set<ItemAttribute> = Set(
    ["clip", "musr", "tomb", "vwht", "UUID", "ggrp", "toid", "dspk", "pcss", "pcsk", "pcsi", "sha1"]
      .compactMap { ItemAttribute(key: $0) })
}
