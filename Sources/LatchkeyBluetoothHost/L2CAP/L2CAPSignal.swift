import LatchkeyByteCoding

/// A command of the LE signalling channel (Core 6.0 Vol 3 Part A 4).
package enum L2CAPSignal: Sendable, Equatable {
  /// 4.1.
  case commandReject(RejectReason)
  /// 4.6, 4.7: the channel's identifier at the receiver, then at the sender.
  case disconnectionRequest(destination: L2CAPChannelID, source: L2CAPChannelID)
  case disconnectionResponse(destination: L2CAPChannelID, source: L2CAPChannelID)
  /// 4.20, from a peripheral alone.
  case connectionParameterUpdateRequest(ConnectionParameters)
  /// 4.21.
  case connectionParameterUpdateResponse(isAccepted: Bool)
  /// 4.22, 4.23.
  case leCreditBasedConnectionRequest(L2CAPLECreditBasedConnectionRequest)
  case leCreditBasedConnectionResponse(L2CAPLECreditBasedConnectionResponse)
  /// 4.24, which has no answer.
  case flowControlCredit(channel: L2CAPChannelID, credits: UInt16)
  /// An unknown command, by its code; its data are dropped.
  case unknown(UInt8)

  /// Why a command was rejected (4.1, table 4.3).
  package enum RejectReason: Sendable, Equatable {
    case notUnderstood
    /// Carries the MTU of the signalling channel.
    case mtuExceeded(UInt16)
    /// Carries the channel's identifier at the rejecting end, then at the other.
    case invalidChannel(local: L2CAPChannelID, remote: L2CAPChannelID)
  }

  /// The codes (4, table 4.2).
  package enum Code {
    package static let commandReject: UInt8 = 0x01
    package static let disconnectionRequest: UInt8 = 0x06
    package static let disconnectionResponse: UInt8 = 0x07
    package static let connectionParameterUpdateRequest: UInt8 = 0x12
    package static let connectionParameterUpdateResponse: UInt8 = 0x13
    package static let leCreditBasedConnectionRequest: UInt8 = 0x14
    package static let leCreditBasedConnectionResponse: UInt8 = 0x15
    package static let flowControlCredit: UInt8 = 0x16

    /// Whether commands of `code` must not be rejected, since rejections could loop: the responses, known or not, the
    /// reject itself and the credit indication.
    static func needsNoAnswer(_ code: UInt8) -> Bool {
      switch code {
      case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x15, 0x16, 0x18, 0x1A: true
      default: false
      }
    }
  }
}

extension L2CAPSignal {
  /// Reads the data of the command `code`, to the last byte.
  init(code: UInt8, decoding data: ByteReader) throws(ByteCodingError) {
    var reader = data
    switch code {
    case Code.commandReject: self = .commandReject(try RejectReason(from: &reader))
    case Code.disconnectionRequest, Code.disconnectionResponse:
      let destination = L2CAPChannelID(rawValue: try reader.uint16("Destination CID"))
      let source = L2CAPChannelID(rawValue: try reader.uint16("Source CID"))
      self =
        code == Code.disconnectionRequest
        ? .disconnectionRequest(destination: destination, source: source)
        : .disconnectionResponse(destination: destination, source: source)
    case Code.connectionParameterUpdateRequest:
      self = .connectionParameterUpdateRequest(try ConnectionParameters(from: &reader))
    case Code.connectionParameterUpdateResponse:
      let result = try reader.uint16("Result")
      guard result <= 0x0001 else { throw .invalidValue(field: "Result") }
      self = .connectionParameterUpdateResponse(isAccepted: result == 0x0000)
    case Code.leCreditBasedConnectionRequest:
      self = .leCreditBasedConnectionRequest(try L2CAPLECreditBasedConnectionRequest(from: &reader))
    case Code.leCreditBasedConnectionResponse:
      self = .leCreditBasedConnectionResponse(try L2CAPLECreditBasedConnectionResponse(from: &reader))
    case Code.flowControlCredit:
      let channel = L2CAPChannelID(rawValue: try reader.uint16("CID"))
      self = .flowControlCredit(channel: channel, credits: try reader.uint16("Credits"))
    default:
      self = .unknown(code)
      return
    }
    try reader.finish("signalling command")
  }

  /// The command as a frame for `ACLTransmitter`, with an identifier other than zero.
  package func frame(identifier: UInt8) -> [UInt8] {
    var writer = OutgoingFrame.writer(capacity: 16)
    writer.uint8(code)
    writer.uint8(identifier)
    let length = writer.reserve(2)
    encodeData(into: &writer)
    writer.patchUInt16(UInt16(writer.count - length - 2), at: length)
    return writer.bytes
  }

  private var code: UInt8 {
    switch self {
    case .commandReject: Code.commandReject
    case .disconnectionRequest: Code.disconnectionRequest
    case .disconnectionResponse: Code.disconnectionResponse
    case .connectionParameterUpdateRequest: Code.connectionParameterUpdateRequest
    case .connectionParameterUpdateResponse: Code.connectionParameterUpdateResponse
    case .leCreditBasedConnectionRequest: Code.leCreditBasedConnectionRequest
    case .leCreditBasedConnectionResponse: Code.leCreditBasedConnectionResponse
    case .flowControlCredit: Code.flowControlCredit
    case .unknown(let code): code
    }
  }

  private func encodeData(into writer: inout ByteWriter) {
    switch self {
    case .commandReject(let reason): reason.encode(into: &writer)
    case .disconnectionRequest(let destination, let source), .disconnectionResponse(let destination, let source):
      writer.uint16(destination.rawValue)
      writer.uint16(source.rawValue)
    case .connectionParameterUpdateRequest(let parameters): parameters.encode(into: &writer)
    case .connectionParameterUpdateResponse(let isAccepted): writer.uint16(isAccepted ? 0x0000 : 0x0001)
    case .leCreditBasedConnectionRequest(let request): request.encode(into: &writer)
    case .leCreditBasedConnectionResponse(let response): response.encode(into: &writer)
    case .flowControlCredit(let channel, let credits):
      writer.uint16(channel.rawValue)
      writer.uint16(credits)
    case .unknown: break
    }
  }
}

extension L2CAPSignal.RejectReason {
  init(from reader: inout ByteReader) throws(ByteCodingError) {
    switch try reader.uint16("Reason") {
    case 0x0000: self = .notUnderstood
    case 0x0001: self = .mtuExceeded(try reader.uint16("Actual MTU"))
    case 0x0002:
      let local = L2CAPChannelID(rawValue: try reader.uint16("Local CID"))
      self = .invalidChannel(local: local, remote: L2CAPChannelID(rawValue: try reader.uint16("Remote CID")))
    default: throw .invalidValue(field: "Reason")
    }
  }

  func encode(into writer: inout ByteWriter) {
    switch self {
    case .notUnderstood: writer.uint16(0x0000)
    case .mtuExceeded(let mtu):
      writer.uint16(0x0001)
      writer.uint16(mtu)
    case .invalidChannel(let local, let remote):
      writer.uint16(0x0002)
      writer.uint16(local.rawValue)
      writer.uint16(remote.rawValue)
    }
  }
}
