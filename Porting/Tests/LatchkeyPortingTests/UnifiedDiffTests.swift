import LatchkeyPorting
import Testing

struct UnifiedDiffTests {
  private func diff(_ text: String, path: String = "a.swift") throws -> String {
    let source = try SourceText(Array(text.utf8))
    var survey = Survey()
    survey.add(source)
    let edits = try survey.port(source).edits
    return String(decoding: UnifiedDiff.text(of: edits, in: source.bytes, path: path), as: UTF8.self)
  }

  @Test("A line that goes is shown alone, between three lines") func oneLine() throws {
    let diff = try diff("// 1\n// 2\n// 3\n// 4\nclass A {\n  @objc\n  func a() {}\n}\n// 5\n// 6\n")
    #expect(
      diff == """
        --- a/a.swift
        +++ b/a.swift
        @@ -3,7 +3,6 @@
         // 3
         // 4
         class A {
        -  @objc
           func a() {}
         }
         // 5

        """)
  }

  @Test("Changes whose context touches share a hunk, and others have their own") func hunks() throws {
    let lines = (1...20).map { "// \($0)\n" }
    let near = try diff("@objc class A {}\n" + lines[..<6].joined() + "@objc class B {}\n")
    #expect(near.split(separator: "\n").count { $0.hasPrefix("@@") } == 1)
    #expect(near.contains("@@ -1,8 +1,8 @@"))
    let far = try diff("import Darwin\n" + lines[..<7].joined() + "@objc class B {}\n" + lines.joined())
    #expect(far.contains("@@ -1,4 +1,8 @@"))
    #expect(far.contains("@@ -6,7 +10,7 @@"))
  }

  @Test("A missing newline at the end is said") func missingNewline() throws {
    #expect(
      try diff("@objc class A {}") == """
        --- a/a.swift
        +++ b/a.swift
        @@ -1,1 +1,1 @@
        -@objc class A {}
        \\ No newline at end of file
        +class A {}
        \\ No newline at end of file

        """)
    let pool = try diff("autoreleasepool { a() }")
    #expect(pool.contains("-autoreleasepool { a() }\n\\ No newline at end of file\n+autoreleasepool { a() }\n+\n+#if"))
  }

  @Test("Two edits on a line are one change, and CR stays in the lines") func sharedLines() throws {
    let diff = try diff("@objc class A { @objc dynamic var a = 1 }\r\n")
    #expect(diff.hasSuffix("-@objc class A { @objc dynamic var a = 1 }\r\n+class A { var a = 1 }\r\n"))
  }

  @Test("A file without edits has no diff") func empty() throws {
    #expect(try diff("let a = 1\n").isEmpty)
  }

  @Test(
    "A path with control characters is quoted, as git does",
    arguments: [
      ("a b/ä.swift", "a b/ä.swift"), ("a\nb", "\"a\\012b\""), ("a\"b", "\"a\\\"b\""), ("\u{1B}[2J", "\"\\033[2J\""),
      ("\u{202E}a", "\"\\342\\200\\256a\""), ("a\\b", "\"a\\\\b\""),
    ]) func quoted(path: String, text: String)
  { #expect(UnifiedDiff.quoted(path) == text) }
}
