// modules: LatchkeyByteCoding
// from LatchkeyEnrollmentStore: Limits
import LatchkeyByteCoding

/// Reads the input as the counts of another server's report: accepted ones are written again with the same meaning, and an exchange takes
/// each use once, whatever the report's number.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLimitReports(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  if let uses = LimitCounts.decode(input) {
    guard uses.count <= LimitCounts.most, uses.allSatisfy({ $0.use.count > 0 }) else { fatalError("beyond the limits") }
    guard LimitCounts.decode(LimitCounts.encode(uses)) == uses else { fatalError("counts that read differently") }
  }
  var exchange = LimitExchange(node: "b", session: [UInt8](repeating: 2, count: 16))
  _ = exchange.news(in: [])
  let number = input.prefix(8).reduce(0) { $0 << 8 | Int64($1) }
  let report = LimitReport(
    node: "a", session: [UInt8](repeating: 1, count: 16), sequence: number, expires: 60, counts: input)
  let other = LimitReport(
    node: "c", session: [UInt8](repeating: 3, count: 16), sequence: 1, expires: 60, counts: Array(input.dropFirst(8)))
  let news = exchange.news(in: [report, other])
  guard Set(news.map(\.key)).count == news.count else { fatalError("a client twice") }
  guard exchange.news(in: [other, report]).isEmpty else { fatalError("a report that counts twice") }
  return 0
}
