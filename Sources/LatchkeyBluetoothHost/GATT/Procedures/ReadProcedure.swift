import LatchkeyByteCoding

/// Reads a whole value: Read, then Read Blob until a part is shorter than it could be (Core 6.0 Vol 3 Part G 4.8.1, 4.8.3).
struct ReadProcedure: GATTClientProcedure {
  private let handle: AttributeHandle
  /// ATT_MTU when the request was sent. The peer's answer may use that one or a newer one.
  private var mtu: UInt16 = 0
  private var value: [UInt8] = []

  init(handle: AttributeHandle) { self.handle = handle }

  var request: ATTOpcode { value.isEmpty ? .readRequest : .readBlobRequest }

  mutating func frame(mtu: Int) -> [UInt8] {
    self.mtu = UInt16(truncatingIfNeeded: mtu)
    return value.isEmpty
      ? ATTReadRequest(handle: handle).frame()
      : ATTReadBlobRequest(handle: handle, offset: UInt16(truncatingIfNeeded: value.count)).frame()
  }

  mutating func receive(_ parameters: ByteReader, mtu: Int) throws(ByteCodingError) -> GATTOutcome? {
    var parameters = parameters
    let full = min(mtu, Int(self.mtu)) - 1
    let isLast = parameters.remaining < full
    if value.isEmpty { value = parameters.remainingBytes() } else { value += parameters.remainingBytes() }
    // A peer may answer forever; a value has a maximum length (Part F 3.2.9).
    guard isLast || value.count >= ATTLimits.longestValue else { return nil }
    return .value(ATTLimits.cut(value, to: ATTLimits.longestValue))
  }

  mutating func refused(_ error: ATTErrorResponse) -> GATTOutcome? {
    // The value ended exactly with the last part, and the server reports so instead of sending an empty part.
    let isEnd = error.code == .attributeNotLong || error.code == .invalidOffset
    return isEnd && !value.isEmpty ? .value(value) : error.outcome
  }
}
