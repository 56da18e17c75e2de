// The audit chain and the settings.

extension SQLTransaction {
  package func audit(_ entry: AuditEntry) throws {
    let next = try (head ?? auditHead(node: chain) ?? .start(of: chain)).appending(entry)
    try beginChange(
      """
      INSERT INTO audit_entries (node, sequence, event, time, fields, previous, hash)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      """,
      [
        .text(chain), .integer(next.sequence), .text(entry.event), .integer(entry.time),
        .bytes(AuditEncoding.encode(fields: entry.fields)), .bytes(next.previous), .bytes(next.hash),
      ])
    head = AuditHead(node: chain, sequence: next.sequence, hash: next.hash)
    hasAppended = true
    audited.append(entry)
  }

  /// The head is written once a commit (``finish()``).
  func writeHead(_ head: AuditHead) throws {
    try change(
      """
      INSERT INTO audit_heads (node, sequence, hash) VALUES ($1, $2, $3)
      ON CONFLICT (node) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash
      """, [.text(head.node), .integer(head.sequence), .bytes(head.hash)])
  }

  package func auditHead(node: String) throws -> AuditHead? {
    if hasAppended, isOwn(node) { return head }
    return try row("SELECT sequence, hash FROM audit_heads WHERE node = $1", [.text(node)]).map {
      AuditHead(node: node, sequence: try $0.integer(0), hash: try $0.bytes(1))
    }
  }

  package func auditHeads() throws -> [AuditHead] {
    let written = try rows("SELECT node, sequence, hash FROM audit_heads ORDER BY node").map {
      AuditHead(node: try $0.text(0), sequence: try $0.integer(1), hash: try $0.bytes(2))
    }
    guard hasAppended, let head else { return written }
    return written.filter { !isOwn($0.node) } + [head]
  }

  /// Names are bytes here, as in the database: Unicode holds some for equal that are two servers'.
  private func isOwn(_ node: String) -> Bool { node.utf8.elementsEqual(chain.utf8) }

  package func auditEntries(node: String, after sequence: Int64, limit: Int) throws -> [ChainedEntry] {
    try rows(
      """
      SELECT page.* FROM (
        SELECT sequence, event, time, fields, previous, hash FROM audit_entries
        WHERE node = $1 AND sequence > $2 ORDER BY sequence LIMIT 1001) AS page LIMIT $3
      """, [.text(node), .integer(sequence), .integer(Int64(max(0, limit)))]
    ).map { row in
      let entry = AuditEntry(
        event: try row.text(1), time: try row.integer(2), fields: try AuditEncoding.decode(fields: try row.bytes(3)))
      return ChainedEntry(
        node: node, sequence: try row.integer(0), entry: entry, previous: try row.bytes(4), hash: try row.bytes(5))
    }
  }

  package func auditNodes() throws -> [String] {
    // A chain whose head was taken away counts, too. From one node's first entry to the next one's: not over all of them.
    var nodes = try rows("SELECT node FROM audit_heads UNION SELECT node FROM audit_prunings").map { try $0.text(0) }
    let written = try rows(
      """
      WITH RECURSIVE written (node) AS (
        SELECT MIN(node) FROM audit_entries
        UNION ALL
        SELECT (SELECT MIN(node) FROM audit_entries WHERE node > written.node) FROM written
        WHERE written.node IS NOT NULL)
      SELECT node FROM written WHERE node IS NOT NULL
      """)
    for row in written { nodes.append(try row.text(0)) }
    if hasAppended { nodes.append(chain) }
    let unique = Dictionary(nodes.map { (Array($0.utf8), $0) }) { first, _ in first }
    return unique.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
  }

  // MARK: The names of servers

  package func claimNode(_ name: String, holder: Identifier, now: Int64, expires: Int64) throws -> Bool {
    try change(
      """
      INSERT INTO nodes (name, holder, expires) VALUES ($1, $2, $3)
      ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires = excluded.expires
      WHERE nodes.holder = excluded.holder OR nodes.expires <= $4
      """, [.text(name), .init(holder), .integer(expires), .integer(now)]) == 1
  }

  package func releaseNode(_ name: String, holder: Identifier) throws {
    try change("DELETE FROM nodes WHERE name = $1 AND holder = $2", [.text(name), .init(holder)])
  }

  // MARK: Settings

  package func setting(_ name: String) throws -> [UInt8]? {
    try row("SELECT value FROM settings WHERE name = $1", [.text(name)]).map { try $0.bytes(0) }
  }

  package func setSetting(_ name: String, to value: [UInt8]) throws {
    try change(
      """
      INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value
      """, [.text(name), .bytes(value)])
  }
}
