import LatchkeyBluetoothHost

/// A PDU from one controller to another on a link, in order: data, and the link layer's own procedures (Core 6.0 Vol 6
/// Part B 2.4).
enum LinkPDU: Sendable {
  /// A whole ACL packet, as its host sent it.
  case data([UInt8])
  case control(LinkControlPDU)
}

/// The link layer control PDUs that the emulator supports.
enum LinkControlPDU: Sendable {
  /// LL_TERMINATE_IND.
  case terminate(HCIStatus)
  /// LL_FEATURE_REQ or LL_PERIPHERAL_FEATURE_REQ.
  case featureRequest(LEFeatures)
  /// LL_FEATURE_RSP.
  case featureResponse(LEFeatures)
  /// LL_VERSION_IND, the first of the two.
  case versionRequest
  /// LL_VERSION_IND, the answer.
  case versionResponse
  /// LL_CONNECTION_UPDATE_IND.
  case connectionUpdate(interval: UInt16, latency: UInt16, supervisionTimeout: UInt16)
  /// LL_CONNECTION_PARAM_REQ.
  case connectionParameterRequest(ConnectionParameters)
  /// LL_REJECT_EXT_IND of an LL_CONNECTION_PARAM_REQ.
  case connectionParameterReject(HCIStatus)
  /// LL_LENGTH_REQ.
  case lengthRequest(DataLength)
  /// LL_LENGTH_RSP.
  case lengthResponse(DataLength)
  case encryption(LinkEncryptionPDU)
}

/// The control PDUs of encryption (Core 6.0 Vol 6 Part B 5.1.3).
enum LinkEncryptionPDU: Sendable {
  /// LL_PAUSE_ENC_REQ.
  case pauseRequest
  /// LL_PAUSE_ENC_RSP.
  case pauseResponse
  /// LL_ENC_REQ.
  case request(randomNumber: UInt64, encryptedDiversifier: UInt16)
  /// LL_ENC_RSP.
  case response
  /// LL_START_ENC_REQ.
  case startRequest
  /// LL_START_ENC_RSP, of the central and then of the peripheral.
  case startResponse
  /// LL_REJECT_IND of an LL_ENC_REQ.
  case reject(HCIStatus)
}

/// The longest data that a link layer sends and accepts in one PDU (Core 6.0 Vol 6 Part B 4.5.10).
struct DataLength: Sendable, Equatable {
  var transmitOctets: UInt16
  var transmitTime: UInt16
  var receiveOctets: UInt16
  var receiveTime: UInt16

  /// The initial length of every link.
  static let initial = DataLength(transmitOctets: 27, transmitTime: 328, receiveOctets: 27, receiveTime: 328)
  /// The most that LE 1M allows without the coded PHY.
  static let maximum = DataLength(transmitOctets: 251, transmitTime: 2120, receiveOctets: 251, receiveTime: 2120)

  /// The length agreed on this side when the two sides support `self` and `peer`.
  func agreed(with peer: DataLength) -> DataLength {
    DataLength(
      transmitOctets: min(transmitOctets, peer.receiveOctets), transmitTime: min(transmitTime, peer.receiveTime),
      receiveOctets: min(receiveOctets, peer.transmitOctets), receiveTime: min(receiveTime, peer.transmitTime))
  }
}
