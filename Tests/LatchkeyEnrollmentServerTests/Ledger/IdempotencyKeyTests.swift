import Testing

@testable import LatchkeyEnrollmentServer

@Suite("Idempotency keys")
struct IdempotencyKeyTests {
  @Test(
    "A key is 16 to 128 letters, digits, dashes and underscores, quoted or not",
    arguments: ["0123456789abcdef", "\"0123456789abcdef\"", "A-_zA-_zA-_zA-_z", String(repeating: "x", count: 128)])
  func reads(field: String) {
    #expect(IdempotencyKey(field: field)?.text == field.replacing("\"", with: ""))
  }

  @Test(
    "Anything else is none",
    arguments: [
      "", "short", "0123456789abcde", "\"0123456789abcde\"", "0123456789abcdef ", "0123456789abcdeé",
      "0123456789abcdef\n",
      "0123456789abcdef, 0123456789abcdef", "\"0123456789abcdef", String(repeating: "x", count: 129),
    ])
  func refuses(field: String) {
    #expect(IdempotencyKey(field: field) == nil)
  }

  @Test("A digest separates method, path and body, wherever each ends")
  func digests() {
    let all = [
      IdempotencyKey.digest(method: "POST", path: "/a", body: [1]),
      IdempotencyKey.digest(method: "POST", path: "/", body: Array("a".utf8) + [1]),
      IdempotencyKey.digest(method: "POST/", path: "a", body: [1]),
      IdempotencyKey.digest(method: "PUT", path: "/a", body: [1]),
      IdempotencyKey.digest(method: "POST", path: "/a", body: [2]),
      IdempotencyKey.digest(method: "POST", path: "/a", body: []),
    ]
    #expect(Set(all).count == all.count)
  }
}
