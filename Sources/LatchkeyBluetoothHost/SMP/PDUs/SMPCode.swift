/// The codes of the Security Manager protocol (Core 6.0 Vol 3 Part H 3.3, table 3.3).
package enum SMPCode: UInt8, Sendable, CaseIterable {
  case pairingRequest = 0x01
  case pairingResponse = 0x02
  case pairingConfirm = 0x03
  case pairingRandom = 0x04
  case pairingFailed = 0x05
  case encryptionInformation = 0x06
  case centralIdentification = 0x07
  case identityInformation = 0x08
  case identityAddressInformation = 0x09
  case signingInformation = 0x0A
  case securityRequest = 0x0B
  case pairingPublicKey = 0x0C
  case pairingDHKeyCheck = 0x0D
  case pairingKeypressNotification = 0x0E

  /// The number of bytes after the code, which is fixed (3.5, 3.6).
  package var parameterCount: Int {
    switch self {
    case .pairingRequest, .pairingResponse: 6
    case .pairingConfirm, .pairingRandom, .encryptionInformation, .identityInformation, .signingInformation,
      .pairingDHKeyCheck:
      16
    case .pairingFailed, .securityRequest, .pairingKeypressNotification: 1
    case .centralIdentification: 10
    case .identityAddressInformation: 7
    case .pairingPublicKey: 64
    }
  }
}
