package import LatchkeyByteCoding

/// Encrypts a link with a key that both ends have. Encryption Change, or Encryption Key Refresh, follows (Core 6.0 Vol 4
/// Part E 7.8.24).
package struct HCILEEnableEncryption: HCICommand {
  package static let opcode = HCIOpcode.leEnableEncryption

  package var connectionHandle: ConnectionHandle
  /// The number and the diversifier that identify the key; both zero for one of LE Secure Connections.
  package var randomNumber: UInt64
  package var encryptedDiversifier: UInt16
  /// 16 bytes.
  package var longTermKey: [UInt8]

  package init(
    connectionHandle: ConnectionHandle, randomNumber: UInt64 = 0, encryptedDiversifier: UInt16 = 0, longTermKey: [UInt8]
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
    longTermKey = try reader.bytes(16, "Long_Term_Key")
  }

  package func encode(into writer: inout ByteWriter) {
    connectionHandle.encode(into: &writer)
    writer.uint64(randomNumber)
    writer.uint16(encryptedDiversifier)
    writer.append(longTermKey)
  }
}
