import LatchkeyByteCoding

/// Writes in parts (Core 6.0 Vol 3 Part F 3.4.6).
extension ATTServer {
  /// Queues a part. Permissions are checked now, offset and length when the write is executed.
  mutating func prepareWrite(
    _ request: ATTPrepareWriteRequest, _ database: GATTDatabase, _ outputs: inout [ATTServerOutput]
  ) throws(ATTRefusal) {
    _ = try writeable(request.handle, database)
    let part = GATTWriteRequest.Part(handle: request.handle, offset: Int(request.offset), value: request.value)
    guard prepared.append(part) else { throw ATTRefusal(.prepareQueueFull, request.handle) }
    outputs.append(.send(ATTPrepareWriteResponse(echoing: request).frame()))
  }

  /// Executes the queued writes or cancels them. The queue is empty afterwards.
  mutating func executeWrite(
    _ request: ATTExecuteWriteRequest, _ database: GATTDatabase, _ ids: inout UInt64,
    _ outputs: inout [ATTServerOutput]
  ) throws(ATTRefusal) {
    let parts = prepared.removeAll()
    var execution = WriteExecution()
    if request.writes {
      for part in parts { try validate(part, database, into: &execution) }
    }
    proceed(execution, &ids, &outputs)
  }

  /// Continues after an owner's answer.
  mutating func resumeExecuteWrite(
    _ response: GATTServerResponse, _ database: GATTDatabase, _ ids: inout UInt64,
    _ outputs: inout [ATTServerOutput]
  ) {
    guard var rest = execution.take() else { return }
    do throws(ATTRefusal) {
      if case .error(let code) = response { throw ATTRefusal(code, rest.handle) }
      rest.batches.removeFirst()
      // While an owner was answering, services of the next may have been removed.
      if let batch = rest.batches.first {
        for part in batch.parts where try writeable(part.handle, database).owner != batch.owner {
          throw ATTRefusal(.invalidHandle, part.handle)
        }
      }
      proceed(rest, &ids, &outputs)
    } catch {
      refuse(ATTOpcode.executeWriteRequest.rawValue, error, &outputs)
    }
  }

  private func validate(
    _ part: GATTWriteRequest.Part, _ database: GATTDatabase, into execution: inout WriteExecution
  ) throws(ATTRefusal) {
    let attribute = try writeable(part.handle, database)
    guard part.offset <= ATTLimits.longestValue else { throw ATTRefusal(.invalidOffset, part.handle) }
    if case .configuration(let valueHandle, let properties) = attribute.content {
      guard part.offset == 0 else { throw ATTRefusal(.invalidOffset, part.handle) }
      let bits = try configuration(part.value, of: part.handle, properties)
      execution.configurations.append(.init(valueHandle, bits, attribute))
    } else {
      guard part.offset + part.value.count <= ATTLimits.longestValue else {
        throw ATTRefusal(.invalidAttributeValueLength, part.handle)
      }
      guard let owner = attribute.owner else { throw ATTRefusal(.writeNotPermitted, part.handle) }
      execution.append(part, owner: owner)
    }
  }

  private mutating func proceed(
    _ execution: WriteExecution, _ ids: inout UInt64, _ outputs: inout [ATTServerOutput]
  ) {
    if let batch = execution.batches.first {
      let id = nextID(&ids)
      let request = GATTWriteRequest(id: ServerRequestID(id), link: link, peer: peer, parts: batch.parts)
      outputs.append(.writeRequest(batch.owner, request))
      waiting = Waiting(id: id, request: .executeWriteRequest, handle: execution.handle)
      self.execution = execution
    } else {
      outputs.append(.send(ATTExecuteWriteResponse().frame()))
      for entry in execution.configurations { configure(entry, &outputs) }
    }
  }
}
