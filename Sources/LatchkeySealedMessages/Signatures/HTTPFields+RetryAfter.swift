// When a server wants to be asked again (RFC 9110 10.2.3).

extension HTTPFields {
  /// The longest wait that `retryAfter(now:)` returns, in seconds; longer ones count as this.
  package static let longestRetryAfter: Int64 = 1 << 31

  /// The wait that `Retry-After` asks for, in seconds, from 0 to `longestRetryAfter`; nil without the field, and if it has neither of its
  /// forms.
  ///
  /// A date is counted from the message's own `Date`, so that the clocks of both ends may differ.
  ///
  /// - Parameter now: the receiver's clock, seconds since 1970, for a message without a `Date`.
  package func retryAfter(now: Int64) -> Int64? {
    guard let text = self["retry-after"] else { return nil }
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      return min(Int64(text) ?? Self.longestRetryAfter, Self.longestRetryAfter)
    }
    guard let date = HTTPDate.seconds(text, now: now) else { return nil }
    let sent = self["date"].flatMap { HTTPDate.seconds($0, now: now) } ?? now
    guard date > sent else { return 0 }
    let (wait, isOverflow) = date.subtractingReportingOverflow(sent)
    return isOverflow ? Self.longestRetryAfter : min(wait, Self.longestRetryAfter)
  }
}

/// A date in a field (RFC 9110 5.6.7).
package enum HTTPDate {
  private static let longest = 64
  private static let months: [Substring] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Parses the form in use, `Sun, 06 Nov 1994 08:49:37 GMT`, and the two obsolete ones, `Sunday, 06-Nov-94 08:49:37 GMT` and
  /// `Sun Nov  6 08:49:37 1994`, to seconds since 1970. The name of the day is not compared with the date.
  ///
  /// - Parameter now: seconds since 1970, for a year of two digits: it is the last one so that is not more than 50 years ahead.
  /// - Returns: nil for any other text, including nonexistent days.
  package static func seconds(_ text: String, now: Int64) -> Int64? {
    guard text.utf8.count <= longest else { return nil }
    let words = text.split(separator: " ")
    if words.count == 6, words[0].hasSuffix(","), words[5] == "GMT" {
      return seconds(words[3], words[2], words[1], words[4])
    }
    if words.count == 5 { return seconds(words[4], words[1], words[2], words[3]) }
    guard words.count == 4, words[0].hasSuffix(","), words[3] == "GMT" else { return nil }
    let date = words[1].split(separator: "-", omittingEmptySubsequences: false)
    guard date.count == 3, date[2].utf8.count == 2 else { return nil }
    let (latest, isOverflow) = now.addingReportingOverflow(50 * 31_556_952)
    let ofCenturies = ["19", "20", "21"].compactMap { seconds($0 + date[2], date[1], date[0], words[2]) }
    return ofCenturies.last { isOverflow || $0 <= latest } ?? ofCenturies.first
  }

  private static func seconds(_ year: Substring, _ month: Substring, _ day: Substring, _ time: Substring) -> Int64? {
    guard let index = months.firstIndex(of: month) else { return nil }
    let number = index + 1
    let day = day.utf8.count == 1 ? "0" + day : day
    // A leap second counts as the second before it.
    let time = time.hasSuffix(":60") ? time.dropLast(2) + "59" : time
    return LegacyDate.seconds("\(year)-\(number < 10 ? "0" : "")\(number)-\(day) \(time) +0000")
  }
}
