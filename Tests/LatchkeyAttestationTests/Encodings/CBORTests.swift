import LatchkeyByteCoding
import LatchkeyEnclaveKeys
import Testing

@Suite("CBOR")
struct CBORTests {
  /// RFC 8949 appendix A: what is deterministic and of our kinds.
  @Test(
    "encodes and reads the RFC's examples",
    arguments: [
      ("00", CBORValue.unsigned(0)), ("01", .unsigned(1)), ("0a", .unsigned(10)), ("17", .unsigned(23)),
      ("1818", .unsigned(24)), ("1819", .unsigned(25)), ("1864", .unsigned(100)), ("1903e8", .unsigned(1000)),
      ("1a000f4240", .unsigned(1_000_000)), ("1b000000e8d4a51000", .unsigned(1_000_000_000_000)),
      ("1bffffffffffffffff", .unsigned(.max)), ("3bffffffffffffffff", .negative(.max)), ("20", .integer(-1)),
      ("29", .integer(-10)), ("3863", .integer(-100)), ("3903e7", .integer(-1000)), ("f4", .boolean(false)),
      ("f5", .boolean(true)), ("40", .bytes([])), ("4401020304", .bytes([1, 2, 3, 4])), ("60", .text("")),
      ("6161", .text("a")), ("6449455446", .text("IETF")), ("62225c", .text("\"\\")), ("62c3bc", .text("\u{fc}")),
      ("63e6b0b4", .text("\u{6c34}")), ("64f0908591", .text("\u{10151}")), ("80", .array([])),
      ("83010203", .array([.unsigned(1), .unsigned(2), .unsigned(3)])),
      (
        "8301820203820405",
        .array([
          .unsigned(1), .array([.unsigned(2), .unsigned(3)]), .array([.unsigned(4), .unsigned(5)]),
        ])
      ),
      ("a0", .map([:])), ("a26161016162820203", .map(["a": .unsigned(1), "b": .array([.unsigned(2), .unsigned(3)])])),
      ("826161a161626163", .array([.text("a"), .map(["b": .text("c")])])),
    ])
  func examples(hex: String, value: CBORValue) throws {
    let bytes = try Hexadecimal.decode(hex)
    #expect(value.encoded == bytes)
    #expect(try CBORValue(encoded: bytes) == value)
  }

  @Test(
    "widens the argument exactly where the RFC says",
    arguments: [
      (23, 1), (24, 2), (255, 2), (256, 3), (65535, 3), (65536, 5), (4_294_967_295, 5), (4_294_967_296, 9),
    ] as [(UInt64, Int)])
  func widths(value: UInt64, count: Int) throws {
    let bytes = CBORValue.unsigned(value).encoded
    #expect(bytes.count == count)
    #expect(try CBORValue(encoded: bytes) == .unsigned(value))
  }

  @Test("keeps integers of either sign", arguments: [0, 1, -1, 24, -24, -25, .max, .min] as [Int64])
  func integers(value: Int64) throws {
    #expect(CBORValue.integer(value).integer == value)
    #expect(try CBORValue(encoded: CBORValue.integer(value).encoded).integer == value)
  }

  @Test("an integer out of range is none")
  func integerOutOfRange() {
    #expect(CBORValue.unsigned(.max).integer == nil)
    #expect(CBORValue.negative(1 << 63).integer == nil)
    #expect(CBORValue.text("1").integer == nil)
  }

  @Test("sorts the keys of a map by their encodings: the shorter first")
  func sorted() throws {
    let map = CBORValue.map(["fmt": .text("tpm"), "attStmt": .map([:]), "z": .boolean(true), "ab": .unsigned(1)])
    #expect(Hexadecimal.encode(map.encoded) == "a4617af562616201" + "63666d746374706d" + "67617474" + "53746d74a0")
    #expect(try CBORValue(encoded: map.encoded) == map)
  }

  @Test(
    "refuses any other spelling",
    arguments: [
      ("", CBORError.truncated), ("18", .truncated), ("19ff", .truncated), ("4401", .truncated), ("82", .truncated),
      ("8201", .truncated), ("a16161", .truncated), ("a1", .truncated), ("5bffffffffffffffff", .truncated),
      ("9bffffffffffffffff", .truncated), ("bbffffffffffffffff", .truncated), ("9b7fffffffffffffff", .truncated),
      ("7a00010000", .truncated), ("0000", .trailingBytes), ("a000", .trailingBytes), ("1800", .notShortest),
      ("1817", .notShortest), ("190018", .notShortest), ("1900ff", .notShortest), ("1a0000ffff", .notShortest),
      ("1b00000000ffffffff", .notShortest), ("3817", .notShortest), ("580161", .notShortest), ("780161", .notShortest),
      ("980100", .notShortest), ("b8016100", .notShortest), ("5f4100ff", .indefiniteLength),
      ("7f6161ff", .indefiniteLength), ("9f00ff", .indefiniteLength), ("bf616100ff", .indefiniteLength),
      ("a2616100616100", .unsortedKeys), ("a2616200616100", .unsortedKeys), ("a262616100616200", .unsortedKeys),
      ("a10000", .unsupportedKey), ("a1410000", .unsupportedKey), ("a162c3bc00", .unsupportedKey),
      ("f6", .unsupportedValue), ("f7", .unsupportedValue), ("f97e00", .unsupportedValue),
      ("fb7ff0000000000000", .unsupportedValue), ("c000", .unsupportedValue), ("1c", .unsupportedValue),
      ("1f", .unsupportedValue), ("3f", .unsupportedValue), ("ff", .unsupportedValue), ("f814", .unsupportedValue),
      ("e0", .unsupportedValue), ("61ff", .notUTF8), ("63eda080", .notUTF8), ("62c080", .notUTF8),
    ])
  func refused(hex: String, error: CBORError) throws {
    let bytes = try Hexadecimal.decode(hex)
    #expect(throws: error) { try CBORValue(encoded: bytes) }
  }

  @Test("stops at the limits of size, depth and count")
  func limits() throws {
    let limits = CBORLimits(bytes: 8, depth: 2, values: 4)
    #expect(try CBORValue(encoded: [0x81, 0x81, 0x00], limits: limits) == .array([.array([.unsigned(0)])]))
    #expect(throws: CBORError.tooLarge) { try CBORValue(encoded: [0x81, 0x81, 0x80], limits: limits) }
    #expect(throws: CBORError.tooLarge) { try CBORValue(encoded: [0x84, 0, 0, 0, 0], limits: limits) }
    #expect(throws: CBORError.tooLarge) {
      try CBORValue(encoded: [0x82, 0x81, 0x00, 0x81, 0x00], limits: limits)
    }
    #expect(throws: CBORError.tooLarge) { try CBORValue(encoded: [UInt8](repeating: 0x40, count: 9), limits: limits) }
    #expect(throws: CBORError.tooLarge) {
      try CBORValue(encoded: [UInt8](repeating: 0x81, count: 60_000) + [0x00])
    }
  }
}
