// Search conditions beyond attributes (Apple, SecItem.h, "Search Constants").
// Values: SecItemConstants.c of Security-61901.

public import Foundation

/// A `SecPolicy` that certificates and identities must satisfy.
nonisolated(unsafe) public let kSecMatchPolicy: CFString = "m_Policy"
/// An array of items: only these are searched.
nonisolated(unsafe) public let kSecMatchItemList: CFString = "m_ItemList"
/// An array of old macOS keychains to search.
nonisolated(unsafe) public let kSecMatchSearchList: CFString = "m_SearchList"
/// An array of normalized names (data): one of them must occur in the certificate's chain.
nonisolated(unsafe) public let kSecMatchIssuers: CFString = "m_Issuers"
/// A mail address that a certificate must contain if it contains any; a string.
nonisolated(unsafe) public let kSecMatchEmailAddressIfPresent: CFString = "m_EmailAddressIfPresent"
/// A text that a certificate's subject must contain; a string (macOS).
nonisolated(unsafe) public let kSecMatchSubjectContains: CFString = "m_SubjectContains"
/// A host: matches internet passwords of it and of its subdomains; a string.
nonisolated(unsafe) public let kSecMatchHostOrSubdomainOfHost: CFString = "m_HostOrSubdomainOfHost"
/// A text that a certificate's subject must start with; a string (macOS).
nonisolated(unsafe) public let kSecMatchSubjectStartsWith: CFString = "m_SubjectStartsWith"
/// A text that a certificate's subject must end with; a string (macOS).
nonisolated(unsafe) public let kSecMatchSubjectEndsWith: CFString = "m_SubjectEndsWith"
/// A text that a certificate's subject must equal; a string (macOS).
nonisolated(unsafe) public let kSecMatchSubjectWholeString: CFString = "m_SubjectWholeString"
/// Whether texts are compared case-insensitively; a boolean.
nonisolated(unsafe) public let kSecMatchCaseInsensitive: CFString = "m_CaseInsensitive"
/// Whether texts are compared ignoring diacritics; a boolean (macOS).
nonisolated(unsafe) public let kSecMatchDiacriticInsensitive: CFString = "m_DiacriticInsensitive"
/// Whether texts are compared ignoring the width of characters; a boolean (macOS).
nonisolated(unsafe) public let kSecMatchWidthInsensitive: CFString = "m_WidthInsensitive"
/// Whether to match only certificates that chain to a trusted root; a boolean.
nonisolated(unsafe) public let kSecMatchTrustedOnly: CFString = "m_TrustedOnly"
/// A date at which certificates must be valid; a null means now.
nonisolated(unsafe) public let kSecMatchValidOnDate: CFString = "m_ValidOnDate"
/// The maximum number of items to return: a number, `kSecMatchLimitOne` or `kSecMatchLimitAll`. Default: one.
nonisolated(unsafe) public let kSecMatchLimit: CFString = "m_Limit"
/// One item, returned by itself and not in an array.
nonisolated(unsafe) public let kSecMatchLimitOne: CFString = "m_LimitOne"
/// All items, returned in an array.
nonisolated(unsafe) public let kSecMatchLimitAll: CFString = "m_LimitAll"
