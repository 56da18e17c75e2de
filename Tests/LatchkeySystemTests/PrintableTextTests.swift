import LatchkeySystem
import Testing

@Suite struct PrintableTextTests {
  @Test("Characters that steer a terminal become spaces in a line") func oneLine() {
    #expect(PrintableText.oneLine("a\u{1B}[2Jb\r\n\u{202E}c客") == "a [2Jb   c客")
    #expect(PrintableText.oneLine("\0\u{7}\u{7F}\u{9B}\u{2028}\u{2029}\u{200D}") == "       ")
    #expect(PrintableText.oneLine("") == "")
  }

  @Test("A line has at most 512 scalars, or comes from 512 bytes") func caps() {
    #expect(PrintableText.oneLine(String(repeating: "x", count: 100_000)).count == 512)
    #expect(PrintableText.oneLine(String(repeating: "ü", count: 600)).unicodeScalars.count == 512)
    #expect(PrintableText.oneLine([UInt8](repeating: 0x78, count: 513)).utf8.count == 512)
    #expect(PrintableText.oneLine(Array(String(repeating: "ü", count: 600).utf8)).unicodeScalars.count == 256)
    // One character may have endless marks: scalars count.
    #expect(PrintableText.oneLine("e" + String(repeating: "\u{301}", count: 1000)).unicodeScalars.count == 512)
  }

  @Test("Bytes that are not UTF-8 become U+FFFD") func invalidBytes() {
    #expect(PrintableText.oneLine([0x61, 0xFF, 0x1B, 0x62]) == "a\u{FFFD} b")
    #expect(PrintableText.oneLine([0xC3]) == "\u{FFFD}")
    #expect(PrintableText.oneLine([UInt8]()) == "")
  }

  @Test("Characters that are not printable are escaped by their number") func escaped() {
    #expect(PrintableText.escaped("a\u{1B}[2Jb\r\n\u{202E}c客") == "a\\u{1b}[2Jb\\u{d}\\u{a}\\u{202e}c客")
    #expect(PrintableText.escaped("\u{E000}\u{10FFFF}") == "\\u{e000}\\u{10ffff}")
    #expect(PrintableText.escaped("日 ü😀") == "日 ü😀")
  }

  @Test("Different texts are never escaped or quoted as the same text") func unambiguous() {
    #expect(PrintableText.escaped(#"a\b"#) == #"a\\b"#)
    #expect(PrintableText.escaped(#"\u{1b}"#) == #"\\u{1b}"#)
    #expect(PrintableText.escaped(#"a "b""#) == #"a "b""#)
    #expect(PrintableText.quoted(#"a" "b\"#) == #""a\" \"b\\""#)
    let parts = ["\\", "\"", "u{1b}", "\u{1B}", "a"]
    let texts = parts.flatMap { a in parts.flatMap { b in parts.map { a + b + $0 } } }
    #expect(Set(texts.map { PrintableText.escaped($0) }).count == Set(texts).count)
    #expect(Set(texts.map { PrintableText.quoted($0) }).count == Set(texts).count)
    // Nothing within the quotation marks ends the quoted text.
    for text in texts {
      let content = PrintableText.quoted(text).dropFirst().dropLast()
      var isEscaped = false
      let ends = content.contains { character in
        defer { isEscaped = !isEscaped && character == "\\" }
        return !isEscaped && character == "\""
      }
      #expect(!ends && !isEscaped)
    }
  }

  @Test("A message whose parts are escaped changes no more") func message() {
    #expect(PrintableText.message("C:\\a\u{1B}") == #"C:\a\u{1b}"#)
    for text in ["a\u{1B}b", "\\", "\"\n"] {
      #expect(PrintableText.message(PrintableText.escaped(text)) == PrintableText.escaped(text))
    }
  }

  @Test("No character is cut in the middle", arguments: ["é", "客", "😀"]) func cut(character: String) {
    for filling in 505...512 {
      let bytes = Array((String(repeating: "x", count: filling) + character + "yyyyyyyy").utf8)
      let line = PrintableText.oneLine(bytes)
      #expect(!line.contains("\u{FFFD}") && line.utf8.count <= 512)
      #expect(line.contains(character) == (filling + character.utf8.count <= 512))
    }
    // Continuation bytes without a first byte are no character, and nothing in front of them is lost.
    let stray = [UInt8](repeating: 0x78, count: 512) + [0x80]
    #expect(PrintableText.oneLine(stray) == String(repeating: "x", count: 512))
    #expect(PrintableText.oneLine([UInt8](repeating: 0x80, count: 600)).unicodeScalars.count == 512)
  }

  @Test("Bytes are quoted if they are text without zeros") func quoted() {
    #expect(PrintableText.quoted([0x61, 0x07]) == "\"a\\u{7}\"")
    #expect(PrintableText.quoted([]) == "\"\"")
    #expect(PrintableText.quoted([0xFF]) == nil)
    #expect(PrintableText.quoted([0x31, 0x00]) == nil)
  }

  @Test(
    "No control, format, private or unassigned character is printable",
    arguments: ["\0", "\n", "\u{1B}", "\u{85}", "\u{AD}", "\u{202E}", "\u{2066}", "\u{FEFF}", "\u{E000}", "\u{378}"])
  func unprintable(scalar: Unicode.Scalar) {
    #expect(!PrintableText.isPrintable(scalar))
  }
}
