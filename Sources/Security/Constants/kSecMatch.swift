// What narrows a search beyond attributes (Apple, SecItem.h, "Search Constants").
// // Values: SecItemConstants.c of Security-61901.

public import Foundation

/// A `SecPolicy` that certificates and identities must satisfy.
nonisolated(unsafe) public let kSecMatchPolicy: CFString = "m_Policy"
/// An array of items: only these are searched.
nonisolated(unsafe) public let kSecMatchItemList: CFString = "m_ItemList"
/// An array of keychains of the old macOS kind to search.
nonisolated(unsafe) public let kSecMatchSearchList: CFString = "m_SearchList"
/// An array of normalized names (data): one of them must occur in the certificate's chain.
nonisolated(unsafe) public let kSecMatchIssuers: CFString = "m_Issuers"
/// An address that a certificate must carry if it carries any; a string.
nonisolated(unsafe) public let kSecMatchEmailAddressIfPresent: CFString = "m_EmailAddressIfPresent"
/// A text that a certificate's subject must contain; a string (macOS).
nonisolated(unsafe) public let kSecMatchSubjectContains: CFString = "m_SubjectContains"
/// A host: internet passwords of it and of hosts below it are found; a string.
nonisolated(unsafe) public let kSecMatchHostOrSubdomainOfHost: CFString = "m_HostOrSubdomainOfHost"
/// A text that a certificate's subject must start with; a string (macOS).
nonisolated(unsafe) public let kSecMatchSubjectStartsWith: CFString = "m_SubjectStartsWith"
/// A text that a certificate's subject must end with; a string (macOS).
nonisolated(unsafe) public let kSecMatchSubjectEndsWith: CFString = "m_SubjectEndsWith"
/// A text that a certificate's subject must equal; a string (macOS).
nonisolated(unsafe) public let kSecMatchSubjectWholeString: CFString = "m_SubjectWholeString"
/// Whether texts are compared without regard to case; a boolean.
nonisolated(unsafe) public let kSecMatchCaseInsensitive: CFString = "m_CaseInsensitive"
/// Whether texts are compared without regard to diacritics; a boolean (macOS).
nonisolated(unsafe) public let kSecMatchDiacriticInsensitive: CFString = "m_DiacriticInsensitive"
/// Whether texts are compared without regard to width of characters; a boolean (macOS).
nonisolated(unsafe) public let kSecMatchWidthInsensitive: CFString = "m_WidthInsensitive"
/// Whether only certificates that can be traced to a trusted root are found; a boolean.
nonisolated(unsafe) public let kSecMatchTrustedOnly: CFString = "m_TrustedOnly"
/// A date on which certificates must be valid; a null means now.
nonisolated(unsafe) public let kSecMatchValidOnDate: CFString = "m_ValidOnDate"
/// How many items are returned at most: a number, `kSecMatchLimitOne` or `kSecMatchLimitAll`. Default: one.
nonisolated(unsafe) public let kSecMatchLimit: CFString = "m_Limit"
/// One item, by itself and not in an array.
nonisolated(unsafe) public let kSecMatchLimitOne: CFString = "m_LimitOne"
/// All items, in an array.
nonisolated(unsafe) public let kSecMatchLimitAll: CFString = "m_LimitAll"
