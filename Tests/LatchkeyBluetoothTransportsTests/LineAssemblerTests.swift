import LatchkeyBluetoothTransports
import Testing

/// Lines, whatever the parts in which their bytes arrive.
struct LineAssemblerTests {
  @Test("Lines do not depend on the parts in which they arrive", arguments: [1, 2, 3, 5, 100])
  func parts(length: Int) {
    let bytes = Array("one\r\ntwo\n\n\r\n漢\nrest".utf8) + [0xFF, 0x0A]
    var lines = LineAssembler()
    var found: [LineAssembler.Line] = []
    for begin in stride(from: 0, to: bytes.count, by: length) {
      found += lines.receive(bytes[begin..<min(begin + length, bytes.count)])
    }
    #expect(found == [.text("one"), .text("two"), .text(""), .text(""), .text("漢"), .notUTF8])
    #expect(!lines.isTooLong)
  }

  @Test("The longest line is a line; one byte more is none, with or without its end, and nothing follows")
  func longLines() {
    let longest = [UInt8](repeating: 0x61, count: LineAssembler.longestLine)
    var lines = LineAssembler()
    #expect(lines.receive(longest + [0x0A]) == [.text(String(decoding: longest, as: UTF8.self))])
    #expect(lines.receive(longest) == [] && !lines.isTooLong)
    #expect(lines.receive([0x61]) == [.tooLong] && lines.isTooLong)
    #expect(lines.receive(Array("list\n".utf8)) == [])
    var others = LineAssembler()
    #expect(others.receive(Array("a\n".utf8) + longest + Array("b\nlist\n".utf8)) == [.text("a"), .tooLong])
  }

  @Test("Bytes without an end are no line yet")
  func unfinished() {
    var lines = LineAssembler()
    #expect(lines.receive([]) == [] && lines.receive(Array("li".utf8)) == [])
    #expect(lines.receive(Array("st\n".utf8)) == [.text("list")])
  }
}
