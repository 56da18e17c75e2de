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

  @Test("Keys and curves have the bytes of RFC 5480, RFC 8017 and RFC 8410")
  func keys() {
    #expect(DERObjectIdentifier.ecPublicKey.content == [0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1])
    #expect(DERObjectIdentifier.rsaEncryption.content == [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1])
    #expect(DERObjectIdentifier.rsaPSS.content == [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 10])
    #expect(DERObjectIdentifier.p256.content == [0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7])
    #expect(DERObjectIdentifier.p384.content == [0x2B, 0x81, 4, 0, 0x22])
    #expect(DERObjectIdentifier.p521.content == [0x2B, 0x81, 4, 0, 0x23])
    #expect(DERObjectIdentifier.ed25519.content == [0x2B, 0x65, 0x70])
    #expect(DERObjectIdentifier.x25519.content == [0x2B, 0x65, 0x6E])
  }

  @Test("An identifier that is too long to spell is described by its size")
  func long() {
    #expect(DERObjectIdentifier(content: [UInt8](repeating: 0xFF, count: 30)).description.contains("30 bytes"))
    #expect(DERObjectIdentifier(content: [UInt8](repeating: 0x01, count: 33)).description.contains("33 bytes"))
    #expect(DERObjectIdentifier(content: []).description.contains("0 bytes"))
  }

  @Test("The first two numbers are read from one, of as many bytes as it has (X.690 8.19.4)")
  func firstNumbers() {
    #expect(DERObjectIdentifier(content: [0x88, 0x37, 3]).description == "2.999.3")
    #expect(DERObjectIdentifier(content: [0x81, 0]).description == "2.48")
    #expect(DERObjectIdentifier(content: [39]).description == "0.39")
    #expect(DERObjectIdentifier(content: [79, 0]).description == "1.39.0")
    #expect(DERObjectIdentifier(content: [80]).description == "2.0")
    #expect(DERObjectIdentifier(content: [0x2A, 0x86]).description.contains("2 bytes"))
  }
}
