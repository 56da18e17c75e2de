import LatchkeyKeychainModel

/// What this process knows to be true of the file, and as of which commit.
struct Knowledge: Sendable {
  /// Where the database stood when it was true; nil where that cannot be read.
  var commits: CommitMark?
  var header: Header
  /// What was found altered from outside and makes everything doubtful: nothing is read or written until it is repaired.
  var damage: String?
  /// What was found altered in a part: nothing is written until it is repaired, and read is what holds nonetheless.
  var broken: String?
  /// What was counted.
  var proven = Proven()

  init(commits: CommitMark?, header: Header, damage: String?, broken: String? = nil, proven: Proven = Proven()) {
    self.commits = commits
    self.header = header
    self.damage = damage
    self.broken = broken
    self.proven = proven
  }

  /// What is to be said of it; nil if nothing was found.
  var complaint: String? { damage ?? broken }
}

/// Judges whether the file is still what keychains made of it. Must be called in a transaction, and `commits` must be
/// the mark of the state that the transaction sees.
struct Validation {
  let connection: Connection
  let parts: StoreParts
  let known: Knowledge
  let commits: CommitMark?
  /// For files without such a mark: whether this connection saw a change by another since it last asked.
  let isUnchanged: Bool
  /// Takes over the key records of this state.
  let adopt: ([KeyRecord], Header) throws(StoreError) -> Void

  /// The knowledge as of this transaction. Damage is part of it and no error here.
  ///
  /// - Throws: `.rolledBack`, `.newerFormat`, and what reading fails with.
  func judge() throws(StoreError) -> Knowledge {
    if let commits, commits == known.commits { return known }
    if commits == nil, isUnchanged { return known }
    let header: Header
    do {
      header = try HeaderTable.read(connection, parts)
    } catch .damaged(let text) {
      return Knowledge(commits: commits, header: known.header, damage: text)
    }
    guard header.counter >= known.header.counter else { throw .rolledBack(path: connection.path) }
    if header.state.slotsDigest != known.header.state.slotsDigest {
      guard let found = try HeaderTable.records(named: header.state.slotsDigest, connection) else {
        return Knowledge(commits: commits, header: known.header, damage: Recount.keysAltered)
      }
      try adopt(found.records, header)
      if found.isCopy { return try Self.fresh(connection, parts, header, commits) }
    }
    if isAllByKeychains(header) {
      return Knowledge(
        commits: commits, header: header, damage: nil, broken: known.broken,
        proven: known.proven.carried(from: known.header.state.sums, to: header.state.sums))
    }
    return try Self.fresh(connection, parts, header, commits)
  }

  /// The knowledge of a state of which nothing is known. Few items are counted at once, many as they are needed.
  static func fresh(
    _ connection: Connection, _ parts: StoreParts, _ header: Header, _ commits: CommitMark?
  ) throws(StoreError) -> Knowledge {
    let recount = Recount(connection, parts, header)
    if header.state.sums != nil, header.state.itemCount > Self.few {
      let foundation = try recount.foundation()
      return Knowledge(commits: commits, header: header, damage: foundation.damage, broken: foundation.broken)
    }
    let found = try recount.result()
    return Knowledge(
      commits: commits, header: header, damage: found.damage, broken: found.broken, proven: found.proven)
  }

  /// So many items are counted in less time than a process needs to start.
  private static let few: UInt64 = 128

  /// Whether as many keychains' transactions were committed as transactions at all, after a state that was sound.
  func isAllByKeychains(_ header: Header) -> Bool {
    // The same count with other sums: the count began anew, or the log did.
    guard known.complaint == nil, let commits, let before = known.commits, commits.count != before.count else {
      return false
    }
    return header.counter &- known.header.counter == Int64(commits.count &- before.count)
  }
}
