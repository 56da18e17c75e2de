import LatchkeyEnrollmentProtocol
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("Bodies in JSON")
struct JSONBytesTests {
  private func code(_ body: String, type: String? = "application/json", limits: ServerLimits = ServerLimits())
    -> Problem?
  {
    #expect(throws: Problem.self) {
      try JSONBytes.decode(Array(body.utf8), as: Transfer.self, contentType: type, limits: limits)
    }
  }

  static let transfer =
    #"{"from":"654654123123","to":"123123456456","amount":"23.23","currency":"EUR","notes":"Book","more":[1]}"#

  @Test("A body is read, whatever parameters its type has, members that are not known passed over")
  func reads() throws {
    for type in ["application/json", "Application/JSON; charset=utf-8"] {
      let transfer = try JSONBytes.decode(
        Array(Self.transfer.utf8), as: Transfer.self, contentType: type, limits: ServerLimits())
      #expect(transfer.amount == Amount(minorUnits: 2323))
    }
  }

  @Test("Another type, or none, is refused before the body is looked at")
  func types() {
    for type in [nil, "", "text/json", "application/jsonp", "application/x-www-form-urlencoded"] {
      #expect(code(Self.transfer, type: type)?.code == .unsupportedMediaType)
    }
  }

  @Test("A missing member, a wrong type, and malformed JSON have different errors, by place and not by content")
  func places() {
    #expect(code(#"{"from":"1"}"#)?.detail?.contains("missing") == true)
    let wrong = Self.transfer.replacing("\"23.23\"", with: "23.23")
    #expect(code(wrong)?.detail?.contains("amount") == true)
    #expect(code(wrong)?.detail?.contains("23.23\"") == false)
    for body in ["", "{", "nul", "[]", "\"\"", "{}{}", Self.transfer + "x", "\u{FEFF}x"] {
      #expect(code(body)?.code == .malformedRequest)
    }
  }

  @Test(
    "A body that strict JSON does not allow is refused with the reason",
    arguments: [
      ("", "the body is not JSON"), ("{}{}", "the body goes on after its JSON"),
      (#"{"a":1,"a":1}"#, "an object has a member twice"), ("\"\u{1}\"", "a string has a control character"),
      (#""\u0000""#, "a string has U+0000 or half a surrogate pair"),
      (#""\uD834\u0041""#, "a string has half a surrogate pair"),
      (String(repeating: "1", count: 2000), "a number has too many characters"),
      ("{" + (0...64).map { "\"m\($0)\":0" }.joined(separator: ",") + "}", "an object has too many members"),
    ])
  func reasons(body: String, detail: String) {
    #expect(code(body)?.code == .malformedRequest)
    #expect(code(body)?.detail == detail)
  }

  @Test("Depth is counted before anything recurses, brackets in strings aside")
  func depth() throws {
    for deep in [17, 1000, 30_000] {
      #expect(code(String(repeating: "[", count: deep))?.detail?.contains("deeply") == true)
      #expect(code(String(repeating: "{\"a\":", count: deep / 5 + 17))?.code == .malformedRequest)
    }
    let brackets = Self.transfer.replacing("Book", with: #"\"[[[[[[[[[[[[[[[[[[[[[[[["#)
    _ = try JSONBytes.decode(
      Array(brackets.utf8), as: Transfer.self, contentType: "application/json", limits: ServerLimits())
  }

  @Test("Size is bounded")
  func size() {
    var limits = ServerLimits()
    limits.bodySize = 10
    #expect(code(Self.transfer, limits: limits)?.code == .tooLarge)
  }
}
