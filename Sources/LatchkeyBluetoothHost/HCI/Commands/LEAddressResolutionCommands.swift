package import LatchkeyByteCoding

// How a controller uses its resolving list (Core 6.0 Vol 4 Part E).

/// Starts or ends the resolving of addresses; not while the controller advertises, scans or initiates (7.8.44).
package struct HCILESetAddressResolutionEnable: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leSetAddressResolutionEnable

  package var isEnabled: Bool

  package init(isEnabled: Bool) { self.isEnabled = isEnabled }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    isEnabled = try reader.flag("Address_Resolution_Enable")
  }

  package func encode(into writer: inout ByteWriter) { writer.flag(isEnabled) }
}

/// Sets how long a private address serves that the controller makes (7.8.45, version 1).
package struct HCILESetResolvablePrivateAddressTimeout: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leSetResolvablePrivateAddressTimeout

  /// Seconds, 0x0001...0x0E10.
  package var seconds: UInt16

  package init(seconds: UInt16 = 0x0384) { self.seconds = seconds }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    seconds = try reader.uint16("RPA_Timeout")
  }

  package func encode(into writer: inout ByteWriter) { writer.uint16(seconds) }
}

/// What a controller accepts of a peer that has an IRK (Vol 6 Part B 4.7).
package enum LEPrivacyMode: UInt8, Sendable {
  /// Private addresses alone.
  case network = 0x00
  /// Its identity address, too.
  case device = 0x01
}

/// Sets the privacy mode of an entry of the resolving list, which has network privacy at first (7.8.77).
package struct HCILESetPrivacyMode: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leSetPrivacyMode

  package var identity: BluetoothAddress
  package var mode: LEPrivacyMode

  package init(identity: BluetoothAddress, mode: LEPrivacyMode) {
    self.identity = identity
    self.mode = mode
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    identity = try reader.identityAddress()
    guard let mode = LEPrivacyMode(rawValue: try reader.uint8("Privacy_Mode")) else {
      throw .invalidValue(field: "Privacy_Mode")
    }
    self.mode = mode
  }

  package func encode(into writer: inout ByteWriter) {
    writer.typedAddress(identity)
    writer.uint8(mode.rawValue)
  }
}
