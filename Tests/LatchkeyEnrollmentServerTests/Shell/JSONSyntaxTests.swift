import Foundation
import LatchkeyEnrollmentProtocol
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("JSON before any decoder")
struct JSONSyntaxTests {
  private func isTaken(_ json: String, depth: Int = 16) -> Bool { isTaken(Array(json.utf8), depth: depth) }

  private func isTaken(_ bytes: [UInt8], depth: Int = 16) -> Bool {
    do {
      try JSONSyntax.check(bytes, depth: depth)
      return true
    } catch {
      #expect(error.code == .malformedRequest)
      return false
    }
  }

  @Test(
    "What RFC 8259 has is taken",
    arguments: [
      "{}", "[]", " \t\r\n{ \"a\" : [ 1 , -0 , 0.5e+3 , true , false , null ] } ", "\"\"", "0", "-1E9",
      #"{"a":{"a":1},"b":{"a":1}}"#, #""\"\\\/\b\f\n\r\té\uD834\uDD1E""#, "\"é𝄞\"",
    ])
  func takes(_ json: String) { #expect(isTaken(json)) }

  @Test(
    "What it has not is refused",
    arguments: [
      "", " ", "{", "}", "[", "[1,]", "{\"a\":1,}", "{a:1}", "{'a':1}", "{\"a\" 1}", "[1 2]", "01", "1.", ".5", "+1",
      "1e",
      "nul", "TRUE", "NaN", "Infinity", "\"", "\"\\x\"", "\"\\u12\"", "\"\\u+123\"", "\"\u{1}\"", "\"\n\"", "{}{}",
      "1 1",
      "\u{FEFF}{}", "// c\n{}", "[1]x",
    ])
  func refuses(_ json: String) { #expect(!isTaken(json)) }

  @Test("A member twice is refused, however it is spelled, and however deep")
  func twice() {
    #expect(!isTaken(#"{"a":1,"a":1}"#))
    #expect(!isTaken(#"{"a":1,"a":2}"#))
    #expect(!isTaken(#"[{"x":{"a":1,"b":2,"a":3}}]"#))
  }

  @Test("Strings are Unicode without U+0000 and halves of pairs")
  func strings() {
    for json in [#""\u0000""#, #""\uD834""#, #""\uDD1E""#, #""\uD834A""#, #""\uD834\n""#] {
      #expect(!isTaken(json), "\(json)")
    }
    for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82]] {
      #expect(!isTaken([0x22] + bytes + [0x22]))
    }
  }

  @Test("Depth and members are bounded")
  func bounds() {
    #expect(isTaken("[[]]", depth: 2))
    #expect(!isTaken("[[[]]]", depth: 2))
    #expect(!isTaken(String(repeating: "[", count: 60_000)))
    #expect(!isTaken(String(repeating: "{\"a\":", count: 60_000)))
    let members = { (count: Int) in "{" + (0..<count).map { "\"m\($0)\":0" }.joined(separator: ",") + "}" }
    #expect(isTaken(members(64)))
    #expect(!isTaken(members(65)))
  }

  @Test("Cut anywhere, it is refused")
  func cut() throws {
    let json = Array(#"{"from":"A\uD834\uDD1E","list":[1.5e3,true,{"x":null}]}"#.utf8)
    #expect(isTaken(json))
    for end in 0..<json.count { #expect(!isTaken(Array(json[..<end])), "cut at \(end)") }
  }
}
