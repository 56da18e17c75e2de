import LatchkeyByteCoding
import LatchkeyKeychainModel

/// Reads and writes the table `audit`.
enum AuditTable {
  /// The least number of entries in the table. Older ones go in portions, and only the anchor covers them then.
  static let kept: Int64 = 10_000
  private static let portion: Int64 = 256

  static func append(
    _ event: AuditEvent, time: Int64, item: [UInt8]?, version: Int64? = nil, keys: [UInt8]? = nil,
    to position: inout AuditPosition,
    _ connection: Connection, _ chain: AuditChain
  ) throws(StoreError) {
    let entry = AuditEntry(
      sequence: position.last + 1, time: time, event: event, item: item, version: version, keys: keys)
    let mark = chain.mark(entry, after: position.head)
    let statement = try connection.statement("INSERT INTO audit(seq, time, event, item, mac) VALUES(?, ?, ?, ?, ?)")
    statement.bind(entry.sequence, 1)
    statement.bind(entry.time, 2)
    statement.bind(Int64(event.rawValue), 3)
    statement.bind(keys ?? item.map { $0 + (version.map(Self.encode) ?? []) }, 4)
    statement.bind(mark, 5)
    try statement.run()
    position.last = entry.sequence
    position.head = mark
  }

  /// How many bytes of the digest of the key records an entry has.
  static let keysSize = 20

  /// The column `item`: the item's tag, and from format 3 on its version after it, least significant byte first; or the
  /// beginning of the digest of the key records that were stored.
  private static func encode(_ version: Int64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: version >> Int64(8 * $0)) }
  }

  private static func decode(_ column: [UInt8]?) -> (item: [UInt8]?, version: Int64?, keys: [UInt8]?) {
    if let column, column.count == keysSize { return (nil, nil, column) }
    guard let column, column.count == AttributeTag.size + 8 else { return (column, nil, nil) }
    let version = column.suffix(8).reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
    return (Array(column.prefix(AttributeTag.size)), version, nil)
  }

  /// Adds an entry as it was found in a page of the file.
  static func insert(
    _ sequence: Int64, _ values: [DatabasePages.Value], _ connection: Connection
  ) throws(StoreError) {
    guard values.count == 5, let time = values[1].integer, let event = values[2].integer, let mark = values[4].bytes
    else { return }
    let statement = try connection.statement("INSERT INTO audit(seq, time, event, item, mac) VALUES(?, ?, ?, ?, ?)")
    statement.bind(sequence, 1)
    statement.bind(time, 2)
    statement.bind(event, 3)
    statement.bind(values[3].bytes, 4)
    statement.bind(mark, 5)
    try statement.run()
  }

  /// The last entry of the chain, if it is as keychains wrote it.
  static func last(
    _ position: AuditPosition, _ connection: Connection, _ chain: AuditChain
  ) throws(StoreError) -> AuditEntry? {
    let statement = try connection.statement(
      "SELECT seq, time, event, item, mac FROM audit WHERE seq BETWEEN ? AND ? ORDER BY seq")
    defer { statement.reset() }
    statement.bind(max(position.first, position.last - 1), 1)
    statement.bind(position.last, 2)
    var previous = position.anchor
    while try statement.step() {
      let (entry, mark) = try entry(statement)
      if entry.sequence == position.last {
        let isSound = constantTimeEquals(mark, position.head)
        return isSound && constantTimeEquals(chain.mark(entry, after: previous), mark) ? entry : nil
      }
      previous = mark
    }
    return nil
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

  /// Where the chain in the table begins and ends, for want of a header that says so. Of a chain that was cut the first
  /// entry's mark is the anchor.
  static func position(_ connection: Connection) throws(StoreError) -> AuditPosition {
    var position = AuditPosition()
    let statement = try connection.statement("SELECT seq, mac FROM audit ORDER BY seq")
    defer { statement.reset() }
    do {
      while try statement.step() {
        let (sequence, mark) = (try statement.integer(0), try statement.bytes(1, size: 32))
        if position.last == 0, sequence != 1 {
          position = AuditPosition(first: sequence + 1, last: sequence, anchor: mark, head: mark)
        }
        position.last = sequence
        position.head = mark
      }
    } catch .damaged {
      return AuditPosition(first: max(1, position.last + 1), last: position.last)
    }
    return position
  }

  /// Whether the table has an entry that keychains wrote after those up to `position`.
  static func goesOn(
    after position: AuditPosition, _ connection: Connection, _ chain: AuditChain
  ) throws(StoreError) -> Bool {
    let statement = try connection.statement("SELECT seq, time, event, item, mac FROM audit WHERE seq = ?")
    defer { statement.reset() }
    statement.bind(position.last + 1, 1)
    do {
      guard try statement.step() else { return false }
      let (entry, mark) = try entry(statement)
      return constantTimeEquals(chain.mark(entry, after: position.head), mark)
    } catch .damaged {
      return false
    }
  }

  private static func entry(_ statement: SQLStatement) throws(StoreError) -> (AuditEntry, mark: [UInt8]) {
    let sequence = try statement.integer(0)
    guard let event = AuditEvent(rawValue: UInt8(clamping: try statement.integer(2))) else {
      throw .damaged("entry \(sequence) of the audit log tells of nothing known")
    }
    let (item, version, keys) = decode(try statement.optionalBytes(3))
    let entry = AuditEntry(
      sequence: sequence, time: try statement.integer(1), event: event, item: item, version: version, keys: keys)
    return (entry, try statement.bytes(4, size: 32))
  }

  /// Goes through the whole chain.
  ///
  /// - Throws: `.damaged` at the first entry that is not as it was written, or where one is missing.
  static func walk(
    _ position: AuditPosition, _ connection: Connection, _ chain: AuditChain, from first: Int64 = .min,
    _ body: (AuditEntry) -> Void
  ) throws(StoreError) {
    var previous = position.anchor
    var next = position.first
    let statement = try connection.statement(
      "SELECT seq, time, event, item, mac FROM audit WHERE seq >= ? ORDER BY seq")
    defer { statement.reset() }
    statement.bind(first, 1)
    while try statement.step() {
      guard try statement.integer(0) == next else { throw .damaged("entry \(next) of the audit log is missing") }
      let (entry, mark) = try entry(statement)
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
