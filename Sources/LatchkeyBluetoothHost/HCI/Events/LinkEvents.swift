package import LatchkeyByteCoding

// Events of one link (Core 6.0 Vol 4 Part E).

/// A link ended (7.7.5). With any status but success it did not, and nothing changed.
package struct HCIDisconnectionComplete: Sendable, Equatable {
  package var status: HCIStatus
  package var connectionHandle: ConnectionHandle
  package var reason: HCIStatus

  package init(status: HCIStatus = .success, connectionHandle: ConnectionHandle, reason: HCIStatus) {
    self.status = status
    self.connectionHandle = connectionHandle
    self.reason = reason
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    status = try reader.status()
    connectionHandle = try ConnectionHandle(from: &reader)
    reason = try reader.status("Reason")
  }

  package func encode(into writer: inout ByteWriter) {
    writer.status(status)
    connectionHandle.encode(into: &writer)
    writer.status(reason)
  }
}

/// Encryption of a link was turned on or off (7.7.8).
package struct HCIEncryptionChange: Sendable, Equatable {
  package var status: HCIStatus
  package var connectionHandle: ConnectionHandle
  /// On LE, AES-CCM.
  package var isEncrypted: Bool
  /// The key's length in bytes, in version 2 of the event; nil for version 1.
  package var keySize: UInt8?

  package init(
    status: HCIStatus = .success, connectionHandle: ConnectionHandle, isEncrypted: Bool, keySize: UInt8? = nil
  ) {
    self.status = status
    self.connectionHandle = connectionHandle
    self.isEncrypted = isEncrypted
    self.keySize = keySize
  }

  package init(from reader: inout ByteReader, hasKeySize: Bool) throws(ByteCodingError) {
    status = try reader.status()
    connectionHandle = try ConnectionHandle(from: &reader)
    isEncrypted = try reader.flag("Encryption_Enabled")
    keySize = hasKeySize ? try reader.uint8("Encryption_Key_Size") : nil
  }

  package func encode(into writer: inout ByteWriter) {
    writer.status(status)
    connectionHandle.encode(into: &writer)
    writer.flag(isEncrypted)
    if let keySize { writer.uint8(keySize) }
  }
}

/// The key of an encrypted link was replaced, or could not be (7.7.39).
package struct HCIEncryptionKeyRefreshComplete: Sendable, Equatable {
  package var status: HCIStatus
  package var connectionHandle: ConnectionHandle

  package init(status: HCIStatus = .success, connectionHandle: ConnectionHandle) {
    self.status = status
    self.connectionHandle = connectionHandle
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    status = try reader.status()
    connectionHandle = try ConnectionHandle(from: &reader)
  }

  package func encode(into writer: inout ByteWriter) {
    writer.status(status)
    connectionHandle.encode(into: &writer)
  }
}

/// The version of a peer's controller (7.7.12).
package struct HCIReadRemoteVersionComplete: Sendable, Equatable {
  package var status: HCIStatus
  package var connectionHandle: ConnectionHandle
  /// Of its link layer: 0x09 is 5.0, 0x0E is 6.0 (Assigned Numbers 2.1).
  package var version: UInt8
  /// Its manufacturer (Assigned Numbers 7).
  package var companyIdentifier: UInt16
  package var subversion: UInt16

  package init(
    status: HCIStatus = .success, connectionHandle: ConnectionHandle, version: UInt8, companyIdentifier: UInt16,
    subversion: UInt16
  ) {
    self.status = status
    self.connectionHandle = connectionHandle
    self.version = version
    self.companyIdentifier = companyIdentifier
    self.subversion = subversion
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    status = try reader.status()
    connectionHandle = try ConnectionHandle(from: &reader)
    version = try reader.uint8("Version")
    companyIdentifier = try reader.uint16("Company_Identifier")
    subversion = try reader.uint16("Subversion")
  }

  package func encode(into writer: inout ByteWriter) {
    writer.status(status)
    connectionHandle.encode(into: &writer)
    writer.uint8(version)
    writer.uint16(companyIdentifier)
    writer.uint16(subversion)
  }
}
