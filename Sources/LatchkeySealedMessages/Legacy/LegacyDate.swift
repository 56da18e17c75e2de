/// A date in the legacy messages' form: `NSDate`'s description, always in UTC, `2012-02-27 05:00:00 +0000`.
public enum LegacyDate {
  /// The description of a time.
  ///
  /// - Parameter seconds: since 1970; of the years 0001 to 9999.
  /// - Throws: `.misuse` for other years, whose descriptions have another length.
  public static func text(_ seconds: Int64) throws(SealedMessageError) -> String {
    guard (Self.first...Self.last).contains(seconds) else { throw .misuse("give a date of the years 1 to 9999") }
    let (day, time) = seconds.floored(by: 86_400)
    let (year, month, dayOfMonth) = civil(day)
    func padded(_ value: Int64, _ count: Int) -> String {
      let digits = String(value)
      return String(repeating: "0", count: count - digits.count) + digits
    }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2)) "
      + "\(padded(time / 3600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2)) +0000"
  }

  /// Parses a text to seconds since 1970: a description, or a bare date, meaning its midnight, as in the old client's sample.
  /// Nil for any other text, including nonexistent days.
  public static func seconds(_ text: String) -> Int64? {
    let parts = text.utf8.split(separator: 0x20, omittingEmptySubsequences: false)
    guard parts.count == 1 || parts.count == 3,
      let date = numbers(parts[0], separator: "-", counts: [4, 2, 2]), date[0] > 0, (1...12).contains(date[1])
    else { return nil }
    let day = days(date[0], date[1], date[2])
    guard civil(day) == (date[0], date[1], date[2]) else { return nil }
    guard parts.count == 3 else { return day * 86_400 }
    guard let time = numbers(parts[1], separator: ":", counts: [2, 2, 2]), time[0] < 24, time[1] < 60, time[2] < 60,
      parts[2].elementsEqual("+0000".utf8)
    else { return nil }
    return day * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
  }

  private static let first = days(1, 1, 1) * 86_400
  private static let last = days(10_000, 1, 1) * 86_400 - 1

  /// Days since 1970 of a Gregorian date. Years begin in March here, in eras of 400.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let (era, yearOfEra) = (month <= 2 ? year - 1 : year).floored(by: 400)
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = (days + 719_468).floored(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let fromMarch = (5 * dayOfYear + 2) / 153
    let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * fromMarch + 2) / 5 + 1)
  }

  /// Parses separated numbers, each with the given count of digits.
  private static func numbers(_ text: Substring.UTF8View, separator: Unicode.Scalar, counts: [Int]) -> [Int64]? {
    let parts = text.split(separator: UInt8(truncatingIfNeeded: separator.value), omittingEmptySubsequences: false)
    guard parts.map(\.count) == counts else { return nil }
    var numbers: [Int64] = []
    for part in parts {
      guard part.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      numbers.append(part.reduce(0) { $0 * 10 + Int64($1 - 0x30) })
    }
    return numbers
  }
}

extension Int64 {
  /// Quotient and non-negative remainder.
  fileprivate func floored(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
