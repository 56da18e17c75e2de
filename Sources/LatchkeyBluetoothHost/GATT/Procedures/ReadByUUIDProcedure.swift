import LatchkeyByteCoding

/// Reads the values of the characteristics of a UUID by Read By Type (Core 6.0 Vol 3 Part G 4.8.2): of each as many
/// bytes as that response holds.
struct ReadByUUIDProcedure: GATTClientProcedure {
  /// The most bytes of values from one peer; more than a database of that many equal types holds.
  static let mostBytes = 65_536

  private let uuid: BluetoothUUID
  private let range: AttributeHandleRange
  private let wantsFirst: Bool
  private var start: AttributeHandle
  private var values: [(handle: AttributeHandle, value: [UInt8])] = []
  private var byteCount = 0

  /// Reads all characteristics, or the first alone.
  init(uuid: BluetoothUUID, range: AttributeHandleRange, wantsFirst: Bool = false) {
    self.uuid = uuid
    self.wantsFirst = wantsFirst
    self.range = range
    start = range.start
  }

  var request: ATTOpcode { .readByTypeRequest }

  mutating func frame(mtu: Int) -> [UInt8] {
    ATTReadByTypeRequest(range: AttributeHandleRange(start, range.end), type: uuid).frame()
  }

  mutating func receive(_ parameters: ByteReader, mtu: Int) throws(ByteCodingError) -> GATTOutcome? {
    let response = try ATTReadByTypeResponse(whole: parameters)
    var entries = response.entries
    while !entries.isEmpty {
      let handle = try entries.uint16("attribute handle")
      guard handle >= start, handle <= range.end else { throw .invalidValue(field: "attribute handle") }
      byteCount += response.valueCount
      guard byteCount <= Self.mostBytes else { throw .invalidValue(field: "values") }
      values.append((handle, try entries.bytes(response.valueCount, "value")))
      if wantsFirst { return .values(values) }
      if handle == range.end {
        try entries.finish("values")
        return .values(values)
      }
      start = handle + 1
    }
    return nil
  }

  mutating func refused(_ error: ATTErrorResponse) -> GATTOutcome? {
    error.code == .attributeNotFound && !values.isEmpty ? .values(values) : error.outcome
  }
}
