import LatchkeySealedMessages
import Testing

/// The wait that an answer asks for (RFC 9110 10.2.3), and dates in fields (5.6.7).
@Suite struct RetryAfterTests {
  /// Sun, 06 Nov 1994 08:49:37 GMT.
  private static let example: Int64 = 784_111_777

  private func wait(_ text: String?, date: String? = nil, now: Int64 = Self.example) -> Int64? {
    HTTPFields([("Retry-After", text), ("Date", date)].compactMap { name, value in value.map { (name, $0) } })
      .retryAfter(now: now)
  }

  @Test("Seconds are digits, and a wait without end is cut")
  func seconds() {
    #expect(wait("0") == 0)
    #expect(wait(" 120 ") == 120)
    #expect(wait("0120") == 120)
    #expect(wait("2147483648") == HTTPFields.longestRetryAfter)
    #expect(wait("2147483649") == HTTPFields.longestRetryAfter)
    #expect(wait("9223372036854775808") == HTTPFields.longestRetryAfter)
    #expect(wait(String(repeating: "9", count: 100_000)) == HTTPFields.longestRetryAfter)
  }

  @Test(
    "Anything else asks for nothing",
    arguments: [
      nil, "", "-1", "+1", "1.5", "1e3", "0x10", "1 2", "1, 2", "١٢", "soon", "120 s", "NaN", "\u{0}", "Sun,",
      String(repeating: "Sun, 06 Nov 1994 08:49:37 GMT ", count: 1000),
    ])
  func garbage(_ text: String?) { #expect(wait(text) == nil) }

  @Test("Two fields are none")
  func twice() {
    #expect(HTTPFields([("Retry-After", "1"), ("Retry-After", "2")]).retryAfter(now: 0) == nil)
  }

  @Test(
    "A date in each of its forms is a wait from the answer's own date, or from this clock without one",
    arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])
  func dates(_ text: String) {
    #expect(wait(text, now: Self.example - 600) == 600)
    #expect(wait(text, date: "Sun, 06 Nov 1994 08:39:37 GMT", now: Self.example + 86_400) == 600)
    #expect(wait(text, date: "Sunday, 06-Nov-94 08:39:37 GMT", now: Self.example + 86_400) == 600)
    // A Date that is none does not count.
    #expect(wait(text, date: "now", now: Self.example - 600) == 600)
  }

  @Test("A date that is past asks for no wait, and one without end is cut")
  func ends() {
    #expect(wait("Sun, 06 Nov 1994 08:49:37 GMT", now: Self.example + 1) == 0)
    #expect(wait("Sat, 01 Jan 0001 00:00:00 GMT") == 0)
    #expect(wait("Fri, 31 Dec 9999 23:59:59 GMT") == HTTPFields.longestRetryAfter)
    #expect(wait("Fri, 31 Dec 9999 23:59:59 GMT", now: .min) == HTTPFields.longestRetryAfter)
    #expect(wait("Sat, 01 Jan 0001 00:00:00 GMT", now: .max) == 0)
  }

  @Test(
    "What is like a date is none",
    arguments: [
      "Sun, 06 Nov 1994 08:49:37", "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
      "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
      "Sun, 06 13 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:49 GMT",
      "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 19940 08:49:37 GMT",
      "Sun, -6 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 06-Nov 08:49:37 GMT",
      "Sunday, 06-Nov-x4 08:49:37 GMT", "Sun Nov 6 1994 08:49:37", "Nov 6 08:49:37 1994",
      "Sun, 06 Nov 1994 08:49:37 GMT GMT",
    ])
  func noDates(_ text: String) { #expect(HTTPDate.seconds(text, now: Self.example) == nil, "\(text)") }

  @Test("A leap second is the second before it")
  func leapSecond() {
    #expect(HTTPDate.seconds("Sat, 31 Dec 2016 23:59:60 GMT", now: 0) == 1_483_228_799)
  }

  @Test("A year of two digits is the last one that is not more than fifty years ahead")
  func shortYears() {
    // 2026-11-27.
    let now: Int64 = 1_795_737_600
    func year(_ two: String) -> Int64? { HTTPDate.seconds("Monday, 01-Jan-\(two) 00:00:00 GMT", now: now) }
    #expect(year("27") == HTTPDate.seconds("Fri, 01 Jan 2027 00:00:00 GMT", now: now))
    #expect(year("76") == HTTPDate.seconds("Wed, 01 Jan 2076 00:00:00 GMT", now: now))
    #expect(year("77") == HTTPDate.seconds("Sat, 01 Jan 1977 00:00:00 GMT", now: now))
    #expect(year("94") == HTTPDate.seconds("Sat, 01 Jan 1994 00:00:00 GMT", now: now))
    #expect(HTTPDate.seconds("Monday, 01-Jan-10 00:00:00 GMT", now: now + 60 * 31_556_952) == 4_417_977_600)
  }
}
