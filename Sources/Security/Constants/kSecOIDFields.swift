// Identifiers of a certificate's fields (Apple, SecCertificateOIDs.h), as keys of ``SecCertificateCopyValues(_:_:_:)``. Only some of
// them have values there.
// Values: CertificateValues.cpp of Security-61901.

public import Foundation

// MARK: Fields of certificates

/// A key, in CSSM's form.
nonisolated(unsafe) public let kSecOIDCSSMKeyStruct: CFString = "2.16.840.1.113741.2.1.1.1.20"
/// The subject's mail address.
nonisolated(unsafe) public let kSecOIDSubjectEmailAddress: CFString = "2.16.840.1.113741.2.1.1.1.50.3"
/// The subject's picture.
nonisolated(unsafe) public let kSecOIDSubjectPicture: CFString = "2.16.840.1.113741.2.1.1.1.50.2"
/// The subject's handwritten signature.
nonisolated(unsafe) public let kSecOIDSubjectSignatureBitmap: CFString = "2.16.840.1.113741.2.1.1.1.50.1"
/// Exemptions of use.
nonisolated(unsafe) public let kSecOIDUseExemptions: CFString = "2.16.840.1.113741.2.1.1.1.50.4"
/// The issuer's unique identifier.
nonisolated(unsafe) public let kSecOIDX509V1CertificateIssuerUniqueId: CFString = "2.16.840.1.113741.2.1.1.1.11"
/// The subject's unique identifier.
nonisolated(unsafe) public let kSecOIDX509V1CertificateSubjectUniqueId: CFString = "2.16.840.1.113741.2.1.1.1.12"
/// The issuer's name.
nonisolated(unsafe) public let kSecOIDX509V1IssuerName: CFString = "2.16.840.1.113741.2.1.1.1.5"
/// The issuer's name, in CSSM's form.
nonisolated(unsafe) public let kSecOIDX509V1IssuerNameCStruct: CFString = "2.16.840.1.113741.2.1.1.1.5.1"
/// The issuer's name, in LDAP's form.
nonisolated(unsafe) public let kSecOIDX509V1IssuerNameLDAP: CFString = "2.16.840.1.113741.2.1.1.1.5.2"
/// The issuer's name, normalized.
nonisolated(unsafe) public let kSecOIDX509V1IssuerNameStd: CFString = "2.16.840.1.113741.2.1.1.1.23"
/// The serial number of the certificate.
nonisolated(unsafe) public let kSecOIDX509V1SerialNumber: CFString = "2.16.840.1.113741.2.1.1.1.3"
/// The signature.
nonisolated(unsafe) public let kSecOIDX509V1Signature: CFString = "2.16.840.1.113741.2.1.3.2.2"
/// The algorithm of the signature.
nonisolated(unsafe) public let kSecOIDX509V1SignatureAlgorithm: CFString = "2.16.840.1.113741.2.1.3.2.1"
/// The parameters of the signature's algorithm.
nonisolated(unsafe) public let kSecOIDX509V1SignatureAlgorithmParameters: CFString = "2.16.840.1.113741.2.1.3.2.3"
/// The algorithm of the signature, as it is signed.
nonisolated(unsafe) public let kSecOIDX509V1SignatureAlgorithmTBS: CFString = "2.16.840.1.113741.2.1.3.2.10"
/// The signature, in CSSM's form.
nonisolated(unsafe) public let kSecOIDX509V1SignatureCStruct: CFString = "2.16.840.1.113741.2.1.3.2.0.1"
/// The signature, as a structure.
nonisolated(unsafe) public let kSecOIDX509V1SignatureStruct: CFString = "2.16.840.1.113741.2.1.3.2.0"
/// The subject's name.
nonisolated(unsafe) public let kSecOIDX509V1SubjectName: CFString = "2.16.840.1.113741.2.1.1.1.8"
/// The subject's name, in CSSM's form.
nonisolated(unsafe) public let kSecOIDX509V1SubjectNameCStruct: CFString = "2.16.840.1.113741.2.1.1.1.8.1"
/// The subject's name, in LDAP's form.
nonisolated(unsafe) public let kSecOIDX509V1SubjectNameLDAP: CFString = "2.16.840.1.113741.2.1.1.1.8.2"
/// The subject's name, normalized.
nonisolated(unsafe) public let kSecOIDX509V1SubjectNameStd: CFString = "2.16.840.1.113741.2.1.1.1.22"
/// The bytes of the public key.
nonisolated(unsafe) public let kSecOIDX509V1SubjectPublicKey: CFString = "2.16.840.1.113741.2.1.1.1.10"
/// The algorithm of the public key.
nonisolated(unsafe) public let kSecOIDX509V1SubjectPublicKeyAlgorithm: CFString = "2.16.840.1.113741.2.1.1.1.9"
/// The parameters of the public key's algorithm.
nonisolated(unsafe) public let kSecOIDX509V1SubjectPublicKeyAlgorithmParameters: CFString =
  "2.16.840.1.113741.2.1.1.1.18"
/// The public key, in CSSM's form.
nonisolated(unsafe) public let kSecOIDX509V1SubjectPublicKeyCStruct: CFString = "2.16.840.1.113741.2.1.1.1.20.1"
/// The end of the validity.
nonisolated(unsafe) public let kSecOIDX509V1ValidityNotAfter: CFString = "2.16.840.1.113741.2.1.1.1.7"
/// The start of the validity.
nonisolated(unsafe) public let kSecOIDX509V1ValidityNotBefore: CFString = "2.16.840.1.113741.2.1.1.1.6"
/// The version of the certificate.
nonisolated(unsafe) public let kSecOIDX509V1Version: CFString = "2.16.840.1.113741.2.1.1.1.2"
/// The certificate without its signature.
nonisolated(unsafe) public let kSecOIDX509V3Certificate: CFString = "2.16.840.1.113741.2.1.1.1.1"
/// The certificate without its signature, in CSSM's form.
nonisolated(unsafe) public let kSecOIDX509V3CertificateCStruct: CFString = "2.16.840.1.113741.2.1.1.1.1.1"
/// An extension, in CSSM's form.
nonisolated(unsafe) public let kSecOIDX509V3CertificateExtensionCStruct: CFString = "2.16.840.1.113741.2.1.1.1.13.1"
/// Whether an extension is critical.
nonisolated(unsafe) public let kSecOIDX509V3CertificateExtensionCritical: CFString = "2.16.840.1.113741.2.1.1.1.16"
/// The identifier of an extension.
nonisolated(unsafe) public let kSecOIDX509V3CertificateExtensionId: CFString = "2.16.840.1.113741.2.1.1.1.15"
/// An extension, as a structure.
nonisolated(unsafe) public let kSecOIDX509V3CertificateExtensionStruct: CFString = "2.16.840.1.113741.2.1.1.1.13"
/// The type of an extension.
nonisolated(unsafe) public let kSecOIDX509V3CertificateExtensionType: CFString = "2.16.840.1.113741.2.1.1.1.19"
/// The value of an extension.
nonisolated(unsafe) public let kSecOIDX509V3CertificateExtensionValue: CFString = "2.16.840.1.113741.2.1.1.1.17"
/// The extensions, in CSSM's form.
nonisolated(unsafe) public let kSecOIDX509V3CertificateExtensionsCStruct: CFString = "2.16.840.1.113741.2.1.1.1.21.1"
/// The extensions, as a structure.
nonisolated(unsafe) public let kSecOIDX509V3CertificateExtensionsStruct: CFString = "2.16.840.1.113741.2.1.1.1.21"
/// The number of extensions.
nonisolated(unsafe) public let kSecOIDX509V3CertificateNumberOfExtensions: CFString = "2.16.840.1.113741.2.1.1.1.14"
/// The signed certificate.
nonisolated(unsafe) public let kSecOIDX509V3SignedCertificate: CFString = "2.16.840.1.113741.2.1.1.1.0"
/// The signed certificate, in CSSM's form.
nonisolated(unsafe) public let kSecOIDX509V3SignedCertificateCStruct: CFString = "2.16.840.1.113741.2.1.1.1.0.1"
