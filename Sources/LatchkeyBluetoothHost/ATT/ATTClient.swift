import LatchkeyByteCoding

/// Enforces the one-request rule for the client half (Core 6.0 Vol 3 Part F 3.3.2, 3.3.3): which request is
/// outstanding, until when its answer may arrive, and whether a PDU is that answer.
struct ATTClient: Sendable {
  /// How a PDU relates to the outstanding request.
  enum Answer {
    /// Its response; the parameters follow.
    case response
    /// The request was refused.
    case refused(ATTErrorResponse)
    /// It answers another request, or cannot be decoded: from here on answers cannot be matched to requests.
    case mismatch
    /// No request is outstanding.
    case unasked
  }

  /// The outstanding request.
  private(set) var outstanding: ATTOpcode?
  /// Until when it may be answered; after that the bearer is dead.
  private(set) var deadline: Duration?

  /// Records that a request was sent; none may be outstanding.
  @inline(__always)
  mutating func sent(_ request: ATTOpcode, now: Duration) {
    outstanding = request
    deadline = now + ATTLimits.transactionTimeout
  }

  /// Handles a response or an Error Response. No request is outstanding afterwards.
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

  /// Moves the deadline, if there is one.
  mutating func postpone(until later: Duration) {
    if outstanding != nil { deadline = later }
  }

  /// Resets the state when the bearer has ended.
  mutating func reset() { self = ATTClient() }
}
