package import LatchkeyByteCoding

/// A central requests pairing (Core 6.0 Vol 3 Part H 3.5.1).
package struct SMPPairingRequest: Sendable, Equatable {
  /// The peer's input and output, 0...4.
  package var ioCapability: UInt8
  /// Whether the peer has out-of-band data.
  package var hasOutOfBandData: Bool
  /// Bonding, protection, Secure Connections, keypresses.
  package var authentication: UInt8
  /// The longest key the peer can use, in bytes, 7...16.
  package var maximumKeySize: UInt8
  /// The keys that the initiator would distribute.
  package var initiatorKeys: UInt8
  /// The keys that the responder is asked for.
  package var responderKeys: UInt8

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    ioCapability = try reader.uint8("IO Capability")
    hasOutOfBandData = try reader.flag("OOB data flag")
    authentication = try reader.uint8("AuthReq")
    maximumKeySize = try reader.uint8("Maximum Encryption Key Size")
    initiatorKeys = try reader.uint8("Initiator Key Distribution")
    responderKeys = try reader.uint8("Responder Key Distribution")
    guard ioCapability <= 0x04 else { throw .invalidValue(field: "IO Capability") }
    guard 7...16 ~= maximumKeySize else { throw .invalidValue(field: "Maximum Encryption Key Size") }
  }
}
