import LatchkeyByteCoding
import Testing

@Suite struct SubjectPublicKeyInfoTests {
  /// The public key of RFC 8410 10.1, on Ed25519.
  private static let rfc8410 =
    "30 2A 30 05 06 03 2B 65 70 03 21 00 19 BF 44 09 69 84 CD FE 85 41 BA C1 67 DC 3B 96 C8 50 86 AA 30 B6 B6 CB 0C 5C 38 "
    + "AD 70 31 66 E1"

  @Test("The key of RFC 8410 10.1 is read, and written again as the same bytes")
  func rfc8410() throws {
    let bytes = try Hexadecimal.decode(Self.rfc8410)
    var reader = reader(bytes)
    var info = try SubjectPublicKeyInfo(&reader)
    try reader.finish("a file")
    #expect(info.algorithm.algorithm == .ed25519 && info.algorithm.parameters.isEmpty)
    let key = try info.key()
    try info.finish()
    #expect(key.count == 32 && key.first == 0x19)
    var encoder = DEREncoder()
    encoder.subjectPublicKeyInfo(.ed25519, key: key) { _ in }
    #expect(encoder.bytes == bytes)
  }

  @Test("Parameters are left for the caller to read")
  func parameters() throws {
    var encoder = DEREncoder()
    encoder.subjectPublicKeyInfo(.ecPublicKey, key: [4, 1, 2]) { $0.identifier(.p256) }
    #expect(
      encoder.bytes
        == (try Hexadecimal.decode(
          "30 1B 30 13 06 07 2A 86 48 CE 3D 02 01 06 08 2A 86 48 CE 3D 03 01 07 03 04 00 04 01 02")))
    var reader = reader(encoder.bytes)
    var info = try SubjectPublicKeyInfo(&reader)
    #expect(info.algorithm.algorithm == .ecPublicKey)
    #expect(try info.algorithm.parameters.identifier("a curve") == .p256)
    #expect(try info.key() == [4, 1, 2])
  }

  @Test(
    "Each mistake is refused by its name, with the tag that the value should have",
    arguments: [
      ("", .missing, .sequence), ("31 00", .wrongTag, .sequence), ("30", .truncated, .sequence),
      ("30 00", .missing, .sequence), ("30 02 06 00", .wrongTag, .sequence),
      ("30 02 30 00", .missing, .objectIdentifier),
      ("30 04 30 02 05 00", .wrongTag, .objectIdentifier), ("30 04 30 02 06 00", .emptyObjectIdentifier, nil),
      ("30 05 30 03 06 01 2A", .missing, .bitString), ("30 07 30 03 06 01 2A 04 00", .wrongTag, .bitString),
      ("30 07 30 03 06 01 2A 03 00", .partialByte, nil), ("30 09 30 03 06 01 2A 03 02 01 FE", .partialByte, nil),
      ("30 09 30 03 06 01 2A 03 03 00 FE", .lengthTooLong, .bitString),
      ("30 0B 30 03 06 01 2A 03 02 00 FE 05 00", .trailingBytes(2), nil),
    ] as [(String, BERError.Kind, ASN1Tag?)])
  func refused(text: String, kind: BERError.Kind, expected: ASN1Tag?) throws {
    var reader = reader(try Hexadecimal.decode(text))
    do throws(BERError) {
      var info = try SubjectPublicKeyInfo(&reader)
      _ = try info.key()
      try info.finish()
      Issue.record("it was read")
    } catch {
      #expect(error.kind == kind && error.expected == expected)
    }
  }

  @Test("An identifier of odd numbers is read, since it is compared with known ones alone")
  func oddIdentifier() throws {
    var reader = reader([0x30, 0x06, 0x06, 0x02, 0x2A, 0x80, 0x05, 0x00])
    var algorithm = try reader.algorithmIdentifier("an algorithm")
    #expect(algorithm.algorithm.content == [0x2A, 0x80])
    #expect(try algorithm.parameters.item(.null, "no parameters").isEmpty)
  }

  private func reader(_ bytes: [UInt8]) -> BERReader<BERError> { BERReader(bytes, rules: .der, depth: 4) }
}
