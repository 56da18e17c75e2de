// The codes of keys and cryptographic operations, most of them macOS's own (Apple, SecBase.h; values of
// Security-61901).

// MARK: Keys

/// The public key is incomplete.
public let errSecApplePublicKeyIncomplete: OSStatus = -67590
/// The signatures differ.
public let errSecAppleSignatureMismatch: OSStatus = -67591
/// The key's start date is invalid.
public let errSecAppleInvalidKeyStartDate: OSStatus = -67592
/// The key's end date is invalid.
public let errSecAppleInvalidKeyEndDate: OSStatus = -67593
/// The conversion failed.
public let errSecConversionError: OSStatus = -67594
/// The connection was rolled back to SSL 2.
public let errSecAppleSSLv2Rollback: OSStatus = -67595
/// The stored key is invalid.
public let errSecInvalidKeyBlob: OSStatus = -67599
/// The stored key is of another version.
public let errSecIncompatibleKeyBlob: OSStatus = -67601
/// The reference names no key.
public let errSecInvalidKeyRef: OSStatus = -67712
/// The key may not be used for this.
public let errSecKeyUsageIncorrect: OSStatus = -67731
/// The stored key is of another type.
public let errSecKeyBlobTypeIncorrect: OSStatus = -67732
/// The key's header is inconsistent.
public let errSecKeyHeaderInconsistent: OSStatus = -67733
/// This format of keys is not supported.
public let errSecUnsupportedKeyFormat: OSStatus = -67734
/// This size of keys is not supported.
public let errSecUnsupportedKeySize: OSStatus = -67735
/// The mask of key usages is invalid.
public let errSecInvalidKeyUsageMask: OSStatus = -67736
/// This mask of key usages is not supported.
public let errSecUnsupportedKeyUsageMask: OSStatus = -67737
/// The mask of key attributes is invalid.
public let errSecInvalidKeyAttributeMask: OSStatus = -67738
/// This mask of key attributes is not supported.
public let errSecUnsupportedKeyAttributeMask: OSStatus = -67739
/// The key's label is invalid.
public let errSecInvalidKeyLabel: OSStatus = -67740
/// This label of a key is not supported.
public let errSecUnsupportedKeyLabel: OSStatus = -67741
/// The key's format is invalid.
public let errSecInvalidKeyFormat: OSStatus = -67742
/// The public key is inconsistent.
public let errSecPublicKeyInconsistent: OSStatus = -67811
// MARK: Operations

/// The data is invalid.
public let errSecInvalidData: OSStatus = -67673
/// The verification failed.
public let errSecVerificationFailure: OSStatus = -67686
/// The cryptographic verification failed.
public let errSecVerifyFailed: OSStatus = -67808
/// The tag is unknown.
public let errSecUnknownTag: OSStatus = -67687
/// The tag was not found.
public let errSecTagNotFound: OSStatus = -67692
/// The signature is invalid.
public let errSecInvalidSignature: OSStatus = -67688
/// The name is invalid.
public let errSecInvalidName: OSStatus = -67689
/// The value is invalid.
public let errSecInvalidValue: OSStatus = -67694
/// The scope is invalid.
public let errSecInvalidScope: OSStatus = -67706
/// The encoding is invalid.
public let errSecInvalidEncoding: OSStatus = -67853
/// The input has an invalid length.
public let errSecInputLengthError: OSStatus = -67724
/// The output has an invalid length.
public let errSecOutputLengthError: OSStatus = -67725
/// The algorithms differ.
public let errSecAlgorithmMismatch: OSStatus = -67730
/// The algorithm is invalid.
public let errSecInvalidAlgorithm: OSStatus = -67747
/// The digest algorithm is invalid.
public let errSecInvalidDigestAlgorithm: OSStatus = -67815
/// The context is invalid.
public let errSecInvalidContext: OSStatus = -67746
/// The context lacks an attribute.
public let errSecAttributeNotInContext: OSStatus = -67720
/// The block sizes differ.
public let errSecBlockSizeMismatch: OSStatus = -67810
/// More than one buffer is not supported.
public let errSecUnsupportedVectorOfBuffers: OSStatus = -67743
/// The input buffers are invalid.
public let errSecInvalidInputVector: OSStatus = -67744
/// The output buffers are invalid.
public let errSecInvalidOutputVector: OSStatus = -67745
/// A multi-part operation is in progress.
public let errSecStagedOperationInProgress: OSStatus = -67806
/// No multi-part operation was started.
public let errSecStagedOperationNotStarted: OSStatus = -67807
// MARK: Attributes of a context

/// The context's key is invalid.
public let errSecInvalidAttributeKey: OSStatus = -67748
/// The context's key is missing.
public let errSecMissingAttributeKey: OSStatus = -67749
/// The context's initialization vector is invalid.
public let errSecInvalidAttributeInitVector: OSStatus = -67750
/// The context's initialization vector is missing.
public let errSecMissingAttributeInitVector: OSStatus = -67751
/// The context's salt is invalid.
public let errSecInvalidAttributeSalt: OSStatus = -67752
/// The context's salt is missing.
public let errSecMissingAttributeSalt: OSStatus = -67753
/// The context's padding is invalid.
public let errSecInvalidAttributePadding: OSStatus = -67754
/// The context's padding is missing.
public let errSecMissingAttributePadding: OSStatus = -67755
/// The context's random value is invalid.
public let errSecInvalidAttributeRandom: OSStatus = -67756
/// The context's random value is missing.
public let errSecMissingAttributeRandom: OSStatus = -67757
/// The context's seed is invalid.
public let errSecInvalidAttributeSeed: OSStatus = -67758
/// The context's seed is missing.
public let errSecMissingAttributeSeed: OSStatus = -67759
/// The context's password is invalid.
public let errSecInvalidAttributePassphrase: OSStatus = -67760
/// The context's password is missing.
public let errSecMissingAttributePassphrase: OSStatus = -67761
/// The context's key length is invalid.
public let errSecInvalidAttributeKeyLength: OSStatus = -67762
/// The context's key length is missing.
public let errSecMissingAttributeKeyLength: OSStatus = -67763
/// The context's block size is invalid.
public let errSecInvalidAttributeBlockSize: OSStatus = -67764
/// The context's block size is missing.
public let errSecMissingAttributeBlockSize: OSStatus = -67765
/// The context's output size is invalid.
public let errSecInvalidAttributeOutputSize: OSStatus = -67766
/// The context's output size is missing.
public let errSecMissingAttributeOutputSize: OSStatus = -67767
/// The context's number of rounds is invalid.
public let errSecInvalidAttributeRounds: OSStatus = -67768
/// The context's number of rounds is missing.
public let errSecMissingAttributeRounds: OSStatus = -67769
/// The context's label is invalid.
public let errSecInvalidAttributeLabel: OSStatus = -67772
/// The context's label is missing.
public let errSecMissingAttributeLabel: OSStatus = -67773
/// The context's key type is invalid.
public let errSecInvalidAttributeKeyType: OSStatus = -67774
/// The context's key type is missing.
public let errSecMissingAttributeKeyType: OSStatus = -67775
/// The context's mode is invalid.
public let errSecInvalidAttributeMode: OSStatus = -67776
/// The context's mode is missing.
public let errSecMissingAttributeMode: OSStatus = -67777
/// The context's number of effective bits is invalid.
public let errSecInvalidAttributeEffectiveBits: OSStatus = -67778
/// The context's number of effective bits is missing.
public let errSecMissingAttributeEffectiveBits: OSStatus = -67779
/// The context's start date is invalid.
public let errSecInvalidAttributeStartDate: OSStatus = -67780
/// The context's start date is missing.
public let errSecMissingAttributeStartDate: OSStatus = -67781
/// The context's end date is invalid.
public let errSecInvalidAttributeEndDate: OSStatus = -67782
/// The context's end date is missing.
public let errSecMissingAttributeEndDate: OSStatus = -67783
/// The context's version is invalid.
public let errSecInvalidAttributeVersion: OSStatus = -67784
/// The context's version is missing.
public let errSecMissingAttributeVersion: OSStatus = -67785
/// The context's prime is invalid.
public let errSecInvalidAttributePrime: OSStatus = -67786
/// The context's prime is missing.
public let errSecMissingAttributePrime: OSStatus = -67787
/// The context's base is invalid.
public let errSecInvalidAttributeBase: OSStatus = -67788
/// The context's base is missing.
public let errSecMissingAttributeBase: OSStatus = -67789
/// The context's subprime is invalid.
public let errSecInvalidAttributeSubprime: OSStatus = -67790
/// The context's subprime is missing.
public let errSecMissingAttributeSubprime: OSStatus = -67791
/// The context's number of iterations is invalid.
public let errSecInvalidAttributeIterationCount: OSStatus = -67792
/// The context's number of iterations is missing.
public let errSecMissingAttributeIterationCount: OSStatus = -67793
/// The context's database handle is invalid.
public let errSecInvalidAttributeDLDBHandle: OSStatus = -67794
/// The context's database handle is missing.
public let errSecMissingAttributeDLDBHandle: OSStatus = -67795
/// The context's access credentials are invalid.
public let errSecInvalidAttributeAccessCredentials: OSStatus = -67796
/// The context's access credentials are missing.
public let errSecMissingAttributeAccessCredentials: OSStatus = -67797
/// The context's public key format is invalid.
public let errSecInvalidAttributePublicKeyFormat: OSStatus = -67798
/// The context's public key format is missing.
public let errSecMissingAttributePublicKeyFormat: OSStatus = -67799
/// The context's private key format is invalid.
public let errSecInvalidAttributePrivateKeyFormat: OSStatus = -67800
/// The context's private key format is missing.
public let errSecMissingAttributePrivateKeyFormat: OSStatus = -67801
/// The context's symmetric key format is invalid.
public let errSecInvalidAttributeSymmetricKeyFormat: OSStatus = -67802
/// The context's symmetric key format is missing.
public let errSecMissingAttributeSymmetricKeyFormat: OSStatus = -67803
/// The context's wrapped key format is invalid.
public let errSecInvalidAttributeWrappedKeyFormat: OSStatus = -67804
/// The context's wrapped key format is missing.
public let errSecMissingAttributeWrappedKeyFormat: OSStatus = -67805
/// The algorithm's parameters are invalid.
public let errSecInvalidAlgorithmParms: OSStatus = -67770
/// The algorithm's parameters are missing.
public let errSecMissingAlgorithmParms: OSStatus = -67771

extension ErrorMessage {
  /// The messages of the codes above.
  static let ofCryptography: [OSStatus: String] = [
    errSecApplePublicKeyIncomplete: "The public key is incomplete.",
    errSecAppleSignatureMismatch: "The signatures differ.",
    errSecAppleInvalidKeyStartDate: "The key's first day is wrong.",
    errSecAppleInvalidKeyEndDate: "The key's last day is wrong.",
    errSecConversionError: "The conversion failed.",
    errSecAppleSSLv2Rollback: "The connection was rolled back to SSL 2.",
    errSecInvalidKeyBlob: "The stored key is wrong.",
    errSecIncompatibleKeyBlob: "The stored key is of another version.",
    errSecInvalidKeyRef: "The reference names no key.",
    errSecKeyUsageIncorrect: "The key must not be used for this.",
    errSecKeyBlobTypeIncorrect: "The stored key is of another type.",
    errSecKeyHeaderInconsistent: "The key's header is inconsistent.",
    errSecUnsupportedKeyFormat: "This format of keys is not supported.",
    errSecUnsupportedKeySize: "This size of keys is not supported.",
    errSecInvalidKeyUsageMask: "The mask of key usages is wrong.",
    errSecUnsupportedKeyUsageMask: "This mask of key usages is not supported.",
    errSecInvalidKeyAttributeMask: "The mask of key attributes is wrong.",
    errSecUnsupportedKeyAttributeMask: "This mask of key attributes is not supported.",
    errSecInvalidKeyLabel: "The key's label is wrong.",
    errSecUnsupportedKeyLabel: "This label of a key is not supported.",
    errSecInvalidKeyFormat: "The key's format is wrong.",
    errSecPublicKeyInconsistent: "The public key is inconsistent.",
    errSecInvalidData: "The data is wrong.",
    errSecVerificationFailure: "The verification failed.",
    errSecVerifyFailed: "The cryptographic verification failed.",
    errSecUnknownTag: "The tag is not known.",
    errSecTagNotFound: "The tag was not found.",
    errSecInvalidSignature: "The signature is wrong.",
    errSecInvalidName: "The name is wrong.",
    errSecInvalidValue: "The value is wrong.",
    errSecInvalidScope: "The scope is wrong.",
    errSecInvalidEncoding: "The encoding is wrong.",
    errSecInputLengthError: "The input has the wrong length.",
    errSecOutputLengthError: "The output has the wrong length.",
    errSecAlgorithmMismatch: "The algorithms differ.",
    errSecInvalidAlgorithm: "The algorithm is wrong.",
    errSecInvalidDigestAlgorithm: "The digest algorithm is wrong.",
    errSecInvalidContext: "The context is wrong.",
    errSecAttributeNotInContext: "The context lacks an attribute.",
    errSecBlockSizeMismatch: "The block sizes differ.",
    errSecUnsupportedVectorOfBuffers: "More than one buffer is not supported.",
    errSecInvalidInputVector: "The input buffers are wrong.",
    errSecInvalidOutputVector: "The output buffers are wrong.",
    errSecStagedOperationInProgress: "An operation in steps is under way.",
    errSecStagedOperationNotStarted: "The operation in steps was not begun.",
    errSecInvalidAttributeKey: "The context's key is wrong.",
    errSecMissingAttributeKey: "The context's key is missing.",
    errSecInvalidAttributeInitVector: "The context's initialization vector is wrong.",
    errSecMissingAttributeInitVector: "The context's initialization vector is missing.",
    errSecInvalidAttributeSalt: "The context's salt is wrong.",
    errSecMissingAttributeSalt: "The context's salt is missing.",
    errSecInvalidAttributePadding: "The context's padding is wrong.",
    errSecMissingAttributePadding: "The context's padding is missing.",
    errSecInvalidAttributeRandom: "The context's random value is wrong.",
    errSecMissingAttributeRandom: "The context's random value is missing.",
    errSecInvalidAttributeSeed: "The context's seed is wrong.",
    errSecMissingAttributeSeed: "The context's seed is missing.",
    errSecInvalidAttributePassphrase: "The context's password is wrong.",
    errSecMissingAttributePassphrase: "The context's password is missing.",
    errSecInvalidAttributeKeyLength: "The context's key length is wrong.",
    errSecMissingAttributeKeyLength: "The context's key length is missing.",
    errSecInvalidAttributeBlockSize: "The context's block size is wrong.",
    errSecMissingAttributeBlockSize: "The context's block size is missing.",
    errSecInvalidAttributeOutputSize: "The context's output size is wrong.",
    errSecMissingAttributeOutputSize: "The context's output size is missing.",
    errSecInvalidAttributeRounds: "The context's number of rounds is wrong.",
    errSecMissingAttributeRounds: "The context's number of rounds is missing.",
    errSecInvalidAttributeLabel: "The context's label is wrong.",
    errSecMissingAttributeLabel: "The context's label is missing.",
    errSecInvalidAttributeKeyType: "The context's key type is wrong.",
    errSecMissingAttributeKeyType: "The context's key type is missing.",
    errSecInvalidAttributeMode: "The context's mode is wrong.",
    errSecMissingAttributeMode: "The context's mode is missing.",
    errSecInvalidAttributeEffectiveBits: "The context's number of effective bits is wrong.",
    errSecMissingAttributeEffectiveBits: "The context's number of effective bits is missing.",
    errSecInvalidAttributeStartDate: "The context's first day is wrong.",
    errSecMissingAttributeStartDate: "The context's first day is missing.",
    errSecInvalidAttributeEndDate: "The context's last day is wrong.",
    errSecMissingAttributeEndDate: "The context's last day is missing.",
    errSecInvalidAttributeVersion: "The context's version is wrong.",
    errSecMissingAttributeVersion: "The context's version is missing.",
    errSecInvalidAttributePrime: "The context's prime is wrong.",
    errSecMissingAttributePrime: "The context's prime is missing.",
    errSecInvalidAttributeBase: "The context's base is wrong.",
    errSecMissingAttributeBase: "The context's base is missing.",
    errSecInvalidAttributeSubprime: "The context's subprime is wrong.",
    errSecMissingAttributeSubprime: "The context's subprime is missing.",
    errSecInvalidAttributeIterationCount: "The context's number of iterations is wrong.",
    errSecMissingAttributeIterationCount: "The context's number of iterations is missing.",
    errSecInvalidAttributeDLDBHandle: "The context's database handle is wrong.",
    errSecMissingAttributeDLDBHandle: "The context's database handle is missing.",
    errSecInvalidAttributeAccessCredentials: "The context's access credentials are wrong.",
    errSecMissingAttributeAccessCredentials: "The context's access credentials are missing.",
    errSecInvalidAttributePublicKeyFormat: "The context's public key format is wrong.",
    errSecMissingAttributePublicKeyFormat: "The context's public key format is missing.",
    errSecInvalidAttributePrivateKeyFormat: "The context's private key format is wrong.",
    errSecMissingAttributePrivateKeyFormat: "The context's private key format is missing.",
    errSecInvalidAttributeSymmetricKeyFormat: "The context's symmetric key format is wrong.",
    errSecMissingAttributeSymmetricKeyFormat: "The context's symmetric key format is missing.",
    errSecInvalidAttributeWrappedKeyFormat: "The context's wrapped key format is wrong.",
    errSecMissingAttributeWrappedKeyFormat: "The context's wrapped key format is missing.",
    errSecInvalidAlgorithmParms: "The algorithm's parameters are wrong.",
    errSecMissingAlgorithmParms: "The algorithm's parameters are missing.",
  ]
}
