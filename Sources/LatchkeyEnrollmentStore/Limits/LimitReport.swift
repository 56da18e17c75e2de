/// What a server tells the others that share its store about the limits that its clients used: one row, which it overwrites.
public struct LimitReport: Sendable, Hashable {
  /// The server's name.
  public var node: String
  /// 16 random bytes of the process that wrote it: a restarted server counts from the start.
  public var session: [UInt8]
  /// The number of the newest counts; each later report of a session has a greater one.
  public var sequence: Int64
  /// Its end, in seconds since 1970: a minute after the newest counts.
  public var expires: Int64
  /// The counts, with digests in place of addresses and names.
  public var counts: [UInt8]

  /// Creates a report.
  public init(node: String, session: [UInt8], sequence: Int64, expires: Int64, counts: [UInt8]) {
    (self.node, self.session, self.sequence) = (node, session, sequence)
    (self.expires, self.counts) = (expires, counts)
  }
}
