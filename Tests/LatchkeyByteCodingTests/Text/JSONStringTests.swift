import Foundation
import LatchkeyByteCoding
import Testing

@Suite("JSON strings")
struct JSONStringTests {
  private static let everything = JSONString.Escapes(hasShortForms: true) { _ in true }

  @Test(
    "Characters that JSON does not allow are escaped in each set",
    arguments: [
      ("", "", ""), ("\"", #"\""#, #"\""#), ("\\", #"\\"#, #"\\"#), ("\n", #"\n"#, #"\n"#),
      ("\r", #"\r"#, #"\u000d"#), ("\t", #"\t"#, #"\u0009"#), ("\r\n", #"\r\n"#, #"\u000d\n"#),
      ("\u{0}", #"\u0000"#, #"\u0000"#), ("\u{8}", #"\u0008"#, #"\u0008"#), ("\u{C}", #"\u000c"#, #"\u000c"#),
      ("\u{1B}[2J", #"\u001b[2J"#, #"\u001b[2J"#), ("\u{1F}", #"\u001f"#, #"\u001f"#),
    ])
  func required(text: String, required: String, controls: String) {
    #expect(JSONString.quote(text, escapes: .required) == "\"\(required)\"")
    #expect(JSONString.quote(text, escapes: .controls) == "\"\(controls)\"")
  }

  @Test("Delete and the control characters of C1 are escaped only where the set has them")
  func otherControls() {
    for value in UInt8(0x7F)...0x9F {
      let text = String(UnicodeScalar(value))
      #expect(JSONString.quote(text, escapes: .required).unicodeScalars.elementsEqual("\"\(text)\"".unicodeScalars))
      #expect(JSONString.quote(text, escapes: .controls) == "\"\\u00\(String(value, radix: 16))\"")
    }
  }

  @Test(
    "Other characters stand as they are",
    arguments: [
      " ", "!", "/", "~", "'", "<>&", "\u{A0}", "é", "e\u{301}", "\u{2028}", "\u{202E}", "\u{FEFF}", "🔑", "\u{10FFFF}",
    ])
  func unescaped(text: String) {
    for escapes in [JSONString.Escapes.required, .controls] {
      #expect(JSONString.quote(text, escapes: escapes).utf8.elementsEqual("\"\(text)\"".utf8))
    }
  }

  @Test("The sets of Apple's and PHP's encoders have all short forms, and differ beyond ASCII")
  func shortForms() {
    let text = "\"\\/\u{8}\u{C}\n\r\t\u{1}\u{7F}é🔑"
    let ascii = #""\"\\\/\b\f\n\r\t\u0001"# + "\u{7F}"
    #expect(JSONString.quote(text, escapes: .foundation) == ascii + "é🔑\"")
    #expect(JSONString.quote(text, escapes: .php) == ascii + #"\u00e9\ud83d\udd11""#)
  }

  @Test("A set of one's own has lower-case digits, and surrogates for a character above U+FFFF")
  func ownSet() {
    #expect(JSONString.quote("A\u{202E}🔑", escapes: Self.everything) == #""\u0041\u202e\ud83d\udd11""#)
    let none = JSONString.Escapes(hasShortForms: false) { _ in false }
    #expect(JSONString.quote("\u{7F}\u{0}\t\n\"", escapes: none) == "\"\u{7F}\\u0000\\u0009\\n\\\"\"")
  }

  @Test("A JSON reader finds the same text, for each character", arguments: [0, 1, 2, 3, 4])
  func roundTrip(set: Int) throws {
    let escapes = [JSONString.Escapes.required, .controls, Self.everything, .foundation, .php][set]
    var text = ""
    for value in stride(from: UInt32(0), through: 0x10FFFF, by: 1) where value < 0x300 || value % 251 == 0 {
      guard let scalar = UnicodeScalar(value) else { continue }
      text.unicodeScalars.append(scalar)
      // Separate characters, which would combine otherwise.
      text += "x"
    }
    let json = "[\(JSONString.quote(text, escapes: escapes))]"
    let read = try JSONDecoder().decode([String].self, from: Data(json.utf8))
    #expect(read.count == 1)
    #expect(read[0].unicodeScalars.elementsEqual(text.unicodeScalars))
  }
}
