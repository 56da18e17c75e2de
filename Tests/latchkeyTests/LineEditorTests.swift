import Testing

@testable import latchkey

/// Keys as a terminal sends them, and the line that they make.
@Suite struct LineEditorTests {
  /// Types bytes, and collects what they lead to.
  private struct Typing {
    var decoder = KeyDecoder()
    var editor: LineEditor
    var effects: [LineEditor.Effect] = []

    init(
      maximum: Int = 1000,
      _ complete: @escaping @Sendable (String) -> LineEditor.Completion = {
        LineEditor.Completion(word: $0, candidates: [])
      }
    ) {
      editor = LineEditor(maximum: maximum, complete: complete)
    }

    mutating func type(_ text: String) { type(Array(text.utf8)) }

    mutating func type(_ bytes: [UInt8]) {
      for byte in bytes { if let key = decoder.feed(byte) { effects.append(editor.press(key)) } }
    }

    var text: String { String(editor.text) }
    var lines: [String] { effects.compactMap { if case .line(let line) = $0 { line } else { nil } } }
  }

  @Test(
    "Keys edit the line where the cursor is",
    arguments: [
      ("read F202", "read F202", 9), ("ab\u{1B}[D\u{1B}[DX", "Xab", 1), ("ab\u{1B}[D\u{7F}", "b", 0),
      ("ab\u{8}", "a", 1),
      ("abc\u{1}\u{1B}[3~", "bc", 0), ("abc\u{1}\u{4}", "bc", 0), ("abc\u{1B}[H\u{B}", "", 0),
      ("abc\u{1B}[D\u{15}", "c", 0),
      ("abc\u{1B}OH\u{1B}OC\u{B}", "a", 1), ("one two three\u{17}", "one two ", 8),
      ("one two\u{1B}b\u{1B}bX", "Xone two", 1),
      ("one two\u{1}\u{1B}[1;5CX", "oneX two", 4), ("one two\u{1B}[1;5DX", "one Xtwo", 5),
      ("灯an\u{1B}[D\u{1B}[D\u{7F}", "an", 0),
      ("a\u{301}\u{7F}", "", 0), ("ab\u{1B}[C\u{1B}[C\u{5}", "ab", 2), ("a\u{1B}[1~b\u{1B}[4~c", "bac", 3),
    ]) func editing(typed: String, text: String, cursor: Int)
  {
    var typing = Typing()
    typing.type(typed)
    #expect(typing.text == text)
    #expect(typing.editor.cursor == cursor)
  }

  @Test(
    "What is no key changes nothing, and the next key counts",
    arguments: [
      [0x1B, 0x5B, 0x35, 0x7E], [0x1B, 0x5B, 0x32, 0x30, 0x30, 0x7E], [0x1B, 0x4F, 0x50], [0x00], [0x1E], [0xFF],
      [0xC3],
      [0xE2, 0x82], [0xF8], [0x80], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x80, 0xAE], [0x1B, 0x78],
      [0x1B, 0x5B] + [UInt8](repeating: 0x31, count: 10_000) + [0x7E],
    ] as [[UInt8]]) func noKeys(bytes: [UInt8])
  {
    var typing = Typing()
    typing.type(bytes)
    #expect(typing.text.isEmpty)
    typing.type("ok")
    #expect(typing.text == "ok")
  }

  @Test("A line ends with Return, with either of its bytes, and the next one is empty") func lines() {
    var typing = Typing()
    typing.type("one\rtwo\n\u{1B}[D\n")
    #expect(typing.lines == ["one", "two", ""])
    #expect(typing.text.isEmpty && typing.editor.cursor == 0)
  }

  @Test("^D ends the input on an empty line alone, and ^Z and ^\\ are handed on") func ends() {
    var typing = Typing()
    typing.type("\u{4}")
    #expect(typing.effects == [.end])
    typing.effects = []
    typing.type("\u{1A}\u{1C}\u{C}")
    #expect(typing.effects == [.suspend, .quit, .clearScreen])
    typing.effects = []
    typing.type("x\u{4}")
    #expect(typing.effects == [.changed, .nothing])
  }

  @Test("The arrows show the lines before, and what was begun stays") func history() {
    var typing = Typing()
    typing.type("one\rtwo\r \rtwo\r")
    #expect(typing.editor.history == ["one", "two"])
    typing.type("beg\u{1B}[A")
    #expect(typing.text == "two")
    typing.type("\u{1B}[A\u{1B}[A")
    #expect(typing.text == "one")
    typing.type("\u{1B}[B")
    #expect(typing.text == "two")
    typing.type("\u{1B}[B\u{1B}[B")
    #expect(typing.text == "beg")
    // A line of the history that is changed is a new one; the old one stays.
    typing.type("\u{10}!\r")
    #expect(typing.lines.last == "two!")
    #expect(typing.editor.history == ["one", "two", "two!"])
  }

  @Test("The history has 500 lines") func longHistory() {
    var typing = Typing()
    for number in 0..<600 { typing.type("\(number)\r") }
    #expect(typing.editor.history.count == 500)
    #expect(typing.editor.history.first == "100")
    typing.type("\u{1B}[A")
    #expect(typing.text == "599")
  }

  @Test("A line has so many bytes at most, however it grows") func longest() {
    var typing = Typing(maximum: 5) { LineEditor.Completion(word: $0, candidates: ["abcdefgh"]) }
    typing.type("灯灯")
    #expect(typing.text == "灯")
    typing.type("\u{15}abcdef")
    #expect(typing.text == "abcde")
    typing.type("\u{7F}\t")
    #expect(typing.text == "abcd")
    typing.type("e")
    #expect(typing.text == "abcde")
    typing.type("f")
    #expect(typing.effects.last == .nothing)
  }

  private static let words: @Sendable (String) -> LineEditor.Completion = { line in
    let word = line.split(separator: " ", omittingEmptySubsequences: false).last.map(String.init) ?? ""
    return LineEditor.Completion(
      word: word, candidates: ["read ", "readme", "write "].filter { $0.hasPrefix(word.lowercased()) })
  }

  @Test("Tab completes as far as the candidates agree, then shows them") func completion() {
    var typing = Typing(Self.words)
    typing.type("w\t")
    #expect(typing.text == "write ")
    typing.type("\u{15}R\t")
    #expect(typing.text == "read")
    typing.type("\t")
    #expect(typing.effects.last == .candidates(["read ", "readme"]))
    typing.type("m\t")
    #expect(typing.text == "readme")
    typing.type("\t")
    #expect(typing.effects.last == .nothing)
    typing.type("\u{15}x\t")
    #expect(typing.effects.last == .nothing)
    // In the middle of a line the word before the cursor grows, and what is behind it stays.
    typing.type("\u{15}w F202\u{1}\u{1B}[C\t")
    #expect(typing.text == "write  F202")
    #expect(typing.editor.cursor == 6)
  }

  @Test("A completion that does not end the line is none") func foreignCompletion() {
    var typing = Typing { _ in LineEditor.Completion(word: "other", candidates: ["otherwise"]) }
    typing.type("oth\t")
    #expect(typing.text == "oth")
    #expect(typing.effects.last == .nothing)
  }

  @Test(
    "The view has the cursor in it, whatever the width of the terminal and of the characters",
    arguments: [
      ("abc", 3, 80, "> abc\r\u{1B}[5C"), ("abc", 0, 80, "> abc\r\u{1B}[2C"), ("abcdefgh", 8, 8, "> defgh\r\u{1B}[7C"),
      ("abcdefgh", 0, 8, "> abcde\r\u{1B}[2C"), ("灯灯灯", 3, 8, "> 灯灯\r\u{1B}[6C"), ("abc", 3, 1, "> c\r\u{1B}[3C"),
      ("", 0, 0, "> \r\u{1B}[2C"),
    ]) func view(text: String, cursor: Int, columns: Int, shown: String)
  {
    #expect(
      EditorView.row(prompt: "> ", Array(text), cursor: cursor, columns: columns) == "\r\u{1B}[K" + shown)
  }

  @Test("Candidates stand in columns, and no more than a screen has") func list() {
    #expect(EditorView.list(["a", "bb", "c"], columns: 8) == "a   bb\nc\n")
    #expect(EditorView.list(["abcdefghij", "b"], columns: 4) == "abcdefghij\nb\n")
    #expect(EditorView.list((0..<200).map { "\($0)" }, columns: 80).hasSuffix("and 100 more\n"))
    #expect(EditorView.list([], columns: 80).isEmpty)
  }
}
