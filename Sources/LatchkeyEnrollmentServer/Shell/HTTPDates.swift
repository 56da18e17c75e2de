internal import Foundation
internal import Synchronization

/// The Date field (RFC 9110 6.6.1), formatted once a second.
final class HTTPDates: Sendable {
  static let shared = HTTPDates()

  private let last = Mutex((second: 0, text: ""))

  var now: String {
    let second = time(nil)
    return last.withLock {
      if $0.second != second { $0 = (second, Self.text(second)) }
      return $0.text
    }
  }

  /// A time, seconds since 1970, as in other fields of dates (RFC 9110 5.6.7).
  static func text(of second: Int64) -> String { text(Int(clamping: second)) }

  private static func text(_ second: Int) -> String {
    var time = time_t(second)
    var parts = tm()
    gmtime_r(&time, &parts)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(1900 + parts.tm_year) "
      + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
  }
}
