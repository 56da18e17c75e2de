/// The end of a node's chain, stored in a row of its own: a chain without its last entries does not reach it.
public struct AuditHead: Sendable, Hashable {
  /// Whose chain.
  public var node: String
  /// The last entry's number; 0 before the first.
  public var sequence: Int64
  /// The last entry's hash; 32 zero bytes before the first.
  public var hash: [UInt8]

  /// The end of a chain.
  public init(node: String, sequence: Int64, hash: [UInt8]) {
    self.node = node
    self.sequence = sequence
    self.hash = hash
  }

  /// Before a chain's first entry.
  static func start(of node: String) -> AuditHead {
    AuditHead(node: node, sequence: 0, hash: [UInt8](repeating: 0, count: 32))
  }

  /// The entry that comes next, in its chain.
  func appending(_ entry: AuditEntry) throws(EnrollmentStoreError) -> ChainedEntry {
    guard sequence >= 0, sequence < .max else {
      throw .damaged("the audit chain of \(node) has no next number: run latchkey-server audit verify")
    }
    return ChainedEntry(
      node: node, sequence: sequence + 1, entry: entry, previous: hash,
      hash: AuditEncoding.hash(entry, node: node, sequence: sequence + 1, previous: hash))
  }
}
