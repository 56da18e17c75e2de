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

  @Test("Each form is its own form", arguments: 0..<500)
  func stable(_ seed: Int) throws {
    var generator = SystemRandomNumberGenerator()
    let scalars = (0..<4).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0x21...0x2FFF, using: &generator)) }
    let typed = String(String.UnicodeScalarView(scalars))
    guard let name = try? UserName(entered: typed) else { return }
    #expect(try UserName(entered: name.text) == name)
  }
}
