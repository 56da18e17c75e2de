/// Decides which writes share a commit, and who commits them: no thread, lock or clock.
///
/// A store has one or several leaders, threads or workers with a connection. A write that finds an idle leader starts it. The
/// leader receives all writes that wait, up to a bound, as one batch, commits once, and asks for the next batch, until nothing
/// waits. So the disk is waited for once for all writes that came during the commit before. The caller protects a queue by a lock.
package struct CommitQueue<Write> {
  /// The bounds of a queue.
  package struct Limits: Sendable {
    /// Writes that share a commit.
    package var batch = Int.max
    /// Writes that wait; more are refused.
    package var waiting = Int.max
    /// Commits that one leader performs before it hands over to a write that waits.
    package var commitsInARow = Int.max

    package init() {}
  }

  /// The answer to a new write.
  package enum Admission: Hashable, Sendable {
    /// The write waits, and the leader of this number must start.
    case starts(leader: Int)
    /// The write waits for a leader at work.
    case waits
    /// Too many writes wait.
    case refused
  }

  /// What a leader does next.
  package enum Step {
    /// It commits these writes together.
    case commit([Write])
    /// It stops, and the caller of this write, which stays in the queue, goes on under its number.
    case handOver(to: Write)
    /// It is idle until ``CommitQueue/insert(_:key:)`` starts it.
    case idle
  }

  private let limits: Limits
  private let needsOwnCommit: @Sendable (Write) -> Bool
  /// The writes that wait, each with its place in the order of arrival.
  private var waiting: [ObjectIdentifier: (place: UInt64, write: Write)] = [:]
  /// The keys in the order of their arrival. A withdrawn one may stay: its place is then no longer the one in `waiting`, also
  /// where a new write has the same key.
  private var order: [(key: ObjectIdentifier, place: UInt64)] = []
  private var arrivals: UInt64 = 0
  private var idle: [Int]
  /// The commits of each leader since it started.
  private var commits: [Int]

  /// - Parameter needsOwnCommit: whether a write shares its commit with no other, in front of it or behind it.
  package init(
    leaders: Int = 1, limits: Limits = Limits(), needsOwnCommit: @escaping @Sendable (Write) -> Bool = { _ in false }
  ) {
    self.limits = limits
    self.needsOwnCommit = needsOwnCommit
    idle = Array((0..<leaders).reversed())
    commits = [Int](repeating: 0, count: leaders)
  }

  /// How many writes wait.
  package var count: Int { waiting.count }

  /// Whether no leader is at work.
  package var isIdle: Bool { idle.count == commits.count }

  /// How many leaders are at work.
  package var busyCount: Int { commits.count - idle.count }

  /// Adds a write.
  ///
  /// - Parameter key: the name of the write for ``withdraw(_:)``, unique among those that wait.
  package mutating func insert(_ write: Write, key: ObjectIdentifier) -> Admission {
    guard waiting.count < limits.waiting else { return .refused }
    arrivals += 1
    waiting[key] = (arrivals, write)
    order.append((key, arrivals))
    guard let leader = idle.popLast() else { return .waits }
    commits[leader] = 0
    return .starts(leader: leader)
  }

  /// Removes a write that still waits; nil if a leader has it, or it never came.
  package mutating func withdraw(_ key: ObjectIdentifier) -> Write? {
    guard let withdrawn = waiting.removeValue(forKey: key) else { return nil }
    // Withdrawn keys are at most as many as the writes that wait, and a few.
    if order.count > 2 * waiting.count + 64 { order.removeAll { waiting[$0.key]?.place != $0.place } }
    return withdrawn.write
  }

  /// Removes all writes that wait, in the order of their arrival.
  package mutating func removeAll() -> [Write] {
    defer { (waiting, order) = ([:], []) }
    return order.compactMap { write($0) }
  }

  /// The next step of a leader that has started, or has committed its batch.
  package mutating func next(for leader: Int) -> Step {
    if commits[leader] >= limits.commitsInARow, let heir = first {
      commits[leader] = 0
      return .handOver(to: heir)
    }
    let batch = removeBatch()
    guard !batch.isEmpty else {
      idle.append(leader)
      return .idle
    }
    commits[leader] += 1
    return .commit(batch)
  }

  /// The write that has waited longest.
  private var first: Write? {
    for entry in order {
      if let write = write(entry) { return write }
    }
    return nil
  }

  /// The write of an entry in the order; nil if it was withdrawn.
  private func write(_ entry: (key: ObjectIdentifier, place: UInt64)) -> Write? {
    guard let found = waiting[entry.key], found.place == entry.place else { return nil }
    return found.write
  }

  private mutating func removeBatch() -> [Write] {
    var batch: [Write] = []
    var seen = 0
    while batch.count < limits.batch, seen < order.count {
      guard let write = write(order[seen]) else {
        seen += 1
        continue
      }
      let isAlone = needsOwnCommit(write)
      if isAlone, !batch.isEmpty { break }
      waiting[order[seen].key] = nil
      batch.append(write)
      seen += 1
      if isAlone { break }
    }
    order.removeFirst(seen)
    return batch
  }
}
