import Foundation
import Security
import Testing

/// Codes of SecBase.h, with the values of Security-61901.
private let codes: [(OSStatus, Int32)] = [
  (errSecSuccess, 0),
  (errSecUnimplemented, -4),
  (errSecDiskFull, -34),
  (errSecIO, -36),
  (errSecOpWr, -49),
  (errSecParam, -50),
  (errSecWrPerm, -61),
  (errSecAllocate, -108),
  (errSecUserCanceled, -128),
  (errSecBadReq, -909),
  (errSecInternalComponent, -2070),
  (errSecCoreFoundationUnknown, -4960),
  (errSecMissingEntitlement, -34018),
  (errSecRestrictedAPI, -34020),
  (errSecNotAvailable, -25291),
  (errSecReadOnly, -25292),
  (errSecAuthFailed, -25293),
  (errSecNoSuchKeychain, -25294),
  (errSecInvalidKeychain, -25295),
  (errSecDuplicateKeychain, -25296),
  (errSecDuplicateCallback, -25297),
  (errSecInvalidCallback, -25298),
  (errSecDuplicateItem, -25299),
  (errSecItemNotFound, -25300),
  (errSecBufferTooSmall, -25301),
  (errSecDataTooLarge, -25302),
  (errSecNoSuchAttr, -25303),
  (errSecInvalidItemRef, -25304),
  (errSecInvalidSearchRef, -25305),
  (errSecNoSuchClass, -25306),
  (errSecNoDefaultKeychain, -25307),
  (errSecInteractionNotAllowed, -25308),
  (errSecReadOnlyAttr, -25309),
  (errSecWrongSecVersion, -25310),
  (errSecKeySizeNotAllowed, -25311),
  (errSecNoStorageModule, -25312),
  (errSecNoCertificateModule, -25313),
  (errSecNoPolicyModule, -25314),
  (errSecInteractionRequired, -25315),
  (errSecDataNotAvailable, -25316),
  (errSecDataNotModifiable, -25317),
  (errSecCreateChainFailed, -25318),
  (errSecInvalidPrefsDomain, -25319),
  (errSecInDarkWake, -25320),
  (errSecACLNotSimple, -25240),
  (errSecPolicyNotFound, -25241),
  (errSecInvalidTrustSetting, -25242),
  (errSecNoAccessForItem, -25243),
  (errSecInvalidOwnerEdit, -25244),
  (errSecTrustNotAvailable, -25245),
  (errSecUnsupportedFormat, -25256),
  (errSecUnknownFormat, -25257),
  (errSecKeyIsSensitive, -25258),
  (errSecMultiplePrivKeys, -25259),
  (errSecPassphraseRequired, -25260),
  (errSecInvalidPasswordRef, -25261),
  (errSecInvalidTrustSettings, -25262),
  (errSecNoTrustSettings, -25263),
  (errSecPkcs12VerifyFailure, -25264),
  (errSecNotSigner, -26267),
  (errSecDecode, -26275),
]

@Test func everyCodeHasApplesNumber() {
  for (code, number) in codes { #expect(code == number) }
  #expect(noErr == 0)
}

@Test func noTwoCodesAreTheSame() { #expect(Set(codes.map(\.0)).count == codes.count) }

@Test func everyCodeHasAMessageThatIsASentence() throws {
  for (code, _) in codes {
    let message = try #require(SecCopyErrorMessageString(code, nil), "\(code)") as String
    #expect(message.hasSuffix(".") && message.count > 6, "\(code)")
  }
}

@Test(arguments: [1, -1, -51, .max, .min, -67584, -67905] as [OSStatus])
func aNumberThatMeansNothingHasNoMessage(code: OSStatus) { #expect(SecCopyErrorMessageString(code, nil) == nil) }
