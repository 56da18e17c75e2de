import LatchkeyProvisioningProtocol
import Testing

@Suite struct LegacyFrameTests {
  @Test("Encoding matches the vectors", arguments: Vectors.all.framesValid) func encodingMatchesTheVectors(
    _ vector: Vectors.ValidFrame
  ) throws {
    let type = try #require(LegacyFrameType(rawValue: vector.type))
    let frame = try LegacyFrame(type: type, payload: hex(vector.payload))
    #expect(frame.encoded == hex(vector.frame))
  }

  @Test("Payloads of a wrong length are refused") func payloadsOfWrongLengthHaveNoFrame() {
    for type in [LegacyFrameType.appKey, .deviceKey] {
      for length in [0, 24, 47, 49, 96] {
        #expect(throws: LegacyFrameError.keyLength(length)) {
          try LegacyFrame(type: type, payload: Array(repeating: 0, count: length))
        }
      }
    }
    for type in [LegacyFrameType.appData, .deviceData] {
      for length in [0, 1, 15, 17, 65_521, 65_535] {
        #expect(throws: LegacyFrameError.ciphertextLength(length)) {
          try LegacyFrame(type: type, payload: Array(repeating: 0, count: length))
        }
      }
      #expect(throws: LegacyFrameError.tooLong(length: 65_539, maximum: 65_523)) {
        try LegacyFrame(type: type, payload: Array(repeating: 0, count: 65_536))
      }
    }
  }

  @Test("The greatest frame is encoded") func greatestFrameIsEncoded() throws {
    let frame = try LegacyFrame(type: .appData, payload: Array(repeating: 7, count: 65_520))
    #expect(frame.encoded.count == LegacyFrame.greatestLength)
    #expect(frame.encoded.prefix(4) == [0x20, 0xFF, 0xF0, 7])
  }

  @Test("Values are cut in order, at any length") func valuesAreCutInOrder() {
    let frame = Array(0..<51 as Range<UInt8>)
    #expect(LegacyFrame.values(of: frame, maximumLength: 20).map(\.count) == [20, 20, 11])
    for length in [-1, 0, 1, 2, 50, 51, 52, .max - 51] {
      let values = LegacyFrame.values(of: frame, maximumLength: length)
      #expect(values.flatMap { $0 } == frame)
      #expect(values.allSatisfy { !$0.isEmpty && $0.count <= max(1, length) })
    }
    #expect(LegacyFrame.values(of: [], maximumLength: 20).isEmpty)
  }
}
