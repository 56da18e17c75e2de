public import LatchkeyByteCoding

/// Finds the frames in a stream of bytes, however it was cut into values.
///
/// A type is validated by its first byte and a length by the header alone, before any of the payload is stored: the parser
/// never holds more than the maximum. After an error the stream has no further frames, and every later call throws the same
/// error until `reset()`.
public struct LegacyFrameParser: Sendable {
  /// The default of the greatest frame that a parser accepts: 4096 bytes of ciphertext and the header.
  public static let defaultMaximumFrameLength = 4099

  private enum State {
    case expectType
    case expectLengthHigh(LegacyFrameType)
    case expectLengthLow(LegacyFrameType, high: UInt8)
    case expectPayload(LegacyFrame.Header, received: [UInt8])
    case failed(LegacyFrameError)
  }

  private var state = State.expectType
  private let maximumFrameLength: Int

  /// A parser that refuses frames of more than `maximumFrameLength` bytes, header included.
  ///
  /// A maximum above `LegacyFrame.greatestLength`, or below a key frame (51 bytes), counts as that length.
  public init(maximumFrameLength: Int = defaultMaximumFrameLength) {
    let keyFrameLength = LegacyFrame.headerLength + Secp192k1.publicKeyLength
    self.maximumFrameLength = min(max(maximumFrameLength, keyFrameLength), LegacyFrame.greatestLength)
  }

  /// Whether the bytes so far end within a frame.
  public var isWithinFrame: Bool {
    switch state {
    case .expectType, .failed: false
    case .expectLengthHigh, .expectLengthLow, .expectPayload: true
    }
  }

  /// Reads the next whole frame; nil when the reader is empty before the frame ends.
  ///
  /// Call it with each value that arrives, until it returns nil.
  public mutating func next(from reader: inout ByteReader) throws(LegacyFrameError) -> LegacyFrame? {
    do {
      return try advance(&reader)
    } catch {
      state = .failed(error)
      throw error
    }
  }

  /// The whole frames that end in `value`, the next piece of the stream; `failure` says whether an error follows them.
  package mutating func frames(in value: [UInt8]) -> [LegacyFrame] {
    var frames: [LegacyFrame] = []
    var reader = ByteReader(value)
    while let frame = try? next(from: &reader) { frames.append(frame) }
    return frames
  }

  /// Why the stream holds no further frames; nil while it may.
  var failure: LegacyFrameError? {
    if case .failed(let error) = state { return error }
    return nil
  }

  /// Drops a part of a frame, or an error.
  public mutating func reset() {
    state = .expectType
  }

  private mutating func advance(_ reader: inout ByteReader) throws(LegacyFrameError) -> LegacyFrame? {
    while true {
      switch state {
      case .failed(let error): throw error
      case .expectType:
        guard let byte = Self.byte(&reader) else { return nil }
        guard let type = LegacyFrameType(rawValue: byte) else { throw .unknownType(byte) }
        state = .expectLengthHigh(type)
      case .expectLengthHigh(let type):
        guard let high = Self.byte(&reader) else { return nil }
        state = .expectLengthLow(type, high: high)
      case .expectLengthLow(let type, let high):
        guard let low = Self.byte(&reader) else { return nil }
        let header = LegacyFrame.Header(type: type, payloadLength: Int(high) << 8 | Int(low))
        try header.check(maximumFrameLength: maximumFrameLength)
        state = .expectPayload(header, received: [])
      case .expectPayload(let header, var received):
        // The state releases its array first, so that appending does not copy it.
        state = .expectType
        let missing = min(header.payloadLength - received.count, reader.remaining)
        if let bytes = try? reader.bytes(missing, "payload") { received += bytes }
        guard received.count < header.payloadLength else { return LegacyFrame(header, payload: received) }
        state = .expectPayload(header, received: received)
        return nil
      }
    }
  }

  private static func byte(_ reader: inout ByteReader) -> UInt8? {
    try? reader.uint8("header")
  }
}
