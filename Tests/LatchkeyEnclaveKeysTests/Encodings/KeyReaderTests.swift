import LatchkeyByteCoding
import Testing

@testable import LatchkeyEnclaveKeys

@Suite struct KeyReaderTests {
  @Test(
    "A key that is not DER is refused with the text that names its mistake",
    arguments: [
      ("30", .malformed("no DER of a sequence: length needs 1 bytes, but only 0 are left")),
      ("30 80 00 00", .malformed("no DER of a sequence: length has a value that is not allowed")),
      ("30 81 00", .malformed("no DER of a sequence: length has a value that is not allowed")),
      ("30 05 30 00", .malformed("no DER of a sequence: content needs 5 bytes, but only 2 are left")),
      ("30 05 30 03 06 01 2A 00", .malformed("1 bytes after the end of DER")),
      ("30 00", .malformed("no DER of a sequence: tag needs 1 bytes, but only 0 are left")),
      ("30 02 05 00", .malformed("no DER of a sequence: tag has a value that is not allowed")),
      ("30 04 30 02 05 00", .malformed("no DER of a objectIdentifier: tag has a value that is not allowed")),
      ("30 04 30 02 06 00", .unsupported("a key of an algorithm other than elliptic curves and RSA")),
      ("30 05 30 03 06 01 2A", .unsupported("a key of an algorithm other than elliptic curves and RSA")),
      (
        "30 0B 30 09 06 07 2A 86 48 CE 3D 02 01",
        .unsupported("a curve without a name: write the key with a named curve")
      ),
      (
        "30 0D 30 0B 06 07 2A 86 48 CE 3D 02 01 06 00", .unsupported("a curve other than P-256, P-384 and P-521")
      ),
      (
        "30 10 30 0E 06 09 2A 86 48 86 F7 0D 01 01 01 05 01 00", .malformed("RSA has the parameters NULL")
      ),
      (
        "30 13 30 0D 06 09 2A 86 48 86 F7 0D 01 01 01 05 00 03 02 01 FE",
        .malformed("a BIT STRING that ends within a byte")
      ),
    ] as [(String, KeyError)])
  func publicKeys(text: String, error: KeyError) throws {
    let bytes = try Hexadecimal.decode(text)
    #expect(throws: error) { try PublicKey(derRepresentation: bytes) }
  }

  @Test(
    "Integers of an RSA key are neither empty nor negative, and in as few bytes as they need",
    arguments: [
      ("30 02 02 00", "an INTEGER without a byte"), ("30 03 02 01 80", "an INTEGER below zero"),
      ("30 04 02 02 00 01", "an INTEGER longer than it need be"),
      ("30 02 04 00", "no DER of a integer: tag has a value that is not allowed"),
    ])
  func integers(text: String, reason: String) throws {
    let bytes = try Hexadecimal.decode(text)
    #expect(throws: KeyError.malformed(reason)) { try PublicKey(externalRepresentation: bytes, family: .rsa) }
  }
}
