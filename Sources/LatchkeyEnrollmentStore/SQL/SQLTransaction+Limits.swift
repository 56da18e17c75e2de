// What servers of one store tell each other about their limits.

extension SQLTransaction {
  /// Seconds after which a report ends at the latest: one that a clock far ahead wrote ends too.
  private static let longest: Int64 = 3600

  /// The latest end of a report; for clocks at the end of time, too.
  private static func latest(_ now: Int64) -> Int64 {
    let (latest, isBeyond) = now.addingReportingOverflow(longest)
    return isBeyond ? .max : latest
  }

  package func countNodes(otherThan name: String, now: Int64) throws -> Int {
    try row("SELECT count(*) FROM nodes WHERE name <> $1 AND expires > $2", [.text(name), .integer(now)])
      .map { Int(clamping: try $0.integer(0)) } ?? 0
  }

  package func setLimitReport(_ report: LimitReport) throws {
    try change(
      """
      INSERT INTO limit_reports (node, session, sequence, expires, counts) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (node) DO UPDATE SET session = excluded.session, sequence = excluded.sequence,
        expires = excluded.expires, counts = excluded.counts
      """,
      [
        .text(report.node), .bytes(report.session), .integer(report.sequence), .integer(report.expires),
        .bytes(report.counts),
      ])
  }

  package func limitReports(otherThan node: String, now: Int64, limit: Int) throws -> [LimitReport] {
    try rows(
      """
      SELECT node, session, sequence, expires, counts FROM limit_reports
      WHERE node <> $1 AND expires > $2 AND expires <= $3 ORDER BY expires DESC, node LIMIT $4
      """, [.text(node), .integer(now), .integer(Self.latest(now)), .integer(Int64(max(0, limit)))]
    ).map {
      LimitReport(
        node: try $0.text(0), session: try $0.bytes(1), sequence: try $0.integer(2), expires: try $0.integer(3),
        counts: try $0.bytes(4))
    }
  }

  /// Deletes reports that have ended, at most `limit`.
  func forgetEndedLimitReports(now: Int64, limit: Int) throws -> Int {
    try change(
      """
      DELETE FROM limit_reports WHERE node IN (
        SELECT node FROM limit_reports WHERE expires <= $1 OR expires > $2 LIMIT $3)
      """, [.integer(now), .integer(Self.latest(now)), .integer(Int64(max(0, limit)))])
  }
}
