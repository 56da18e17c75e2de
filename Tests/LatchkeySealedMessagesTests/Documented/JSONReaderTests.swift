import Foundation
import LatchkeySealedMessages
import Testing

@Suite("JSON from outside")
struct JSONReaderTests {
  private func read(_ text: String) throws -> JSONValue { try JSONReader.read(Array(text.utf8)) }

  @Test("values of each kind")
  func values() throws {
    #expect(try read(" null ") == .null)
    #expect(try read("[true,false]") == .array([.boolean(true), .boolean(false)]))
    #expect(try read("\t{ \"a\" : 1 , \"b\" : [ ] }\r\n") == .object(["a": .number("1"), "b": .array([])]))
    for number in ["0", "-0", "10", "1.50", "1e5", "1E+5", "-1.5e-05", "123456789012345678901234567890"] {
      #expect(try read(number) == .number(number))
    }
    #expect(
      try read(#""\"\\\/\b\f\n\r\t\u0041\u00e9\u4e16\uD83C\udf0d\u0000é""#)
        == .string("\"\\/\u{8}\u{c}\n\r\tAé世🌍\u{0}é"))
  }

  @Test(
    "what is none is refused",
    arguments: [
      "", " ", "nul", "nullx", "tru", "True", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{", "}", "{\"a\"",
      "{\"a\":",
      "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{a:1}", "{1:1}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{\"a\":1,\"a\":2}",
      "{\"\\u0061\":1,\"a\":2}", "{\"\u{e9}\":1,\"e\u{301}\":2}", "\"", "\"a", "\"\\\"", "\"\\x\"", "\"\\u\"",
      "\"\\u12\"",
      "\"\\u12g4\"", "\"\\ud800\"", "\"\\ud800\\n\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\n\"", "\"\u{1}\"", "01",
      "-",
      "1.", ".5", "1e", "1e+", "+1", "0x1", "NaN", "1 2", "1,", "\u{FEFF}1", "'a'", "/**/1",
    ])
  func refused(text: String) {
    #expect(throws: JSONReader.NotRead.self) { try read(text) }
  }

  @Test(
    "bytes that are no UTF-8 are refused",
    arguments: [[0xFF], [0x22, 0xC0, 0xAF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xC3, 0x22]] as [[UInt8]])
  func bytes(bytes: [UInt8]) {
    #expect(throws: JSONReader.NotRead.self) { try JSONReader.read(bytes) }
  }

  @Test("depth is bounded, and a deep text does not take the stack")
  func depth() throws {
    let limit = JSONReader.depthLimit
    _ = try read(String(repeating: "[", count: limit) + "1" + String(repeating: "]", count: limit))
    #expect(throws: JSONReader.NotRead.self) {
      try read(String(repeating: "[", count: limit + 1) + "1" + String(repeating: "]", count: limit + 1))
    }
    for text in ["[", "{\"a\":"] {
      #expect(throws: JSONReader.NotRead.self) { try read(String(repeating: text, count: 1_000_000)) }
    }
  }
}
