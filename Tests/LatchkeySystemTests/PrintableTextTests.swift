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
