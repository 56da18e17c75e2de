import LatchkeyByteCoding

/// A Read Multiple Request under way (Core 6.0 Vol 3 Part F 3.4.4.7).
struct MultipleRead: Sendable {
  /// The requested handles, in order.
  var handles: [AttributeHandle]
  /// The index of the next one, or of the one being read.
  var index = 0
  /// The values so far, concatenated.
  var values: [UInt8] = []

  /// The attribute being read.
  var handle: AttributeHandle { index < handles.count ? handles[index] : 0 }
}

extension ATTServer {
  /// Reads all values or none: every attribute is checked before an owner is asked.
  mutating func readMultiple(
    _ request: ATTReadMultipleRequest, _ database: GATTDatabase, _ ids: inout UInt64,
    _ outputs: inout [ATTServerOutput]
  ) throws(ATTRefusal) {
    for handle in request.handles { _ = try readable(handle, database) }
    try proceed(MultipleRead(handles: request.handles), database, &ids, &outputs)
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
      case .value(let value): read.values += value.prefix(ATTLimits.longestValue)
      case .written: break
      }
      read.index += 1
      try proceed(read, database, &ids, &outputs)
    } catch {
      refuse(ATTOpcode.readMultipleRequest.rawValue, error, &outputs)
    }
  }

  private mutating func proceed(
    _ read: MultipleRead, _ database: GATTDatabase, _ ids: inout UInt64, _ outputs: inout [ATTServerOutput]
  ) throws(ATTRefusal) {
    var read = read
    while read.index < read.handles.count, read.values.count < mtu - 1 {
      let attribute = try readable(read.handle, database)
      guard let value = value(of: attribute) else {
        let id = nextID(&ids)
        try ask(attribute, read.handle, offset: 0, id, &outputs)
        waiting = Waiting(id: id, request: .readMultipleRequest, handle: read.handle)
        multipleRead = read
        return
      }
      read.values += value
      read.index += 1
    }
    outputs.append(.send(ATTReadMultipleResponse(values: ATTLimits.cut(read.values, to: mtu - 1)).frame()))
  }
}
