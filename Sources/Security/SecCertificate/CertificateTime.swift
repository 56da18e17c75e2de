import SwiftASN1

/// The times of a certificate's validity (RFC 5280 4.1.2.5).
enum CertificateTime {
  /// Seconds from 2001-01-01 00:00:00 UTC to a UTCTime or GeneralizedTime; nil if it is neither.
  static func seconds(_ node: ASN1Node) -> Double? {
    if let time = try? UTCTime(derEncoded: node) {
      return seconds(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
    }
    guard let time = try? GeneralizedTime(derEncoded: node) else { return nil }
    return seconds(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
  }

  private static func seconds(_ year: Int, _ month: Int, _ day: Int, _ hours: Int, _ minutes: Int, _ seconds: Int)
    -> Double
  {
    // A year starts in March here, so that a leap day is its last day.
    let year = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let leapDays = year.floorDivided(by: 4) - year.floorDivided(by: 100) + year.floorDivided(by: 400)
    // 2001-01-01 is day 730 791 of this count.
    let days = 365 * year + leapDays + dayOfYear - 730_791
    return Double(days * 86_400 + hours * 3_600 + minutes * 60 + seconds)
  }
}

extension Int {
  fileprivate func floorDivided(by divisor: Int) -> Int {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
