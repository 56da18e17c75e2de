package import LatchkeyByteCoding

// What a controller has of advertising sets, and their end (Core 6.0 Vol 4 Part E).

/// Reads how much data an advertisement may have (7.8.57).
package struct HCILEReadMaximumAdvertisingDataLength: HCIParameterlessCommand, HCISynchronousCommand {
  package static let opcode = HCIOpcode.leReadMaximumAdvertisingDataLength

  package init() {}

  package struct ReturnParameters: HCIReturnParameters {
    package var status: HCIStatus
    /// Bytes, 31...1650.
    package var length: UInt16

    package init(status: HCIStatus = .success, length: UInt16) {
      self.status = status
      self.length = length
    }

    package init(from reader: inout ByteReader) throws(ByteCodingError) {
      status = try reader.status()
      length = try reader.uint16("Max_Advertising_Data_Length")
    }

    package func encode(into writer: inout ByteWriter) {
      writer.status(status)
      writer.uint16(length)
    }
  }
}

/// Reads how many advertising sets there can be at a time; the number may change (7.8.58).
package struct HCILEReadNumberOfSupportedAdvertisingSets: HCIParameterlessCommand, HCISynchronousCommand {
  package static let opcode = HCIOpcode.leReadNumberOfSupportedAdvertisingSets

  package init() {}

  package struct ReturnParameters: HCIReturnParameters {
    package var status: HCIStatus
    /// 1...240.
    package var count: UInt8

    package init(status: HCIStatus = .success, count: UInt8) {
      self.status = status
      self.count = count
    }

    package init(from reader: inout ByteReader) throws(ByteCodingError) {
      status = try reader.status()
      count = try reader.uint8("Num_Supported_Advertising_Sets")
    }

    package func encode(into writer: inout ByteWriter) {
      writer.status(status)
      writer.uint8(count)
    }
  }
}

/// Removes a set that is not enabled (7.8.59).
package struct HCILERemoveAdvertisingSet: HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leRemoveAdvertisingSet

  package var handle: AdvertisingHandle

  package init(handle: AdvertisingHandle) { self.handle = handle }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    handle = try AdvertisingHandle(from: &reader)
  }

  package func encode(into writer: inout ByteWriter) { handle.encode(into: &writer) }
}

/// Removes all sets; none may be enabled (7.8.60).
package struct HCILEClearAdvertisingSets: HCIParameterlessCommand, HCISynchronousCommand {
  package typealias ReturnParameters = HCIStatusReturnParameters
  package static let opcode = HCIOpcode.leClearAdvertisingSets

  package init() {}
}
