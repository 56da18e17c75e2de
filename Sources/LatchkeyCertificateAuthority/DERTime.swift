internal import Foundation
internal import SwiftASN1

/// A time per RFC 5280 4.1.2.5: UTCTime through 2049, GeneralizedTime after, in whole seconds of UTC.
struct DERTime: DERSerializable {
  private let days: Int
  private let second: Int

  init(_ date: Date) throws(AuthorityError) {
    let seconds = date.timeIntervalSince1970.rounded(.down)
    // The two types represent the years 1950 to 9999.
    guard (-631_152_000...253_402_300_799).contains(seconds) else { throw .misuse("a time lies between 1950 and 9999") }
    let whole = Int(seconds)
    days = whole >= 0 ? whole / 86_400 : (whole - 86_399) / 86_400
    second = whole - days * 86_400
  }

  func serialize(into coder: inout DER.Serializer) throws {
    let (year, month, day) = civil
    guard year < 2050 else { return try serializeGeneralized(into: &coder) }
    try coder.serialize(
      UTCTime(
        year: year, month: month, day: day, hours: second / 3600, minutes: second / 60 % 60, seconds: second % 60))
  }

  /// The time as GeneralizedTime, whatever its year.
  func serializeGeneralized(into coder: inout DER.Serializer) throws {
    let (year, month, day) = civil
    try coder.serialize(
      GeneralizedTime(
        year: year, month: month, day: day, hours: second / 3600, minutes: second / 60 % 60, seconds: second % 60,
        fractionalSeconds: 0))
  }

  /// The Gregorian date. Years begin in March here, so that the leap day is the last day, and are counted in eras of 400.
  private var civil: (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let march = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * march + 2) / 5 + 1
    let month = march < 10 ? march + 3 : march - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}
