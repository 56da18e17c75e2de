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

/// The answer to such a request (Core 6.0 Vol 3 Part A 4.23).
package struct L2CAPLECreditBasedConnectionResponse: Sendable, Equatable {
  /// The result of a refusal: no service has that SPSM. All other fields are zero then.
  package static let spsmNotSupported: UInt16 = 0x0002

  package var destination: L2CAPChannelID
  package var mtu: UInt16
  package var mps: UInt16
  package var initialCredits: UInt16
  package var result: UInt16

  package init(
    destination: L2CAPChannelID = L2CAPChannelID(rawValue: 0), mtu: UInt16 = 0, mps: UInt16 = 0,
    initialCredits: UInt16 = 0, result: UInt16
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
    result = try reader.uint16("Result")
  }

  func encode(into writer: inout ByteWriter) {
    writer.uint16(destination.rawValue)
    writer.uint16(mtu)
    writer.uint16(mps)
    writer.uint16(initialCredits)
    writer.uint16(result)
  }
}
