import LatchkeyKeychainModel
import LatchkeySQLite
import Synchronization

/// Notices that another file was put in the place of an open one, be it into the same inode: `cp backup keychain.db`
/// beside a running service. SQLite does not: it reads on in the log that belongs to the file of before.
///
/// What stands in the file itself, without its log, moves on with each checkpoint and never back. So the header's counter
/// there is looked at whenever the file was written to.
final class ExchangeWatch: Sendable {
  private struct State {
    var identity: FileIdentity?
    /// The counter of the header in the file, without its log.
    var counter: Int64?
  }

  private let state = Mutex(State())

  /// Verifies the file that `connection` has open, and remembers the result.
  ///
  /// - Throws: `.damaged` if it is not the file any more that it was.
  func verify(_ connection: Connection, uuid: [UInt8]) throws(StoreError) {
    let now = FileIdentity(connection.path)
    let known = state.withLock { $0 }
    if let now, now == known.identity { return }
    let header = try connection.headerWithoutLog()
    // A page that was written in part, for want of room say, is whole in the log: then it is looked at the next time.
    if header == nil, connection.hasKeychainsFirstPage { return }
    let isForeign = header.map { $0.uuid != uuid } ?? false
    if isForeign || (known.counter ?? 0) > (header?.counter ?? 0) {
      throw .damaged(
        """
        another file was put in the place of \(connection.path) while it was open: what was written since is in its log alone. \
        End every program that uses it, then restore the copy once more
        """)
    }
    state.withLock { $0 = State(identity: now, counter: header?.counter) }
  }

  /// Begins anew, with a file that is known to be another one.
  func reset() { state.withLock { $0 = State() } }
}

extension Connection {
  /// The header in the file itself, whatever the log says; nil if none can be read there.
  fileprivate func headerWithoutLog() throws(StoreError) -> (uuid: [UInt8], counter: Int64)? {
    guard try number("PRAGMA page_size") == Int64(Self.pageSize),
      let root = try number("SELECT rootpage FROM sqlite_schema WHERE name = 'header'"),
      let bytes = firstLeaf(below: root)
    else { return nil }
    var found: (uuid: [UInt8], counter: Int64)?
    // A first page that says nothing, so that this one is no first page.
    DatabasePages(file: [UInt8](repeating: 0, count: Self.pageSize) + bytes).forEach { record in
      guard record.row == 1, record.values.count == 5, let uuid = record.values[2].bytes,
        let counter = record.values[3].integer
      else { return }
      found = (uuid, counter)
    }
    return found
  }

  /// The leaf of a table with its first rows (sqlite.org/fileformat2.html, 1.6): the root, or the page that the first pointers
  /// lead to.
  private func firstLeaf(below root: Int64) -> [UInt8]? {
    var page = root
    for _ in 0..<Self.maximumDepth {
      guard page > 1, page < 1 << 30,
        let bytes = mainFile(from: (page - 1) * Int64(Self.pageSize), count: Self.pageSize)
      else { return nil }
      guard bytes[0] == 0x05 else { return bytes }
      let cell = Int(bytes[12]) << 8 | Int(bytes[13])
      guard cell >= 14, cell + 4 <= bytes.count else { return nil }
      page = bytes[cell..<cell + 4].reduce(0) { $0 << 8 | Int64($1) }
    }
    return nil
  }

  /// Whether the file begins as keychains do.
  fileprivate var hasKeychainsFirstPage: Bool {
    guard let bytes = mainFile(from: 0, count: 100) else { return false }
    let mark = bytes[68..<72].reduce(0) { $0 << 8 | Int64($1) }
    return bytes.starts(with: Array("SQLite format 3\0".utf8)) && mark == StoreSchema.applicationID
  }

  private static let pageSize = 4096
  /// More than any table of two rows has.
  private static let maximumDepth = 4

  /// Bytes of the file itself, without its log, through the descriptor that SQLite has: closing another one would drop the
  /// locks of this process.
  func mainFile(from place: Int64, count: Int) -> [UInt8]? {
    guard let size = database.fileSize, place >= 0, place + Int64(count) <= size else { return nil }
    return try? database.readFile(from: place, count: count)
  }
}
