/// The audit chain: each entry's hash covers the one before it, and the last one's stands in a row of its own.
///
/// It shows that an entry was altered, taken out, put in, or taken off the end; and, since servers name the ends of all chains in
/// their own from time to time, that another chain was taken away or cut. Anyone who can write the whole database can also write all
/// chains anew: against that, keep the ends somewhere else (``AuditCheckpoint``), and compare.
///
/// A chain belongs to one writer: to a node, where one connection writes (SQLite); to a connection of a node, where several
/// do, so that they do not wait for each other.
///
/// The first entries of a chain may have been deleted by a signed pruning (``AuditPruning``); what is left follows from that.
public enum AuditChain {
  /// How one chain was found.
  public struct Report: Sendable, Hashable {
    /// Whose chain.
    public var node: String
    /// The entries that are as they were written, from the first one behind ``pruned``.
    public var entries: Int64
    /// The last entry that a signed pruning deleted; 0 without one.
    public var pruned: Int64
    /// The first thing that is wrong; nil for a whole chain.
    public var fault: Fault?

    /// How a chain was found.
    public init(node: String, entries: Int64, pruned: Int64 = 0, fault: Fault? = nil) {
      self.node = node
      self.entries = entries
      self.pruned = pruned
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
    /// The entries up to this one were deleted, and no key that counts has signed that.
    case unsignedPruning(Int64)
    /// The entry is there, although it was deleted by a pruning: it was put in again.
    case pruned(Int64)
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
      case .unsignedPruning(let number):
        "the entries up to \(number) were pruned, and no known answer key has signed that"
      case .pruned(let number): "entry \(number) is there, although it was pruned"
      case .contradicted(let number): "entry \(number) revoked what counts again, or is gone, in the store's tables"
      }
    }
  }

  /// Looks at all chains of a store, page by page, while others write.
  ///
  /// - Parameters:
  ///   - page: entries that are read at once.
  ///   - signers: whose prunings count; nobody's, if it is left out.
  /// - Returns: a report for each node, by name.
  /// - Throws: ``EnrollmentStoreError`` if the store cannot be read.
  public static func verify(
    _ store: any EnrollmentStore, page: Int = 1000, signers: AuditSigners = .keys([])
  ) async throws -> [Report] {
    var reports: [Report] = []
    var mentions = Mentions()
    for node in try await store.read({ try $0.auditNodes() }) {
      reports.append(try await verify(node, in: store, page: max(1, page), signers, &mentions))
    }
    for head in mentions.heads {
      guard let fault = try await fault(at: head, in: store, signers) else { continue }
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

  /// What is wrong with a chain that once ended in `head`; nil where it goes on from there, or was pruned up to there or further.
  static func fault(at head: AuditHead, in store: any EnrollmentStore, _ signers: AuditSigners) async throws -> Fault? {
    let (entry, end, pruning) = try await store.read { transaction in
      (
        try transaction.auditEntries(node: head.node, after: head.sequence - 1, limit: 1).first,
        try transaction.auditHead(node: head.node), try transaction.auditPruning(node: head.node)
      )
    }
    if let pruning, pruning.head.sequence >= head.sequence {
      // The hash alone proves that the chain went on from this very entry.
      if pruning.head.sequence == head.sequence {
        return pruning.head.hash == head.hash ? nil : .rewritten(head.sequence)
      }
      return signers.accept(pruning) ? nil : .unsignedPruning(pruning.head.sequence)
    }
    guard let entry, entry.sequence == head.sequence else {
      return end == nil ? .gone(head.sequence) : .missing(head.sequence)
    }
    return entry.hash == head.hash ? nil : .rewritten(head.sequence)
  }

  private static func verify(
    _ node: String, in store: any EnrollmentStore, page: Int, _ signers: AuditSigners, _ mentions: inout Mentions
  ) async throws -> Report {
    var last = AuditHead.start(of: node)
    var report = Report(node: node, entries: 0)
    var contradicted: Int64?
    while true {
      let after = last.sequence
      let read = try await store.read { try Page(of: node, after: after, limit: page, in: $0) }
      // What another program prunes meanwhile is not missed.
      if let pruning = read.pruning, pruning.head.sequence > last.sequence {
        (last, report.pruned, report.entries) = (pruning.head, pruning.head.sequence, 0)
        guard signers.accept(pruning) else {
          report.fault = .unsignedPruning(last.sequence)
          return report
        }
      }
      if let first = read.leftover {
        report.fault = .pruned(first)
        return report
      }
      if read.isUnreadable {
        // Some entry does not even read: the one that does not is found by asking for one at a time.
        guard page == 1 else { return try await verify(node, in: store, page: 1, signers, &mentions) }
        report.fault = .altered(last.sequence + 1)
        return report
      }
      contradicted = contradicted ?? read.contradicted
      for entry in read.entries {
        if let fault = fault(in: entry, after: last, head: read.head) {
          report.fault = fault
          return report
        }
        mentions.note(entry.entry)
        last = AuditHead(node: node, sequence: entry.sequence, hash: entry.hash)
        report.entries += 1
      }
      guard read.entries.isEmpty else { continue }
      guard let end = read.head ?? (report.pruned > 0 ? nil : .start(of: node)) else {
        report.fault = .gone(last.sequence)
        return report
      }
      report.fault =
        switch end.sequence {
        case last.sequence:
          end.hash == last.hash ? contradicted.map { .contradicted($0) } : .altered(last.sequence)
        case ..<last.sequence: .beyondHead(end.sequence + 1)
        default: .truncated(last.sequence + 1)
        }
      return report
    }
  }

  /// What one read gives: head, pruning and entries of the same moment.
  private struct Page: Sendable {
    let head: AuditHead?
    let pruning: AuditPruning?
    /// The first entry that is there and should have been deleted.
    let leftover: Int64?
    var entries: [ChainedEntry] = []
    var contradicted: Int64?
    var isUnreadable = false

    init(of node: String, after: Int64, limit: Int, in store: any StoreTransaction) throws {
      head = try store.auditHead(node: node)
      pruning = try store.auditPruning(node: node)
      leftover = try pruning.flatMap { pruning in
        try store.firstAuditEntry(node: node).flatMap { $0 <= pruning.head.sequence ? $0 : nil }
      }
      do {
        entries = try store.auditEntries(node: node, after: max(after, pruning?.head.sequence ?? 0), limit: limit)
        contradicted = try entries.first { try AuditedRevocation.isContradicted($0.entry, in: store) }?.sequence
      } catch EnrollmentStoreError.damaged {
        isUnreadable = true
      }
    }
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
