import LatchkeyByteCoding
import Testing

@testable import LatchkeyPKCS12

@Suite struct PKCS12ReaderTests {
  @Test("A limit that a file passes is too large; every other error of the encoding is malformed")
  func errors() {
    #expect(
      PKCS12Error(BERError(.tooDeep, "a bag"))
        == .tooLarge("values nest deeper than the limit (PKCS12Limits.depth), at a bag"))
    #expect(PKCS12Error(BERError(.integerTooLarge, "a number")) == .tooLarge("a number is more than any reader takes"))
    for (kind, text) in [
      (.missing, "a bag is missing"), (.wrongTag, "a bag is not of the type it should be"),
      (.truncated, "the bytes end before a bag"), (.unknownTag, "a bag has no tag of this format"),
      (.lengthTooLong, "a bag is longer than what it stands in"),
      (.primitiveOfIndefiniteLength, "a bag is primitive and has no length"),
      (.partOfOtherType, "a bag is a string in parts, and a part is none"),
      (.emptyInteger, "a bag is an INTEGER without a byte"), (.negativeInteger, "a bag is below zero"),
      (.emptyObjectIdentifier, "a bag is an OBJECT IDENTIFIER without a byte"),
      (.trailingBytes(3), "3 bytes too many after a bag"),
    ] as [(BERError.Kind, String)] {
      #expect(PKCS12Error(BERError(kind, "a bag")) == .malformed(text))
    }
  }

  @Test("Indefinite lengths, long lengths and strings in parts are read")
  func ber() throws {
    let bytes: [UInt8] = [0x30, 0x80, 0x24, 0x80, 4, 0x81, 1, 7, 0, 0, 0, 0]
    var reader = PKCS12Reader(SecretBytes(bytes), depth: 4)
    var content = try reader.item(.sequence, "a sequence")
    #expect(try content.string(.octetString, "a string").bytes() == [7])
  }

  @Test("Object identifiers are named as in their specifications, or by their numbers")
  func identifiers() {
    #expect(DERObjectIdentifier.x509Certificate.content == [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 22, 1])
    #expect(DERObjectIdentifier.aes256.content == [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1, 0x2A])
    #expect(DERObjectIdentifier.aes256.name == "2.16.840.1.101.3.4.1.42")
    #expect(DERObjectIdentifier.pbeRC4_128.name.contains("RC4"))
  }
}
