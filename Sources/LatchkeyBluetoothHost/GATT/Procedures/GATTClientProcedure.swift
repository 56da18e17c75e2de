import LatchkeyByteCoding

/// A procedure of a GATT client under way (Core 6.0 Vol 3 Part G 4): one request after another, until it has an outcome.
///
/// `GATTClient` sends `frame(mtu:)` and hands over the answer, by turns. Procedures of three words or less, as those for
/// reads and writes are, take no memory of their own.
protocol GATTClientProcedure: Sendable {
  /// The opcode of the request that is next, or out.
  var request: ATTOpcode { get }
  /// The next request.
  mutating func frame(mtu: Int) -> [UInt8]
  /// The response to it: nil if another request follows. A response that breaks the protocol throws.
  mutating func receive(_ parameters: ByteReader, mtu: Int) throws(ByteCodingError) -> GATTOutcome?
  /// It was refused: nil if another request follows.
  mutating func refused(_ error: ATTErrorResponse) -> GATTOutcome?
}

extension GATTClientProcedure {
  mutating func refused(_ error: ATTErrorResponse) -> GATTOutcome? { error.outcome }
}

extension ATTErrorResponse {
  /// The outcome of a procedure that ends by it.
  var outcome: GATTOutcome { .failed(.refused(code, handle: handle)) }
}
