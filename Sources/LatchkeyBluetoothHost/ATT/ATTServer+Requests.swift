import LatchkeyByteCoding

/// Dispatch of requests.
extension ATTServer {
  /// Answers a request, or asks an owner.
  mutating func answer(
    _ pdu: ByteReader, _ database: GATTDatabase, _ ids: inout UInt64, _ outputs: inout [ATTServerOutput]
  ) {
    var parameters = pdu
    guard let opcode = try? parameters.uint8("ATT opcode") else { return }
    do throws(ATTRefusal) {
      // 3.2.8: no PDU is longer than ATT_MTU; the echo of a longer part would not be either.
      guard pdu.remaining <= mtu else { throw ATTRefusal(.invalidPDU) }
      if !awareness.isAware { try admit(opcode, parameters) }
      switch ATTOpcode(rawValue: opcode) {
      case .readRequest: try read(decode(parameters), database, &ids, &outputs)
      case .writeRequest: try write(decode(parameters), database, &ids, &outputs)
      case .readBlobRequest: try readBlob(decode(parameters), database, &ids, &outputs)
      case .readByTypeRequest: try readByType(decode(parameters), database, &ids, &outputs)
      case .readByGroupTypeRequest: try readByGroupType(decode(parameters), database, &outputs)
      case .findInformationRequest: try findInformation(decode(parameters), database, &outputs)
      case .findByTypeValueRequest: try findByTypeValue(decode(parameters), database, &outputs)
      case .readMultipleRequest:
        let request: ATTReadMultipleRequest = try decode(parameters)
        try readMultiple(MultipleRead(handles: request.handles), database, &ids, &outputs)
      case .readMultipleVariableRequest:
        let request: ATTReadMultipleVariableRequest = try decode(parameters)
        try readMultiple(MultipleRead(handles: request.handles, hasLengths: true), database, &ids, &outputs)
      case .prepareWriteRequest: try prepareWrite(decode(parameters), database, &outputs)
      case .executeWriteRequest: try executeWrite(decode(parameters), database, &ids, &outputs)
      case .exchangeMTURequest: try exchangeMTU(decode(parameters), &outputs)
      default: throw ATTRefusal(.requestNotSupported)
      }
    } catch {
      refuse(opcode, error, &outputs)
    }
  }

  /// Sends an Error Response.
  func refuse(_ request: UInt8, _ refusal: ATTRefusal, _ outputs: inout [ATTServerOutput]) {
    let response = ATTErrorResponse(request: request, handle: refusal.handle, code: refusal.code)
    outputs.append(.send(response.frame()))
  }

  /// The next number of a request to an owner.
  @inline(__always)
  func nextID(_ ids: inout UInt64) -> UInt64 {
    ids &+= 1
    // The upper half holds the link, so that an answer finds it.
    return UInt64(link.value) << 32 | ids & 0xFFFF_FFFF
  }

  @inline(__always)
  private func decode<Request: ATTPDU>(_ parameters: ByteReader) throws(ATTRefusal) -> Request {
    do { return try Request(whole: parameters) } catch { throw ATTRefusal(.invalidPDU) }
  }

  /// Core 6.0 Vol 3 Part F 3.4.2.2. The response still uses the old ATT_MTU; it fits in any. A client may ask once,
  /// with the same size as its server half: ATT_MTU only grows.
  private mutating func exchangeMTU(
    _ request: ATTExchangeMTURequest, _ outputs: inout [ATTServerOutput]
  ) throws(ATTRefusal) {
    outputs.append(.send(ATTExchangeMTUResponse(mtu: UInt16(truncatingIfNeeded: preferredMTU)).frame()))
    let agreed = ATTLimits.mtu(own: preferredMTU, peer: Int(request.mtu))
    guard agreed > mtu else { return }
    mtu = agreed
    outputs.append(.mtu(agreed))
  }
}
