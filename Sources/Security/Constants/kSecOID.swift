// Object identifiers of names, extensions and purposes (Apple, SecCertificateOIDs.h), as keys of ``SecCertificateCopyValues(_:_:_:)``.
// Values: CertificateValues.cpp of Security-61901.

public import Foundation

// MARK: Attributes of names

/// The title of a subject.
nonisolated(unsafe) public let kSecOIDTitle: CFString = "2.5.4.12"
/// The state or province of a group of subjects.
nonisolated(unsafe) public let kSecOIDCollectiveStateProvinceName: CFString = "2.5.4.8.1"
/// The street of a group of subjects.
nonisolated(unsafe) public let kSecOIDCollectiveStreetAddress: CFString = "2.5.4.9.1"
/// The common name of a subject.
nonisolated(unsafe) public let kSecOIDCommonName: CFString = "2.5.4.3"
/// The country of a subject.
nonisolated(unsafe) public let kSecOIDCountryName: CFString = "2.5.4.6"
/// The description of a subject.
nonisolated(unsafe) public let kSecOIDDescription: CFString = "2.5.4.13"
/// The mail address of a subject.
nonisolated(unsafe) public let kSecOIDEmailAddress: CFString = "1.2.840.113549.1.9.1"
/// The given name of a subject.
nonisolated(unsafe) public let kSecOIDGivenName: CFString = "2.5.4.42"
/// The locality of a subject.
nonisolated(unsafe) public let kSecOIDLocalityName: CFString = "2.5.4.7"
/// The organization of a subject.
nonisolated(unsafe) public let kSecOIDOrganizationName: CFString = "2.5.4.10"
/// The organizational unit of a subject.
nonisolated(unsafe) public let kSecOIDOrganizationalUnitName: CFString = "2.5.4.11"
/// The serial number of a subject, such as a device.
nonisolated(unsafe) public let kSecOIDSerialNumber: CFString = "2.5.4.5"
/// The state or province of a subject.
nonisolated(unsafe) public let kSecOIDStateProvinceName: CFString = "2.5.4.8"
/// The street of a subject.
nonisolated(unsafe) public let kSecOIDStreetAddress: CFString = "2.5.4.9"
/// The surname of a subject.
nonisolated(unsafe) public let kSecOIDSurname: CFString = "2.5.4.4"

// MARK: Extensions

/// Where to find the issuer and its OCSP responder.
nonisolated(unsafe) public let kSecOIDAuthorityInfoAccess: CFString = "1.3.6.1.5.5.7.1.1"
/// The identifier of the issuer's key.
nonisolated(unsafe) public let kSecOIDAuthorityKeyIdentifier: CFString = "2.5.29.35"
/// Whether the subject is an authority, and how long a path below it may be.
nonisolated(unsafe) public let kSecOIDBasicConstraints: CFString = "2.5.29.19"
/// Hashes of biometric data.
nonisolated(unsafe) public let kSecOIDBiometricInfo: CFString = "1.3.6.1.5.5.7.1.2"
/// The issuer of a certificate in an indirect revocation list.
nonisolated(unsafe) public let kSecOIDCertIssuer: CFString = "2.5.29.29"
/// The policies of the certificate.
nonisolated(unsafe) public let kSecOIDCertificatePolicies: CFString = "2.5.29.32"
/// Where to find the revocation list.
nonisolated(unsafe) public let kSecOIDCrlDistributionPoints: CFString = "2.5.29.31"
/// The number of a revocation list.
nonisolated(unsafe) public let kSecOIDCrlNumber: CFString = "2.5.29.20"
/// The reason of a revocation.
nonisolated(unsafe) public let kSecOIDCrlReason: CFString = "2.5.29.21"
/// The base of a revocation list of changes.
nonisolated(unsafe) public let kSecOIDDeltaCrlIndicator: CFString = "2.5.29.27"
/// The purposes of the key.
nonisolated(unsafe) public let kSecOIDExtendedKeyUsage: CFString = "2.5.29.37"
/// What to do with a certificate on hold.
nonisolated(unsafe) public let kSecOIDHoldInstructionCode: CFString = "2.5.29.23"
/// When a key was known or suspected to be compromised; in ``SecCertificateCopyValues(_:_:_:)``, when the certificate
/// expires.
nonisolated(unsafe) public let kSecOIDInvalidityDate: CFString = "2.5.29.24"
/// Alternative names of the issuer.
nonisolated(unsafe) public let kSecOIDIssuerAltName: CFString = "2.5.29.18"
/// The scope of a revocation list.
nonisolated(unsafe) public let kSecOIDIssuingDistributionPoint: CFString = "2.5.29.28"
/// The scope of a revocation list, by another name.
nonisolated(unsafe) public let kSecOIDIssuingDistributionPoints: CFString = "2.5.29.28"
/// The operations of the key.
nonisolated(unsafe) public let kSecOIDKeyUsage: CFString = "2.5.29.15"
/// The names that an authority may vouch for.
nonisolated(unsafe) public let kSecOIDNameConstraints: CFString = "2.5.29.30"
/// Netscape's type of the certificate.
nonisolated(unsafe) public let kSecOIDNetscapeCertType: CFString = "2.16.840.1.113730.1.1"
/// Constraints of policies on the path.
nonisolated(unsafe) public let kSecOIDPolicyConstraints: CFString = "2.5.29.36"
/// Policies that are equal to others.
nonisolated(unsafe) public let kSecOIDPolicyMappings: CFString = "2.5.29.33"
/// When the private key may be used.
nonisolated(unsafe) public let kSecOIDPrivateKeyUsagePeriod: CFString = "2.5.29.16"
/// Statements of a qualified certificate.
nonisolated(unsafe) public let kSecOIDQC_Statements: CFString = "1.3.6.1.5.5.7.1.3"
/// Alternative names of the subject.
nonisolated(unsafe) public let kSecOIDSubjectAltName: CFString = "2.5.29.17"
/// Attributes of the subject.
nonisolated(unsafe) public let kSecOIDSubjectDirectoryAttributes: CFString = "2.5.29.9"
/// Where to find what the subject offers.
nonisolated(unsafe) public let kSecOIDSubjectInfoAccess: CFString = "1.3.6.1.5.5.7.1.11"
/// The identifier of the subject's key.
nonisolated(unsafe) public let kSecOIDSubjectKeyIdentifier: CFString = "2.5.29.14"

// MARK: Purposes and other names

/// Purpose: a TLS client.
nonisolated(unsafe) public let kSecOIDClientAuth: CFString = "1.3.6.1.5.5.7.3.2"
/// Purpose: IPsec.
nonisolated(unsafe) public let kSecOIDEKU_IPSec: CFString = "1.3.6.1.5.5.8.2.2"
/// Purpose: mail.
nonisolated(unsafe) public let kSecOIDEmailProtection: CFString = "1.3.6.1.5.5.7.3.4"
/// Purpose: any.
nonisolated(unsafe) public let kSecOIDExtendedKeyUsageAny: CFString = "2.5.29.37.0"
/// Purpose: signing code.
nonisolated(unsafe) public let kSecOIDExtendedUseCodeSigning: CFString = "1.3.6.1.5.5.7.3.3"
/// Purpose: a client of Kerberos.
nonisolated(unsafe) public let kSecOIDKERBv5_PKINIT_KP_CLIENT_AUTH: CFString = "1.3.6.1.5.2.3.4"
/// Purpose: a key distribution center of Kerberos.
nonisolated(unsafe) public let kSecOIDKERBv5_PKINIT_KP_KDC: CFString = "1.3.6.1.5.2.3.5"
/// A principal of Windows, as another name.
nonisolated(unsafe) public let kSecOIDMS_NTPrincipalName: CFString = "1.3.6.1.4.1.311.20.2.3"
/// Purpose: Microsoft's server-gated cryptography.
nonisolated(unsafe) public let kSecOIDMicrosoftSGC: CFString = "1.3.6.1.4.1.311.10.3.3"
/// Netscape's sequence of certificates.
nonisolated(unsafe) public let kSecOIDNetscapeCertSequence: CFString = "2.16.840.1.113730.2.5"
/// Purpose: Netscape's server-gated cryptography.
nonisolated(unsafe) public let kSecOIDNetscapeSGC: CFString = "2.16.840.1.113730.4.1"
/// Purpose: signing OCSP answers.
nonisolated(unsafe) public let kSecOIDOCSPSigning: CFString = "1.3.6.1.5.5.7.3.9"
/// Purpose: a TLS server.
nonisolated(unsafe) public let kSecOIDServerAuth: CFString = "1.3.6.1.5.5.7.3.1"
/// Purpose: time stamps.
nonisolated(unsafe) public let kSecOIDTimeStamping: CFString = "1.3.6.1.5.5.7.3.8"
/// A service of the DNS, as another name.
nonisolated(unsafe) public let kSecOIDSRVName: CFString = "1.3.6.1.5.5.7.8.7"

// MARK: Apple's policies, purposes and extensions

/// Policy of Apple's developers.
nonisolated(unsafe) public let kSecOIDADC_CERT_POLICY: CFString = "1.2.840.113635.100.5.3"
/// Policy of Apple's certificates.
nonisolated(unsafe) public let kSecOIDAPPLE_CERT_POLICY: CFString = "1.2.840.113635.100.5.1"
/// Purpose: signing Apple's code.
nonisolated(unsafe) public let kSecOIDAPPLE_EKU_CODE_SIGNING: CFString = "1.2.840.113635.100.4.1"
/// Purpose: signing code in development.
nonisolated(unsafe) public let kSecOIDAPPLE_EKU_CODE_SIGNING_DEV: CFString = "1.2.840.113635.100.4.1.1"
/// Purpose: encryption of iChat.
nonisolated(unsafe) public let kSecOIDAPPLE_EKU_ICHAT_ENCRYPTION: CFString = "1.2.840.113635.100.4.3"
/// Purpose: signatures of iChat.
nonisolated(unsafe) public let kSecOIDAPPLE_EKU_ICHAT_SIGNING: CFString = "1.2.840.113635.100.4.2"
/// Purpose: signing resources.
nonisolated(unsafe) public let kSecOIDAPPLE_EKU_RESOURCE_SIGNING: CFString = "1.2.840.113635.100.4.1.4"
/// Purpose: the identity of a system.
nonisolated(unsafe) public let kSecOIDAPPLE_EKU_SYSTEM_IDENTITY: CFString = "1.2.840.113635.100.4.4"
/// Apple's extensions.
nonisolated(unsafe) public let kSecOIDAPPLE_EXTENSION: CFString = "1.2.840.113635.100.6"
/// Extension: signing by Apple for a developer.
nonisolated(unsafe) public let kSecOIDAPPLE_EXTENSION_ADC_APPLE_SIGNING: CFString = "1.2.840.113635.100.6.1.2.0.0"
/// Extension: signing by a developer.
nonisolated(unsafe) public let kSecOIDAPPLE_EXTENSION_ADC_DEV_SIGNING: CFString = "1.2.840.113635.100.6.1.2.0"
/// Extension: signing by Apple.
nonisolated(unsafe) public let kSecOIDAPPLE_EXTENSION_APPLE_SIGNING: CFString = "1.2.840.113635.100.6.1.1"
/// Extension: signing code.
nonisolated(unsafe) public let kSecOIDAPPLE_EXTENSION_CODE_SIGNING: CFString = "1.2.840.113635.100.6.1"
/// Extension: an authority of Apple's.
nonisolated(unsafe) public let kSecOIDAPPLE_EXTENSION_INTERMEDIATE_MARKER: CFString = "1.2.840.113635.100.6.2"
/// Extension: the authority of developer relations.
nonisolated(unsafe) public let kSecOIDAPPLE_EXTENSION_WWDR_INTERMEDIATE: CFString = "1.2.840.113635.100.6.2.1"
/// Extension: the authority of the iTunes store.
nonisolated(unsafe) public let kSecOIDAPPLE_EXTENSION_ITMS_INTERMEDIATE: CFString = "1.2.840.113635.100.6.2.2"
/// Extension: the authority of application integration.
nonisolated(unsafe) public let kSecOIDAPPLE_EXTENSION_AAI_INTERMEDIATE: CFString = "1.2.840.113635.100.6.2.3"
/// Extension: the authority of Apple IDs.
nonisolated(unsafe) public let kSecOIDAPPLE_EXTENSION_APPLEID_INTERMEDIATE: CFString = "1.2.840.113635.100.6.2.7"
/// .Mac: encryption of mail.
nonisolated(unsafe) public let kSecOIDDOTMAC_CERT_EMAIL_ENCRYPT: CFString = "1.2.840.113635.100.3.2.3"
/// .Mac: signatures of mail.
nonisolated(unsafe) public let kSecOIDDOTMAC_CERT_EMAIL_SIGN: CFString = "1.2.840.113635.100.3.2.2"
/// .Mac: extensions.
nonisolated(unsafe) public let kSecOIDDOTMAC_CERT_EXTENSION: CFString = "1.2.840.113635.100.3.2"
/// .Mac: an identity.
nonisolated(unsafe) public let kSecOIDDOTMAC_CERT_IDENTITY: CFString = "1.2.840.113635.100.3.2.1"
/// .Mac: a policy.
nonisolated(unsafe) public let kSecOIDDOTMAC_CERT_POLICY: CFString = "1.2.840.113635.100.5.2"
