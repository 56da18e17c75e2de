import Foundation
import LatchkeyEnrollmentProtocol
import Testing

@Suite("Names of users")
struct UserNameTests {
  @Test("Two are equal if their bytes are, whatever String says")
  func bytes() {
    let (composed, decomposed) = (UserName(stored: "jos\u{E9}"), UserName(stored: "jose\u{301}"))
    #expect(composed.text == decomposed.text)
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed, UserName(stored: "jos\u{E9}")]).count == 2)
    #expect(Dictionary([(composed, 1), (decomposed, 2)]) { a, _ in a }[decomposed] == 2)
  }

  @Test(
    "What is typed comes into one form",
    arguments: [
      ("demo", "demo"), ("Juliet", "Juliet"), ("jose\u{301}", "jos\u{E9}"), ("jos\u{E9}", "jos\u{E9}"),
      ("\u{FF21}\u{FF42}", "Ab"), ("a\u{3000}b", "a b"), ("\u{FF76}\u{FF9E}", "\u{30AC}"),
      ("fu\u{DF}ball", "fu\u{DF}ball"),
      ("\u{3C3}\u{3C2}", "\u{3C3}\u{3C2}"), ("anna maria", "anna maria"),
      ("o'brien@example.org", "o'brien@example.org"),
      ("\u{663}\u{664}", "\u{663}\u{664}"), ("\u{1E9B}\u{323}x", nil as String?),
    ])
  func entered(_ typed: String, _ form: String?) throws {
    let name = try? UserName(entered: typed)
    #expect(name.map { Array($0.text.utf8) } == form.map { Array($0.utf8) })
  }

  @Test(
    "Invalid names are refused",
    arguments: [
      "", " ", " a", "a ", "a  b", "a\tb", "a\u{0}b", "\u{265A}", "henry\u{2163}", "\u{FB01}x", "a\u{200B}b",
      "a\u{200D}b",
      "a\u{AD}b", "\u{202E}abc", "a\u{B7}b", "\u{E000}", "\u{1F600}", "a\u{A0}b", "\u{660}\u{6F0}",
      "\u{1100}\u{1161}\u{302E}",
      "\u{640}", "a\nb", "\u{FFFD}", "\u{378}", String(repeating: "a", count: 65),
      String(repeating: "e\u{301}", count: 65),
      String(repeating: "\u{301}", count: 2000),
    ])
  func refused(_ typed: String) {
    #expect(throws: UserNameError.self) { try UserName(entered: typed) }
  }

  @Test("Names may be as long as a certificate's organization")
  func longest() throws {
    #expect(try UserName(entered: String(repeating: "e\u{301}", count: 64)).text.unicodeScalars.count == 64)
  }

  @Test("A typed name also matches names stored before normalization, the literal one first")
  func candidates() {
    let texts = { (typed: String) in UserName.candidates(entered: typed).map { Array($0.text.utf8) } }
    let (composed, decomposed) = (Array("jos\u{E9}".utf8), Array("jose\u{301}".utf8))
    #expect(texts("jos\u{E9}") == [composed, decomposed])
    #expect(texts("jose\u{301}") == [decomposed, composed])
    #expect(texts("demo") == [Array("demo".utf8)])
    #expect(texts("a  b") == [Array("a  b".utf8)])
    #expect(texts("") == [])
  }

  @Test("Marks that decompose stand in canonical order, as they do when the name is entered again")
  func decomposingMarks() throws {
    for typed in ["a\u{33A}\u{F73}", "a\u{301}\u{F75}", "a\u{348}\u{F81}"] {
      let name = try UserName(entered: typed)
      #expect(try UserName(entered: name.text) == name)
      #expect(try UserName(entered: typed.decomposedStringWithCanonicalMapping) == name)
    }
    #expect(
      Array(try UserName(entered: "a\u{33A}\u{F73}").text.unicodeScalars) == ["a", "\u{F71}", "\u{F72}", "\u{33A}"])
  }

  @Test("A name that is entered again stays as it is", arguments: 0..<500)
  func stable(_ seed: Int) throws {
    var state = UInt64(seed)
    for _ in 0..<100 {
      let scalars = (0..<4).compactMap { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Unicode.Scalar(0x21 + UInt32(state >> 33) % 0x2FDF)
      }
      guard let name = try? UserName(entered: String(String.UnicodeScalarView(scalars))) else { continue }
      #expect(try UserName(entered: name.text) == name, "\(scalars)")
    }
  }
}
