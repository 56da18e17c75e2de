import LatchkeyByteCoding
import LatchkeyProvisioningProtocol
import Testing

/// Bytes that are no message (test 38 of the field's table, at the level of bytes).
@Suite struct ProtobufTests {
  @Test(
    "Bytes that are no message are refused",
    arguments: [
      ("08", ProtobufError.truncated), ("80", .truncated), ("5a", .truncated), ("5a05", .truncated),
      ("5a0208", .truncated),
      // A length of 2^31, of 2^63, and one whose tenth byte has more than a bit.
      ("5a8080808008", .truncated), ("5a80808080808080808001", .truncated), ("08ffffffffffffffffff02", .longInteger),
      ("0880808080808080808080", .longInteger),
      // Groups, both ends, and types that there are not.
      ("0b", .wireType), ("0c", .wireType), ("0e", .wireType), ("0f", .wireType),
      ("0b0801", .wireType),
      // Fields 0 and 2^29.
      ("0000", .fieldNumber), ("80808080100000", .fieldNumber), ("ffffffffffffffffff0100", .fieldNumber),
      // Fixed numbers cut, and where an integer must be.
      ("0d000000", .truncated), ("0900000000000000", .truncated), ("0d00000000", .field(1)),
      // The kind as bytes, twice, and one that there is not.
      ("0a0101", .field(1)), ("08010801", .field(1)), ("080c", .kind), ("08ffffffffffffffffff01", .kind),
      // A content of another kind, two contents, and a content that is an integer.
      ("08025200", .kind), ("52005a00", .kind), ("5001", .field(10)), ("0802520062020a00", .kind),
    ])
  func refused(_ text: String, _ error: ProtobufError) {
    #expect(throws: error) { try ConfigMessage(hex(text)) }
  }

  @Test("Unknown fields of every type are passed over") func unknownFields() throws {
    // Fields 99 as an integer, as bytes, and as fixed numbers of both sizes.
    let unknown = "98060a" + "9a0603010203" + "9d0600000000" + "99060000000000000000"
    #expect(try ConfigMessage(hex(unknown + "5200" + unknown)) == .getStatus)
    #expect(
      try ConfigMessage(hex("0801" + "5a09" + "98060a" + "1001" + "9a060101")) == .status(NetworkReport(.connecting)))
  }

  @Test("Nested bytes of an unknown field are not read: a hundred levels cost nothing") func nesting() throws {
    var bytes: [UInt8] = []
    for _ in 0..<100 { bytes = [0x52] + [UInt8(bytes.count & 0x7F)] + bytes.prefix(0x7F) }
    // As the content of a status request it has unknown fields alone.
    let nested = [UInt8(0x52), 100] + bytes.prefix(100)
    #expect(try ConfigMessage(nested) == .getStatus)
  }

  @Test("A long field is refused before it is copied, and kept within its message") func lengths() {
    let name = [UInt8](repeating: 0x41, count: 513)
    #expect(throws: ProtobufError.self) {
      _ = try ConfigMessage(ConfigMessage.set(NetworkSettings(ssid: name, passphrase: SecretBytes(count: 0))).encoded)
    }
    // The inner length ends after the outer one.
    #expect(throws: ProtobufError.truncated) { try ConfigMessage(hex("080262030a0441424344")) }
  }
}
