import LatchkeyByteCoding

/// Finds all characteristics of a service by Read By Type (Core 6.0 Vol 3 Part G 4.6.1).
struct CharacteristicDiscovery: GATTClientProcedure {
  private let range: AttributeHandleRange
  private var start: AttributeHandle
  private var characteristics: [GATTCharacteristicRecord] = []

  init(range: AttributeHandleRange) {
    self.range = range
    start = range.start
  }

  var request: ATTOpcode { .readByTypeRequest }

  mutating func frame(mtu: Int) -> [UInt8] {
    ATTReadByTypeRequest(range: AttributeHandleRange(start, range.end), type: AttributeType.characteristic).frame()
  }

  mutating func receive(_ parameters: ByteReader, mtu: Int) throws(ByteCodingError) -> GATTOutcome? {
    let response = try ATTReadByTypeResponse(whole: parameters)
    var entries = response.entries
    let width = response.valueCount - 3
    guard width == 2 || width == 16 else { throw .invalidValue(field: "characteristic declaration length") }
    while !entries.isEmpty {
      let declaration = try entries.uint16("characteristic declaration")
      let properties = GATTProperties(rawValue: try entries.uint8("characteristic properties"))
      let valueHandle = try entries.uint16("characteristic value handle")
      let uuid = try BluetoothUUID(from: &entries, width: width)
      guard declaration >= start, valueHandle > declaration, valueHandle <= range.end else {
        throw .invalidValue(field: "characteristic handles")
      }
      if let last = characteristics.indices.last {
        guard declaration > characteristics[last].valueHandle else {
          throw .invalidValue(field: "characteristic order")
        }
        characteristics[last].end = declaration - 1
      }
      characteristics.append(
        GATTCharacteristicRecord(
          uuid: uuid, declaration: declaration, valueHandle: valueHandle, end: range.end, properties: properties))
      start = declaration + 1
    }
    // A characteristic needs two handles: with fewer left there is none to search for.
    guard let last = characteristics.last, range.end - last.valueHandle >= 2 else {
      return .characteristics(characteristics)
    }
    return nil
  }

  mutating func refused(_ error: ATTErrorResponse) -> GATTOutcome? {
    error.code == .attributeNotFound ? .characteristics(characteristics) : error.outcome
  }
}
