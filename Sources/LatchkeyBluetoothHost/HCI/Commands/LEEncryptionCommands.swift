package import LatchkeyByteCoding

// Commands of encryption (Core 6.0 Vol 4 Part E).

/// Encrypts a link with a key that both ends have. Encryption Change, or Encryption Key Refresh Complete, follows
/// (7.8.24).
package struct HCILEEnableEncryption: HCICommand {
  package static let opcode = HCIOpcode.leEnableEncryption

  package var connectionHandle: ConnectionHandle
  /// The number and the diversifier that identify the key; both zero for one of LE Secure Connections.
  package var randomNumber: UInt64
  package var encryptedDiversifier: UInt16
  package var longTermKey: SecurityKey

  package init(
    connectionHandle: ConnectionHandle, randomNumber: UInt64 = 0, encryptedDiversifier: UInt16 = 0,
    longTermKey: SecurityKey
  ) {
    self.connectionHandle = connectionHandle
    self.randomNumber = randomNumber
    self.encryptedDiversifier = encryptedDiversifier
    self.longTermKey = longTermKey
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    connectionHandle = try ConnectionHandle(from: &reader)
    randomNumber = try reader.uint64("Random_Number")
    encryptedDiversifier = try reader.uint16("Encrypted_Diversifier")
    longTermKey = try SecurityKey(from: &reader, "Long_Term_Key")
  }

  package func encode(into writer: inout ByteWriter) {
    connectionHandle.encode(into: &writer)
    writer.uint64(randomNumber)
    writer.uint16(encryptedDiversifier)
    longTermKey.encode(into: &writer)
  }
}

/// Answers Long Term Key Request with the key (7.8.25).
package struct HCILELongTermKeyRequestReply: HCISynchronousCommand {
  package typealias ReturnParameters = HCIConnectionReturnParameters
  package static let opcode = HCIOpcode.leLongTermKeyRequestReply

  package var connectionHandle: ConnectionHandle
  package var longTermKey: SecurityKey

  package init(connectionHandle: ConnectionHandle, longTermKey: SecurityKey) {
    self.connectionHandle = connectionHandle
    self.longTermKey = longTermKey
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    connectionHandle = try ConnectionHandle(from: &reader)
    longTermKey = try SecurityKey(from: &reader, "Long_Term_Key")
  }

  package func encode(into writer: inout ByteWriter) {
    connectionHandle.encode(into: &writer)
    longTermKey.encode(into: &writer)
  }
}

/// Answers Long Term Key Request: this host has no such key (7.8.26).
package struct HCILELongTermKeyRequestNegativeReply: HCISynchronousCommand {
  package typealias ReturnParameters = HCIConnectionReturnParameters
  package static let opcode = HCIOpcode.leLongTermKeyRequestNegativeReply

  package var connectionHandle: ConnectionHandle

  package init(connectionHandle: ConnectionHandle) {
    self.connectionHandle = connectionHandle
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    connectionHandle = try ConnectionHandle(from: &reader)
  }

  package func encode(into writer: inout ByteWriter) {
    connectionHandle.encode(into: &writer)
  }
}
