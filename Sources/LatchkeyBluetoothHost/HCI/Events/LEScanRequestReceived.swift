package import LatchkeyByteCoding

/// A scan request that an advertising set received, where its host wants to know (Core 6.0 Vol 4 Part E 7.7.65.19).
package struct LEScanRequestReceived: Sendable, Equatable {
  package var handle: AdvertisingHandle
  package var scanner: BluetoothAddress

  package init(handle: AdvertisingHandle, scanner: BluetoothAddress) {
    self.handle = handle
    self.scanner = scanner
  }

  package init(from reader: inout ByteReader) throws(ByteCodingError) {
    handle = try AdvertisingHandle(from: &reader)
    scanner = try reader.typedAddress("Scanner_Address_Type")
  }

  package func encode(into writer: inout ByteWriter) {
    handle.encode(into: &writer)
    writer.typedAddress(scanner)
  }
}
