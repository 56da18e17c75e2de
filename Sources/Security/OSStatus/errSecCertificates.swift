// The codes of certificates, revocation, code signing and time stamping (Apple, SecBase.h; values of Security-61901).

// MARK: Certificates

/// The certificate is for another host.
public let errSecHostNameMismatch: OSStatus = -67602
/// A critical extension is unknown.
public let errSecUnknownCriticalExtensionFlag: OSStatus = -67603
/// The basic constraints are missing.
public let errSecNoBasicConstraints: OSStatus = -67604
/// The basic constraints do not state whether this is a certificate authority.
public let errSecNoBasicConstraintsCA: OSStatus = -67605
/// The authority key identifier is invalid.
public let errSecInvalidAuthorityKeyID: OSStatus = -67606
/// The subject key identifier is invalid.
public let errSecInvalidSubjectKeyID: OSStatus = -67607
/// The policy does not allow this key usage.
public let errSecInvalidKeyUsageForPolicy: OSStatus = -67608
/// The extended key usage is invalid.
public let errSecInvalidExtendedKeyUsage: OSStatus = -67609
/// The identifiers of the certificates do not link them.
public let errSecInvalidIDLinkage: OSStatus = -67610
/// The chain is longer than one of its certificates allows.
public let errSecPathLengthConstraintExceeded: OSStatus = -67611
/// The root certificate is invalid.
public let errSecInvalidRoot: OSStatus = -67612
/// A certificate extension is unknown.
public let errSecUnknownCertExtension: OSStatus = -67618
/// The subject's name is invalid.
public let errSecInvalidSubjectName: OSStatus = -67655
/// A statement of a qualified certificate is unknown.
public let errSecUnknownQualifiedCertStatement: OSStatus = -67656
/// A statement of a qualified certificate is missing.
public let errSecMissingQualifiedCertStatement: OSStatus = -67904
/// The certificate cannot be used for this.
public let errSecCertificateCannotOperate: OSStatus = -67817
/// The certificate has expired.
public let errSecCertificateExpired: OSStatus = -67818
/// The certificate is not valid yet.
public let errSecCertificateNotValidYet: OSStatus = -67819
/// The certificate was revoked.
public let errSecCertificateRevoked: OSStatus = -67820
/// The certificate is suspended.
public let errSecCertificateSuspended: OSStatus = -67821
/// This policy is not allowed for the certificate.
public let errSecCertificatePolicyNotAllowed: OSStatus = -67899
/// This name is not allowed for the certificate.
public let errSecCertificateNameNotAllowed: OSStatus = -67900
/// The certificate is valid for longer than is allowed.
public let errSecCertificateValidityPeriodTooLong: OSStatus = -67901
/// The certificate belongs to a certificate authority, not to an end entity.
public let errSecCertificateIsCA: OSStatus = -67902
/// An extension occurs more than once.
public let errSecCertificateDuplicateExtension: OSStatus = -67903
/// A required extension is missing.
public let errSecMissingRequiredExtension: OSStatus = -67880
/// The extended key usage is not marked as critical.
public let errSecExtendedKeyUsageNotCritical: OSStatus = -67881
/// The certificate is not trusted.
public let errSecNotTrusted: OSStatus = -67843
/// A trust setting denies this policy.
public let errSecTrustSettingDeny: OSStatus = -67654
/// The reference names no certificate.
public let errSecInvalidCertificateRef: OSStatus = -67690
/// The group of certificates is invalid.
public let errSecInvalidCertificateGroup: OSStatus = -67691
/// The certificate's authority is invalid.
public let errSecInvalidCertAuthority: OSStatus = -67826
/// The validity period is invalid.
public let errSecInvalidValidityPeriod: OSStatus = -67854
// MARK: Revocation

/// The revocation list is too old.
public let errSecCRLExpired: OSStatus = -67613
/// The revocation list is not valid yet.
public let errSecCRLNotValidYet: OSStatus = -67614
/// There is no revocation list.
public let errSecCRLNotFound: OSStatus = -67615
/// The server of the revocation list does not respond.
public let errSecCRLServerDown: OSStatus = -67616
/// The address of the revocation list is invalid.
public let errSecCRLBadURI: OSStatus = -67617
/// An extension of the revocation list is unknown.
public let errSecUnknownCRLExtension: OSStatus = -67619
/// The revocation list is not trusted.
public let errSecCRLNotTrusted: OSStatus = -67620
/// The revocation list does not satisfy its policy.
public let errSecCRLPolicyFailed: OSStatus = -67621
/// The revocation list is signed already.
public let errSecCRLAlreadySigned: OSStatus = -67684
/// The group of revocation lists is invalid.
public let errSecInvalidCRLGroup: OSStatus = -67816
/// The revocation list's authority is invalid.
public let errSecInvalidCRLAuthority: OSStatus = -67827
/// The encoding of the revocation list is invalid.
public let errSecInvalidCRLEncoding: OSStatus = -67828
/// The type of the revocation list is invalid.
public let errSecInvalidCRLType: OSStatus = -67829
/// The revocation list is invalid.
public let errSecInvalidCRL: OSStatus = -67830
/// The index into the revocation list is invalid.
public let errSecInvalidCRLIndex: OSStatus = -67858
/// The issuing distribution point is invalid.
public let errSecIDPFailure: OSStatus = -67622
/// Revocation was not checked completely.
public let errSecIncompleteCertRevocationCheck: OSStatus = -67635
/// The OCSP response is invalid or malformed.
public let errSecOCSPBadResponse: OSStatus = -67630
/// The OCSP request is invalid or malformed.
public let errSecOCSPBadRequest: OSStatus = -67631
/// The OCSP service is not available.
public let errSecOCSPUnavailable: OSStatus = -67632
/// The OCSP server does not know the certificate.
public let errSecOCSPStatusUnrecognized: OSStatus = -67633
/// The OCSP response does not chain to a trusted root.
public let errSecOCSPNotTrustedToAnchor: OSStatus = -67637
/// The signature of the OCSP response is invalid.
public let errSecOCSPSignatureError: OSStatus = -67639
/// The OCSP response names no signer.
public let errSecOCSPNoSigner: OSStatus = -67640
/// The OCSP server could not parse the request.
public let errSecOCSPResponderMalformedReq: OSStatus = -67641
/// The OCSP server failed.
public let errSecOCSPResponderInternalError: OSStatus = -67642
/// The OCSP server is busy: try again later.
public let errSecOCSPResponderTryLater: OSStatus = -67643
/// The OCSP server requires signed requests.
public let errSecOCSPResponderSignatureRequired: OSStatus = -67644
/// The OCSP server refused the request.
public let errSecOCSPResponderUnauthorized: OSStatus = -67645
/// The OCSP response belongs to another request.
public let errSecOCSPResponseNonceMismatch: OSStatus = -67646
// MARK: Signed mail, connections and code

/// The certificate does not name the mail address.
public let errSecSMIMEEmailAddressesNotFound: OSStatus = -67623
/// The extended key usage does not allow signed mail.
public let errSecSMIMEBadExtendedKeyUsage: OSStatus = -67624
/// The key usage does not allow signed mail.
public let errSecSMIMEBadKeyUsage: OSStatus = -67625
/// The key usage is not marked as critical.
public let errSecSMIMEKeyUsageNotCritical: OSStatus = -67626
/// The certificate names no mail address.
public let errSecSMIMENoEmailAddress: OSStatus = -67627
/// The subject alternative name is not marked as critical.
public let errSecSMIMESubjAltNameNotCritical: OSStatus = -67628
/// The extended key usage does not allow TLS.
public let errSecSSLBadExtendedKeyUsage: OSStatus = -67629
/// The code-signing chain has an invalid length.
public let errSecCodeSigningBadCertChainLength: OSStatus = -67647
/// The code-signing chain lacks basic constraints.
public let errSecCodeSigningNoBasicConstraints: OSStatus = -67648
/// The path length of the code-signing chain is invalid.
public let errSecCodeSigningBadPathLengthConstraint: OSStatus = -67649
/// The code-signing certificate lacks an extended key usage.
public let errSecCodeSigningNoExtendedKeyUsage: OSStatus = -67650
/// The code is signed for development only.
public let errSecCodeSigningDevelopment: OSStatus = -67651
/// The chain of a signed resource has an invalid length.
public let errSecResourceSignBadCertChainLength: OSStatus = -67652
/// The extended key usage does not allow signing of resources.
public let errSecResourceSignBadExtKeyUsage: OSStatus = -67653
// MARK: Time stamping

/// A timestamp is missing.
public let errSecTimestampMissing: OSStatus = -67882
/// The timestamp is invalid.
public let errSecTimestampInvalid: OSStatus = -67883
/// The timestamp is not trusted.
public let errSecTimestampNotTrusted: OSStatus = -67884
/// The timestamp service is not available.
public let errSecTimestampServiceNotAvailable: OSStatus = -67885
/// The timestamp's algorithm is unknown.
public let errSecTimestampBadAlg: OSStatus = -67886
/// The timestamp server does not support the request.
public let errSecTimestampBadRequest: OSStatus = -67887
/// The timestamp server could not parse the data.
public let errSecTimestampBadDataFormat: OSStatus = -67888
/// The timestamp server does not know the time.
public let errSecTimestampTimeNotAvailable: OSStatus = -67889
/// The timestamp server does not offer this policy.
public let errSecTimestampUnacceptedPolicy: OSStatus = -67890
/// The timestamp server does not offer this extension.
public let errSecTimestampUnacceptedExtension: OSStatus = -67891
/// The timestamp server does not have the requested information.
public let errSecTimestampAddInfoNotAvailable: OSStatus = -67892
/// The timestamp server failed.
public let errSecTimestampSystemFailure: OSStatus = -67893
/// The time of signing is missing.
public let errSecSigningTimeMissing: OSStatus = -67894
/// The timestamp server refused.
public let errSecTimestampRejection: OSStatus = -67895
/// The timestamp is not ready yet.
public let errSecTimestampWaiting: OSStatus = -67896
/// The timestamp server's certificate is about to be revoked.
public let errSecTimestampRevocationWarning: OSStatus = -67897
/// The timestamp server's certificate was revoked.
public let errSecTimestampRevocationNotification: OSStatus = -67898

extension ErrorMessage {
  /// The messages of the codes above.
  static let ofCertificates: [OSStatus: String] = [
    errSecHostNameMismatch: "The certificate is for another host.",
    errSecUnknownCriticalExtensionFlag: "A critical extension is not known.",
    errSecNoBasicConstraints: "The basic constraints are missing.",
    errSecNoBasicConstraintsCA: "The basic constraints do not say whether this is an authority.",
    errSecInvalidAuthorityKeyID: "The authority key identifier is wrong.",
    errSecInvalidSubjectKeyID: "The subject key identifier is wrong.",
    errSecInvalidKeyUsageForPolicy: "The policy does not allow this key usage.",
    errSecInvalidExtendedKeyUsage: "The extended key usage is wrong.",
    errSecInvalidIDLinkage: "The identifiers of the certificates do not link them.",
    errSecPathLengthConstraintExceeded: "The chain is longer than one of its certificates allows.",
    errSecInvalidRoot: "The root certificate is wrong.",
    errSecUnknownCertExtension: "A certificate extension is not known.",
    errSecInvalidSubjectName: "The subject's name is wrong.",
    errSecUnknownQualifiedCertStatement: "A statement of a qualified certificate is not known.",
    errSecMissingQualifiedCertStatement: "A statement of a qualified certificate is missing.",
    errSecCertificateCannotOperate: "The certificate cannot be used for this.",
    errSecCertificateExpired: "The certificate is no longer valid.",
    errSecCertificateNotValidYet: "The certificate is not valid before a later date.",
    errSecCertificateRevoked: "The certificate was revoked.",
    errSecCertificateSuspended: "The certificate is suspended.",
    errSecCertificatePolicyNotAllowed: "This policy is not allowed for the certificate.",
    errSecCertificateNameNotAllowed: "This name is not allowed for the certificate.",
    errSecCertificateValidityPeriodTooLong: "The certificate is valid for longer than is allowed.",
    errSecCertificateIsCA: "The certificate is a certificate authority's, not an end entity's.",
    errSecCertificateDuplicateExtension: "An extension occurs more than once.",
    errSecMissingRequiredExtension: "A required extension is missing.",
    errSecExtendedKeyUsageNotCritical: "The extended key usage is not marked as critical.",
    errSecNotTrusted: "The certificate is not trusted.",
    errSecTrustSettingDeny: "A trust setting denies this policy.",
    errSecInvalidCertificateRef: "The reference names no certificate.",
    errSecInvalidCertificateGroup: "The group of certificates is wrong.",
    errSecInvalidCertAuthority: "The certificate's authority is wrong.",
    errSecInvalidValidityPeriod: "The validity period is wrong.",
    errSecCRLExpired: "The revocation list is too old.",
    errSecCRLNotValidYet: "The revocation list is not valid before a later date.",
    errSecCRLNotFound: "There is no revocation list.",
    errSecCRLServerDown: "The server of the revocation list does not answer.",
    errSecCRLBadURI: "The address of the revocation list is wrong.",
    errSecUnknownCRLExtension: "An extension of the revocation list is not known.",
    errSecCRLNotTrusted: "The revocation list is not trusted.",
    errSecCRLPolicyFailed: "The revocation list does not satisfy its policy.",
    errSecCRLAlreadySigned: "The revocation list is signed already.",
    errSecInvalidCRLGroup: "The group of revocation lists is wrong.",
    errSecInvalidCRLAuthority: "The revocation list's authority is wrong.",
    errSecInvalidCRLEncoding: "The encoding of the revocation list is wrong.",
    errSecInvalidCRLType: "The type of the revocation list is wrong.",
    errSecInvalidCRL: "The revocation list is wrong.",
    errSecInvalidCRLIndex: "The index into the revocation list is wrong.",
    errSecIDPFailure: "The issuing distribution point is wrong.",
    errSecIncompleteCertRevocationCheck: "The revocation check is incomplete.",
    errSecOCSPBadResponse: "The OCSP answer is wrong or cannot be read.",
    errSecOCSPBadRequest: "The OCSP request is wrong or cannot be read.",
    errSecOCSPUnavailable: "The OCSP service is not available.",
    errSecOCSPStatusUnrecognized: "The OCSP server does not know the certificate.",
    errSecOCSPNotTrustedToAnchor: "The OCSP answer cannot be traced to a trusted root.",
    errSecOCSPSignatureError: "The signature of the OCSP answer is wrong.",
    errSecOCSPNoSigner: "The OCSP answer names no signer.",
    errSecOCSPResponderMalformedReq: "The OCSP server could not read the request.",
    errSecOCSPResponderInternalError: "The OCSP server failed.",
    errSecOCSPResponderTryLater: "The OCSP server is busy: try again later.",
    errSecOCSPResponderSignatureRequired: "The OCSP server requires signed requests.",
    errSecOCSPResponderUnauthorized: "The OCSP server refused the request.",
    errSecOCSPResponseNonceMismatch: "The OCSP answer belongs to another request.",
    errSecSMIMEEmailAddressesNotFound: "The certificate does not name the mail address.",
    errSecSMIMEBadExtendedKeyUsage: "The extended key usage does not allow signed mail.",
    errSecSMIMEBadKeyUsage: "The key usage does not allow signed mail.",
    errSecSMIMEKeyUsageNotCritical: "The key usage is not marked as critical.",
    errSecSMIMENoEmailAddress: "The certificate names no mail address.",
    errSecSMIMESubjAltNameNotCritical: "The subject alternative name is not marked as critical.",
    errSecSSLBadExtendedKeyUsage: "The extended key usage does not allow TLS.",
    errSecCodeSigningBadCertChainLength: "The chain of signed code has the wrong length.",
    errSecCodeSigningNoBasicConstraints: "The chain of signed code lacks basic constraints.",
    errSecCodeSigningBadPathLengthConstraint: "The path length of signed code is wrong.",
    errSecCodeSigningNoExtendedKeyUsage: "The certificate of signed code lacks an extended key usage.",
    errSecCodeSigningDevelopment: "The code is signed for development only.",
    errSecResourceSignBadCertChainLength: "The chain of a signed resource has the wrong length.",
    errSecResourceSignBadExtKeyUsage: "The extended key usage does not allow to sign resources.",
    errSecTimestampMissing: "A timestamp is missing.",
    errSecTimestampInvalid: "The timestamp is wrong.",
    errSecTimestampNotTrusted: "The timestamp is not trusted.",
    errSecTimestampServiceNotAvailable: "The timestamp service is not available.",
    errSecTimestampBadAlg: "The timestamp's algorithm is not known.",
    errSecTimestampBadRequest: "The timestamp server does not support this request.",
    errSecTimestampBadDataFormat: "The timestamp server could not read the data.",
    errSecTimestampTimeNotAvailable: "The timestamp server does not know the time.",
    errSecTimestampUnacceptedPolicy: "The timestamp server does not offer this policy.",
    errSecTimestampUnacceptedExtension: "The timestamp server does not offer this extension.",
    errSecTimestampAddInfoNotAvailable: "The timestamp server does not have the information asked for.",
    errSecTimestampSystemFailure: "The timestamp server failed.",
    errSecSigningTimeMissing: "The time of signing is missing.",
    errSecTimestampRejection: "The timestamp server refused.",
    errSecTimestampWaiting: "The timestamp is not ready yet.",
    errSecTimestampRevocationWarning: "The timestamp server's certificate is about to be revoked.",
    errSecTimestampRevocationNotification: "The timestamp server's certificate was revoked.",
  ]
}
