import LatchkeyKeychainModel
import LatchkeyUserPresence

/// One row that a query matched.
struct Match {
  var row: ItemRow
  /// Its content; nil if the keys are not there now, and its tags decided that it matches.
  var content: ItemContent?
  var data: [UInt8]?
  /// Whether the data waits for consent.
  var isSealed = false
}

/// Finds the rows that match a plan, by the tags of one index key.
struct Matching {
  var plan: QueryPlan
  /// Rows from this number on do not count.
  var end: Int64?
  /// The search that the rows belong to.
  let search: Search

  /// The matches in the order of their adding, at most as many as `limit`.
  ///
  /// - Throws: `.locked` if one that matches, or of which that cannot be decided, is locked; `.damaged`.
  func collect(limit: Int?) throws(StoreError) -> [Match] {
    do throws(StoreError) {
      return try rows(limit)
    } catch {
      guard case .damaged(let text) = error, !search.proof.isWhole, let isWanted = plan.route.namesOneRow else {
        throw error
      }
      // An index is spoiled, and the row may be sound nonetheless.
      _ = search.proof.fail(text)
      let matches = try scan(isWanted)
      if matches.isEmpty { throw error }
      return matches
    }
  }

  /// The matches among the rows that can be read without an index: from both ends, since a scan ends at a bad page.
  private func scan(_ isWanted: (ItemRow) -> Bool) throws(StoreError) -> [Match] {
    var matches: [Match] = []
    var seen: Set<Int64> = []
    for order in ["ASC", "DESC"] {
      let statement = try search.connection.statement(
        "SELECT \(ItemTable.columns) FROM item NOT INDEXED ORDER BY id \(order)")
      defer { statement.reset() }
      do throws(StoreError) {
        while try statement.step() {
          guard let row = try? ItemTable.row(statement), isWanted(row), seen.insert(row.id).inserted else { continue }
          try search.proof.row(row, search.connection, search.header)
          guard try isInQuestion(statement), let match = try match(row) else { continue }
          matches.append(match)
        }
      } catch {
        guard case .damaged = error else { throw error }
      }
    }
    return matches.sorted { $0.row.id < $1.row.id }
  }

  private func rows(_ limit: Int?) throws(StoreError) -> [Match] {
    var matches: [Match] = []
    switch plan.route {
    case .uuid(let uuid):
      // The index of UUIDs has no sums of its own: what is not there is proven by counting everything.
      if try !exists(uuid) { try search.proof.everything(search.connection, search.header) }
      let statement = try search.connection.statement("SELECT \(ItemTable.columns) FROM item WHERE uuid = ?")
      statement.bind(uuid, 1)
      try gather(statement, limit, &matches)
    case .uniqueTags(let tags):
      for tag in tags {
        let statement = try search.connection.statement("SELECT \(ItemTable.columns) FROM item WHERE uniq = ?")
        statement.bind(tag, 1)
        if try !gather(statement, nil, &matches) {
          try search.proof.absence(ofUniqueTag: tag, search.connection, search.header)
        }
      }
      if tags.count > 1 { matches.sort { $0.row.id < $1.row.id } }
      if let limit, matches.count > limit { matches.removeLast(matches.count - limit) }
    case .tags(let first, let second) where !search.proof.isWhole:
      try provenRows(second == nil ? first : try moreTelling(first, second ?? first).0, limit, &matches)
    case .tags(let first, let second?):
      let (outer, inner) = try moreTelling(first, second)
      let statement = try search.connection.statement(
        """
        SELECT \(ItemTable.qualifiedColumns) FROM tag AS a CROSS JOIN tag AS b ON b.name = ? AND b.value = ? \
        AND b.item = a.item CROSS JOIN item ON item.id = a.item WHERE a.name = ? AND a.value = ? ORDER BY a.item
        """)
      bind(inner, outer, statement)
      try gather(statement, limit, &matches)
    case .tags(let first, nil):
      let statement = try search.connection.statement(
        """
        SELECT \(ItemTable.qualifiedColumns) FROM tag AS a CROSS JOIN item ON item.id = a.item \
        WHERE a.name = ? AND a.value = ? ORDER BY a.item
        """)
      statement.bind(Int64(first.name), 1)
      statement.bind(first.value, 2)
      try gather(statement, limit, &matches)
    case .wholeClass:
      try search.proof.everything(search.connection, search.header)
      try gather(try wholeClass(), limit, &matches)
    }
    return matches
  }

  /// The rows with a tag, where not everything was counted: the tag's entries are proven to be all, and each row alone.
  private func provenRows(_ tag: AttributeTag, _ limit: Int?, _ matches: inout [Match]) throws(StoreError) {
    // What else is asked for is looked up in the rows.
    var single = self
    single.plan.route = .tags(tag, nil)
    for id in try search.proof.rows(with: tag, search.connection, search.header) {
      if let limit, matches.count >= limit { return }
      let statement = try search.connection.statement("SELECT \(ItemTable.columns) FROM item WHERE id = ?")
      statement.bind(id, 1)
      guard try single.gather(statement, nil, &matches) else { throw search.proof.fail("a tag leads to no item") }
    }
  }

  private func exists(_ uuid: [UInt8]) throws(StoreError) -> Bool {
    let statement = try search.connection.statement("SELECT 1 FROM item WHERE uuid = ?")
    defer { statement.reset() }
    statement.bind(uuid, 1)
    return try statement.step()
  }

  private func wholeClass() throws(StoreError) -> SQLStatement {
    guard let groups = plan.groups else {
      let statement = try search.connection.statement(
        """
        SELECT \(ItemTable.columns) FROM item WHERE id IN (SELECT id FROM item WHERE class = ?) ORDER BY id
        """)
      statement.bind(plan.clear.classCode, 1)
      return statement
    }
    let marks = repeatElement("?", count: groups.count).joined(separator: ", ")
    let statement = try search.connection.statement(
      """
      SELECT \(ItemTable.columns) FROM item WHERE id IN \
      (SELECT id FROM item WHERE class = ? AND agrp_tag IN (\(marks))) ORDER BY id
      """)
    statement.bind(plan.clear.classCode, 1)
    for (index, group) in groups.enumerated() { statement.bind(group, Int32(truncatingIfNeeded: index) + 2) }
    return statement
  }

  /// Puts that tag first which fewer rows have, as far as a short look shows.
  private func moreTelling(
    _ first: AttributeTag, _ second: AttributeTag
  ) throws(StoreError) -> (AttributeTag, AttributeTag) {
    guard try rows(with: first) > Self.look else { return (first, second) }
    return try rows(with: second) <= Self.look ? (second, first) : (first, second)
  }

  private static let look: Int64 = 32

  private func rows(with tag: AttributeTag) throws(StoreError) -> Int64 {
    let statement = try search.connection.statement(
      "SELECT count(*) FROM (SELECT 1 FROM tag WHERE name = ? AND value = ? LIMIT \(Self.look + 1))")
    defer { statement.reset() }
    statement.bind(Int64(tag.name), 1)
    statement.bind(tag.value, 2)
    return try statement.step() ? try statement.integer(0) : 0
  }

  private func bind(_ inner: AttributeTag, _ outer: AttributeTag, _ statement: SQLStatement) {
    statement.bind(Int64(inner.name), 1)
    statement.bind(inner.value, 2)
    statement.bind(Int64(outer.name), 3)
    statement.bind(outer.value, 4)
  }

  /// Whether the statement gave any row at all.
  @discardableResult
  private func gather(
    _ statement: SQLStatement, _ limit: Int?, _ matches: inout [Match]
  ) throws(StoreError) -> Bool {
    defer { statement.reset() }
    var isAny = false
    while matches.count < limit ?? .max, try statement.step() {
      isAny = true
      if !search.proof.isWhole {
        // Before anything in the row counts, were it only to pass over it.
        try search.proof.row(try ItemTable.row(statement), search.connection, search.header)
      }
      guard try isInQuestion(statement) else { continue }
      let row = try ItemTable.row(statement, withData: search.wantsData || search.wantsEnclaveKeys)
      if let match = try match(row) { matches.append(match) }
    }
    return isAny
  }

  /// The decision by the clear columns.
  private func isInQuestion(_ statement: SQLStatement) throws(StoreError) -> Bool {
    if let end, try statement.integer(0) >= end { return false }
    guard try plan.clear.hold(statement) else { return false }
    if let groups = plan.groups {
      let group = try statement.bytes(4, size: AttributeTag.size)
      return groups.contains(group)
    }
    return true
  }

  private func match(_ row: ItemRow) throws(StoreError) -> Match? {
    guard let accessibility = StoredCodes.accessibility(row.accessibility) else {
      throw .damaged("an item has an accessibility that does not exist")
    }
    let keys: ClassKeys
    switch Result(catching: { () throws(StoreError) in try search.parts.ring.classKeys(for: accessibility) }) {
    case .success(let found): keys = found
    case .failure(let error):
      guard try holds(byTagsOf: row, orElse: error) else { return nil }
      if search.takesLocked { return Match(row: row) }
      throw error
    }
    guard row.epoch == Int64(keys.epoch) else { throw .damaged("an item is sealed by keys that are gone") }
    let control = try row.control(under: accessibility)
    // Rows that another tag than the leading ones rules out need not be opened.
    if plan.conditions.contains(where: { $0.tag != nil && !plan.leads(by: $0.attribute) }) {
      let tags = try Self.tags(of: row)
      for condition in plan.conditions where condition.tag != nil && !plan.leads(by: condition.attribute) {
        if condition.holds(tags) == false { return nil }
      }
    }
    let content = try search.parts.sealer.openContent(row, keys: keys)
    for condition in plan.conditions where !condition.holds(content.attributes[condition.attribute]) {
      if plan.leads(by: condition.attribute) || condition.tag != nil {
        throw .damaged("an item was found by what it does not have")
      }
      return nil
    }
    var match = Match(row: row, content: content)
    if control.guardsData {
      if search.wantsData, let leavesOut = search.leavesOut, leavesOut(control) {
        return nil
      }
      match.isSealed = search.wantsData && row.data != nil
    } else if search.wantsData || (search.wantsEnclaveKeys && control.isEnclaveKey) {
      match.data = try search.parts.sealer.openData(row, keys: keys)
    }
    return match
  }

  /// Whether a locked row matches.
  ///
  /// - Throws: `error` if that cannot be decided.
  private func holds(byTagsOf row: ItemRow, orElse error: StoreError) throws(StoreError) -> Bool {
    let tags = try Self.tags(of: row)
    var isOpen = false
    for condition in plan.conditions {
      // The whole primary key led here.
      if case .uniqueTags = plan.route, plan.leads(by: condition.attribute) { continue }
      switch condition.holds(tags) {
      case true?: break
      case false?: return false
      case nil: isOpen = true
      }
    }
    if isOpen { throw error }
    return true
  }

  private static func tags(of row: ItemRow) throws(StoreError) -> TagList {
    do {
      return try TagList.decode(row.tags)
    } catch {
      throw .damaged("the tags of an item do not read: \(error)")
    }
  }
}
