// The results of a trust evaluation (Apple, SecTrust.h).
// Values: SecTrust.c and SecCertificate.c of Security-61901.

public import Foundation

// MARK: Results of the evaluation

/// The time for which the certificates were evaluated; a date.
nonisolated(unsafe) public let kSecTrustEvaluationDate: CFString = "TrustEvaluationDate"
/// Whether the certificate has extended validation; a boolean. Never set.
nonisolated(unsafe) public let kSecTrustExtendedValidation: CFString = "TrustExtendedValidation"
/// The organization of extended validation; a string. Never set.
nonisolated(unsafe) public let kSecTrustOrganizationName: CFString = "Organization"
/// The result; a number, the raw value of a ``SecTrustResultType``.
nonisolated(unsafe) public let kSecTrustResultValue: CFString = "TrustResultValue"
/// Whether revocation was checked; a boolean. Never set.
nonisolated(unsafe) public let kSecTrustRevocationChecked: CFString = "TrustRevocationChecked"
/// The time until which the revocation status is valid; a date. Never set.
nonisolated(unsafe) public let kSecTrustRevocationValidUntilDate: CFString = "TrustExpirationDate"
/// Whether the certificate is in a Certificate Transparency log; a boolean. Never set.
nonisolated(unsafe) public let kSecTrustCertificateTransparency: CFString = "TrustCertificateTransparency"
/// Whether the certificate is exempt from Certificate Transparency; a boolean. Never set.
nonisolated(unsafe) public let kSecTrustCertificateTransparencyWhiteList: CFString =
  "TrustCertificateTransparencyWhiteList"
/// The statements of a qualified certificate; an array. Never set.
nonisolated(unsafe) public let kSecTrustQCStatements: CFString = "TrustQCStatements"
/// Whether the certificate is qualified for web sites; a boolean. Never set.
nonisolated(unsafe) public let kSecTrustQWACValidation: CFString = "TrustQWACValidation"
