import LatchkeyByteCoding

/// Requests for values (Core 6.0 Vol 3 Part F 3.4.4).
extension ATTServer {
  /// Reads the beginning of a value.
  mutating func read(
    _ request: ATTReadRequest, _ database: GATTDatabase, _ ids: inout UInt64, _ outputs: inout [ATTServerOutput]
  ) throws(ATTRefusal) {
    let attribute = try readable(request.handle, database)
    if let value = value(of: attribute) {
      noteRead(of: attribute.type)
      outputs.append(.send(ATTReadResponse(value: ATTLimits.cut(value, to: longestPart)).frame()))
    } else {
      let id = nextID(&ids)
      try ask(attribute, request.handle, offset: 0, id, &outputs)
      waiting = Waiting(id: id, request: .readRequest, handle: request.handle)
    }
  }

  /// Reads a value from an offset on. A value that would fit in a Read Response is answered too (3.4.4.5 leaves it
  /// open).
  mutating func readBlob(
    _ request: ATTReadBlobRequest, _ database: GATTDatabase, _ ids: inout UInt64, _ outputs: inout [ATTServerOutput]
  ) throws(ATTRefusal) {
    let attribute = try readable(request.handle, database)
    let offset = Int(request.offset)
    guard offset <= ATTLimits.longestValue else { throw ATTRefusal(.invalidOffset, request.handle) }
    if let value = value(of: attribute) {
      guard offset <= value.count else { throw ATTRefusal(.invalidOffset, request.handle) }
      let part = value.dropFirst(offset).prefix(longestPart)
      outputs.append(.send(ATTReadBlobResponse(value: Array(part)).frame()))
    } else {
      let id = nextID(&ids)
      try ask(attribute, request.handle, offset: offset, id, &outputs)
      waiting = Waiting(id: id, request: .readBlobRequest, handle: request.handle)
    }
  }

  /// Reads values of a type: as many of one length as fit. If the first one is dynamic, its owner is asked for that one
  /// alone; a later dynamic one ends the list, and the client asks again from there.
  mutating func readByType(
    _ request: ATTReadByTypeRequest, _ database: GATTDatabase, _ ids: inout UInt64,
    _ outputs: inout [ATTServerOutput]
  ) throws(ATTRefusal) {
    try validate(request.range)
    var entries = ByteWriter(capacity: mtu - 2)
    var valueCount: Int?
    for index in database.indices(in: request.range) {
      let attribute = database.attributes[index]
      guard attribute.type == request.type, !attribute.isVacant else { continue }
      let handle = AttributeHandle(index)
      if let code = readRefusal(of: attribute) {
        guard valueCount == nil else { break }
        throw ATTRefusal(code, handle)
      }
      guard let value = value(of: attribute) else {
        guard valueCount == nil else { break }
        let id = nextID(&ids)
        try ask(attribute, handle, offset: 0, id, &outputs)
        waiting = Waiting(id: id, request: .readByTypeRequest, handle: handle)
        return
      }
      let part = ATTLimits.cut(value, to: longestTypedValue)
      guard part.count == valueCount ?? part.count, entries.count + 2 + part.count <= mtu - 2 else { break }
      valueCount = part.count
      entries.uint16(handle)
      entries.append(part)
    }
    guard let valueCount else { throw ATTRefusal(.attributeNotFound, request.range.start) }
    noteRead(of: request.type)
    outputs.append(.send(ATTReadByTypeResponse(valueCount: valueCount, entries: entries.bytes).frame()))
  }

  /// The most bytes of a value in a Read or Read Blob Response (3.4.4.4, 3.2.9).
  private var longestPart: Int { min(mtu - 1, ATTLimits.longestValue) }

  /// The longest value in a Read By Type Response (3.4.4.2).
  private var longestTypedValue: Int { min(mtu - 4, ATTReadByTypeResponse.longestValue) }

  /// Asks the owner for a value.
  @inline(__always)
  func ask(
    _ attribute: GATTAttribute, _ handle: AttributeHandle, offset: Int, _ id: UInt64,
    _ outputs: inout [ATTServerOutput]
  ) throws(ATTRefusal) {
    // Only the database's own attributes have no owner, and their one dynamic value may not be read.
    guard let owner = attribute.owner else { throw ATTRefusal(.unlikelyError, handle) }
    let request = GATTReadRequest(id: ServerRequestID(id), link: link, peer: peer, handle: handle, offset: offset)
    outputs.append(.readRequest(owner, request))
  }

  /// Handles an owner's answer to a single read. Anything but an error or a value reads as empty.
  mutating func finishRead(
    _ request: ATTOpcode, _ handle: AttributeHandle, _ response: GATTServerResponse,
    _ outputs: inout [ATTServerOutput]
  ) {
    let value: [UInt8]
    switch response {
    case .error(let code): return refuse(request.rawValue, ATTRefusal(code, handle), &outputs)
    case .value(let bytes): value = bytes
    case .written: value = []
    }
    switch request {
    case .readRequest: outputs.append(.send(ATTReadResponse(value: ATTLimits.cut(value, to: longestPart)).frame()))
    case .readBlobRequest:
      outputs.append(.send(ATTReadBlobResponse(value: ATTLimits.cut(value, to: longestPart)).frame()))
    default:
      let part = ATTLimits.cut(value, to: longestTypedValue)
      var entry = ByteWriter(capacity: 2 + part.count)
      entry.uint16(handle)
      entry.append(part)
      outputs.append(.send(ATTReadByTypeResponse(valueCount: part.count, entries: entry.bytes).frame()))
    }
  }

  /// The attribute at a handle, if it may be read here.
  @inline(__always)
  func readable(_ handle: AttributeHandle, _ database: GATTDatabase) throws(ATTRefusal) -> GATTAttribute {
    guard let attribute = database.attribute(handle) else { throw ATTRefusal(.invalidHandle, handle) }
    if let code = readRefusal(of: attribute) { throw ATTRefusal(code, handle) }
    return attribute
  }
}
