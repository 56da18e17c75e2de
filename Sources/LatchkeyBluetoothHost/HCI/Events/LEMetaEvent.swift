package import LatchkeyByteCoding

/// An LE event, named by its subevent code (Core 6.0 Vol 4 Part E 7.7.65).
package enum LEMetaEvent: Sendable, Equatable {
  /// Subevents 0x01 and 0x0A.
  case connectionComplete(LEConnectionComplete)
  /// Subevents 0x02, 0x0B and 0x0D. Reports to encode are all of the first one's form.
  case advertisingReports([LEAdvertisingReport])
  case connectionUpdateComplete(LEConnectionUpdateComplete)
  case readRemoteFeaturesComplete(LEReadRemoteFeaturesComplete)
  case longTermKeyRequest(LELongTermKeyRequest)
  case remoteConnectionParameterRequest(LERemoteConnectionParameterRequest)
  case dataLengthChange(LEDataLengthChange)
  case phyUpdateComplete(LEPHYUpdateComplete)
  /// Scanning ended by its own duration (7.7.65.17).
  case scanTimeout
  case advertisingSetTerminated(LEAdvertisingSetTerminated)
  case scanRequestReceived(LEScanRequestReceived)
  /// An unknown subevent, by its code.
  case unknown(UInt8)

  /// The subevent codes.
  package enum Code {
    package static let connectionComplete: UInt8 = 0x01
    package static let advertisingReport: UInt8 = 0x02
    package static let connectionUpdateComplete: UInt8 = 0x03
    package static let readRemoteFeaturesComplete: UInt8 = 0x04
    package static let longTermKeyRequest: UInt8 = 0x05
    package static let remoteConnectionParameterRequest: UInt8 = 0x06
    package static let dataLengthChange: UInt8 = 0x07
    package static let enhancedConnectionComplete: UInt8 = 0x0A
    package static let directedAdvertisingReport: UInt8 = 0x0B
    package static let phyUpdateComplete: UInt8 = 0x0C
    package static let extendedAdvertisingReport: UInt8 = 0x0D
    package static let scanTimeout: UInt8 = 0x11
    package static let advertisingSetTerminated: UInt8 = 0x12
    package static let scanRequestReceived: UInt8 = 0x13
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    let code = try reader.uint8("Subevent_Code")
    switch code {
    case Code.connectionComplete, Code.enhancedConnectionComplete:
      let isEnhanced = code == Code.enhancedConnectionComplete
      self = .connectionComplete(try LEConnectionComplete(from: &reader, isEnhanced: isEnhanced))
    case Code.advertisingReport, Code.directedAdvertisingReport, Code.extendedAdvertisingReport:
      self = .advertisingReports(try LEAdvertisingReport.decode(subevent: code, from: &reader))
    case Code.connectionUpdateComplete:
      self = .connectionUpdateComplete(try LEConnectionUpdateComplete(from: &reader))
    case Code.readRemoteFeaturesComplete:
      self = .readRemoteFeaturesComplete(try LEReadRemoteFeaturesComplete(from: &reader))
    case Code.longTermKeyRequest:
      self = .longTermKeyRequest(try LELongTermKeyRequest(from: &reader))
    case Code.remoteConnectionParameterRequest:
      self = .remoteConnectionParameterRequest(try LERemoteConnectionParameterRequest(from: &reader))
    case Code.dataLengthChange:
      self = .dataLengthChange(try LEDataLengthChange(from: &reader))
    case Code.phyUpdateComplete:
      self = .phyUpdateComplete(try LEPHYUpdateComplete(from: &reader))
    case Code.scanTimeout:
      self = .scanTimeout
    case Code.advertisingSetTerminated:
      self = .advertisingSetTerminated(try LEAdvertisingSetTerminated(from: &reader))
    case Code.scanRequestReceived:
      self = .scanRequestReceived(try LEScanRequestReceived(from: &reader))
    default:
      try reader.skip(reader.remaining, "unknown subevent")
      self = .unknown(code)
    }
  }

  package func encode(into writer: inout ByteWriter) {
    switch self {
    case .connectionComplete(let event):
      writer.uint8(event.isEnhanced ? Code.enhancedConnectionComplete : Code.connectionComplete)
      event.encode(into: &writer)
    case .advertisingReports(let reports):
      LEAdvertisingReport.encode(reports, into: &writer)
    case .connectionUpdateComplete(let event):
      writer.uint8(Code.connectionUpdateComplete)
      event.encode(into: &writer)
    case .readRemoteFeaturesComplete(let event):
      writer.uint8(Code.readRemoteFeaturesComplete)
      event.encode(into: &writer)
    case .longTermKeyRequest(let event):
      writer.uint8(Code.longTermKeyRequest)
      event.encode(into: &writer)
    case .remoteConnectionParameterRequest(let event):
      writer.uint8(Code.remoteConnectionParameterRequest)
      event.encode(into: &writer)
    case .dataLengthChange(let event):
      writer.uint8(Code.dataLengthChange)
      event.encode(into: &writer)
    case .phyUpdateComplete(let event):
      writer.uint8(Code.phyUpdateComplete)
      event.encode(into: &writer)
    case .scanTimeout:
      writer.uint8(Code.scanTimeout)
    case .advertisingSetTerminated(let event):
      writer.uint8(Code.advertisingSetTerminated)
      event.encode(into: &writer)
    case .scanRequestReceived(let event):
      writer.uint8(Code.scanRequestReceived)
      event.encode(into: &writer)
    case .unknown(let code):
      writer.uint8(code)
    }
  }
}
