public import LatchkeyEnrollmentStore

// The oldest entries of the audit chains are deleted, and a signed pruning stays in their place.

extension Operator {
  /// The first entries of a chain, which can be pruned.
  public struct PrunableEntries: Sendable, Hashable {
    /// Before the first of them: the chain's last pruning, or its start.
    public let start: AuditHead
    /// The last of them.
    public let end: AuditHead
    /// How many there are.
    public var count: Int64 { end.sequence - start.sequence }
  }

  /// The first entries of each chain, up to one that was written at `before` or later, after the audit log was verified as
  /// ``verifyAudit(against:signers:)`` does.
  ///
  /// - Parameter before: seconds since 1970, not in the future.
  /// - Throws: ``OperatorError``: `.invalid` for a time in the future, and if the log is not whole, since pruning would take away what
  ///   proves that.
  public func prunableAudit(
    before: Int64, against checkpoints: [AuditCheckpoint] = [], signers: AuditSigners
  ) async throws -> [PrunableEntries] {
    guard before <= now else {
      throw OperatorError.invalid("entries are pruned that are older than a time in the past")
    }
    for report in try await verifyAudit(against: checkpoints, signers: signers) {
      guard let fault = report.fault else { continue }
      throw OperatorError.invalid(
        "nothing is pruned, since the audit log is not whole: \(report.node): \(fault): run latchkey-server audit verify"
      )
    }
    var prunable: [PrunableEntries] = []
    for node in try await store.read({ try $0.auditNodes() }) {
      if let entries = try await oldEntries(of: node, before: before) { prunable.append(entries) }
    }
    return prunable
  }

  private func oldEntries(of node: String, before: Int64) async throws -> PrunableEntries? {
    let start =
      try await store.read { try $0.auditPruning(node: node)?.head }
      ?? AuditHead(node: node, sequence: 0, hash: [UInt8](repeating: 0, count: 32))
    var end = start
    while true {
      let after = end.sequence
      let read = try await store.read { try $0.auditEntries(node: node, after: after, limit: 1000) }
      let old = read.prefix { $0.entry.time < before }
      if let last = old.last { end = AuditHead(node: node, sequence: last.sequence, hash: last.hash) }
      if read.isEmpty || old.count < read.count { break }
    }
    return end == start ? nil : PrunableEntries(start: start, end: end)
  }

  /// The entries of one transaction of a pruning: others wait for no more.
  private static let pruningBatch: Int64 = 5000

  /// Deletes the first entries of a chain, in batches: each is one transaction, which stores a signed pruning and an entry of this
  /// operator's chain. What another operator has pruned meanwhile is left out.
  ///
  /// - Parameters:
  ///   - before: as for ``prunableAudit(before:against:signers:)``, which gave `entries`.
  ///   - sign: signs with ECDSA P-256 and SHA-256, X9.62 DER, by the key of the servers' answers.
  /// - Returns: how many were deleted.
  /// - Throws: ``EnrollmentStoreError``; what `sign` throws. What was deleted before stays so.
  public func pruneAudit(
    _ entries: PrunableEntries, before: Int64, signedBy sign: (_ message: [UInt8]) throws -> [UInt8]
  ) async throws -> Int64 {
    let node = entries.end.node
    var (last, count) = (entries.start.sequence, Int64(0))
    while last < entries.end.sequence {
      try Task.checkCancellation()
      let number = min(last + Self.pruningBatch, entries.end.sequence)
      let end = try await store.read { store -> AuditHead? in
        guard let entry = try store.auditEntries(node: node, after: number - 1, limit: 1).first else { return nil }
        return entry.sequence == number ? AuditHead(node: node, sequence: number, hash: entry.hash) : nil
      }
      last = number
      // Another has pruned further.
      guard let end else { continue }
      let pruning = try AuditPruning(upTo: end, before: before, at: now, by: sign)
      let entry = { @Sendable (count: Int) in
        self.entry(
          "audit.pruned", ["chain": node, "entry": "\(number)", "entries": "\(count)", "before": "\(before)"])
      }
      count += try await store.write { store in
        // It may have been deleted since it was read.
        guard try store.auditPruning(node: node)?.head.sequence ?? 0 < number else { return 0 }
        let deleted = try store.pruneAudit(pruning)
        try store.audit(entry(deleted))
        return Int64(deleted)
      }
    }
    return count
  }
}
