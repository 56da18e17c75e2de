import LatchkeyByteCoding
import LatchkeyProvisioningProtocol
import Testing

@Suite struct LegacyFrameParserTests {
  /// The frames in `values`, and the error after them.
  private func parse(
    _ values: [[UInt8]], _ parser: inout LegacyFrameParser
  ) -> (frames: [LegacyFrame], error: LegacyFrameError?) {
    var frames: [LegacyFrame] = []
    do {
      for value in values {
        var reader = ByteReader(value)
        while let frame = try parser.next(from: &reader) { frames.append(frame) }
        #expect(reader.isEmpty)
      }
      return (frames, nil)
    } catch {
      return (frames, error)
    }
  }

  private func parse(_ values: [UInt8]...) -> (frames: [LegacyFrame], error: LegacyFrameError?, isWithinFrame: Bool) {
    var parser = LegacyFrameParser()
    let (frames, error) = parse(values, &parser)
    return (frames, error, parser.isWithinFrame)
  }

  @Test("A valid frame is read in every cut", arguments: Vectors.all.framesValid) func validFramesAreReadInEveryCut(
    _ vector: Vectors.ValidFrame
  ) {
    let bytes = hex(vector.frame)
    for cut in 0...bytes.count {
      let (frames, error, isWithinFrame) = parse(Array(bytes[..<cut]), Array(bytes[cut...]))
      #expect(frames.map(\.encoded) == [bytes] && error == nil && !isWithinFrame)
      #expect(frames.first?.payload == hex(vector.payload) && frames.first?.type.rawValue == vector.type)
    }
    for length in 1...40 {
      var parser = LegacyFrameParser()
      let (frames, error) = parse(LegacyFrame.values(of: bytes + bytes, maximumLength: length), &parser)
      #expect(frames.map(\.encoded) == [bytes, bytes] && error == nil)
    }
  }

  @Test("Incomplete, doubled and invalid frames match the vectors", arguments: Vectors.all.framesOther)
  func otherFramesMatchTheVectors(_ vector: Vectors.OtherFrame) throws {
    let bytes = hex(vector.frame)
    let errors: [String: LegacyFrameError] = [
      "little-endian length": .keyLength(0x3000), "type 0x12": .unknownType(0x12), "type 0": .unknownType(0),
      "key length 47": .keyLength(47), "key length 49": .keyLength(49), "ciphertext length 15": .ciphertextLength(15),
      "ciphertext length 0": .ciphertextLength(0), "one byte after the frame": .unknownType(0xFF),
    ]
    for cut in 0...bytes.count {
      let (frames, error, isWithinFrame) = parse(Array(bytes[..<cut]), Array(bytes[cut...]))
      switch vector.expect {
      case "need more":
        #expect(frames.isEmpty && error == nil && isWithinFrame == !bytes.isEmpty)
      case "two frames, in order (stream parser)":
        #expect(frames.flatMap(\.encoded) == bytes && frames.count == 2 && error == nil)
      case let expect where expect.hasPrefix("one frame, then"):
        #expect(frames.map(\.encoded) == [Array(bytes.dropLast())])
        let expected = try #require(errors[vector.why])
        #expect(error == expected)
      default:
        #expect(vector.expect.hasPrefix("reject"))
        let expected = try #require(errors[vector.why])
        #expect(frames.isEmpty && error == expected)
      }
    }
  }

  @Test("An error persists until reset") func anErrorStaysUntilReset() {
    var parser = LegacyFrameParser()
    let key = [0x10, 0x00, 0x30] + [UInt8](repeating: 1, count: 48)
    #expect(parse([[0x33]], &parser).error == .unknownType(0x33))
    #expect(parse([key], &parser).error == .unknownType(0x33))
    parser.reset()
    #expect(parse([key], &parser).frames.count == 1)
    _ = parse([[0x10, 0x00]], &parser)
    #expect(parser.isWithinFrame)
    parser.reset()
    #expect(!parser.isWithinFrame && parse([key], &parser).frames.count == 1)
  }

  @Test("A length is validated by the header alone") func lengthIsValidatedByTheHeaderAlone() {
    #expect(parse([0x20, 0x10, 0x00]).error == nil)
    #expect(parse([0x20, 0x10, 0x10]).error == .tooLong(length: 4115, maximum: 4099))
    #expect(parse([0x21, 0xFF, 0xF0]).error == .tooLong(length: 65_523, maximum: 4099))
    #expect(parse([0x21, 0xFF, 0xFF]).error == .ciphertextLength(65_535))
    #expect(parse([0x11, 0xFF]).error == nil)
    #expect(parse([0x11], [0xFF], [0x00]).error == .keyLength(0xFF00))
  }

  @Test("The maximum is the caller's, within the protocol's limits") func maximumIsTheCallersWithinTheProtocols() throws
  {
    let greatest = try LegacyFrame(type: .deviceData, payload: Array(repeating: 3, count: 65_520)).encoded
    for maximum in [65_523, 100_000, .max] {
      var parser = LegacyFrameParser(maximumFrameLength: maximum)
      let values = LegacyFrame.values(of: greatest, maximumLength: 509)
      #expect(parse(values, &parser).frames.map(\.encoded) == [greatest])
    }
    for maximum in [.min, -1, 0, 51] {
      var parser = LegacyFrameParser(maximumFrameLength: maximum)
      let key = [0x11, 0x00, 0x30] + [UInt8](repeating: 1, count: 48)
      #expect(parse([key], &parser).frames.count == 1)
      #expect(parse([[0x20, 0x00, 0x40]], &parser).error == .tooLong(length: 67, maximum: 51))
    }
  }

  @Test("Noise is read alike as a whole and byte by byte") func noiseIsReadAlikeWholeAndByteByByte() {
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<200 {
      var parser = LegacyFrameParser()
      let noise = (0..<64).map { _ in UInt8.random(in: 0...0x22, using: &generator) }
      let whole = parse([noise], &parser)
      var dripping = LegacyFrameParser()
      let single = parse(noise.map { [$0] }, &dripping)
      #expect(whole.frames == single.frames && whole.error == single.error)
    }
  }
}
