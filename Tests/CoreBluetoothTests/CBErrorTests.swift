import Testing

@testable import CoreBluetooth

struct CBErrorTests {
  @Test("CBError codes have Apple's numbers") func codesHaveApplesNumbers() {
    let codes: [CBError.Code] = [
      .unknown, .invalidParameters, .invalidHandle, .notConnected, .outOfSpace, .operationCancelled, .connectionTimeout,
      .peripheralDisconnected, .uuidNotAllowed, .alreadyAdvertising, .connectionFailed, .connectionLimitReached,
      .unknownDevice, .operationNotSupported, .peerRemovedPairingInformation, .encryptionTimedOut,
      .tooManyLEPairedDevices, .leGattExceededBackgroundNotificationLimit, .leGattNearBackgroundNotificationLimit,
    ]
    #expect(codes.map(\.rawValue) == Array(0...18))
    #expect(CBError.unkownDevice == .unknownDevice)
    #expect(CBError.Code(rawValue: 21) == nil)
  }

  @Test("Delivered errors have Apple's texts") func deliveredErrorsHaveText() {
    let error: any Error = CBError.delivered(.peripheralDisconnected)
    #expect(error.localizedDescription == "The specified device has disconnected from us.")
    #expect((error as? CBError)?.code == .peripheralDisconnected)
    let bridged = error as NSError
    #expect(bridged.domain == "CBErrorDomain")
    #expect(bridged.code == 7)
  }

  @Test("The user info is retained") func userInfo() {
    let error = CBError(.connectionFailed, userInfo: ["why": "because"])
    #expect(error.userInfo["why"] as? String == "because")
    #expect(error.errorCode == 10)
    #expect(CBError(.connectionFailed) == CBError(.connectionFailed))
    #expect(CBError(.connectionFailed) != CBError(.connectionTimeout))
  }

  @Test("Every byte is an ATT code") func everyByteIsAnATTCode() {
    for value in 0...255 { #expect(CBATTError.Code(rawValue: value)?.rawValue == value) }
    #expect(CBATTError.Code(rawValue: 256) == nil)
    #expect(CBATTError.Code(rawValue: -1) == nil)
  }

  @Test("ATT codes have Apple's numbers") func attCodesHaveApplesNumbers() {
    let codes: [CBATTError.Code] = [
      .success, .invalidHandle, .readNotPermitted, .writeNotPermitted, .invalidPdu, .insufficientAuthentication,
      .requestNotSupported, .invalidOffset, .insufficientAuthorization, .prepareQueueFull, .attributeNotFound,
      .attributeNotLong, .insufficientEncryptionKeySize, .invalidAttributeValueLength, .unlikelyError,
      .insufficientEncryption, .unsupportedGroupType, .insufficientResources,
    ]
    #expect(codes.map(\.rawValue) == Array(0...17))
  }

  @Test("ATT errors have Apple's texts and domain") func attErrorsHaveTextAndDomain() {
    let named = CBATTError.delivered(.readNotPermitted) as any Error
    #expect(named.localizedDescription == "Reading is not permitted.")
    #expect((named as NSError).domain == "CBATTErrorDomain")
    let own = CBATTError.delivered(._0x80) as any Error
    #expect(own.localizedDescription == "Unknown ATT error.")
    #expect((own as NSError).code == 0x80)
  }
}
