import LatchkeyKeychainModel

/// What of a file of format 3 was counted and found as the header says. Keychains' own commits keep it so: they change
/// sums and rows together.
struct Proven: Sendable {
  /// Whether everything was counted.
  var isWhole = false
  /// The chunks of rows.
  var chunks: Set<Int64> = []
  /// Chunks that do not add up.
  var brokenChunks: Set<Int64> = []
  /// The buckets of indexes, each with the first bytes of its values in order: what a search in the index must find. A
  /// search that misses one runs through an index that is out of order.
  var buckets: [Bucket: [UInt64]] = [:]
  /// How many entries were read to prove parts. Once that costs more than to count everything, everything is.
  var entriesRead = 0

  struct Bucket: Hashable, Sendable {
    var index: HeaderSums.Index
    var number: Int
  }

  static let whole = Proven(isWhole: true)

  /// The parts that stay proven after keychains have made `after` of `before`.
  func carried(from before: HeaderSums?, to after: HeaderSums?) -> Proven {
    if isWhole { return self }
    guard let before, let after else { return Proven() }
    var carried = self
    if before.shift != after.shift {
      carried.chunks = []
      carried.brokenChunks = []
    }
    carried.buckets = buckets.filter { before[$0.key.index, $0.key.number] == after[$0.key.index, $0.key.number] }
    return carried
  }

  mutating func formUnion(_ other: Proven) {
    if other.isWhole { self = other }
    if isWhole { return }
    chunks.formUnion(other.chunks)
    brokenChunks.formUnion(other.brokenChunks)
    buckets.merge(other.buckets) { own, _ in own }
    entriesRead = max(entriesRead, other.entriesRead)
  }
}

/// What one call leans on, proven against the header in the state of the file that the call sees: the rows that it takes,
/// and that a search found all there is.
final class Proof {
  private let parts: StoreParts
  /// The state of the file that the call sees; nil where it has no mark.
  let commits: CommitMark?
  private(set) var proven: Proven
  /// A part that does not add up. The others may be read, and nothing may be written.
  private(set) var broken: String?
  /// Whether anything was found out.
  private(set) var hasLearned = false
  private var freshness: Freshness?

  init(_ parts: StoreParts, _ known: VerifiedState) {
    self.parts = parts
    commits = known.commits
    proven = known.proven
    broken = known.broken
  }

  /// Whether nothing is left to prove.
  var isWhole: Bool { proven.isWhole }

  // MARK: Rows

  /// Proves that a row, with all its columns, is the newest that keychains wrote under its number.
  ///
  /// - Throws: `.damaged`.
  func row(_ row: ItemRow, _ connection: Connection, _ header: Header) throws(StoreError) {
    if proven.isWhole { return }
    guard parts.sealer.isAuthentic(row) else { throw fail("an item was altered") }
    guard let sums = header.state.sums else { return try everything(connection, header) }
    let chunk = sums.chunk(of: row.id)
    if proven.chunks.contains(chunk) { return }
    if !proven.brokenChunks.contains(chunk) {
      try countEverythingIfDue(connection, header)
      if proven.isWhole { return }
      if try count(chunk, sums, connection) {
        proven.chunks.insert(chunk)
        hasLearned = true
        return
      }
      proven.brokenChunks.insert(chunk)
    }
    // The sum does not name a missing row any more, but the audit log still knows an item's newest version.
    let log: Freshness
    if let freshness { log = freshness } else { log = try Freshness(connection, parts, header.state.audit) }
    freshness = log
    let damage = fail("items were taken away, put back or added")
    guard log.isNewest(row) else { throw damage }
  }

  /// Whether the rows of a chunk add up.
  private func count(_ chunk: Int64, _ sums: HeaderSums, _ connection: Connection) throws(StoreError) -> Bool {
    let statement = try connection.statement("SELECT id, leaf FROM item WHERE id BETWEEN ? AND ? ORDER BY id")
    defer { statement.reset() }
    let range = sums.rows(in: chunk)
    statement.bind(range.lowerBound, 1)
    statement.bind(range.upperBound, 2)
    var sum: UInt128 = 0
    do {
      while try statement.step() {
        sum &+= parts.marks.row(try statement.integer(0), mark: try statement.bytes(1, size: 32))
        proven.entriesRead += 1
      }
    } catch .damaged {
      return false
    }
    return sum == sums.chunks[chunk] ?? 0
  }

  // MARK: Searches

  /// Proves that no row has this primary key, where a search found none.
  ///
  /// - Throws: `.damaged`.
  func absence(ofUniqueTag tag: [UInt8], _ connection: Connection, _ header: Header) throws(StoreError) {
    if proven.isWhole { return }
    guard let sums = header.state.sums else { return try everything(connection, header) }
    let entries = try entries(of: .primaryKeys, for: tag, sums, connection, header)
    if Self.count(Self.prefix(tag), in: entries) > 0, !proven.isWhole { throw fail("an index is out of order") }
  }

  /// The numbers of all rows with this tag, in ascending order.
  ///
  /// - Throws: `.damaged` if these are not all.
  func rows(with tag: AttributeTag, _ connection: Connection, _ header: Header) throws(StoreError) -> [Int64] {
    var expected: Int?
    if let sums = header.state.sums {
      let entries = try entries(of: .tags, for: tag.value, sums, connection, header)
      if !proven.isWhole { expected = Self.count(Self.prefix(tag), in: entries) }
    } else {
      try everything(connection, header)
    }
    let statement = try connection.statement("SELECT item FROM tag WHERE name = ? AND value = ? ORDER BY item")
    defer { statement.reset() }
    statement.bind(Int64(tag.name), 1)
    statement.bind(tag.value, 2)
    var rows: [Int64] = []
    while try statement.step() { rows.append(try statement.integer(0)) }
    guard expected == nil || expected == rows.count else { throw fail("an index is out of order") }
    return rows
  }

  /// Proves everything.
  ///
  /// - Throws: `.damaged` if anything does not add up.
  func everything(_ connection: Connection, _ header: Header) throws(StoreError) {
    if proven.isWhole { return }
    if let broken { throw .damaged(broken) }
    let found = try IntegrityCount(connection, parts, header).result()
    hasLearned = true
    if let text = found.damage ?? found.broken {
      proven.formUnion(found.proven)
      throw fail(text)
    }
    proven = .whole
  }

  /// A bucket has changed under the hands of this transaction.
  func changed(_ index: HeaderSums.Index, _ value: [UInt8]) {
    guard !proven.isWhole else { return }
    proven.buckets[Proven.Bucket(index: index, number: HeaderSums.bucket(of: value))] = nil
  }

  /// The numbers of all chunks have changed.
  func chunksChanged() {
    proven.chunks = []
    proven.brokenChunks = []
  }

  /// A row found by a search is not what was searched.
  func fail(_ text: String) -> StoreError {
    broken = broken ?? text
    hasLearned = true
    return .damaged(text)
  }

  private func countEverythingIfDue(_ connection: Connection, _ header: Header) throws(StoreError) {
    guard broken == nil, proven.entriesRead > Self.patience * Int(clamping: header.state.itemCount) else { return }
    do {
      try everything(connection, header)
    } catch .damaged {
      // Then the rows of the call are proven alone.
    }
  }

  /// So many entries an item are read in parts before all are counted.
  private static let patience = 8

  private func entries(
    of index: HeaderSums.Index, for value: [UInt8], _ sums: HeaderSums, _ connection: Connection, _ header: Header
  ) throws(StoreError) -> [UInt64] {
    let bucket = Proven.Bucket(index: index, number: HeaderSums.bucket(of: value))
    if let known = proven.buckets[bucket] { return known }
    try countEverythingIfDue(connection, header)
    if proven.isWhole { return [] }
    var read = (sum: UInt128(0), entries: [UInt64]())
    do {
      switch index {
      case .primaryKeys: try readPrimaryKeys(bucket.number, connection, &read)
      case .tags:
        var name = Int64.min
        while let next = try nextName(after: name, connection) {
          try readTags(bucket.number, next, connection, &read)
          name = next
        }
      }
    } catch .damaged(let text) {
      throw fail(text)
    }
    guard read.sum == sums[index, bucket.number] else {
      throw fail("the tags by which items are found were taken away, put back or added")
    }
    read.entries.sort()
    proven.entriesRead += read.entries.count
    proven.buckets[bucket] = read.entries
    hasLearned = true
    return read.entries
  }

  private func readPrimaryKeys(
    _ bucket: Int, _ connection: Connection, _ read: inout (sum: UInt128, entries: [UInt64])
  ) throws(StoreError) {
    let bounds = HeaderSums.bounds(of: bucket)
    let statement = try connection.statement(
      "SELECT uniq, id FROM item INDEXED BY item_uniq WHERE uniq >= ?\(bounds.upper == nil ? "" : " AND uniq < ?") ORDER BY uniq"
    )
    defer { statement.reset() }
    statement.bind(bounds.lower, 1)
    if let upper = bounds.upper { statement.bind(upper, 2) }
    var last: [UInt8] = []
    while try statement.step() {
      let value = try statement.bytes(0, size: AttributeTag.size)
      guard last.lexicographicallyPrecedes(value) else { throw .damaged("an index is out of order") }
      last = value
      read.sum &+= parts.marks.primaryKey(value, of: try statement.integer(1))
      read.entries.append(Self.prefix(value))
    }
  }

  private func readTags(
    _ bucket: Int, _ name: Int64, _ connection: Connection, _ read: inout (sum: UInt128, entries: [UInt64])
  ) throws(StoreError) {
    guard let code = UInt32(exactly: name) else { throw .damaged("a tag has no attribute") }
    let bounds = HeaderSums.bounds(of: bucket)
    let statement = try connection.statement(
      """
      SELECT value, item FROM tag WHERE name = ? AND value >= ?\(bounds.upper == nil ? "" : " AND value < ?") \
      ORDER BY value, item
      """)
    defer { statement.reset() }
    statement.bind(name, 1)
    statement.bind(bounds.lower, 2)
    if let upper = bounds.upper { statement.bind(upper, 3) }
    var last: (value: [UInt8], item: Int64) = ([], 0)
    while try statement.step() {
      let entry = (value: try statement.bytes(0, size: AttributeTag.size), item: try statement.integer(1))
      guard last.value == entry.value ? last.item < entry.item : last.value.lexicographicallyPrecedes(entry.value)
      else {
        throw .damaged("an index is out of order")
      }
      last = entry
      let tag = AttributeTag(name: code, value: entry.value)
      read.sum &+= parts.marks.tag(tag, of: entry.item)
      read.entries.append(Self.prefix(tag))
    }
  }

  private func nextName(after name: Int64, _ connection: Connection) throws(StoreError) -> Int64? {
    let statement = try connection.statement("SELECT min(name) FROM tag WHERE name > ?")
    defer { statement.reset() }
    statement.bind(name, 1)
    guard try statement.step(), !statement.isNull(0) else { return nil }
    return try statement.integer(0)
  }

  /// What stands for a value: it is a keyed tag already, of which eight bytes tell one from all others.
  private static func prefix(_ value: [UInt8]) -> UInt64 { value.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
  private static func prefix(_ tag: AttributeTag) -> UInt64 {
    prefix(tag.value) ^ UInt64(tag.name) &* 0x9E37_79B9_7F4A_7C15
  }

  private static func count(_ wanted: UInt64, in entries: [UInt64]) -> Int {
    func firstIndex(where isBeyond: (UInt64) -> Bool) -> Int {
      var (low, high) = (0, entries.count)
      while low < high {
        let middle = (low + high) / 2
        if isBeyond(entries[middle]) { high = middle } else { low = middle + 1 }
      }
      return low
    }
    return firstIndex { $0 > wanted } - firstIndex { $0 >= wanted }
  }
}
