import LatchkeyByteCoding

extension LegacyFrameParser {
  /// The whole frames that end in `value`, the next piece of the stream; none after bytes that are no frame.
  package mutating func frames(in value: [UInt8]) -> [LegacyFrame] {
    var frames: [LegacyFrame] = []
    var reader = ByteReader(value)
    while let frame = try? next(from: &reader) { frames.append(frame) }
    return frames
  }
}

extension LegacyFrame {
  /// The frame whose bytes these are; nil unless they are one whole frame.
  package init?(whole bytes: [UInt8]) {
    var parser = LegacyFrameParser(maximumFrameLength: Self.greatestLength)
    let frames = parser.frames(in: bytes)
    guard frames.count == 1, let frame = frames.first, frame.encoded.count == bytes.count else { return nil }
    self = frame
  }
}
