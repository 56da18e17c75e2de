package import LatchkeyByteCoding

// Commands to the controller and its baseband (Core 6.0 Vol 4 Part E).

/// Brings the controller to its first state: no links, nothing on the air (7.3.2).
package struct HCIReset: HCIParameterlessCommand, HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.reset

  package init() {}
}

/// Chooses the events that may be sent, one bit each (7.3.1).
package struct HCISetEventMask: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.setEventMask

  package var mask: UInt64

  package init(mask: UInt64) {
    self.mask = mask
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    mask = try reader.uint64("Event_Mask")
  }

  package func encode(into writer: inout ByteWriter) {
    writer.uint64(mask)
  }
}

/// Chooses the events of the second page that may be sent, one bit each (7.3.69).
package struct HCISetEventMaskPage2: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.setEventMaskPage2

  package var mask: UInt64

  package init(mask: UInt64) {
    self.mask = mask
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    mask = try reader.uint64("Event_Mask_Page_2")
  }

  package func encode(into writer: inout ByteWriter) {
    writer.uint64(mask)
  }
}
