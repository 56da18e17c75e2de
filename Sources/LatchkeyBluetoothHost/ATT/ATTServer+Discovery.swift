import LatchkeyByteCoding

/// Requests that are answered from the database's layout (Core 6.0 Vol 3 Part F 3.4.3, 3.4.4.9).
extension ATTServer {
  /// Types of attributes: as many of one width as fit.
  func findInformation(
    _ request: ATTFindInformationRequest, _ database: GATTDatabase, _ outputs: inout [ATTServerOutput]
  ) throws(ATTRefusal) {
    try validate(request.range)
    var entries: [(handle: AttributeHandle, type: BluetoothUUID)] = []
    var remaining = mtu - 2
    for index in database.indices(in: request.range) where !database.attributes[index].isVacant {
      let type = database.attributes[index].type
      let width = type.encodedCount
      if let first = entries.first, first.type.encodedCount != width { break }
      guard remaining >= 2 + width else { break }
      remaining -= 2 + width
      entries.append((AttributeHandle(index), type))
    }
    guard !entries.isEmpty else { throw ATTRefusal(.attributeNotFound, request.range.start) }
    outputs.append(.send(ATTFindInformationResponse(entries: entries).frame()))
  }

  /// Finds attributes by type and value. Attributes that may not be read here, or are dynamic, match nothing.
  func findByTypeValue(
    _ request: ATTFindByTypeValueRequest, _ database: GATTDatabase, _ outputs: inout [ATTServerOutput]
  ) throws(ATTRefusal) {
    try validate(request.range)
    let type = BluetoothUUID(request.type)
    var groups: [AttributeHandleRange] = []
    for index in database.indices(in: request.range) {
      let attribute = database.attributes[index]
      guard attribute.type == type, readRefusal(of: attribute) == nil,
        value(of: attribute) == request.value
      else { continue }
      groups.append(AttributeHandleRange(AttributeHandle(index), attribute.groupEnd))
      if (groups.count + 1) * 4 > mtu - 1 { break }
    }
    guard !groups.isEmpty else { throw ATTRefusal(.attributeNotFound, request.range.start) }
    outputs.append(.send(ATTFindByTypeValueResponse(groups: groups).frame()))
  }

  /// Services: as many with UUIDs of one width as fit.
  func readByGroupType(
    _ request: ATTReadByGroupTypeRequest, _ database: GATTDatabase, _ outputs: inout [ATTServerOutput]
  ) throws(ATTRefusal) {
    try validate(request.range)
    let wantsPrimary = request.type == AttributeType.primaryService
    guard wantsPrimary || request.type == AttributeType.secondaryService else {
      throw ATTRefusal(.unsupportedGroupType, request.range.start)
    }
    var groups: [(range: AttributeHandleRange, uuid: BluetoothUUID)] = []
    var remaining = mtu - 2
    for service in database.services
    where service.isPrimary == wantsPrimary && request.range.contains(service.range.start) {
      let width = service.uuid.encodedCount
      if let first = groups.first, first.uuid.encodedCount != width { break }
      guard remaining >= 4 + width else { break }
      remaining -= 4 + width
      groups.append((service.range, service.uuid))
    }
    guard !groups.isEmpty else { throw ATTRefusal(.attributeNotFound, request.range.start) }
    outputs.append(.send(ATTReadByGroupTypeResponse(groups: groups).frame()))
  }

  /// Validates the range of a request: handle 0, or an end before the start, is refused (3.4.3.1).
  @inline(__always)
  func validate(_ range: AttributeHandleRange) throws(ATTRefusal) {
    guard range.isValid else { throw ATTRefusal(.invalidHandle, range.start) }
  }

  /// The value that the server holds itself; nil for one that its owner holds.
  func value(of attribute: GATTAttribute) -> [UInt8]? {
    switch attribute.content {
    case .fixed(let value): value
    case .configuration(let valueHandle, _): [subscriptions.bits(valueHandle), 0]
    case .clientFeatures: [awareness.features]
    case .dynamic, .vacant: nil
    }
  }
}
