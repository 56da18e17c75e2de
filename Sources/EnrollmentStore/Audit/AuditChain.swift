/// The audit chain: each entry's hash covers the one before it, and the last one's stands in a row of its own.
///
/// It shows that an entry was altered, taken out, put in, or taken off the end. Whoever can write the whole database can also
/// write a new chain from the altered place to the end: against that, keep the heads (`auditHead(node:)`) somewhere else from
/// time to time, and compare.
///
/// A chain belongs to one writer: to a node, where one connection writes (SQLite); to a connection of a node, where several
/// do, so that they do not wait for each other.
public enum AuditChain {
  /// How one chain was found.
  public struct Report: Sendable, Hashable {
    /// Whose chain.
    public var node: String
    /// The entries that are as they were written, from the first.
    public var entries: Int64
    /// The first thing that is wrong; nil for a whole chain.
    public var fault: Fault?

    /// How a chain was found.
    public init(node: String, entries: Int64, fault: Fault? = nil) {
      self.node = node
      self.entries = entries
      self.fault = fault
    }
  }

  /// What is wrong with a chain. Numbers are the entries'.
  public enum Fault: Sendable, Hashable, CustomStringConvertible {
    /// The entry is not what its hash covers.
    case altered(Int64)
    /// The entry does not follow the one before it.
    case broken(Int64)
    /// Entries are missing, the first of them this one.
    case missing(Int64)
    /// The last entries are missing, the first of them this one: the chain's head has seen more.
    case truncated(Int64)
    /// The entry comes after the end that the chain's head says, or the head is gone.
    case beyondHead(Int64)

    /// What to tell somebody who has to look at it.
    public var description: String {
      switch self {
      case .altered(let number): "entry \(number) was altered"
      case .broken(let number): "entry \(number) does not follow the one before it"
      case .missing(let number): "entry \(number) is missing"
      case .truncated(let number): "the end is missing, from entry \(number)"
      case .beyondHead(let number): "entry \(number) was added past the end"
      }
    }
  }

  /// Looks at all chains of a store, page by page, while others write.
  ///
  /// - Parameter page: entries that are read at once.
  /// - Returns: a report for each node, by name.
  /// - Throws: ``EnrollmentStoreError`` if the store cannot be read.
  public static func verify(_ store: any EnrollmentStore, page: Int = 1000) async throws -> [Report] {
    var reports: [Report] = []
    for node in try await store.read({ try $0.auditNodes() }) {
      reports.append(try await verify(node, in: store, page: max(1, page)))
    }
    return reports
  }

  private static func verify(_ node: String, in store: any EnrollmentStore, page: Int) async throws -> Report {
    var last = AuditHead.start(of: node)
    while true {
      let after = last.sequence
      let read = try await store.read { transaction in
        do {
          return Page(
            head: try transaction.auditHead(node: node),
            entries: try transaction.auditEntries(node: node, after: after, limit: page))
        } catch EnrollmentStoreError.damaged {
          // Some entry does not even read: the one that does not is found by asking for one at a time.
          guard page > 1 else { return Page(isUnreadable: true) }
          return Page(isSuspect: true)
        }
      }
      if read.isUnreadable { return Report(node: node, entries: after, fault: .altered(after + 1)) }
      if read.isSuspect { return try await verify(node, in: store, page: 1) }
      for entry in read.entries {
        if let fault = fault(in: entry, after: last, head: read.head) {
          return Report(node: node, entries: last.sequence, fault: fault)
        }
        last = AuditHead(node: node, sequence: entry.sequence, hash: entry.hash)
      }
      guard read.entries.isEmpty else { continue }
      let end = read.head ?? .start(of: node)
      let fault: Fault? =
        switch end.sequence {
        case last.sequence: end.hash == last.hash ? nil : .altered(last.sequence)
        case ..<last.sequence: .beyondHead(end.sequence + 1)
        default: .truncated(last.sequence + 1)
        }
      return Report(node: node, entries: last.sequence, fault: fault)
    }
  }

  /// What one read gives: head and entries of the same moment.
  private struct Page: Sendable {
    var head: AuditHead?
    var entries: [ChainedEntry] = []
    var isSuspect = false
    var isUnreadable = false
  }

  private static func fault(in entry: ChainedEntry, after last: AuditHead, head: AuditHead?) -> Fault? {
    let next = last.sequence + 1
    guard entry.sequence == next else { return .missing(next) }
    guard entry.sequence <= head?.sequence ?? 0 else { return .beyondHead(next) }
    guard entry.previous == last.hash else { return .broken(next) }
    let hash = AuditEncoding.hash(entry.entry, node: entry.node, sequence: entry.sequence, previous: entry.previous)
    return hash == entry.hash ? nil : .altered(next)
  }
}
