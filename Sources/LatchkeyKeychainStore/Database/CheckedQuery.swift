import LatchkeyKeychainModel

/// A query that makes sense, of a caller who may ask it.
struct CheckedQuery: Sendable {
  let query: ItemQuery
  /// The access groups that count; nil is any. A writing query never sees the group of hardware tokens.
  let groups: [String]?

  /// - Throws: `.missingEntitlement`, `.noSuchAttribute`, `.invalidParameter`.
  init(_ query: ItemQuery, as caller: Entitlements, isWriting: Bool) throws(StoreError) {
    try ItemRules.requireGroups(caller)
    try ItemRules.requireStored(query.itemClass)
    if let group = query.accessGroup {
      try ItemRules.requireReadable(group, as: caller)
      if isWriting { try ItemRules.requireWritable(group, as: caller) }
    }
    try ItemRules.check(query.attributes, in: query.itemClass)
    if let reference = query.persistentReference {
      guard reference.itemClass == query.itemClass else {
        throw .invalidParameter("the persistent reference is of another class")
      }
    }
    if let limit = query.limit, limit < 1 { throw .invalidParameter("a limit is at least 1") }
    self.query = query
    if let group = query.accessGroup {
      groups = [group]
    } else if caller.coverEverything {
      groups = nil
    } else {
      groups = isWriting ? caller.accessGroups.filter { $0 != Entitlements.tokenGroup } : caller.accessGroups
    }
  }

  /// How the rows are found by the tags that can be made now: a plan for each index key under which there may be any.
  func plans(_ tags: RowTags, _ state: HeaderState) -> [QueryPlan] {
    if tags.areShared { return [QueryPlan(self, tags: tags.device, isUnderDeviceRoot: nil)] }
    var plans: [QueryPlan] = []
    if wantsRows(underDeviceRoot: true, state) {
      plans.append(QueryPlan(self, tags: tags.device, isUnderDeviceRoot: true))
    }
    if let user = tags.user, wantsRows(underDeviceRoot: false, state) {
      plans.append(QueryPlan(self, tags: user, isUnderDeviceRoot: false))
    }
    return plans
  }

  /// Whether rows that can match may be under one of the roots.
  func wantsRows(underDeviceRoot isDevice: Bool, _ state: HeaderState) -> Bool {
    guard state.mayHaveItems(underDeviceRoot: isDevice) else { return false }
    return query.accessibility.map { $0.isUnderDeviceRoot == isDevice } ?? true
  }
}

/// The conditions of a query on a row's clear columns, its access group's tag aside.
struct ClearConditions: Sendable {
  let itemClass: ItemClass
  let classCode: Int64
  private let synchronizable: Int64?
  private let accessibility: Int64?
  private let isUnderDeviceRoot: Bool?

  /// Whether all rows that have what is asked for are of one accessibility.
  var namesAccessibility: Bool { accessibility != nil }

  init(_ query: ItemQuery, isUnderDeviceRoot: Bool?) {
    itemClass = query.itemClass
    classCode = StoredCodes.code(of: query.itemClass)
    synchronizable = query.persistentReference != nil && query.synchronizable == .no ? nil : query.synchronizable.column
    accessibility = query.accessibility.map { StoredCodes.code(of: $0) }
    self.isUnderDeviceRoot = isUnderDeviceRoot
  }

  /// Whether the row that `statement` stands on, all columns of which it reads, has what is asked for.
  func hold(_ statement: SQLStatement) throws(StoreError) -> Bool {
    guard try statement.integer(2) == classCode else { return false }
    if let synchronizable, try statement.integer(3) != synchronizable { return false }
    if accessibility == nil, isUnderDeviceRoot == nil { return true }
    let found = try statement.integer(5)
    if let accessibility, found != accessibility { return false }
    return isUnderDeviceRoot.map { $0 == Accessibility.isUnderDeviceRoot(code: found) } ?? true
  }
}

extension ItemQuery.Synchronizable {
  fileprivate var column: Int64? {
    switch self {
    case .no: 0
    case .yes: 1
    case .any: nil
    }
  }
}
