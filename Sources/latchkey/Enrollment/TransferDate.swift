import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeySealedMessages

/// A transfer date as it is typed, in UTC (ISO 8601): a day, which is its midnight, or a time.
struct TransferDate: Hashable {
  /// Seconds since 1970.
  let seconds: Int64

  /// What is said where a text is none.
  static let form = "a day or a time in UTC, of a year from 1970 on: 2026-11-30 or 2026-11-30T14:00:00Z"

  init(seconds: Int64) { self.seconds = seconds }

  init?(_ text: String) {
    guard !text.contains(" ") else { return nil }
    // The same as `NSDate` describes it, which the old messages have.
    let isTime = text.utf8.count == 20 && text.hasSuffix("Z")
    let described = isTime ? text.dropLast().replacing("T", with: " ") + " +0000" : text
    guard let seconds = LegacyDate.seconds(described), Transfer.dates.contains(seconds) else { return nil }
    self.seconds = seconds
  }

  /// As it is typed: midnight is the day alone.
  var text: String {
    let time = EnrollmentReport.time(date)
    return seconds % 86_400 == 0 ? String(time.prefix(10)) : time
  }

  var date: Date { Date(timeIntervalSince1970: TimeInterval(seconds)) }
}
