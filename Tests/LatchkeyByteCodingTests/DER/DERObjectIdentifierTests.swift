import LatchkeyByteCoding
import Testing

@Suite struct DERObjectIdentifierTests {
  @Test("Numbers become the bytes of X.690 8.19, and the bytes become the same numbers")
  func numbers() {
    let identifier = DERObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 1, 42)
    #expect(identifier.content == [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1, 0x2A])
    #expect(identifier.description == "2.16.840.1.101.3.4.1.42")
    #expect(DERObjectIdentifier(1, 3, 14, 3, 2, 26).description == "1.3.14.3.2.26")
    #expect(DERObjectIdentifier(1, 2, 0, 127, 128, 16383, 16384).description == "1.2.0.127.128.16383.16384")
    #expect(identifier == DERObjectIdentifier(content: identifier.content))
    #expect(identifier != DERObjectIdentifier(2, 16, 840, 1, 101, 3, 4, 1, 41))
  }

  @Test("An identifier that is too long to spell is described by its size")
  func long() {
    #expect(DERObjectIdentifier(content: [UInt8](repeating: 0xFF, count: 30)).description.contains("30 bytes"))
    #expect(DERObjectIdentifier(content: [UInt8](repeating: 0x01, count: 33)).description.contains("33 bytes"))
    #expect(DERObjectIdentifier(content: []).description.contains("0 bytes"))
  }
}
