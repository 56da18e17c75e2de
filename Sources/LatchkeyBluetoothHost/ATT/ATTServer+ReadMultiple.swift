import LatchkeyByteCoding

/// A Read Multiple or Read Multiple Variable Request under way (Core 6.0 Vol 3 Part F 3.4.4.7, 3.4.4.11).
struct MultipleRead: Sendable {
  /// The requested handles, in order.
  var handles: [AttributeHandle]
  /// Whether each value has its length before it.
  var hasLengths = false
  /// The index of the next one, or of the one being read.
  var index = 0
  /// The values so far.
  var values = ByteWriter(capacity: 0)

  /// The attribute being read.
  var handle: AttributeHandle { index < handles.count ? handles[index] : 0 }

  var request: ATTOpcode { hasLengths ? .readMultipleVariableRequest : .readMultipleRequest }

  /// Whether another value, or a part of it, fits into `count` bytes; a length is not cut.
  func hasSpace(in count: Int) -> Bool { values.count + (hasLengths ? 2 : 0) < count }

  /// Adds the value of an attribute, and goes on to the next one.
  mutating func append(_ value: [UInt8]) {
    if hasLengths { values.uint16(UInt16(truncatingIfNeeded: value.count)) }
    values.append(value)
    index += 1
  }
}

extension ATTServer {
  /// Reads all values or none: every attribute is checked before an owner is asked.
  mutating func readMultiple(
    _ read: MultipleRead, _ database: GATTDatabase, _ ids: inout UInt64, _ outputs: inout [ATTServerOutput]
  ) throws(ATTRefusal) {
    for handle in read.handles { _ = try readable(handle, database) }
    try proceed(read, database, &ids, &outputs)
  }

  /// Continues after an owner's answer.
  mutating func resumeReadMultiple(
    _ response: GATTServerResponse, _ database: GATTDatabase, _ ids: inout UInt64,
    _ outputs: inout [ATTServerOutput]
  ) {
    guard var read = multipleRead.take() else { return }
    do throws(ATTRefusal) {
      switch response {
      case .error(let code): throw ATTRefusal(code, read.handle)
      case .value(let value): read.append(ATTLimits.cut(value, to: ATTLimits.longestValue))
      case .written: read.append([])
      }
      try proceed(read, database, &ids, &outputs)
    } catch {
      refuse(read.request.rawValue, error, &outputs)
    }
  }

  private mutating func proceed(
    _ read: MultipleRead, _ database: GATTDatabase, _ ids: inout UInt64, _ outputs: inout [ATTServerOutput]
  ) throws(ATTRefusal) {
    var read = read
    while read.index < read.handles.count, read.hasSpace(in: mtu - 1) {
      let attribute = try readable(read.handle, database)
      guard let value = value(of: attribute) else {
        let id = nextID(&ids)
        try ask(attribute, read.handle, offset: 0, id, &outputs)
        waiting = Waiting(id: id, request: read.request, handle: read.handle)
        multipleRead = read
        return
      }
      read.append(value)
    }
    let bytes = ATTLimits.cut(read.values.bytes, to: mtu - 1)
    outputs.append(
      .send(
        read.hasLengths
          ? ATTReadMultipleVariableResponse(tuples: bytes).frame() : ATTReadMultipleResponse(values: bytes).frame()))
  }
}
