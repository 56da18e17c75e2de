// The keys and types of properties (Apple, SecCertificate.h and SecTrust.h): the dictionaries of ``SecCertificateCopyValues(_:_:_:)``
// and `SecTrustCopyProperties`.
// Values: SecCertificate.c of Security-61901.

public import Foundation

// MARK: Keys

/// The type of the property, one of `kSecPropertyType…`; a string.
nonisolated(unsafe) public let kSecPropertyKeyType: CFString = "type"
/// The name of the property; a string.
nonisolated(unsafe) public let kSecPropertyKeyLabel: CFString = "label"
/// The name of the property in the user's language; a string. The same as the label.
nonisolated(unsafe) public let kSecPropertyKeyLocalizedLabel: CFString = "localized label"
/// The value, of the type.
nonisolated(unsafe) public let kSecPropertyKeyValue: CFString = "value"

// MARK: Types

/// A warning; a string.
nonisolated(unsafe) public let kSecPropertyTypeWarning: CFString = "warning"
/// An error; a string.
nonisolated(unsafe) public let kSecPropertyTypeError: CFString = "error"
/// A success; a string.
nonisolated(unsafe) public let kSecPropertyTypeSuccess: CFString = "success"
/// The title of a certificate; a string.
nonisolated(unsafe) public let kSecPropertyTypeTitle: CFString = "title"
/// Properties; an array of dictionaries.
nonisolated(unsafe) public let kSecPropertyTypeSection: CFString = "section"
/// Bytes; data.
nonisolated(unsafe) public let kSecPropertyTypeData: CFString = "data"
/// A text; a string.
nonisolated(unsafe) public let kSecPropertyTypeString: CFString = "string"
/// An address; a URL.
nonisolated(unsafe) public let kSecPropertyTypeURL: CFString = "url"
/// A moment; a date.
nonisolated(unsafe) public let kSecPropertyTypeDate: CFString = "date"
/// Values; an array.
nonisolated(unsafe) public let kSecPropertyTypeArray: CFString = "array"
/// A number.
nonisolated(unsafe) public let kSecPropertyTypeNumber: CFString = "number"
