import ByteCoding
import KeychainModel

/// Reads and writes the table `audit`.
enum AuditTable {
  /// How many entries are kept at least. Older ones go in portions, and what they were is held by the anchor alone.
  static let kept: Int64 = 10_000
  private static let portion: Int64 = 256

  static func append(
    _ event: AuditEvent, time: Int64, item: [UInt8]?, to position: inout AuditPosition, _ connection: Connection,
    _ chain: AuditChain
  ) throws(StoreError) {
    let entry = AuditEntry(sequence: position.last + 1, time: time, event: event, item: item)
    let mark = chain.mark(entry, after: position.head)
    let statement = try connection.statement("INSERT INTO audit(seq, time, event, item, mac) VALUES(?, ?, ?, ?, ?)")
    statement.bind(entry.sequence, 1)
    statement.bind(entry.time, 2)
    statement.bind(Int64(event.rawValue), 3)
    statement.bind(item, 4)
    statement.bind(mark, 5)
    try statement.run()
    position.last = entry.sequence
    position.head = mark
  }

  /// Drops the oldest entries once there are too many.
  static func prune(_ position: inout AuditPosition, _ connection: Connection) throws(StoreError) {
    guard position.last - position.first + 1 > kept + portion else { return }
    let cut = position.last - kept
    let statement = try connection.statement("SELECT mac FROM audit WHERE seq = ?")
    statement.bind(cut, 1)
    do {
      defer { statement.reset() }
      guard try statement.step() else { throw StoreError.damaged("an entry of the audit log is missing") }
      position.anchor = try statement.bytes(0, size: 32)
    } catch let error as StoreError {
      throw error
    } catch {
      throw .damaged("an entry of the audit log does not read")
    }
    let deletion = try connection.statement("DELETE FROM audit WHERE seq <= ?")
    deletion.bind(cut, 1)
    try deletion.run()
    position.first = cut + 1
  }

  /// The entries after `after`, at most `limit`, their chain checked from the anchor to the head.
  ///
  /// - Throws: `.damaged` if the chain is broken anywhere.
  static func entries(
    after: Int64, limit: Int, _ position: AuditPosition, _ connection: Connection, _ chain: AuditChain
  ) throws(StoreError) -> [AuditEntry] {
    var entries: [AuditEntry] = []
    try walk(position, connection, chain) { entry in
      if entry.sequence > after, entries.count < limit { entries.append(entry) }
    }
    return entries
  }

  /// Goes through the whole chain.
  ///
  /// - Throws: `.damaged` at the first entry that is not as it was written, or where one is missing.
  static func walk(
    _ position: AuditPosition, _ connection: Connection, _ chain: AuditChain, _ body: (AuditEntry) -> Void
  ) throws(StoreError) {
    var previous = position.anchor
    var next = position.first
    let statement = try connection.statement("SELECT seq, time, event, item, mac FROM audit ORDER BY seq")
    defer { statement.reset() }
    while try statement.step() {
      guard try statement.integer(0) == next else { throw .damaged("entry \(next) of the audit log is missing") }
      guard let event = AuditEvent(rawValue: UInt8(clamping: try statement.integer(2))) else {
        throw .damaged("entry \(next) of the audit log tells of nothing known")
      }
      let entry = AuditEntry(
        sequence: next, time: try statement.integer(1), event: event, item: try statement.optionalBytes(3))
      let mark = try statement.bytes(4, size: 32)
      guard constantTimeEquals(chain.mark(entry, after: previous), mark) else {
        throw .damaged("entry \(next) of the audit log was altered")
      }
      body(entry)
      previous = mark
      next += 1
    }
    guard next == position.last + 1, previous == position.head else {
      throw .damaged("the end of the audit log is missing")
    }
  }
}
