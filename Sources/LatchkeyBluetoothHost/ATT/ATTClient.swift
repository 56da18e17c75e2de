import LatchkeyByteCoding

/// The client half's side of the one-request rule (Core 6.0 Vol 3 Part F 3.3.2, 3.3.3): which request is out, until when
/// its answer may come, and whether what comes is that answer.
struct ATTClient: Sendable {
  /// What a PDU is to the request that is out.
  enum Answer {
    /// Its response; the parameters follow.
    case response
    /// It was refused.
    case refused(ATTErrorResponse)
    /// It is the answer to another request, or cannot be read: from here on nobody can tell which answer is whose.
    case mismatch
    /// No request is out.
    case unasked
  }

  /// The request that is out.
  private(set) var outstanding: ATTOpcode?
  /// Until when it may be answered; past it the bearer is dead.
  private(set) var deadline: Duration?

  /// A request goes out; none may be out.
  @inline(__always)
  mutating func sent(_ request: ATTOpcode, now: Duration) {
    outstanding = request
    deadline = now + ATTLimits.transactionTimeout
  }

  /// A response or an Error Response has come. In any case no request is out afterwards.
  @inline(__always)
  mutating func receive(_ opcode: UInt8, _ parameters: ByteReader) -> Answer {
    guard let request = outstanding else { return .unasked }
    outstanding = nil
    deadline = nil
    if opcode == request.response { return .response }
    guard opcode == ATTOpcode.errorResponse.rawValue, let error = try? ATTErrorResponse(whole: parameters),
      error.request == request.rawValue
    else { return .mismatch }
    return .refused(error)
  }

  /// The peer has until then, if it has to answer at all.
  mutating func postpone(until later: Duration) {
    if outstanding != nil { deadline = later }
  }

  /// The bearer is gone.
  mutating func reset() { self = ATTClient() }
}
