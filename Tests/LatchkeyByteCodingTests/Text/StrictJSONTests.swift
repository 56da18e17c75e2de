import Foundation
import LatchkeyByteCoding
import Testing

@Suite("Strict JSON")
struct StrictJSONTests {
  private static let limits = StrictJSON.Limits(size: 1 << 20, depth: 16, members: 64)
  private static let nullLimits = StrictJSON.Limits(size: 1 << 20, depth: 16, members: 64, allowsNullCharacter: true)

  private func read(_ text: String, _ limits: StrictJSON.Limits = limits) throws(StrictJSONError) -> JSONValue {
    try StrictJSON.validate(Array(text.utf8), within: limits)
    return try StrictJSON.read(Array(text.utf8), within: limits)
  }

  /// The error of a text, which is the same while reading and while validating; nil for a text that is valid.
  private func error(_ bytes: [UInt8], _ limits: StrictJSON.Limits = limits) -> StrictJSONError? {
    var errors: [StrictJSONError?] = [nil, nil]
    do throws(StrictJSONError) { _ = try StrictJSON.read(bytes, within: limits) } catch { errors[0] = error }
    do throws(StrictJSONError) { try StrictJSON.validate(bytes, within: limits) } catch { errors[1] = error }
    #expect(errors[0] == errors[1])
    return errors[0]
  }

  private func error(_ text: String, _ limits: StrictJSON.Limits = limits) -> StrictJSONError? {
    error(Array(text.utf8), limits)
  }

  // MARK: Values

  @Test("Values of each kind are read")
  func values() throws {
    #expect(try read(" null ") == .null)
    #expect(try read("[true,false]") == .array([.boolean(true), .boolean(false)]))
    #expect(try read("\t{ \"a\" : 1 , \"b\" : [ ] }\r\n") == .object(["a": .number("1"), "b": .array([])]))
    #expect(try read(#"{"a":{"a":1},"b":{"a":[{}]}}"#).object?["b"]?.object?["a"] == .array([.object([:])]))
    #expect(try read("\"\"") == .string(""))
    #expect(try read("[]").array == [])
  }

  @Test(
    "Numbers keep their text",
    arguments: ["0", "-0", "10", "1.50", "0.5e+3", "1e5", "-1E9", "1E+5", "-1.5e-05", "123456789012345678901234567890"])
  func numbers(text: String) throws {
    #expect(try read(text) == .number(text))
  }

  @Test("Escapes are resolved, in names as in strings")
  func escapes() throws {
    let text = #""\"\\\/\b\f\n\r\t\u0041\u00e9\u4e16\uD83C\udf0dé""#
    #expect(try read(text) == .string("\"\\/\u{8}\u{c}\n\r\tAé世🌍é"))
    #expect(try read(#"{"\u0061\uD834\uDD1E":1}"#) == .object(["a𝄞": .number("1")]))
    #expect(try read(#""\uDBFF\uDFFF\uFFFF""#) == .string("\u{10FFFF}\u{FFFF}"))
  }

  @Test("The writer's text for each character is read as that character")
  func writer() throws {
    var text = ""
    for value in UInt32(1)...0x2FF { UnicodeScalar(value).map { text.unicodeScalars.append($0) } }
    text += "\u{2028}\u{FEFF}\u{FFFF}\u{10000}\u{10FFFF}"
    for escapes in [JSONString.Escapes.required, .controls, .foundation, .php] {
      let string = try #require(try read(JSONString.quote(text, escapes: escapes)).string)
      #expect(string.unicodeScalars.elementsEqual(text.unicodeScalars))
    }
  }

  // MARK: Refusals

  @Test(
    "Text that the grammar does not have is refused, at the byte where it differs",
    arguments: [
      ("", 0), (" ", 1), ("nul", 0), ("tru", 0), ("True", 0), ("TRUE", 0), ("NaN", 0), ("Infinity", 0), ("[", 1),
      ("]", 0), ("[1", 2), ("[1,", 3), ("[1,]", 3), ("[,1]", 1), ("[1 2]", 3), ("[1}", 2), ("{", 1), ("}", 0),
      ("{\"a\"", 4), ("{\"a\":", 5), ("{\"a\":1", 6), ("{\"a\":1,", 7), ("{\"a\":1,}", 7), ("{a:1}", 1), ("{'a':1}", 1),
      ("{1:1}", 1), ("{,}", 1), ("{\"a\" 1}", 5), ("{\"a\":1 \"b\":2}", 7), ("{\"a\":1]", 6), ("\"", 1), ("\"a", 2),
      ("\"\\\"", 3), ("\"\\", 2), ("\"\\x\"", 2), ("\"\\U0041\"", 2), ("\"\\u\"", 3), ("\"\\u12\"", 5),
      ("\"\\u12g4\"", 5), ("\"\\u+123\"", 3), ("\"\\u-123\"", 3), ("\"\\uD834\"", 7), ("\"\\uD834A\"", 7),
      ("\"\\ud800\\n\"", 8), ("-", 1), ("--1", 1), ("1.", 2), (".5", 0), ("1e", 2), ("1e+", 3), ("1e+-1", 3), ("+1", 0),
      ("-a", 1), ("\u{FEFF}1", 0), ("'a'", 0), ("/**/1", 0), ("// c\n{}", 0), ("\u{A0}1", 0), ("\u{C}1", 0),
    ])
  func syntax(text: String, offset: Int) {
    #expect(error(text) == StrictJSONError(reason: .syntax, offset: offset))
  }

  @Test(
    "Text after the value is refused",
    arguments: [
      ("nullx", 4), ("{}{}", 2), ("1 1", 2), ("1,", 1), ("01", 1), ("-01", 2), ("0x1", 1), ("[1]x", 3), ("{} \u{0}", 3),
      ("1\u{FEFF}", 1), ("\"a\"\"", 3),
    ])
  func trailingText(text: String, offset: Int) {
    #expect(error(text) == StrictJSONError(reason: .trailingText, offset: offset))
  }

  @Test(
    "A name twice is refused, however it is spelled, and however deep",
    arguments: [
      (#"{"a":1,"a":1}"#, 7), (#"{"a":1,"a":2}"#, 7), (#"{"\u0061":1,"a":2}"#, 12), (#"{"":1,"":1}"#, 6),
      (#"[{"x":{"a":1,"b":2,"a":3}}]"#, 19), ("{\"\u{e9}\":1,\"e\u{301}\":2}", 8), (#"{"/":1,"\/":2}"#, 7),
    ])
  func duplicateName(text: String, offset: Int) {
    #expect(error(text) == StrictJSONError(reason: .duplicateName, offset: offset))
  }

  @Test("A control character in a string is refused, and outside of strings all but white space")
  func controlCharacters() {
    for value in UInt8(0)..<0x20 {
      let character = String(UnicodeScalar(value))
      #expect(error("\"a\(character)\"") == StrictJSONError(reason: .controlCharacter, offset: 2))
      #expect(error("{\"\(character)\":1}") == StrictJSONError(reason: .controlCharacter, offset: 2))
      #expect((error("[\(character)1]") == nil) == [0x09, 0x0A, 0x0D].contains(value))
    }
    #expect(error("\"\u{7F}\u{85}\u{2028}\"") == nil)
  }

  @Test(
    "Bytes that are not UTF-8 are refused, also around escapes",
    arguments: [
      [0xFF], [0xC0, 0x80], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0xC3], [0x80],
      [0xC3, 0x5C, 0x6E], [0x5C, 0x6E, 0xA9],
    ] as [[UInt8]])
  func invalidUTF8(bytes: [UInt8]) {
    let offset = bytes.first == 0x5C ? 4 : 2
    #expect(error([0x5B, 0x22] + bytes + [0x22, 0x5D]) == StrictJSONError(reason: .invalidUTF8, offset: offset))
    #expect(error([0x7B, 0x22] + bytes + [0x22, 0x3A, 0x31, 0x7D])?.reason == .invalidUTF8)
    #expect(error([0x5B] + bytes + [0x5D]) == StrictJSONError(reason: .syntax, offset: 1))
  }

  @Test("Half of a surrogate pair is refused")
  func surrogates() {
    for (text, reason) in [
      (#""a\ud800\u0041""#, StrictJSONError.Reason.unpairedLeadSurrogate),
      (#""a\ud800\ud800""#, .unpairedLeadSurrogate), (#""a\udc00""#, .invalidCharacter),
      (#""a\uDFFF\uD800""#, .invalidCharacter),
    ] {
      for limits in [Self.limits, Self.nullLimits] {
        #expect(error(text, limits) == StrictJSONError(reason: reason, offset: 2))
      }
    }
  }

  @Test("U+0000 is refused unless it is allowed, and then only as an escape")
  func nullCharacter() throws {
    #expect(error(#""a\u0000""#) == StrictJSONError(reason: .invalidCharacter, offset: 2))
    #expect(error(#"{"\u0000":1}"#)?.reason == .invalidCharacter)
    #expect(try read(#""a\u0000b""#, Self.nullLimits) == .string("a\u{0}b"))
    #expect(error("\"\u{0}\"", Self.nullLimits)?.reason == .controlCharacter)
  }

  // MARK: Limits

  @Test("Depth is bounded, and a deep text does not exhaust the stack")
  func depth() throws {
    let two = StrictJSON.Limits(size: 1 << 20, depth: 2, members: 64)
    #expect(error("[[1],{},[]]", two) == nil)
    #expect(error("[[[]]]", two) == StrictJSONError(reason: .tooDeep, offset: 2))
    #expect(error(#"{"a":[{}]}"#, two) == StrictJSONError(reason: .tooDeep, offset: 6))
    #expect(
      error("[]", StrictJSON.Limits(size: 9, depth: 0, members: 1)) == StrictJSONError(reason: .tooDeep, offset: 0))
    for text in ["[", "{\"a\":"] {
      #expect(error(String(repeating: text, count: 100_000))?.reason == .tooDeep)
    }
    // Brackets in a string do not count.
    #expect(error("[\"[[[[{{{{\"]", two) == nil)
  }

  @Test("Members of an object are bounded, elements and members of several objects are not")
  func members() {
    func members(_ count: Int) -> String {
      "{" + (0..<count).map { "\"m\($0)\":0" }.joined(separator: ",") + "}"
    }
    #expect(error(members(64)) == nil)
    #expect(error(members(65))?.reason == .tooManyMembers)
    #expect(error("[\(members(64)),\(members(64))]") == nil)
    #expect(error("[" + String(repeating: "0,", count: 1000) + "0]") == nil)
  }

  @Test("Size is bounded, white space included")
  func size() {
    let limits = StrictJSON.Limits(size: 4, depth: 1, members: 1)
    #expect(error("null", limits) == nil)
    #expect(error("null ", limits) == StrictJSONError(reason: .tooLarge, offset: 4))
    #expect(error("fals!", limits)?.reason == .tooLarge)
  }

  @Test("The length of a number is bounded, and no finite Double is too long")
  func numberLength() {
    let limits = StrictJSON.Limits(size: 100, depth: 1, members: 1, numberLength: 4)
    #expect(error("[-1e9,1.25]", limits) == nil)
    #expect(error("[1,-1.25]", limits) == StrictJSONError(reason: .numberTooLong, offset: 3))
    let longest = String(format: "%.1074f", -Double.leastNormalMagnitude.nextDown)
    #expect(longest.utf8.count == 1077)
    #expect(error(longest) == nil)
    #expect(error(String(format: "%f", -Double.greatestFiniteMagnitude)) == nil)
    #expect(error(String(repeating: "1", count: 1101))?.reason == .numberTooLong)
  }

  @Test("A text that ends early is refused at each length")
  func truncated() {
    let json = Array(#"{"from":"A\uD834\uDD1Eé","list":[1.5e3,true,{"x":null}]}"#.utf8)
    #expect(error(json) == nil)
    for end in 0..<json.count { #expect(error(Array(json[..<end])) != nil, "\(end) bytes") }
  }

  @Test("An error describes the place, and not the text")
  func description() {
    #expect(error("[\"secret]").map(String.init(describing:)) == "the text is not JSON (offset 9)")
    let sentences = StrictJSONError.Reason.allCases.map { StrictJSONError(reason: $0, offset: 7).description }
    #expect(Set(sentences).count == sentences.count)
    #expect(sentences.allSatisfy { $0.hasSuffix(" (offset 7)") })
  }
}
