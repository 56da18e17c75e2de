package import LatchkeyByteCoding

/// The LTK of legacy pairing (Core 6.0 Vol 3 Part H 3.6.2).
package struct SMPEncryptionInformation: SMPPDU, Equatable {
  package static let code = SMPCode.encryptionInformation
  /// The LTK.
  package var longTermKey: SecurityKey

  package init(longTermKey: SecurityKey) { self.longTermKey = longTermKey }
  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    longTermKey = try SecurityKey(from: &reader, "Long Term Key")
  }
  package func encode(into writer: inout ByteWriter) { longTermKey.encode(into: &writer) }
}

/// The numbers that identify the LTK of legacy pairing (Core 6.0 Vol 3 Part H 3.6.3).
package struct SMPCentralIdentification: SMPPDU, Equatable {
  package static let code = SMPCode.centralIdentification
  /// EDIV.
  package var encryptedDiversifier: UInt16
  /// Rand.
  package var randomNumber: UInt64

  package init(encryptedDiversifier: UInt16, randomNumber: UInt64) {
    self.encryptedDiversifier = encryptedDiversifier
    self.randomNumber = randomNumber
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    encryptedDiversifier = try reader.uint16("EDIV")
    randomNumber = try reader.uint64("Rand")
  }

  package func encode(into writer: inout ByteWriter) {
    writer.uint16(encryptedDiversifier)
    writer.uint64(randomNumber)
  }
}

/// The IRK, which resolves private addresses (Core 6.0 Vol 3 Part H 3.6.4). Zeros stand for "none".
package struct SMPIdentityInformation: SMPPDU, Equatable {
  package static let code = SMPCode.identityInformation
  /// The IRK.
  package var resolvingKey: SecurityKey

  package init(resolvingKey: SecurityKey) { self.resolvingKey = resolvingKey }
  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    resolvingKey = try SecurityKey(from: &reader, "Identity Resolving Key")
  }
  package func encode(into writer: inout ByteWriter) { resolvingKey.encode(into: &writer) }
}

/// The identity address: a public or a static random one (Core 6.0 Vol 3 Part H 3.6.5).
package struct SMPIdentityAddressInformation: SMPPDU, Equatable {
  package static let code = SMPCode.identityAddressInformation
  /// The address.
  package var address: BluetoothAddress

  package init(address: BluetoothAddress) { self.address = address }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    guard let kind = BluetoothAddress.Kind(rawValue: try reader.uint8("AddrType")) else {
      throw .invalidValue(field: "AddrType")
    }
    address = try BluetoothAddress(from: &reader, kind: kind)
    guard kind == .public || address == .staticRandom(address.value) else { throw .invalidValue(field: "BD_ADDR") }
  }

  package func encode(into writer: inout ByteWriter) {
    writer.uint8(address.kind.rawValue)
    address.encode(into: &writer)
  }
}

/// The CSRK, which signs data (Core 6.0 Vol 3 Part H 3.6.6).
package struct SMPSigningInformation: SMPPDU, Equatable {
  package static let code = SMPCode.signingInformation
  /// The CSRK.
  package var signatureKey: SecurityKey

  package init(signatureKey: SecurityKey) { self.signatureKey = signatureKey }
  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    signatureKey = try SecurityKey(from: &reader, "Signature Key")
  }
  package func encode(into writer: inout ByteWriter) { signatureKey.encode(into: &writer) }
}
