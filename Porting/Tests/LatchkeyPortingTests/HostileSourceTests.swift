import Foundation
import LatchkeyPorting
import Testing

struct HostileSourceTests {
  private func refusal(of bytes: [UInt8]) -> PortingError? {
    do throws(PortingError) {
      _ = try SourceText(bytes)
      return nil
    } catch {
      return error
    }
  }

  /// Parses on a thread with the stack that deeply nested sources need, and returns what it gave.
  private func refusalOnLargeStack(of text: String) async -> PortingError? {
    await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: refusal(of: Array(text.utf8))) }
      thread.stackSize = SourceText.stackSize
      thread.start()
    }
  }

  @Test(
    "A file that does not parse is refused, with its line",
    arguments: [
      ("class A {\n  @objc func a() {\n}\n", 3),
      ("let a = 1\n}\n", 2),
      ("@objc protocol {}\n", 1),
      ("\n\nfunc a( {}\n", 3),
      ("let a = \"open\n", 1),
      ("#if os(iOS)\nclass A {}\n", 2),
      ("<<<<<<< HEAD\nlet a = 1\n=======\nlet a = 2\n>>>>>>> other\n", 1),
    ]) func syntax(text: String, line: Int) throws
  {
    let error = try #require(refusal(of: Array(text.utf8)))
    guard case .syntax = error else {
      Issue.record("\(error)")
      return
    }
    #expect(error.line == line)
  }

  @Test(
    "What is no UTF-8 is refused, with its line",
    arguments: [
      ([0x6C, 0x65, 0x74, 0x0A, 0xFF], 2), ([0xC3], 1), ([0x0A, 0x0A, 0xED, 0xA0, 0x80], 3),
      ([0xFF, 0xFE, 0x61, 0x00], 1),
      ([0x2F, 0x2F, 0xE9, 0x0A], 1), ([0x0A, 0xF5, 0x80, 0x80, 0x80], 2),
    ] as [([UInt8], Int)]) func invalidUTF8(bytes: [UInt8], line: Int)
  {
    #expect(refusal(of: bytes) == .notUTF8(line: line))
  }

  @Test("Empty files, a byte order mark, and zeros in comments are read") func oddities() throws {
    #expect(refusal(of: []) == nil)
    try expectPort("", "")
    try expectPort("\u{FEFF}@objc class A {}\n", "\u{FEFF}class A {}\n")
    try expectPort(
      "\u{FEFF}import Darwin\n", "\u{FEFF}#if canImport(Darwin)\nimport Darwin\n#else\nimport Glibc\n#endif\n")
    try expectPort("#!/usr/bin/swift\n@objc class A {}", "#!/usr/bin/swift\nclass A {}")
    try expectPort("// \u{1F511} Schlüssel\n@objc class 鑰匙 {}", "// \u{1F511} Schlüssel\nclass 鑰匙 {}")
  }

  @Test("A file that is too large is refused") func tooLarge() {
    #expect(refusal(of: Array(repeating: UInt8(ascii: " "), count: SourceText.largest + 1)) == .tooLarge)
  }

  @Test(
    "Deep nesting is read or refused, and ends nothing",
    arguments: [
      String(repeating: "(", count: 100_000),
      String(repeating: "[", count: 20_000) + String(repeating: "]", count: 20_000),
      String(repeating: "class A {", count: 20_000) + String(repeating: "}", count: 20_000),
      "let a = " + String(repeating: "{ ", count: 10_000) + String(repeating: "}", count: 10_000),
      String(repeating: "#if A\n", count: 300) + String(repeating: "#endif\n", count: 300),
      "let a: " + String(repeating: "[", count: 10_000) + "Int" + String(repeating: "]", count: 10_000),
      String(repeating: "if a {", count: 5_000) + String(repeating: "}", count: 5_000),
      "let a = " + String(repeating: "!", count: 5_000) + "a",
      "let a: " + String(repeating: "A<", count: 600) + "A" + String(repeating: ">", count: 600),
      "let a: " + String(repeating: "A -> ", count: 2_100) + "A",
      "if a {}" + String(repeating: " else if a {}", count: 2_100),
      String(repeating: "class A {", count: 500) + String(repeating: "}", count: 500),
      "let a: " + String(repeating: "[", count: 12) + "Int" + String(repeating: "]", count: 12),
      "let a = b" + String(repeating: ".c", count: 5_000),
      "let a = b" + String(repeating: "()", count: 5_000),
      "let a = \"" + String(repeating: "\\(\"", count: 5_000) + String(repeating: "\")", count: 5_000) + "\"",
    ]) func nesting(text: String) async throws
  {
    let error = await refusalOnLargeStack(of: text)
    switch error {
    case .syntax, .tooDeep, nil: break
    default: Issue.record("\(String(describing: error))")
    }
  }

  @Test("A file of a megabyte is ported as its first part is") func large() throws {
    let part = "class A {\n  @objc dynamic var a = 1 // a\n  func b() { c(d, e: [1, 2]) }\n}\n"
    let count = (1 << 20) / part.utf8.count
    let source = try SourceText(Array(String(repeating: part, count: count).utf8))
    var survey = Survey()
    survey.add(source)
    let port = try survey.port(source)
    #expect(port.edits.count == 2 * count)
    let after = part.replacing("@objc dynamic ", with: "")
    #expect(port.edits.applied(to: source.bytes) == Array(String(repeating: after, count: count).utf8))
  }
}
