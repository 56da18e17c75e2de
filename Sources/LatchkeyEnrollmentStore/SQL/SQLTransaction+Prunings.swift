// Prunings of the audit chains.

extension SQLTransaction {
  package func firstAuditEntry(node: String) throws -> Int64? {
    try row("SELECT sequence FROM audit_entries WHERE node = $1 ORDER BY sequence LIMIT 1", [.text(node)])
      .map { try $0.integer(0) }
  }

  package func auditPruning(node: String) throws -> AuditPruning? {
    try row(
      "SELECT node, sequence, hash, before, time, signature FROM audit_prunings WHERE node = $1", [.text(node)]
    ).map(Self.auditPruning)
  }

  package func auditPrunings() throws -> [AuditPruning] {
    try rows("SELECT node, sequence, hash, before, time, signature FROM audit_prunings ORDER BY node")
      .map(Self.auditPruning)
  }

  private static func auditPruning(_ row: SQLRow) throws -> AuditPruning {
    AuditPruning(
      head: AuditHead(node: try row.text(0), sequence: try row.integer(1), hash: try row.bytes(2)),
      before: try row.integer(3), time: try row.integer(4), signature: try row.bytes(5))
  }

  package func pruneAudit(_ pruning: AuditPruning) throws -> Int {
    try requireWriting()
    let head = pruning.head
    let pruned = try auditPruning(node: head.node)?.head.sequence ?? 0
    guard head.sequence > pruned else { return 0 }
    let last = try row(
      "SELECT hash FROM audit_entries WHERE node = $1 AND sequence = $2", [.text(head.node), .integer(head.sequence)])
    guard try last?.bytes(0) == head.hash else {
      throw EnrollmentStoreError.misuse(
        "the audit chain of \(head.node) has no such entry \(head.sequence): run latchkey-server audit verify")
    }
    let count = try change(
      "DELETE FROM audit_entries WHERE node = $1 AND sequence <= $2", [.text(head.node), .integer(head.sequence)])
    guard Int64(count) == head.sequence - pruned else {
      throw EnrollmentStoreError.damaged(
        "the audit chain of \(head.node) lacks entries before \(head.sequence): run latchkey-server audit verify")
    }
    try change(
      """
      INSERT INTO audit_prunings (node, sequence, hash, before, time, signature) VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (node) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash, before = excluded.before,
        time = excluded.time, signature = excluded.signature
      """,
      [
        .text(head.node), .integer(head.sequence), .bytes(head.hash), .integer(pruning.before),
        .integer(pruning.time), .bytes(pruning.signature),
      ])
    return count
  }
}
