import LatchkeyKeychainModel

/// Verifies that only keychains have changed the file. It runs in a transaction, and `commits` is the mark of the state that
/// the transaction sees.
struct Validation {
  let connection: Connection
  let parts: StoreParts
  let known: VerifiedState
  let commits: CommitMark?
  /// For files without such a mark: whether this connection saw a change by another since it last asked.
  let isUnchanged: Bool
  /// Adopts the key records of this state.
  let adopt: ([KeyRecord], Header) throws(StoreError) -> Void

  /// The state that this transaction sees. Damage is part of it and no error here.
  ///
  /// - Throws: `.rolledBack`, `.newerFormat`, and what reading fails with.
  func verifiedState() throws(StoreError) -> VerifiedState {
    if let commits, commits == known.commits { return known }
    if commits == nil, isUnchanged { return known }
    let header: Header
    do {
      header = try HeaderTable.read(connection, parts)
    } catch .damaged(let text) {
      return VerifiedState(commits: commits, header: known.header, damage: text)
    }
    guard header.counter >= known.header.counter else { throw .rolledBack(path: connection.path) }
    if header.state.slotsDigest != known.header.state.slotsDigest {
      guard let found = try HeaderTable.records(named: header.state.slotsDigest, connection) else {
        return VerifiedState(commits: commits, header: known.header, damage: IntegrityCount.keysAltered)
      }
      try adopt(found.records, header)
      if found.isCopy { return try Self.fresh(connection, parts, header, commits) }
    }
    if isAllByKeychains(header) {
      return VerifiedState(
        commits: commits, header: header, damage: nil, broken: known.broken,
        proven: known.proven.carried(from: known.header.state.sums, to: header.state.sums))
    }
    return try Self.fresh(connection, parts, header, commits)
  }

  /// A state of which nothing is verified yet. Few items are counted at once, many as they are needed.
  static func fresh(
    _ connection: Connection, _ parts: StoreParts, _ header: Header, _ commits: CommitMark?
  ) throws(StoreError) -> VerifiedState {
    let count = IntegrityCount(connection, parts, header)
    if header.state.sums != nil, header.state.itemCount > Self.few {
      let foundation = try count.foundation()
      return VerifiedState(commits: commits, header: header, damage: foundation.damage, broken: foundation.broken)
    }
    let found = try count.result()
    return VerifiedState(
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
