import LatchkeyByteCoding

/// A procedure of a GATT client in progress (Core 6.0 Vol 3 Part G 4): one request after another, until it has an
/// outcome.
///
/// `GATTClient` alternately sends `frame(mtu:)` and hands over the answer. Procedures of three machine words or less,
/// such as those for reads and writes, need no memory of their own.
protocol GATTClientProcedure: Sendable {
  /// The opcode of the next, or outstanding, request.
  var request: ATTOpcode { get }
  /// The next request.
  mutating func frame(mtu: Int) -> [UInt8]
  /// Handles the response: nil if another request follows. Throws for a response that violates the protocol.
  mutating func receive(_ parameters: ByteReader, mtu: Int) throws(ByteCodingError) -> GATTOutcome?
  /// Handles a refusal: nil if another request follows.
  mutating func refused(_ error: ATTErrorResponse) -> GATTOutcome?
}

extension GATTClientProcedure {
  mutating func refused(_ error: ATTErrorResponse) -> GATTOutcome? { error.outcome }
}

extension ATTErrorResponse {
  /// The outcome of a procedure that ends with this error.
  var outcome: GATTOutcome { .failed(.refused(code, handle: handle)) }
}
