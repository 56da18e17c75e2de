// modules: LatchkeyByteCoding LatchkeySealedMessages
import LatchkeySealedMessages

/// Reads the input as the lines of an answer's `Retry-After` and `Date`: a wait is within its bounds, whatever the clock, and one in digits
/// does not depend on the clock.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRetryAfterFields(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let lines = UnsafeBufferPointer(start: start, count: count).split(separator: 0x0A, omittingEmptySubsequences: false)
  let texts = lines.prefix(2).map { String(decoding: $0, as: UTF8.self) }
  let fields = HTTPFields(zip(["Retry-After", "Date"], texts).map { ($0, $1) })
  for now in [.min, 0, 1_800_000_000, .max] as [Int64] {
    guard let wait = fields.retryAfter(now: now) else { continue }
    guard (0...HTTPFields.longestRetryAfter).contains(wait) else { fatalError("a wait beyond its bounds") }
    if let text = fields["retry-after"], let seconds = Int64(text),
      wait != min(seconds, HTTPFields.longestRetryAfter)
    {
      fatalError("a number of seconds that depends on the clock")
    }
    if let date = texts.first.flatMap({ HTTPDate.seconds($0, now: now) }), !years.contains(date) {
      fatalError("a date of no year with four digits")
    }
  }
  return 0
}

/// The years 1 to 9999.
private let years: ClosedRange<Int64> = -62_135_596_800...253_402_300_799
