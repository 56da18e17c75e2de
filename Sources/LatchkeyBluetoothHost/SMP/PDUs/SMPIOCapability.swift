/// The input and output that a device has for its user (Core 6.0 Vol 3 Part H 3.5.1, table 3.4).
package enum SMPIOCapability: UInt8, Sendable, CaseIterable {
  /// Six digits can be shown.
  case displayOnly = 0x00
  /// Six digits can be shown, and the user can answer yes or no.
  case displayYesNo = 0x01
  /// Six digits can be entered.
  case keyboardOnly = 0x02
  /// Neither.
  case noInputNoOutput = 0x03
  /// Six digits can be shown and entered, and the user can answer yes or no.
  case keyboardDisplay = 0x04
}

/// The requested security: the bits of AuthReq (Core 6.0 Vol 3 Part H 3.5.1, figure 3.3).
package struct SMPAuthenticationRequirements: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Keys are stored. `isBonding` reads the whole two-bit field.
  package static let bonding = SMPAuthenticationRequirements(rawValue: 0x01)
  /// Protection against a man in the middle.
  package static let mitm = SMPAuthenticationRequirements(rawValue: 0x04)
  /// LE Secure Connections is supported.
  package static let secureConnections = SMPAuthenticationRequirements(rawValue: 0x08)
  /// Keypress notifications are supported.
  package static let keypress = SMPAuthenticationRequirements(rawValue: 0x10)
  /// The function h7 is supported.
  package static let ct2 = SMPAuthenticationRequirements(rawValue: 0x20)

  /// Whether the two bits of Bonding_Flags say "bonding"; the reserved values do not (table 3.6).
  package var isBonding: Bool { rawValue & 0x03 == 0x01 }
}

/// Kinds of keys that one end distributes (Core 6.0 Vol 3 Part H 3.6.1, figure 3.11).
package struct SMPKeyDistribution: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The LTK, EDIV and Rand of legacy pairing; ignored by Secure Connections.
  package static let encryptionKey = SMPKeyDistribution(rawValue: 0x01)
  /// The IRK and the identity address.
  package static let identityKey = SMPKeyDistribution(rawValue: 0x02)
  /// The CSRK.
  package static let signingKey = SMPKeyDistribution(rawValue: 0x04)
  /// A link key of BR/EDR derived from the LTK; no PDU carries it.
  package static let linkKey = SMPKeyDistribution(rawValue: 0x08)
  /// All bits that are not reserved.
  package static let all: SMPKeyDistribution = [.encryptionKey, .identityKey, .signingKey, .linkKey]
}
