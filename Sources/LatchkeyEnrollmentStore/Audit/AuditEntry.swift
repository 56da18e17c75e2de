/// Something that happened, for the audit chain. Nothing secret, no money's owner beyond identifiers.
public struct AuditEntry: Sendable, Hashable {
  /// What: `device.registered`, `certificate.revoked`, `transfer.booked`, …
  public var event: String
  /// When, seconds since 1970.
  public var time: Int64
  /// Whom and what it is about, by name.
  public var fields: [String: String]

  /// An entry.
  public init(event: String, time: Int64, fields: [String: String] = [:]) {
    self.event = event
    self.time = time
    self.fields = fields
  }
}

/// An entry in its chain: each hash covers the one before it (`AuditChain`).
public struct ChainedEntry: Sendable, Hashable {
  /// The server that wrote it.
  public var node: String
  /// 1 for a node's first, without gaps.
  public var sequence: Int64
  /// What happened.
  public var entry: AuditEntry
  /// The hash of the one before; 32 zero bytes for the first.
  public var previous: [UInt8]
  /// SHA-256 over all of it.
  public var hash: [UInt8]

  /// An entry in its chain.
  public init(node: String, sequence: Int64, entry: AuditEntry, previous: [UInt8], hash: [UInt8]) {
    self.node = node
    self.sequence = sequence
    self.entry = entry
    self.previous = previous
    self.hash = hash
  }
}
