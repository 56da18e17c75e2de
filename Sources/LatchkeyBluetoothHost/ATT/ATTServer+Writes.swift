import LatchkeyByteCoding

/// Writes of a whole value (Core 6.0 Vol 3 Part F 3.4.5).
extension ATTServer {
  /// Handles a Write Request.
  mutating func write(
    _ request: ATTWriteRequest, _ database: GATTDatabase, _ ids: inout UInt64, _ outputs: inout [ATTServerOutput]
  ) throws(ATTRefusal) {
    let handle = request.handle
    let attribute = try writeable(handle, database)
    if case .configuration(let valueHandle, let properties) = attribute.content {
      let bits = try configuration(request.value, of: handle, properties)
      if attribute.asksOwner, let owner = attribute.owner {
        return ask(owner, valueHandle, request.value, bits, of: handle, &ids, &outputs)
      }
      // The response goes first: values that the owner sends to the new subscriber follow it.
      outputs.append(.send(ATTWriteResponse().frame()))
      configure(.init(valueHandle, bits, attribute), &outputs)
    } else if case .clientFeatures = attribute.content {
      if let code = awareness.write(request.value) { throw ATTRefusal(code, handle) }
      hasChangedClient = true
      outputs.append(.send(ATTWriteResponse().frame()))
    } else {
      guard request.value.count <= ATTLimits.longestValue else {
        throw ATTRefusal(.invalidAttributeValueLength, handle)
      }
      guard let owner = attribute.owner else { throw ATTRefusal(.writeNotPermitted, handle) }
      let id = nextID(&ids)
      let part = GATTWriteRequest.Part(handle: handle, offset: 0, value: request.value)
      outputs.append(
        .writeRequest(owner, GATTWriteRequest(id: ServerRequestID(id), link: link, peer: peer, parts: [part])))
      waiting = Waiting(id: id, request: .writeRequest, handle: handle)
    }
  }

  /// Asks the owner of a characteristic whether its configuration may be set. Prepared writes and commands of one are not
  /// asked about: a client sends the two bytes by a Write Request (Part G 4.12.3).
  private mutating func ask(
    _ owner: ClientID, _ valueHandle: AttributeHandle, _ value: [UInt8], _ bits: UInt8, of handle: AttributeHandle,
    _ ids: inout UInt64, _ outputs: inout [ATTServerOutput]
  ) {
    let id = nextID(&ids)
    let part = GATTWriteRequest.Part(handle: valueHandle, offset: 0, value: value)
    var question = GATTWriteRequest(id: ServerRequestID(id), link: link, peer: peer, parts: [part])
    question.isConfiguration = true
    outputs.append(.writeRequest(owner, question))
    waiting = Waiting(id: id, request: .writeRequest, handle: handle, bits: bits)
  }

  /// Handles an owner's answer to a write.
  mutating func finishWrite(
    _ asked: Waiting, _ response: GATTServerResponse, _ database: GATTDatabase, _ outputs: inout [ATTServerOutput]
  ) {
    if case .error(let code) = response {
      return refuse(ATTOpcode.writeRequest.rawValue, ATTRefusal(code, asked.handle), &outputs)
    }
    outputs.append(.send(ATTWriteResponse().frame()))
    guard let attribute = database.attribute(asked.handle),
      case .configuration(let valueHandle, _) = attribute.content
    else { return }
    configure(.init(valueHandle, asked.bits, attribute), &outputs)
  }

  /// Handles a Write Command: its errors are not reported (3.4.5.3).
  mutating func receiveWriteCommand(
    _ pdu: ByteReader, _ database: GATTDatabase, _ outputs: inout [ATTServerOutput]
  ) {
    var parameters = pdu
    // A command by handles of an old database is ignored (Part G 2.5.2.1).
    guard pdu.remaining <= mtu, !awareness.isOutOfSync, (try? parameters.skip(1, "ATT opcode")) != nil,
      let command = try? ATTWriteCommand(whole: parameters),
      let attribute = try? writeable(command.handle, database)
    else { return }
    if case .configuration(let valueHandle, let properties) = attribute.content {
      guard let bits = try? configuration(command.value, of: command.handle, properties) else { return }
      configure(.init(valueHandle, bits, attribute), &outputs)
    } else if let owner = attribute.owner, command.value.count <= ATTLimits.longestValue {
      let part = GATTWriteRequest.Part(handle: command.handle, offset: 0, value: command.value)
      outputs.append(.writeRequest(owner, GATTWriteRequest(id: nil, link: link, peer: peer, parts: [part])))
    }
  }

  /// The bits of a Client Characteristic Configuration (Core 6.0 Vol 3 Part G 3.3.3.3). A bit that the characteristic's
  /// properties do not offer, or that is reserved, is a value that is not allowed (Part F 3.4.1.1, 0x13); the
  /// supplement's 0xFD is for procedures that need a missing configuration (CSS Part B 2.3).
  func configuration(
    _ value: [UInt8], of handle: AttributeHandle, _ properties: GATTProperties
  ) throws(ATTRefusal) -> UInt8 {
    var reader = ByteReader(value)
    guard value.count == 2, let bits = try? reader.uint16("client configuration") else {
      throw ATTRefusal(.invalidAttributeValueLength, handle)
    }
    guard bits & ~UInt16(properties.configurationBits) == 0 else { throw ATTRefusal(.valueNotAllowed, handle) }
    return UInt8(truncatingIfNeeded: bits)
  }

  /// Sets this link's configuration of a characteristic and reports a change to the owner.
  mutating func configure(_ entry: LinkSubscriptions.Entry, _ outputs: inout [ATTServerOutput]) {
    let before = subscription(to: entry.valueHandle)
    subscriptions.set(entry)
    hasChangedClient = true
    let after = subscription(to: entry.valueHandle)
    guard before != after, let owner = entry.owner else { return }
    outputs.append(.subscriptionChanged(owner, entry.valueHandle, after))
  }

  /// The attribute at a handle, if it may be written here.
  @inline(__always)
  func writeable(_ handle: AttributeHandle, _ database: GATTDatabase) throws(ATTRefusal) -> GATTAttribute {
    guard let attribute = database.attribute(handle) else { throw ATTRefusal(.invalidHandle, handle) }
    if let code = attribute.writeRefusal(for: security, hasKey: hasKey, leastKeySize: leastKeySize) {
      throw ATTRefusal(code, handle)
    }
    return attribute
  }
}
