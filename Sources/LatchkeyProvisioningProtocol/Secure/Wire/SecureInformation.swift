package import LatchkeyByteCoding

/// The value of INFO: what a device says of itself before anything is proved. Both sides bind its bytes.
package struct SecureInformation: Hashable, Sendable {
  /// What stands in the second byte.
  package struct Flags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The code is a number of digits.
    package static let pin = Flags(rawValue: 1 << 0)
    /// The code is a secret of a QR code.
    package static let qr = Flags(rawValue: 1 << 1)
    /// Sessions can be resumed.
    package static let resumption = Flags(rawValue: 1 << 2)
  }

  /// This implementation's version.
  package static let version: UInt8 = 2
  /// The greatest length of the value, in bytes.
  package static let greatestLength = 64
  /// The length of a device's identifier, in bytes.
  package static let identifierLength = 16
  /// The bounds of `maximumMessage`.
  package static let messageLengths = 256...4096
  /// The capability of taking an enrollment, beside `ProvisioningCapabilities`.
  package static let enrollCapability: UInt8 = 1 << 6

  /// The greatest version that the device speaks.
  package var version: UInt8
  package var flags: Flags
  /// `ProvisioningCapabilities`, and bit 6 for enrollment.
  package var capabilities: UInt8
  /// The suites, of which some may be unknown, in the order that the device prefers.
  package var suites: [UInt8]
  /// How many writes without response may stand between two with response.
  package var window: UInt8
  /// The longest message in either direction, header included.
  package var maximumMessage: Int
  package var deviceIdentifier: [UInt8]
  /// What a later version has added.
  package var extra: [UInt8] = []

  package init(
    flags: Flags, capabilities: UInt8, suites: [SecureSuite], window: UInt8, maximumMessage: Int,
    deviceIdentifier: [UInt8]
  ) {
    version = Self.version
    self.flags = flags
    self.capabilities = capabilities
    self.suites = suites.map(\.rawValue)
    self.window = window
    self.maximumMessage = maximumMessage
    self.deviceIdentifier = deviceIdentifier
  }

  /// - Throws: `ByteCodingError` if the bytes are no INFO.
  package init(_ bytes: [UInt8]) throws(ByteCodingError) {
    guard bytes.count <= Self.greatestLength else { throw .invalidValue(field: "INFO's length") }
    var reader = ByteReader(bytes)
    version = try reader.uint8("INFO's version")
    flags = Flags(rawValue: try reader.uint8("INFO's flags"))
    capabilities = try reader.uint8("INFO's capabilities")
    let count = Int(try reader.uint8("INFO's number of suites"))
    guard (1...8).contains(count) else { throw .invalidValue(field: "INFO's number of suites") }
    suites = try reader.bytes(count, "INFO's suites")
    guard Set(suites).count == count else { throw .invalidValue(field: "INFO's suites") }
    window = try reader.uint8("INFO's window")
    maximumMessage = Int(try reader.uint16BigEndian("INFO's longest message"))
    guard Self.messageLengths.contains(maximumMessage),
      !suites.contains(SecureSuite.hybrid.rawValue) || maximumMessage >= SecureMessage.helloLength
    else { throw .invalidValue(field: "INFO's longest message") }
    deviceIdentifier = try reader.bytes(Self.identifierLength, "INFO's device")
    extra = reader.remainingBytes()
  }

  package var bytes: [UInt8] {
    var writer = ByteWriter(capacity: Self.greatestLength)
    writer.uint8(version)
    writer.uint8(flags.rawValue)
    writer.uint8(capabilities)
    writer.uint8(UInt8(truncatingIfNeeded: suites.count))
    writer.append(suites)
    writer.uint8(window)
    writer.uint16BigEndian(UInt16(truncatingIfNeeded: maximumMessage))
    writer.append(deviceIdentifier)
    writer.append(extra)
    return writer.bytes
  }

  /// The suite to take: the better one of those that both sides have.
  func suite(among own: [SecureSuite]) -> SecureSuite? {
    SecureSuite.allCases.first { own.contains($0) && suites.contains($0.rawValue) }
  }
}
