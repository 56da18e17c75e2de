package import LatchkeyByteCoding

/// An event of the controller (Core 6.0 Vol 4 Part E 7.7), for both ends: controllers encode, hosts decode.
package enum HCIEvent: Sendable {
  case disconnectionComplete(HCIDisconnectionComplete)
  case encryptionChange(HCIEncryptionChange)
  case readRemoteVersionComplete(HCIReadRemoteVersionComplete)
  /// `credits` is Num_HCI_Command_Packets: how many commands may be sent from now on.
  case commandComplete(credits: UInt8, opcode: HCIOpcode, parameters: ByteReader)
  case commandStatus(HCIStatus, credits: UInt8, opcode: HCIOpcode)
  case hardwareError(UInt8)
  case numberOfCompletedPackets(HCINumberOfCompletedPackets)
  /// The host sent more data than the controller has buffers for, on this type of link.
  case dataBufferOverflow(linkType: UInt8)
  case encryptionKeyRefreshComplete(HCIEncryptionKeyRefreshComplete)
  case le(LEMetaEvent)
  /// An unknown event, by its code.
  case unknown(UInt8)
}

/// The codes of the events (Core 6.0 Vol 4 Part E 7.7).
package enum HCIEventCode {
  package static let disconnectionComplete: UInt8 = 0x05
  package static let encryptionChange: UInt8 = 0x08
  package static let readRemoteVersionComplete: UInt8 = 0x0C
  package static let commandComplete: UInt8 = 0x0E
  package static let commandStatus: UInt8 = 0x0F
  package static let hardwareError: UInt8 = 0x10
  package static let numberOfCompletedPackets: UInt8 = 0x13
  package static let dataBufferOverflow: UInt8 = 0x1A
  package static let encryptionKeyRefreshComplete: UInt8 = 0x30
  package static let leMeta: UInt8 = 0x3E
  package static let encryptionChangeV2: UInt8 = 0x59
}

extension HCIEvent {
  /// Reads a whole H4 packet. The event's length must be the packet's, and its parameters must fill it.
  package init(decoding packet: [UInt8]) throws(ByteCodingError) {
    var reader = ByteReader(packet)
    guard try reader.uint8("packet indicator") == HCIPacketType.event.rawValue else {
      throw .invalidValue(field: "packet indicator")
    }
    let code = try reader.uint8("event code")
    let length = Int(try reader.uint8("event length"))
    guard reader.remaining == length else {
      throw reader.remaining < length
        ? .truncated(field: "event parameters", needed: length, available: reader.remaining)
        : .trailingBytes(structure: "event", count: reader.remaining - length)
    }
    switch code {
    case HCIEventCode.numberOfCompletedPackets:
      self = .numberOfCompletedPackets(try HCINumberOfCompletedPackets(decoding: reader))
      return
    case HCIEventCode.commandComplete:
      let credits = try reader.uint8("Num_HCI_Command_Packets")
      let opcode = try HCIOpcode(from: &reader)
      self = .commandComplete(credits: credits, opcode: opcode, parameters: reader)
      return
    case HCIEventCode.commandStatus:
      let status = try reader.status()
      let credits = try reader.uint8("Num_HCI_Command_Packets")
      self = .commandStatus(status, credits: credits, opcode: try HCIOpcode(from: &reader))
    case HCIEventCode.leMeta:
      self = .le(try LEMetaEvent(from: &reader))
    case HCIEventCode.disconnectionComplete:
      self = .disconnectionComplete(try HCIDisconnectionComplete(from: &reader))
    case HCIEventCode.encryptionChange:
      self = .encryptionChange(try HCIEncryptionChange(from: &reader, hasKeySize: false))
    case HCIEventCode.encryptionChangeV2:
      self = .encryptionChange(try HCIEncryptionChange(from: &reader, hasKeySize: true))
    case HCIEventCode.readRemoteVersionComplete:
      self = .readRemoteVersionComplete(try HCIReadRemoteVersionComplete(from: &reader))
    case HCIEventCode.hardwareError:
      self = .hardwareError(try reader.uint8("Hardware_Code"))
    case HCIEventCode.dataBufferOverflow:
      self = .dataBufferOverflow(linkType: try reader.uint8("Link_Type"))
    case HCIEventCode.encryptionKeyRefreshComplete:
      self = .encryptionKeyRefreshComplete(try HCIEncryptionKeyRefreshComplete(from: &reader))
    default:
      self = .unknown(code)
      return
    }
    try reader.finish("event")
  }

  /// The whole H4 packet. Parameters longer than 255 bytes have no encoding: senders split their reports before.
  package func encode() -> [UInt8] {
    var writer = ByteWriter(capacity: 64)
    writer.uint8(HCIPacketType.event.rawValue)
    writer.uint8(code)
    let length = writer.reserve(1)
    encodeParameters(into: &writer)
    writer.patchUInt8(UInt8(truncatingIfNeeded: writer.count - length - 1), at: length)
    return writer.bytes
  }

  /// The end of a command, with its return parameters.
  package static func complete<Command: HCISynchronousCommand>(
    _ command: Command.Type, _ parameters: Command.ReturnParameters, credits: UInt8 = 1
  ) -> HCIEvent {
    var writer = ByteWriter()
    parameters.encode(into: &writer)
    return .commandComplete(credits: credits, opcode: Command.opcode, parameters: ByteReader(writer.bytes))
  }

  private var code: UInt8 {
    switch self {
    case .disconnectionComplete: HCIEventCode.disconnectionComplete
    case .encryptionChange(let event):
      event.keySize == nil ? HCIEventCode.encryptionChange : HCIEventCode.encryptionChangeV2
    case .readRemoteVersionComplete: HCIEventCode.readRemoteVersionComplete
    case .commandComplete: HCIEventCode.commandComplete
    case .commandStatus: HCIEventCode.commandStatus
    case .hardwareError: HCIEventCode.hardwareError
    case .numberOfCompletedPackets: HCIEventCode.numberOfCompletedPackets
    case .dataBufferOverflow: HCIEventCode.dataBufferOverflow
    case .encryptionKeyRefreshComplete: HCIEventCode.encryptionKeyRefreshComplete
    case .le: HCIEventCode.leMeta
    case .unknown(let code): code
    }
  }

  private func encodeParameters(into writer: inout ByteWriter) {
    switch self {
    case .disconnectionComplete(let event): event.encode(into: &writer)
    case .encryptionChange(let event): event.encode(into: &writer)
    case .readRemoteVersionComplete(let event): event.encode(into: &writer)
    case .commandComplete(let credits, let opcode, let parameters):
      writer.uint8(credits)
      opcode.encode(into: &writer)
      writer.append(parameters)
    case .commandStatus(let status, let credits, let opcode):
      writer.status(status)
      writer.uint8(credits)
      opcode.encode(into: &writer)
    case .hardwareError(let code): writer.uint8(code)
    case .numberOfCompletedPackets(let event): event.encode(into: &writer)
    case .dataBufferOverflow(let linkType): writer.uint8(linkType)
    case .encryptionKeyRefreshComplete(let event): event.encode(into: &writer)
    case .le(let event): event.encode(into: &writer)
    case .unknown: break
    }
  }
}
