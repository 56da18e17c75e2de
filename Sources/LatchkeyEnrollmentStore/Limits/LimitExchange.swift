/// What one server tells the others of its store about used limits, and what it learns from them: the rules, without clock or store.
///
/// A report has the newest counts and those of some seconds before, each with a number. A reader remembers the last number that it has
/// read of each process, so a report that is written, or read, twice counts once, and one that is read late counts in full. Nobody
/// waits for anyone: without reports each server has the limits for itself.
package struct LimitExchange: Sendable {
  /// The seconds for which counts stay in the report.
  package static let memory: Int64 = 10
  /// The seconds after which a report ends.
  package static let life: Int64 = 60
  /// The most reports that are read at once, of as many servers.
  package static let mostReports = 64
  /// The numbers of counts that a report has at most.
  private static let mostAges: Int64 = 10
  /// The greatest number that is accepted, so that no arithmetic overflows.
  private static let mostSequence: Int64 = 1 << 53

  private struct Counts {
    let sequence: Int64
    let time: Int64
    let uses: [LimitUse]
  }

  private let node: String
  private let session: [UInt8]
  private var sequence: Int64 = 0
  /// Oldest first.
  private var counts: [Counts] = []
  /// The number of the newest counts that are stored.
  private var stored: Int64 = 0
  /// The last number read of each process; nil before the first reading.
  private var seen: [[UInt8]: Int64]?

  /// - Parameters:
  ///   - node: this server's name.
  ///   - session: random bytes of this process.
  package init(node: String, session: [UInt8]) { (self.node, self.session) = (node, session) }

  /// Adds what was used since the last time.
  ///
  /// - Parameter now: seconds since 1970, as of each time here.
  package mutating func add(_ uses: [LimitUse], now: Int64) {
    guard !uses.isEmpty else { return }
    sequence += 1
    counts.append(Counts(sequence: sequence, time: now, uses: uses))
  }

  /// The report to store; nil if there is nothing new.
  package mutating func report(now: Int64) -> LimitReport? {
    // A clock that was set back makes no counts stay.
    counts.removeAll { !(now - Self.memory...now).contains($0.time) || $0.sequence <= sequence - Self.mostAges }
    guard sequence > stored, !counts.isEmpty else { return nil }
    var uses: [LimitCounts.Aged] = []
    for counts in counts.reversed() where uses.count < LimitCounts.most {
      uses += counts.uses.map { LimitCounts.Aged($0, age: UInt8(clamping: sequence - counts.sequence)) }
    }
    return LimitReport(
      node: node, session: session, sequence: sequence, expires: now + Self.life, counts: LimitCounts.encode(uses))
  }

  /// Records that a report is stored.
  package mutating func note(stored report: LimitReport) { stored = max(stored, report.sequence) }

  /// The uses in other servers' reports that were not read before, one for each limit of a client. The first reading gives none: a server
  /// that starts has full buckets.
  package mutating func news(in reports: [LimitReport]) -> [LimitUse] {
    var newest: [[UInt8]: Int64] = [:]
    var sums: [LimitUse.Key: (count: UInt64, tenths: UInt16)] = [:]
    for report in reports.prefix(Self.mostReports) {
      guard report.node != node, report.session != session, report.session.count == session.count,
        (1...Self.mostSequence).contains(report.sequence), newest[report.session] == nil,
        let uses = LimitCounts.decode(report.counts)
      else { continue }
      let last = seen.map { $0[report.session] ?? 0 } ?? report.sequence
      newest[report.session] = max(last, report.sequence)
      for (key, use) in Self.sums(of: uses, in: report, after: last) {
        let sum = sums[key] ?? (0, 0)
        // Servers count side by side, so their times do not add up.
        sums[key] = (sum.count + use.count, max(sum.tenths, use.tenths))
      }
    }
    seen = newest
    return sums.map { LimitUse($0, count: UInt32(clamping: $1.count), tenths: $1.tenths) }
  }

  /// The counts of one server after a number, for each key, with the times that they took together.
  private static func sums(
    of uses: [LimitCounts.Aged], in report: LimitReport, after last: Int64
  ) -> [LimitUse.Key: (count: UInt64, tenths: UInt16)] {
    var sums: [LimitUse.Key: (count: UInt64, tenths: UInt16)] = [:]
    for aged in uses where report.sequence - Int64(aged.age) > last && Int64(aged.age) < mostAges {
      let sum = sums[aged.use.key] ?? (0, 0)
      let tenths = sum.tenths.addingReportingOverflow(aged.use.tenths)
      sums[aged.use.key] = (sum.count + UInt64(aged.use.count), tenths.overflow ? .max : tenths.partialValue)
    }
    return sums
  }
}
