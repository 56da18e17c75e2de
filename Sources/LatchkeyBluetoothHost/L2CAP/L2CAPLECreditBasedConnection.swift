import LatchkeyByteCoding

/// A peer requests a channel with credits (Core 6.0 Vol 3 Part A 4.22).
package struct L2CAPLECreditBasedConnectionRequest: Sendable, Equatable {
  /// The requested service.
  package var spsm: UInt16
  package var source: L2CAPChannelID
  package var mtu: UInt16
  package var mps: UInt16
  package var initialCredits: UInt16

  package init(spsm: UInt16, source: L2CAPChannelID, mtu: UInt16, mps: UInt16, initialCredits: UInt16) {
    self.spsm = spsm
    self.source = source
    self.mtu = mtu
    self.mps = mps
    self.initialCredits = initialCredits
  }

  init(from reader: inout ByteReader) throws(ByteCodingError) {
    spsm = try reader.uint16("SPSM")
    source = L2CAPChannelID(rawValue: try reader.uint16("Source CID"))
    mtu = try reader.uint16("MTU")
    mps = try reader.uint16("MPS")
    initialCredits = try reader.uint16("Initial Credits")
  }

  func encode(into writer: inout ByteWriter) {
    writer.uint16(spsm)
    writer.uint16(source.rawValue)
    writer.uint16(mtu)
    writer.uint16(mps)
    writer.uint16(initialCredits)
  }
}

/// The answer to such a request (Core 6.0 Vol 3 Part A 4.23). All fields but the result are zero in a refusal.
package struct L2CAPLECreditBasedConnectionResponse: Sendable, Equatable {
  package var destination: L2CAPChannelID
  package var mtu: UInt16
  package var mps: UInt16
  package var initialCredits: UInt16
  package var result: ChannelResult

  package init(
    destination: L2CAPChannelID = L2CAPChannelID(rawValue: 0), mtu: UInt16 = 0, mps: UInt16 = 0,
    initialCredits: UInt16 = 0, result: ChannelResult
  ) {
    self.destination = destination
    self.mtu = mtu
    self.mps = mps
    self.initialCredits = initialCredits
    self.result = result
  }

  init(from reader: inout ByteReader) throws(ByteCodingError) {
    destination = L2CAPChannelID(rawValue: try reader.uint16("Destination CID"))
    mtu = try reader.uint16("MTU")
    mps = try reader.uint16("MPS")
    initialCredits = try reader.uint16("Initial Credits")
    result = ChannelResult(rawValue: try reader.uint16("Result"))
  }

  func encode(into writer: inout ByteWriter) {
    writer.uint16(destination.rawValue)
    writer.uint16(mtu)
    writer.uint16(mps)
    writer.uint16(initialCredits)
    writer.uint16(result.rawValue)
  }
}

/// The result of a request for a channel (Core 6.0 Vol 3 Part A 4.23, table 4.19). Values without a name are reserved.
public struct ChannelResult: RawRepresentable, Hashable, Sendable {
  /// The number on the air.
  public let rawValue: UInt16
  /// The result of a number.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The channel is open.
  public static let success = ChannelResult(rawValue: 0x0000)
  /// No service has that number.
  public static let spsmNotSupported = ChannelResult(rawValue: 0x0002)
  /// The device has no room for another channel.
  public static let noResources = ChannelResult(rawValue: 0x0004)
  /// The service needs a paired device.
  public static let insufficientAuthentication = ChannelResult(rawValue: 0x0005)
  /// The service does not serve this device.
  public static let insufficientAuthorization = ChannelResult(rawValue: 0x0006)
  /// The service needs a longer key.
  public static let keySizeTooShort = ChannelResult(rawValue: 0x0007)
  /// The service needs an encrypted link.
  public static let insufficientEncryption = ChannelResult(rawValue: 0x0008)
  /// The requester's identifier of the channel is none of a dynamic channel.
  public static let invalidSource = ChannelResult(rawValue: 0x0009)
  /// The requester has another channel of that identifier.
  public static let sourceAlreadyAllocated = ChannelResult(rawValue: 0x000A)
  /// The lengths in the request are out of their ranges.
  public static let unacceptableParameters = ChannelResult(rawValue: 0x000B)
}
