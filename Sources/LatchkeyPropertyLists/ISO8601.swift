/// Dates in XML property lists: `2026-11-21T19:30:00Z`, in the proleptic Gregorian calendar, without leap seconds.
enum ISO8601 {
  /// Days from 0000-03-01 to 2001-01-01, the reference of property list dates.
  private static let daysToReference = 730_791
  private static let secondsADay = 86400

  /// Parses a date to seconds since 2001-01-01 00:00:00 UTC; nil if `text` does not have this form.
  static func decode(_ text: String) -> Double? {
    let utf8 = Array(text.utf8)
    guard utf8.count == 20, utf8[4] == UInt8(ascii: "-"), utf8[7] == UInt8(ascii: "-"), utf8[10] == UInt8(ascii: "T"),
      utf8[13] == UInt8(ascii: ":"), utf8[16] == UInt8(ascii: ":"), utf8[19] == UInt8(ascii: "Z"),
      let year = number(utf8[0..<4]), let month = number(utf8[5..<7]), let day = number(utf8[8..<10]),
      let hour = number(utf8[11..<13]), let minute = number(utf8[14..<16]), let second = number(utf8[17..<19]),
      (1...12).contains(month), (1...length(ofMonth: month, year: year)).contains(day), hour < 24, minute < 60,
      second < 60
    else { return nil }
    let days = days(year: year, month: month, day: day)
    return Double((days * 24 + hour) * 3600 + minute * 60 + second)
  }

  /// Formats `date`, rounded down to a second; nil outside the years 0 to 9999.
  static func encode(_ date: Double) -> String? {
    let floor = date.rounded(.down)
    guard let seconds = Int(exactly: floor), abs(seconds) < 10000 * 366 * secondsADay else { return nil }
    let day = Int((Double(seconds) / Double(secondsADay)).rounded(.down))
    let time = seconds - day * secondsADay
    let (year, month, dayOfMonth) = civil(day)
    guard (0...9999).contains(year) else { return nil }
    return
      "\(pad(year, 4))-\(pad(month))-\(pad(dayOfMonth))T\(pad(time / 3600)):\(pad(time / 60 % 60)):\(pad(time % 60))Z"
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      value = value * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return value
  }

  private static func pad(_ number: Int, _ width: Int = 2) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
  }

  private static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  // Years begin in March here, so that the leap day is the last day.

  /// Days since the reference.
  private static func days(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - daysToReference
  }

  private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
    let day = day + daysToReference
    let era = (day >= 0 ? day : day - 146_096) / 146_097
    let dayOfEra = day - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    return (
      yearOfEra + era * 400 + (month >= 10 ? 1 : 0), month < 10 ? month + 3 : month - 9,
      dayOfYear - (153 * month + 2) / 5 + 1
    )
  }
}
