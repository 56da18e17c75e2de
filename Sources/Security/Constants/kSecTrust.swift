// What an evaluation of trust tells (Apple, SecTrust.h).
// Values: SecTrust.c and SecCertificate.c of Security-61901.

public import Foundation

// MARK: Of the evaluation

/// When the certificates were judged for; a date.
nonisolated(unsafe) public let kSecTrustEvaluationDate: CFString = "TrustEvaluationDate"
/// Whether the certificate is one of extended validation; a boolean. It is never there.
nonisolated(unsafe) public let kSecTrustExtendedValidation: CFString = "TrustExtendedValidation"
/// The organization of extended validation; a string. It is never there.
nonisolated(unsafe) public let kSecTrustOrganizationName: CFString = "Organization"
/// The result; a number, as of ``SecTrustResultType``.
nonisolated(unsafe) public let kSecTrustResultValue: CFString = "TrustResultValue"
/// Whether revocation was checked; a boolean. It is never there.
nonisolated(unsafe) public let kSecTrustRevocationChecked: CFString = "TrustRevocationChecked"
/// Until when that holds; a date. It is never there.
nonisolated(unsafe) public let kSecTrustRevocationValidUntilDate: CFString = "TrustExpirationDate"
/// Whether the certificate was logged in public; a boolean. It is never there.
nonisolated(unsafe) public let kSecTrustCertificateTransparency: CFString = "TrustCertificateTransparency"
/// Whether it need not be; a boolean. It is never there.
nonisolated(unsafe) public let kSecTrustCertificateTransparencyWhiteList: CFString =
  "TrustCertificateTransparencyWhiteList"
/// The statements of a qualified certificate; an array. It is never there.
nonisolated(unsafe) public let kSecTrustQCStatements: CFString = "TrustQCStatements"
/// Whether the certificate is qualified for web sites; a boolean. It is never there.
nonisolated(unsafe) public let kSecTrustQWACValidation: CFString = "TrustQWACValidation"

// MARK: Of a certificate

/// What the certificate is called; a string.
nonisolated(unsafe) public let kSecPropertyTypeTitle: CFString = "title"
/// What is wrong; a string.
nonisolated(unsafe) public let kSecPropertyTypeError: CFString = "error"
