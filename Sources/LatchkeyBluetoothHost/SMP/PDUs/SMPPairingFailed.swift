package import LatchkeyByteCoding

/// Ends a pairing (Core 6.0 Vol 3 Part H 3.5.5). Nothing answers it.
package struct SMPPairingFailed: SMPPDU, Equatable {
  package static let code = SMPCode.pairingFailed
  /// The cause.
  package var reason: SMPReason

  package init(reason: SMPReason) { self.reason = reason }
  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    reason = SMPReason(rawValue: try reader.uint8("Reason"))
  }
  package func encode(into writer: inout ByteWriter) { writer.uint8(reason.rawValue) }
}

/// Why pairing failed (Core 6.0 Vol 3 Part H 3.5.5, table 3.7). A peer may send a value that has no name here.
///
/// The steps of a pairing throw the reason with which it ends.
package struct SMPReason: RawRepresentable, Hashable, Sendable, Error {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The user did not enter the passkey, or canceled.
  package static let passkeyEntryFailed = SMPReason(rawValue: 0x01)
  /// Out-of-band data is not available.
  package static let outOfBandNotAvailable = SMPReason(rawValue: 0x02)
  /// The method that both ends can use does not reach the required security.
  package static let authenticationRequirements = SMPReason(rawValue: 0x03)
  /// A confirm value does not match.
  package static let confirmValueFailed = SMPReason(rawValue: 0x04)
  /// The device does not pair.
  package static let pairingNotSupported = SMPReason(rawValue: 0x05)
  /// The key that both ends can use is too short.
  package static let encryptionKeySize = SMPReason(rawValue: 0x06)
  /// The device does not support the command, or not in its role.
  package static let commandNotSupported = SMPReason(rawValue: 0x07)
  /// Any other cause.
  package static let unspecifiedReason = SMPReason(rawValue: 0x08)
  /// Too little time has passed since the last failure.
  package static let repeatedAttempts = SMPReason(rawValue: 0x09)
  /// A parameter is out of its range, or the command has a wrong length.
  package static let invalidParameters = SMPReason(rawValue: 0x0A)
  /// A DHKey Check does not match, or a public key is invalid.
  package static let dhKeyCheckFailed = SMPReason(rawValue: 0x0B)
  /// The user found that the two displayed values differ.
  package static let numericComparisonFailed = SMPReason(rawValue: 0x0C)
  /// A pairing over BR/EDR is in progress.
  package static let pairingInProgressOverBREDR = SMPReason(rawValue: 0x0D)
  /// The key of this transport cannot be used for the other one.
  package static let crossTransportKeyNotAllowed = SMPReason(rawValue: 0x0E)
  /// The device does not accept a distributed key.
  package static let keyRejected = SMPReason(rawValue: 0x0F)
  /// The device is not ready to pair.
  package static let busy = SMPReason(rawValue: 0x10)
}
