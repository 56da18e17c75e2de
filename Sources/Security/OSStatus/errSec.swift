// The status codes of keychain calls (Apple, SecBase.h; values of Security-61901).

// MARK: General

/// No error.
public let errSecSuccess: OSStatus = 0
/// The operation, or one of its options, is not implemented.
public let errSecUnimplemented: OSStatus = -4
/// The disk is full.
public let errSecDiskFull: OSStatus = -34
/// Reading or writing failed.
public let errSecIO: OSStatus = -36
/// The file is already open for writing.
public let errSecOpWr: OSStatus = -49
/// A parameter, or a key or value in a query, is invalid.
public let errSecParam: OSStatus = -50
/// The file is not writable.
public let errSecWrPerm: OSStatus = -61
/// There is not enough memory.
public let errSecAllocate: OSStatus = -108
/// The user canceled.
public let errSecUserCanceled: OSStatus = -128
/// The operation is in the wrong state for the request.
public let errSecBadReq: OSStatus = -909
/// A component of the system failed.
public let errSecInternalComponent: OSStatus = -2070
/// Core Foundation reported an unknown error.
public let errSecCoreFoundationUnknown: OSStatus = -4960
/// The program's entitlements do not name this access group, or name none at all.
public let errSecMissingEntitlement: OSStatus = -34018
/// This program may not call this function.
public let errSecRestrictedAPI: OSStatus = -34020
// MARK: Keychains and items

/// No keychain is available now, or no authenticator can ask the user for consent.
public let errSecNotAvailable: OSStatus = -25291
/// The keychain cannot be changed.
public let errSecReadOnly: OSStatus = -25292
/// Authentication failed: the user, passcode or password was refused.
public let errSecAuthFailed: OSStatus = -25293
/// There is no such keychain.
public let errSecNoSuchKeychain: OSStatus = -25294
/// The file is not a keychain.
public let errSecInvalidKeychain: OSStatus = -25295
/// A keychain with this name already exists.
public let errSecDuplicateKeychain: OSStatus = -25296
/// The callback is already registered.
public let errSecDuplicateCallback: OSStatus = -25297
/// This callback cannot be used.
public let errSecInvalidCallback: OSStatus = -25298
/// An item with the same primary key already exists.
public let errSecDuplicateItem: OSStatus = -25299
/// No item matches.
public let errSecItemNotFound: OSStatus = -25300
/// The buffer is too small.
public let errSecBufferTooSmall: OSStatus = -25301
/// The data is too large, or cannot be shown.
public let errSecDataTooLarge: OSStatus = -25302
/// Items of this class have no such attribute.
public let errSecNoSuchAttr: OSStatus = -25303
/// The reference names no item, or one that was deleted.
public let errSecInvalidItemRef: OSStatus = -25304
/// This search cannot be carried out.
public let errSecInvalidSearchRef: OSStatus = -25305
/// There is no such class of items.
public let errSecNoSuchClass: OSStatus = -25306
/// There is no default keychain.
public let errSecNoDefaultKeychain: OSStatus = -25307
/// The keychain is locked, or the call requires a prompt and prompts are not allowed.
public let errSecInteractionNotAllowed: OSStatus = -25308
/// This attribute cannot be changed.
public let errSecReadOnlyAttr: OSStatus = -25309
/// The keychain was written by another version and cannot be opened by this one.
public let errSecWrongSecVersion: OSStatus = -25310
/// Keys of this size are not allowed.
public let errSecKeySizeNotAllowed: OSStatus = -25311
/// The component that stores data is missing.
public let errSecNoStorageModule: OSStatus = -25312
/// The component for certificates is missing.
public let errSecNoCertificateModule: OSStatus = -25313
/// The component for policies is missing.
public let errSecNoPolicyModule: OSStatus = -25314
/// The call requires a prompt, which is not possible now.
public let errSecInteractionRequired: OSStatus = -25315
/// The item's data is not available now.
public let errSecDataNotAvailable: OSStatus = -25316
/// The item's data cannot be changed.
public let errSecDataNotModifiable: OSStatus = -25317
/// A certificate of the chain to the root is missing.
public let errSecCreateChainFailed: OSStatus = -25318
/// There is no such preferences domain.
public let errSecInvalidPrefsDomain: OSStatus = -25319
/// The device is in dark wake, so prompts are not possible.
public let errSecInDarkWake: OSStatus = -25320
// MARK: Access, trust, import and export

/// The access control list is not a simple one.
public let errSecACLNotSimple: OSStatus = -25240
/// There is no such policy.
public let errSecPolicyNotFound: OSStatus = -25241
/// The trust setting is invalid.
public let errSecInvalidTrustSetting: OSStatus = -25242
/// The item has no access control.
public let errSecNoAccessForItem: OSStatus = -25243
/// The change of the item's owner is invalid.
public let errSecInvalidOwnerEdit: OSStatus = -25244
/// No trust result is available yet.
public let errSecTrustNotAvailable: OSStatus = -25245
/// This format cannot be imported or exported.
public let errSecUnsupportedFormat: OSStatus = -25256
/// The format of the data was not recognized.
public let errSecUnknownFormat: OSStatus = -25257
/// The key is sensitive: it can be exported only in encrypted form.
public let errSecKeyIsSensitive: OSStatus = -25258
/// The data holds more than one private key.
public let errSecMultiplePrivKeys: OSStatus = -25259
/// A password is needed to import or export this.
public let errSecPassphraseRequired: OSStatus = -25260
/// The reference to a password is invalid.
public let errSecInvalidPasswordRef: OSStatus = -25261
/// The record of trust settings is damaged.
public let errSecInvalidTrustSettings: OSStatus = -25262
/// There are no trust settings.
public let errSecNoTrustSettings: OSStatus = -25263
/// The file's integrity check failed: the password may be wrong.
public let errSecPkcs12VerifyFailure: OSStatus = -25264
/// The certificate was not signed by this issuer.
public let errSecNotSigner: OSStatus = -26267
/// The data could not be decoded, or was altered.
public let errSecDecode: OSStatus = -26275

extension ErrorMessage {
  /// The messages of the codes above.
  static let ofKeychain: [OSStatus: String] = [
    errSecSuccess: "No error.",
    errSecUnimplemented: "This operation, or this option of it, is not implemented.",
    errSecDiskFull: "The disk is full.",
    errSecIO: "Reading or writing failed.",
    errSecOpWr: "The file is already open for writing.",
    errSecParam: "A parameter, or a key or value in a query, is not valid.",
    errSecWrPerm: "The file may not be written.",
    errSecAllocate: "There is not enough memory.",
    errSecUserCanceled: "The user canceled.",
    errSecBadReq: "The request is not valid in the operation's current state.",
    errSecInternalComponent: "A component of the system failed.",
    errSecCoreFoundationUnknown: "Core Foundation reported an unknown error.",
    errSecMissingEntitlement: "The program's entitlements do not name this access group, or name none at all.",
    errSecRestrictedAPI: "This program may not call this function.",
    errSecNotAvailable: "No keychain is available, or no authenticator can ask the user for consent.",
    errSecReadOnly: "The keychain cannot be changed.",
    errSecAuthFailed: "The user, passcode or password was not accepted.",
    errSecNoSuchKeychain: "There is no such keychain.",
    errSecInvalidKeychain: "The file is not a keychain.",
    errSecDuplicateKeychain: "A keychain of this name exists already.",
    errSecDuplicateCallback: "This callback is registered already.",
    errSecInvalidCallback: "This callback cannot be used.",
    errSecDuplicateItem: "An item with the same primary key exists already.",
    errSecItemNotFound: "No item matches.",
    errSecBufferTooSmall: "The buffer is too small.",
    errSecDataTooLarge: "The data is too large, or cannot be displayed.",
    errSecNoSuchAttr: "Items of this class have no such attribute.",
    errSecInvalidItemRef: "The reference names no item, or one that was deleted.",
    errSecInvalidSearchRef: "This search cannot be carried out.",
    errSecNoSuchClass: "There is no such class of items.",
    errSecNoDefaultKeychain: "There is no default keychain.",
    errSecInteractionNotAllowed: "The keychain is locked, or user interaction is required and not allowed.",
    errSecReadOnlyAttr: "This attribute cannot be changed.",
    errSecWrongSecVersion: "The keychain was written by another version and cannot be opened by this one.",
    errSecKeySizeNotAllowed: "Keys of this size are not allowed.",
    errSecNoStorageModule: "The component that stores data is missing.",
    errSecNoCertificateModule: "The component for certificates is missing.",
    errSecNoPolicyModule: "The component for policies is missing.",
    errSecInteractionRequired: "User interaction is required, and is not possible.",
    errSecDataNotAvailable: "The item's data is not available.",
    errSecDataNotModifiable: "The item's data cannot be changed.",
    errSecCreateChainFailed: "An intermediate certificate is missing.",
    errSecInvalidPrefsDomain: "There is no such preferences domain.",
    errSecInDarkWake: "The device is in dark wake: user interaction is not possible.",
    errSecACLNotSimple: "The access control list is not a simple one.",
    errSecPolicyNotFound: "There is no such policy.",
    errSecInvalidTrustSetting: "The trust setting is not valid.",
    errSecNoAccessForItem: "The item has no access control.",
    errSecInvalidOwnerEdit: "The change of the item's owner is not valid.",
    errSecTrustNotAvailable: "No trust result is available.",
    errSecUnsupportedFormat: "This format cannot be imported or exported.",
    errSecUnknownFormat: "The format of the data was not recognized.",
    errSecKeyIsSensitive: "The key can be exported only in encrypted form.",
    errSecMultiplePrivKeys: "The data holds more than one private key.",
    errSecPassphraseRequired: "A password is needed to import or export this.",
    errSecInvalidPasswordRef: "The password reference is not valid.",
    errSecInvalidTrustSettings: "The record of trust settings is damaged.",
    errSecNoTrustSettings: "There are no trust settings.",
    errSecPkcs12VerifyFailure: "The file's integrity check failed: the password may be wrong.",
    errSecNotSigner: "The certificate was not signed by this issuer.",
    errSecDecode: "The data could not be decoded, or was altered.",
  ]
}
