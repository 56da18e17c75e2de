import LatchkeyByteCoding
import Testing

@Suite struct DEREncoderTests {
  @Test(
    "Lengths are written in as few bytes as they need",
    arguments: [
      (0, [0]), (0x7F, [0x7F]), (0x80, [0x81, 0x80]), (0xFF, [0x81, 0xFF]), (0x100, [0x82, 1, 0]),
      (.max, [0x88, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
    ] as [(Int, [UInt8])])
  func lengths(count: Int, expected: [UInt8]) {
    #expect(DEREncoder.length(count) == expected)
  }

  @Test(
    "Numbers are written in as few bytes as they need, and none looks negative",
    arguments: [
      (0, [2, 1, 0]), (0x7F, [2, 1, 0x7F]), (0x80, [2, 2, 0, 0x80]), (0x100, [2, 2, 1, 0]),
      (.max, [2, 8, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
    ] as [(Int, [UInt8])])
  func numbers(value: Int, expected: [UInt8]) {
    var encoder = DEREncoder()
    encoder.number(value)
    #expect(encoder.bytes == expected)
  }

  @Test("Zeros before an unsigned number are left out, and one is added before a high bit")
  func unsignedIntegers() {
    for (number, expected) in [
      ([], [2, 1, 0]), ([0, 0], [2, 1, 0]), ([0, 0, 5], [2, 1, 5]), ([0x80], [2, 2, 0, 0x80]), ([1, 2], [2, 2, 1, 2]),
    ] as [([UInt8], [UInt8])] {
      var encoder = DEREncoder()
      encoder.unsignedInteger(number)
      #expect(encoder.bytes == expected)
    }
  }

  @Test("A bit string of whole bytes begins with a zero; part of an array is an unsigned number, too")
  func bitStrings() {
    var encoder = DEREncoder()
    encoder.bitString([0xAB])
    encoder.bitString([UInt8](repeating: 1, count: 0x7F))
    #expect(encoder.bytes.starts(with: [3, 2, 0, 0xAB, 3, 0x81, 0x80, 0, 1]) && encoder.bytes.count == 4 + 3 + 0x80)
    var number = DEREncoder()
    number.unsignedInteger([9, 0, 0x80, 9][1...2])
    #expect(number.bytes == [2, 2, 0, 0x80])
  }

  @Test("Values nest, and values that are DER already are appended as they are")
  func nesting() {
    let bytes = DEREncoder.sequence { sequence in
      sequence.identifier(DERObjectIdentifier(1, 2, 840))
      sequence.nested(.context0) { $0.item(.octetString, [1]) }
      sequence.append([5, 0])
    }
    #expect(bytes == [0x30, 12, 6, 3, 0x2A, 0x86, 0x48, 0xA0, 3, 4, 1, 1, 5, 0])
  }

  @Test("An error of the content is the error of the sequence")
  func failure() {
    #expect(throws: BERError.self) {
      try DEREncoder.sequence { _ throws(BERError) in throw BERError(.missing, "a value") }
    }
  }
}
