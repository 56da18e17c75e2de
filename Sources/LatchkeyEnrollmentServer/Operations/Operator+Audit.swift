public import LatchkeyEnrollmentStore

// The audit chains.

extension Operator {
  /// Verifies each audit chain against its own hashes, against the ends recorded by the others, and against those recorded in a
  /// file.
  ///
  /// - Parameters:
  ///   - checkpoints: recorded ends.
  ///   - signers: whose prunings count (``AuditPruning``); nobody's, if it is left out.
  /// - Returns: a report for each chain that exists or existed; one without a name if there is no log at all although there are
  ///   users or devices, each of which has an entry; none for a store that was never used.
  public func verifyAudit(
    against checkpoints: [AuditCheckpoint] = [], signers: AuditSigners = .keys([])
  ) async throws -> [AuditChain.Report] {
    var reports = try await AuditChain.verify(store, signers: signers)
    for checkpoint in checkpoints {
      for found in try await checkpoint.faults(in: store, signers: signers) {
        if let place = reports.firstIndex(where: { $0.node.utf8.elementsEqual(found.node.utf8) }) {
          reports[place].fault = reports[place].fault ?? found.fault
        } else {
          reports.append(found)
        }
      }
    }
    if reports.isEmpty, try await store.read({ try $0.hasRecords() }) {
      reports.append(AuditChain.Report(node: "", entries: 0, fault: .gone(1)))
    }
    return reports
  }

  /// The current ends of the audit chains.
  public func auditCheckpoint() async throws -> AuditCheckpoint {
    let time = now
    return AuditCheckpoint(time: time, heads: try await store.read { try $0.auditHeads() })
  }

  // MARK: Entries

  /// Which audit entries a list has.
  public struct AuditFilter: Sendable, Hashable {
    /// The chain; nil for all.
    public var node: String?
    /// The events' first characters: `device.`; empty for all.
    public var event: String
    /// A text that one of the fields is equal to: a user, a device; nil for any.
    public var value: String?
    /// The first time, seconds since 1970.
    public var since: Int64
    /// The number behind which each chain's entries begin.
    public var after: Int64 = 0

    /// A filter; without arguments all entries.
    public init(node: String? = nil, event: String = "", value: String? = nil, since: Int64 = 0) {
      (self.node, self.event, self.value, self.since) = (node, event, value, since)
    }

    func includes(_ entry: AuditEntry) -> Bool {
      entry.time >= since && entry.event.utf8.starts(with: event.utf8)
        && (value.map { entry.fields.values.contains($0) } ?? true)
    }
  }

  /// The entries that one call looks at, so that a search for what is rare does not last for minutes.
  private static let mostEntriesSeen = 20_000

  /// Audit entries by chain, then by number. A page may have fewer entries than its limit, or none, and still not be the last.
  ///
  /// - Throws: ``OperatorError``: `.invalid` for limit or cursor.
  public func auditEntries(
    _ filter: AuditFilter = AuditFilter(), limit: Int = 100, cursor: String? = nil
  ) async throws -> RecordPage<ChainedEntry> {
    try PageCursor.check(limit: limit)
    var place = try cursor.map(AuditPlace.init(cursor:))
    let nodes = try await store.read { try $0.auditNodes() }.filter { node in
      (filter.node.map { $0.utf8.elementsEqual(node.utf8) } ?? true)
        && (place.map { !node.utf8.lexicographicallyPrecedes($0.node.utf8) } ?? true)
    }
    var (found, seen) = ([ChainedEntry](), 0)
    for node in nodes {
      var last = place.flatMap { $0.node.utf8.elementsEqual(node.utf8) ? $0.sequence : nil } ?? max(0, filter.after)
      while true {
        let after = last
        let read = try await store.read { try $0.auditEntries(node: node, after: after, limit: 1000) }
        for entry in read {
          (last, seen) = (entry.sequence, seen + 1)
          place = AuditPlace(node: node, sequence: last)
          if filter.includes(entry.entry) { found.append(entry) }
          if found.count == limit || seen == Self.mostEntriesSeen {
            return RecordPage(records: found, next: place?.cursor)
          }
        }
        if read.isEmpty { break }
      }
    }
    return RecordPage(records: found, next: nil)
  }
}

/// A place in the list of audit entries: a chain and a number in it.
private struct AuditPlace {
  let node: String
  let sequence: Int64

  init(node: String, sequence: Int64) { (self.node, self.sequence) = (node, sequence) }

  /// - Throws: ``OperatorError``: `.invalid`.
  init(cursor text: String) throws(OperatorError) {
    guard let key = String(validating: try PageCursor.key(text), as: UTF8.self), let space = key.firstIndex(of: " "),
      let sequence = Int64(key[..<space]), sequence > 0
    else { throw PageCursor.refusal }
    self.init(node: String(key[key.index(after: space)...]), sequence: sequence)
  }

  var cursor: String { PageCursor.text(Array("\(sequence) \(node)".utf8)) }
}
