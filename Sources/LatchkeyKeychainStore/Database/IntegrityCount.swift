import LatchkeyKeychainModel

/// Counts everything again: every row's mark, their sum, the searched tags against the rows, the order of every index.
/// Nothing is decrypted, so it works on a locked keychain too.
struct IntegrityCount {
  private let connection: Connection
  private let parts: StoreParts
  private let header: Header

  init(_ connection: Connection, _ parts: StoreParts, _ header: Header) {
    self.connection = connection
    self.parts = parts
    self.header = header
  }

  /// The outcome of a count.
  struct Result {
    /// An alteration that makes everything doubtful: of tables, key records, or a sum over all rows.
    var damage: String?
    /// An alteration that makes parts doubtful: the others may be read.
    var broken: String?
    var proven = Proven()
  }

  /// - Throws: what reading fails with, but not `.damaged`.
  func result() throws(StoreError) -> Result {
    let foundation = try foundation()
    if foundation.damage != nil { return foundation }
    var proven = Proven()
    let text: String?
    do {
      text = try count(&proven)
    } catch .damaged(let found) {
      text = found
    }
    guard let text else { return Result(broken: foundation.broken, proven: .whole) }
    return header.state.sums == nil ? Result(damage: text) : Result(broken: text, proven: proven)
  }

  static let keysAltered = "the key records were altered"

  /// The alterations of the foundation, the tables and the key records. Where only a copy of the key records holds, everything
  /// can be read.
  func foundation() throws(StoreError) -> Result {
    do {
      guard try StoreSchema.look(connection) == .keychain else {
        return Result(damage: "the tables of a keychain are gone")
      }
      guard let found = try HeaderTable.records(named: header.state.slotsDigest, connection) else {
        return Result(damage: Self.keysAltered)
      }
      return Result(broken: found.isCopy ? "\(Self.keysAltered), but their copy holds" : nil)
    } catch .damaged(let text) {
      return Result(damage: text)
    }
  }

  private func count(_ proven: inout Proven) throws(StoreError) -> String? {
    var sum = SetHash()
    var chunks: [Int64: UInt128] = [:]
    var items: UInt64 = 0
    var deviceItems: UInt64 = 0
    var altered: String?
    var expected = IndexPrints()
    let statement = try connection.statement("SELECT \(ItemTable.columns) FROM item ORDER BY id")
    do {
      defer { statement.reset() }
      while try statement.step() {
        let row = try ItemTable.row(statement)
        if !parts.sealer.isAuthentic(row) { altered = altered ?? "an item was altered" }
        items += 1
        if Accessibility.isUnderDeviceRoot(code: row.accessibility) { deviceItems += 1 }
        if let sums = header.state.sums {
          chunks[sums.chunk(of: row.id), default: 0] &+= parts.marks.row(row.id, mark: row.mark)
        } else {
          sum.add(parts.sealer.share(id: row.id, mark: row.mark))
        }
        if altered != nil { continue }
        expected.add(row)
        for tag in try Self.searched(row) { expected.add(tag, of: row.id) }
      }
    }
    let isWhole: Bool
    if let sums = header.state.sums {
      let numbers = Set(chunks.keys).union(sums.chunks.keys)
      for number in numbers {
        if chunks[number] ?? 0 == sums.chunks[number] ?? 0 {
          proven.chunks.insert(number)
        } else {
          proven.brokenChunks.insert(number)
        }
      }
      isWhole = proven.brokenChunks.isEmpty
    } else {
      isWhole = sum == header.state.setHash
    }
    if let altered { return altered }
    guard items == header.state.itemCount, isWhole else {
      return "items were taken away, put back or added: there are \(items) in place of \(header.state.itemCount)"
    }
    guard header.state.deviceItemCount ?? deviceItems == deviceItems else {
      return "the header counts other items under the device root than there are"
    }
    guard try expected == IndexPrints(reading: connection, by: expected) else {
      return "the tags by which items are found do not belong to the items"
    }
    return nil
  }

  /// The sums by parts of a file that was found sound.
  static func sums(_ connection: Connection, _ parts: StoreParts) throws(StoreError) -> HeaderSums {
    var sums = HeaderSums()
    let statement = try connection.statement("SELECT \(ItemTable.columns) FROM item ORDER BY id")
    defer { statement.reset() }
    while try statement.step() {
      let row = try ItemTable.row(statement, withData: false)
      try sums.add(row, parts)
    }
    return sums
  }

  /// The tags of `row` that stand in the searched table.
  static func searched(_ row: ItemRow) throws(StoreError) -> [AttributeTag] {
    guard let itemClass = StoredCodes.itemClass(row.itemClass) else {
      throw .damaged("an item is of a class that does not exist")
    }
    do {
      return try TagList.decode(row.tags).searched(in: itemClass)
    } catch {
      throw .damaged("the tags of an item do not read: \(error)")
    }
  }
}

extension HeaderSums {
  /// Adds all that stands in the database of `row`.
  mutating func add(_ row: ItemRow, _ parts: StoreParts) throws(StoreError) {
    addRow(row.id, parts.marks.row(row.id, mark: row.mark))
    self[.primaryKeys, Self.bucket(of: row.uniqueTag)] &+= parts.marks.primaryKey(row.uniqueTag, of: row.id)
    for tag in try IntegrityCount.searched(row) {
      self[.tags, Self.bucket(of: tag.value)] &+= parts.marks.tag(tag, of: row.id)
    }
  }
}

/// Sums over the entries of each index, by a hash that is seeded anew in each process: two sets of entries have the same
/// sums only if they are the same.
struct IndexPrints: Equatable {
  private var uuids = Print()
  private var uniqueTags = Print()
  private var classes = Print()
  private var tags = Print()

  struct Print: Equatable {
    var count = 0
    var sum: UInt64 = 0

    mutating func add(_ entry: some Hashable, _ id: Int64) {
      var hasher = Hasher()
      hasher.combine(IndexPrints.seed)
      hasher.combine(entry)
      hasher.combine(id)
      count += 1
      sum &+= UInt64(bitPattern: Int64(hasher.finalize()))
    }
  }

  /// An editor of the file does not know it.
  private static let seed = UInt64.random(in: .min ... .max)

  init() {}

  mutating func add(_ row: ItemRow) {
    uuids.add(row.uuid, row.id)
    uniqueTags.add(row.uniqueTag, row.id)
    classes.add([row.itemClass, 0].map { UInt8(truncatingIfNeeded: $0) } + row.groupTag, row.id)
  }

  mutating func add(_ tag: AttributeTag, of id: Int64) { tags.add(tag, id) }

  /// The sums over what the indexes hold.
  ///
  /// - Throws: `.damaged` if an index is not in order: then a search in it would miss what is there.
  init(reading connection: Connection, by other: IndexPrints) throws(StoreError) {
    try Self.walk(connection, "SELECT id, uuid FROM item INDEXED BY item_uuid ORDER BY uuid") { uuids.add($1, $0) }
    try Self.walk(connection, "SELECT id, uniq FROM item INDEXED BY item_uniq ORDER BY uniq") { uniqueTags.add($1, $0) }
    try Self.walkClasses(connection) { classes.add($1, $0) }
    try Self.walkTags(connection) { tags.add($1, $0) }
  }

  private static func walk(
    _ connection: Connection, _ sql: String, _ body: (Int64, [UInt8]) -> Void
  ) throws(StoreError) {
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    var last: [UInt8]?
    while try statement.step() {
      let value = try statement.bytes(1, size: 16)
      if let last, !last.lexicographicallyPrecedes(value) { throw .damaged("an index is out of order") }
      last = value
      body(try statement.integer(0), value)
    }
  }

  private static func walkClasses(_ connection: Connection, _ body: (Int64, [UInt8]) -> Void) throws(StoreError) {
    let statement = try connection.statement(
      "SELECT id, class, agrp_tag FROM item INDEXED BY item_class ORDER BY class, agrp_tag, id")
    defer { statement.reset() }
    var last: (Int64, [UInt8], Int64)?
    while try statement.step() {
      let entry = (try statement.integer(1), try statement.bytes(2, size: 16), try statement.integer(0))
      if let last, !precedes(last, entry) { throw .damaged("an index is out of order") }
      last = entry
      body(entry.2, [UInt8(truncatingIfNeeded: entry.0), 0] + entry.1)
    }
  }

  private static func walkTags(_ connection: Connection, _ body: (Int64, AttributeTag) -> Void) throws(StoreError) {
    let statement = try connection.statement("SELECT name, value, item FROM tag ORDER BY name, value, item")
    defer { statement.reset() }
    var last: (Int64, [UInt8], Int64)?
    while try statement.step() {
      let entry = (try statement.integer(0), try statement.bytes(1, size: 16), try statement.integer(2))
      if let last, !precedes(last, entry) { throw .damaged("an index is out of order") }
      last = entry
      guard let name = UInt32(exactly: entry.0) else { throw .damaged("a tag has no attribute") }
      body(entry.2, AttributeTag(name: name, value: entry.1))
    }
  }

  private static func precedes(_ a: (Int64, [UInt8], Int64), _ b: (Int64, [UInt8], Int64)) -> Bool {
    if a.0 != b.0 { return a.0 < b.0 }
    if a.1 != b.1 { return a.1.lexicographicallyPrecedes(b.1) }
    return a.2 < b.2
  }
}
