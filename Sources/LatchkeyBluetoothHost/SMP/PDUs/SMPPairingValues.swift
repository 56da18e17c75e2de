package import LatchkeyByteCoding

/// A commitment to a random value (Core 6.0 Vol 3 Part H 3.5.3).
package struct SMPPairingConfirm: SMPPDU, Equatable {
  package static let code = SMPCode.pairingConfirm
  /// 16 bytes.
  package var value: [UInt8]

  package init(value: [UInt8]) { self.value = value }
  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    value = try reader.bytes(PairingCryptography.blockSize, "Confirm value")
  }
  package func encode(into writer: inout ByteWriter) { writer.append(value) }
}

/// The random value that a Pairing Confirm committed to (Core 6.0 Vol 3 Part H 3.5.4).
package struct SMPPairingRandom: SMPPDU, Equatable {
  package static let code = SMPCode.pairingRandom
  /// 16 bytes.
  package var value: [UInt8]

  package init(value: [UInt8]) { self.value = value }
  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    value = try reader.bytes(PairingCryptography.blockSize, "Random value")
  }
  package func encode(into writer: inout ByteWriter) { writer.append(value) }
}

/// A public key of LE Secure Connections: a point of P-256 that is not validated yet (Core 6.0 Vol 3 Part H 3.5.6).
package struct SMPPairingPublicKey: SMPPDU, Equatable {
  package static let code = SMPCode.pairingPublicKey
  /// The X coordinate, 32 bytes.
  package var x: [UInt8]
  /// The Y coordinate, 32 bytes.
  package var y: [UInt8]

  package init(x: [UInt8], y: [UInt8]) {
    self.x = x
    self.y = y
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    x = try reader.bytes(PairingCryptography.coordinateSize, "Public Key X")
    y = try reader.bytes(PairingCryptography.coordinateSize, "Public Key Y")
  }

  package func encode(into writer: inout ByteWriter) {
    writer.append(x)
    writer.append(y)
  }
}

/// The proof that an end computed the same keys (Core 6.0 Vol 3 Part H 3.5.7).
package struct SMPPairingDHKeyCheck: SMPPDU, Equatable {
  package static let code = SMPCode.pairingDHKeyCheck
  /// 16 bytes.
  package var value: [UInt8]

  package init(value: [UInt8]) { self.value = value }
  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    value = try reader.bytes(PairingCryptography.blockSize, "DHKey Check")
  }
  package func encode(into writer: inout ByteWriter) { writer.append(value) }
}

/// A user's progress with a passkey, for the peer's display (Core 6.0 Vol 3 Part H 3.5.8).
package struct SMPPairingKeypressNotification: SMPPDU, Equatable {
  package static let code = SMPCode.pairingKeypressNotification

  /// An action of the user (table 3.8).
  package enum Action: UInt8, Sendable, CaseIterable {
    /// The user begins to enter a passkey.
    case started = 0x00
    /// A digit was entered.
    case digitEntered = 0x01
    /// A digit was erased.
    case digitErased = 0x02
    /// All digits were erased.
    case cleared = 0x03
    /// The passkey is complete.
    case completed = 0x04
  }

  /// The action.
  package var action: Action

  package init(action: Action) { self.action = action }
  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    guard let action = Action(rawValue: try reader.uint8("Notification Type")) else {
      throw .invalidValue(field: "Notification Type")
    }
    self.action = action
  }
  package func encode(into writer: inout ByteWriter) { writer.uint8(action.rawValue) }
}
