import LatchkeyKeychainModel
import LatchkeyUserPresence

/// Finds the rows that match a query, whichever root they are under, in one state of the database.
///
/// Before the first unlock the tags of rows under the user root cannot be made. Whether one of those matches can then only be told
/// where none is of the class, or where what was found already is all there can be.
struct Search {
  let query: CheckedQuery
  let parts: StoreParts
  let connection: Connection
  let proof: Proof
  let header: Header
  /// The outcome for a row that matches and is locked: finding it is an error, deleting it is not.
  var takesLocked = false
  var wantsData: Bool
  /// Whether the keys of the enclave are wanted that rows keep, if not all data.
  var wantsEnclaveKeys = false
  /// Which constrained rows do not count. It must ask no user.
  var leavesOut: ((StoredControl) -> Bool)?

  /// The matches in the order of their adding, at most as many as `limit`.
  ///
  /// - Throws: `.locked` if one that matches, or of which that cannot be decided, is locked; `.damaged`.
  func collect(limit: Int?) throws(StoreError) -> [Match] {
    let tags = parts.tags
    let plans = query.plans(tags, header.state)
    var matches: [Match] = []
    for plan in plans {
      // With as many as the query asks for already, only those that were added before them count.
      let end = matches.count < limit ?? .max ? nil : matches.last?.row.id
      matches += try matching(plan, end).collect(limit: limit)
    }
    if plans.count > 1 {
      matches.sort { $0.row.id < $1.row.id }
      if let limit, matches.count > limit { matches.removeLast(matches.count - limit) }
    }
    if tags.user == nil, matches.count < limit ?? .max { try requireNothingHidden(plans.first) }
    return matches
  }

  private func matching(_ plan: QueryPlan, _ end: Int64?) -> Matching {
    Matching(plan: plan, end: end, search: self)
  }

  /// - Parameter plan: how the other rows were found.
  /// - Throws: `.locked` if a row under the user root may match.
  private func requireNothingHidden(_ plan: QueryPlan?) throws(StoreError) {
    guard query.wantsRows(underDeviceRoot: false, header.state) else { return }
    if case .uniqueTags(let tags)? = plan?.route {
      // Where a primary key is in use under the one root, it is free under the other.
      var isSettled = true
      for tag in tags where isSettled { isSettled = try ItemTable.id(ofUniqueTag: tag, connection) != nil }
      if isSettled { return }
    }
    try HiddenRows(connection: connection, proof: proof, header: header).requireNone(
      ClearConditions(query.query, isUnderDeviceRoot: false), uuid: query.query.persistentReference?.uuid)
  }
}

/// The rows under the user root before the first unlock.
struct HiddenRows {
  let connection: Connection
  let proof: Proof
  let header: Header

  /// - Parameter uuid: the UUID that a row must have; nil is any.
  /// - Throws: `.locked` if there is a row of which the clear columns are these, with its accessibility if no other one was asked
  ///   for; `.damaged`.
  func requireNone(_ conditions: ClearConditions, uuid: [UInt8]? = nil) throws(StoreError) {
    let statement = try connection.statement(
      "SELECT \(ItemTable.columns) FROM item WHERE \(uuid == nil ? "class" : "uuid") = ?")
    defer { statement.reset() }
    if let uuid { statement.bind(uuid, 1) } else { statement.bind(conditions.classCode, 1) }
    while try statement.step() {
      guard try conditions.hold(statement) else { continue }
      let row = try ItemTable.row(statement)
      try proof.row(row, connection, header)
      let isMeant = uuid != nil || conditions.namesAccessibility
      throw .locked(isMeant ? StoredCodes.accessibility(row.accessibility) : nil, .beforeFirstUnlock)
    }
    try proof.everything(connection, header)
  }
}
