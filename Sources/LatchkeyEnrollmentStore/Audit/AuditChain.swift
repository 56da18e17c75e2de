/// The audit chain: each entry's hash covers the one before it, and the last one's stands in a row of its own.
///
/// It shows that an entry was altered, taken out, put in, or taken off the end; and, since servers name the ends of all chains in
/// their own from time to time, that another chain was taken away or cut. Anyone who can write the whole database can also write all
/// chains anew: against that, keep the ends somewhere else (``AuditCheckpoint``), and compare.
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
    /// The whole chain is gone: another chain, or a file of heads, knows it to this entry.
    case gone(Int64)
    /// The entry is another than another chain, or a file of heads, knows: all from there was written anew.
    case rewritten(Int64)
    /// The entry says that a device or a certificate was revoked, and the store has it as one that counts, or not at all.
    case contradicted(Int64)

    /// The text for the operator.
    public var description: String {
      switch self {
      case .altered(let number): "entry \(number) was altered"
      case .broken(let number): "entry \(number) does not follow the one before it"
      case .missing(let number): "entry \(number) is missing"
      case .truncated(let number): "the end is missing, from entry \(number)"
      case .beyondHead(let number): "entry \(number) was added past the end"
      case .gone(let number): "the chain is gone; it had \(number) entries and more"
      case .rewritten(let number): "entry \(number) is another than it was: the chain was written anew"
      case .contradicted(let number): "entry \(number) revoked what counts again, or is gone, in the store's tables"
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
    var mentions = Mentions()
    for node in try await store.read({ try $0.auditNodes() }) {
      reports.append(try await verify(node, in: store, page: max(1, page), &mentions))
    }
    for head in mentions.heads {
      guard let fault = try await fault(at: head, in: store) else { continue }
      // A chain that is not whole has said so.
      if let place = reports.firstIndex(where: { $0.node.utf8.elementsEqual(head.node.utf8) }) {
        reports[place].fault = reports[place].fault ?? fault
      } else {
        reports.append(Report(node: head.node, entries: 0, fault: fault))
      }
    }
    return reports
  }

  /// The furthest end of each chain that any chain names.
  private struct Mentions {
    private var furthest: [[UInt8]: AuditHead] = [:]

    var heads: [AuditHead] { furthest.values.sorted { $0.node < $1.node } }

    mutating func note(_ entry: AuditEntry) {
      for head in AuditMention.heads(in: entry) {
        let name = Array(head.node.utf8)
        if head.sequence > furthest[name]?.sequence ?? 0 { furthest[name] = head }
      }
    }
  }

  /// What is wrong with a chain that once ended in `head`; nil where it goes on from there.
  static func fault(at head: AuditHead, in store: any EnrollmentStore) async throws -> Fault? {
    let (entry, end) = try await store.read { transaction in
      (
        try transaction.auditEntries(node: head.node, after: head.sequence - 1, limit: 1).first,
        try transaction.auditHead(node: head.node)
      )
    }
    guard let entry, entry.sequence == head.sequence else {
      return end == nil ? .gone(head.sequence) : .missing(head.sequence)
    }
    return entry.hash == head.hash ? nil : .rewritten(head.sequence)
  }

  private static func verify(
    _ node: String, in store: any EnrollmentStore, page: Int, _ mentions: inout Mentions
  ) async throws -> Report {
    var last = AuditHead.start(of: node)
    var contradicted: Int64?
    while true {
      let after = last.sequence
      let read = try await store.read { transaction in
        do {
          let entries = try transaction.auditEntries(node: node, after: after, limit: page)
          return Page(
            head: try transaction.auditHead(node: node), entries: entries,
            contradicted: try entries.first { try AuditedRevocation.isContradicted($0.entry, in: transaction) }?
              .sequence)
        } catch EnrollmentStoreError.damaged {
          // Some entry does not even read: the one that does not is found by asking for one at a time.
          guard page > 1 else { return Page(isUnreadable: true) }
          return Page(isSuspect: true)
        }
      }
      if read.isUnreadable { return Report(node: node, entries: after, fault: .altered(after + 1)) }
      if read.isSuspect { return try await verify(node, in: store, page: 1, &mentions) }
      contradicted = contradicted ?? read.contradicted
      for entry in read.entries {
        if let fault = fault(in: entry, after: last, head: read.head) {
          return Report(node: node, entries: last.sequence, fault: fault)
        }
        mentions.note(entry.entry)
        last = AuditHead(node: node, sequence: entry.sequence, hash: entry.hash)
      }
      guard read.entries.isEmpty else { continue }
      let end = read.head ?? .start(of: node)
      let fault: Fault? =
        switch end.sequence {
        case last.sequence:
          end.hash == last.hash ? contradicted.map { .contradicted($0) } : .altered(last.sequence)
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
    var contradicted: Int64?
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
