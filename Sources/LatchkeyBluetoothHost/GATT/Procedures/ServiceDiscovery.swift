import LatchkeyByteCoding

/// Finds all primary services by Read By Group Type (Core 6.0 Vol 3 Part G 4.4.1).
struct ServiceDiscovery: GATTClientProcedure {
  private var start: AttributeHandle = 1
  private var services: [GATTServiceRecord] = []

  var request: ATTOpcode { .readByGroupTypeRequest }

  mutating func frame(mtu: Int) -> [UInt8] {
    ATTReadByGroupTypeRequest(range: AttributeHandleRange(start, 0xFFFF), type: AttributeType.primaryService).frame()
  }

  mutating func receive(_ parameters: ByteReader, mtu: Int) throws(ByteCodingError) -> GATTOutcome? {
    for group in try ATTReadByGroupTypeResponse(whole: parameters).groups {
      guard group.range.isValid, group.range.start >= start else { throw .invalidValue(field: "service range") }
      services.append(GATTServiceRecord(uuid: group.uuid, range: group.range))
      // Only the last service may reach the end of the handles.
      let (next, isEnd) = group.range.end.addingReportingOverflow(1)
      start = isEnd ? 0xFFFF : next
      if isEnd { return .services(services) }
    }
    return nil
  }

  mutating func refused(_ error: ATTErrorResponse) -> GATTOutcome? {
    error.code == .attributeNotFound ? .services(services) : error.outcome
  }
}

/// Finds primary services of certain UUIDs, one after another, by Find By Type Value (Core 6.0 Vol 3 Part G 4.4.2).
struct ServiceDiscoveryByUUID: GATTClientProcedure {
  private var wanted: [BluetoothUUID]
  private var start: AttributeHandle = 1
  private var services: [GATTServiceRecord] = []

  /// UUIDs, at least one; the last one is searched for first.
  init(_ uuids: [BluetoothUUID]) {
    wanted = []
    for uuid in uuids where !wanted.contains(uuid) { wanted.append(uuid) }
  }

  var request: ATTOpcode { .findByTypeValueRequest }

  mutating func frame(mtu: Int) -> [UInt8] {
    var value = ByteWriter(capacity: 16)
    wanted.last?.encode(into: &value)
    return ATTFindByTypeValueRequest(
      range: AttributeHandleRange(start, 0xFFFF), type: 0x2800, value: value.bytes
    ).frame()
  }

  mutating func receive(_ parameters: ByteReader, mtu: Int) throws(ByteCodingError) -> GATTOutcome? {
    for group in try ATTFindByTypeValueResponse(whole: parameters).groups {
      guard group.isValid, group.start >= start, let uuid = wanted.last else {
        throw .invalidValue(field: "service range")
      }
      services.append(GATTServiceRecord(uuid: uuid, range: group))
      if group.end == 0xFFFF { return next() }
      start = group.end + 1
    }
    return nil
  }

  mutating func refused(_ error: ATTErrorResponse) -> GATTOutcome? {
    error.code == .attributeNotFound ? next() : error.outcome
  }

  private mutating func next() -> GATTOutcome? {
    wanted.removeLast()
    start = 1
    return wanted.isEmpty ? .services(services.sorted { $0.range.start < $1.range.start }) : nil
  }
}
