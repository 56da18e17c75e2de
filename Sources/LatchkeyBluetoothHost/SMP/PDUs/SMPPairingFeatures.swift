package import LatchkeyByteCoding

/// The content of a Pairing Request and a Pairing Response, which have the same fields (Core 6.0 Vol 3 Part H 3.5.1,
/// 3.5.2).
package struct SMPPairingFeatures: Sendable, Equatable {
  /// The sender's input and output.
  package var ioCapability: SMPIOCapability
  /// Whether the sender has out-of-band data of its peer.
  package var hasOutOfBandData: Bool
  /// Bonding, protection, Secure Connections, keypresses; reserved bits are preserved.
  package var authentication: SMPAuthenticationRequirements
  /// The longest key that the sender can use, in bytes, 7...16.
  package var maximumKeySize: UInt8
  /// The keys that the initiator distributes; reserved bits are preserved.
  package var initiatorKeys: SMPKeyDistribution
  /// The keys that the responder distributes; reserved bits are preserved.
  package var responderKeys: SMPKeyDistribution

  package init(
    ioCapability: SMPIOCapability, hasOutOfBandData: Bool = false, authentication: SMPAuthenticationRequirements,
    maximumKeySize: UInt8 = 16, initiatorKeys: SMPKeyDistribution, responderKeys: SMPKeyDistribution
  ) {
    self.ioCapability = ioCapability
    self.hasOutOfBandData = hasOutOfBandData
    self.authentication = authentication
    self.maximumKeySize = maximumKeySize
    self.initiatorKeys = initiatorKeys
    self.responderKeys = responderKeys
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    guard let capability = SMPIOCapability(rawValue: try reader.uint8("IO Capability")) else {
      throw .invalidValue(field: "IO Capability")
    }
    ioCapability = capability
    hasOutOfBandData = try reader.flag("OOB data flag")
    authentication = SMPAuthenticationRequirements(rawValue: try reader.uint8("AuthReq"))
    maximumKeySize = try reader.uint8("Maximum Encryption Key Size")
    initiatorKeys = SMPKeyDistribution(rawValue: try reader.uint8("Initiator Key Distribution"))
    responderKeys = SMPKeyDistribution(rawValue: try reader.uint8("Responder Key Distribution"))
    guard 7...16 ~= maximumKeySize else { throw .invalidValue(field: "Maximum Encryption Key Size") }
  }

  package func encode(into writer: inout ByteWriter) {
    writer.uint8(ioCapability.rawValue)
    writer.uint8(hasOutOfBandData ? 1 : 0)
    writer.uint8(authentication.rawValue)
    writer.uint8(maximumKeySize)
    writer.uint8(initiatorKeys.rawValue)
    writer.uint8(responderKeys.rawValue)
  }
}

/// A central requests pairing (Core 6.0 Vol 3 Part H 3.5.1).
package struct SMPPairingRequest: SMPPDU, Equatable {
  package static let code = SMPCode.pairingRequest
  /// The parameters.
  package var features: SMPPairingFeatures

  package init(features: SMPPairingFeatures) { self.features = features }
  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    features = try SMPPairingFeatures(from: &reader)
  }
  package func encode(into writer: inout ByteWriter) { features.encode(into: &writer) }
}

/// A peripheral accepts a pairing (Core 6.0 Vol 3 Part H 3.5.2).
package struct SMPPairingResponse: SMPPDU, Equatable {
  package static let code = SMPCode.pairingResponse
  /// The parameters.
  package var features: SMPPairingFeatures

  package init(features: SMPPairingFeatures) { self.features = features }
  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    features = try SMPPairingFeatures(from: &reader)
  }
  package func encode(into writer: inout ByteWriter) { features.encode(into: &writer) }
}

/// A peripheral asks its central to pair, or to encrypt with a key of a bond (Core 6.0 Vol 3 Part H 3.6.7).
package struct SMPSecurityRequest: SMPPDU, Equatable {
  package static let code = SMPCode.securityRequest
  /// The security that the peripheral requests.
  package var authentication: SMPAuthenticationRequirements

  package init(authentication: SMPAuthenticationRequirements) { self.authentication = authentication }
  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    authentication = SMPAuthenticationRequirements(rawValue: try reader.uint8("AuthReq"))
  }
  package func encode(into writer: inout ByteWriter) { writer.uint8(authentication.rawValue) }
}
