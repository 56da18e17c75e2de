import LatchkeyByteCoding

/// Finds the descriptors in a range by Find Information (Core 6.0 Vol 3 Part G 4.7.1).
struct DescriptorDiscovery: GATTClientProcedure {
  private let range: AttributeHandleRange
  private var start: AttributeHandle
  private(set) var descriptors: [GATTDescriptorRecord] = []

  init(range: AttributeHandleRange) {
    self.range = range
    start = range.start
  }

  var request: ATTOpcode { .findInformationRequest }

  mutating func frame(mtu: Int) -> [UInt8] {
    ATTFindInformationRequest(range: AttributeHandleRange(start, range.end)).frame()
  }

  mutating func receive(_ parameters: ByteReader, mtu: Int) throws(ByteCodingError) -> GATTOutcome? {
    for (handle, type) in try ATTFindInformationResponse(whole: parameters).entries {
      guard handle >= start, handle <= range.end, descriptors.last.map({ $0.handle < handle }) ?? true else {
        throw .invalidValue(field: "descriptor handle")
      }
      descriptors.append(GATTDescriptorRecord(uuid: type, handle: handle))
      if handle == range.end { continue }
      start = handle + 1
    }
    return descriptors.last?.handle == range.end ? .descriptors(descriptors) : nil
  }

  mutating func refused(_ error: ATTErrorResponse) -> GATTOutcome? {
    error.code == .attributeNotFound ? .descriptors(descriptors) : error.outcome
  }
}
