import LatchkeySQLite

/// Where a database in write-ahead mode stands, whatever program wrote to it: the header of the log's index, in the shared
/// memory that all its connections have in common (SQLite's file format, "WAL-Index Header": the version, how many
/// transactions were committed, the last frame, the sums over all frames, the salts).
///
/// Every commit of a keychain raises the header's counter by one and the count here by one. Where the two did not grow
/// alike, something else wrote. The count alone is not enough: it starts anew when the last connection goes, and when a
/// connection finds the index spoiled by a process that died, and may come back to a number that was seen before. The
/// sums do not.
struct CommitMark: Equatable, Sendable {
  private let words: SIMD4<UInt64>
  private let moreWords: SIMD2<UInt64>

  /// How many transactions were committed. It wraps round; only small differences mean something.
  var count: UInt32 { UInt32(truncatingIfNeeded: words[1]) }

  /// How many frames of the log count: none once it was emptied.
  var frames: UInt32 { UInt32(truncatingIfNeeded: words[2]) }

  /// The mark now; nil where the database has no shared memory that can be read.
  static func read(_ connection: Connection) -> CommitMark? {
    guard let start = connection.database.logIndexHeader else { return nil }
    // Two copies of the header stand one after the other. A writer fills in the second one first: where the first one is
    // half written, it is not the one that was known.
    let mark = CommitMark(
      words: start.load(as: SIMD4<UInt64>.self),
      moreWords: start.load(fromByteOffset: 32, as: SIMD2<UInt64>.self))
    let version = UInt32(truncatingIfNeeded: mark.words[0])
    let isInitialized = mark.words[1] >> 32 & 0xFF != 0
    return version == 3_007_000 && isInitialized ? mark : nil
  }

  /// The mark after a commit of this connection's own that came directly after `before`. If others have committed since,
  /// it is one that no database shows: the next to look compares the counts.
  static func after(_ before: CommitMark?, _ connection: Connection) -> CommitMark? {
    guard let before else { return nil }
    if let now = read(connection), now.count == before.count &+ 1 { return now }
    var words = before.words
    words[1] = words[1] & ~0xFFFF_FFFF | UInt64(before.count &+ 1)
    return CommitMark(words: words, moreWords: .zero)
  }
}
