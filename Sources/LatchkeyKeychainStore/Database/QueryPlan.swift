import LatchkeyKeychainModel

/// A query prepared for one index key: the conditions in the clear, the tags that lead to rows, and the conditions that are
/// compared once a row is open.
struct QueryPlan: Sendable {
  /// How candidates are found.
  enum Route: Sendable {
    case uuid([UInt8])
    /// The whole primary key is given: at most one row for each of these.
    case uniqueTags([[UInt8]])
    /// Rows with this tag, and with the second one if there are two.
    case tags(AttributeTag, AttributeTag?)
    case wholeClass

    /// Whether a row is one that the route leads to, where that can be one row only.
    var namesOneRow: ((ItemRow) -> Bool)? {
      switch self {
      case .uuid(let uuid): { $0.uuid == uuid }
      case .uniqueTags(let tags): { tags.contains($0.uniqueTag) }
      case .tags, .wholeClass: nil
      }
    }
  }

  /// The conditions that need no tag.
  let clear: ClearConditions
  /// The tags of the groups that count; nil is any.
  let groups: [[UInt8]]?
  let conditions: [Condition]
  var route: Route

  /// - Parameter isUnderDeviceRoot: which rows have tags of this key; nil: all.
  init(_ checked: CheckedQuery, tags: IndexTags, isUnderDeviceRoot: Bool?) {
    let query = checked.query
    clear = ClearConditions(query, isUnderDeviceRoot: isUnderDeviceRoot)
    groups = checked.groups.map { $0.map { tags.accessGroup($0) } }
    let code = clear.classCode
    if let reference = query.persistentReference {
      conditions = Self.conditions(query, code, tags)
      route = .uuid(reference.uuid)
    } else if let uniqueTags = Self.uniqueTags(query, groups: groups, tags: tags) {
      let primaryKey = AttributeSchema.primaryKey(of: query.itemClass)
      // The primary key's own attributes are compared when the row is open: no tags of their own are needed.
      conditions = query.attributes.map { name, value in
        Condition(
          attribute: name, wanted: value,
          tag: primaryKey.contains(name) ? nil : tags.attribute(name, value, in: code), ignoresCase: false)
      }
      route = .uniqueTags(uniqueTags)
    } else {
      conditions = Self.conditions(query, code, tags)
      route = Self.tagRoute(conditions, in: query.itemClass)
    }
  }

  /// Whether the route names rows by this attribute, so that a row found by it must have it.
  func leads(by attribute: ItemAttribute) -> Bool {
    switch route {
    case .uuid, .wholeClass: false
    case .uniqueTags: AttributeSchema.primaryKey(of: clear.itemClass).contains(attribute)
    case .tags(let first, let second): attribute.code == first.name || attribute.code == second?.name
    }
  }

  private static func conditions(_ query: ItemQuery, _ classCode: Int64, _ tags: IndexTags) -> [Condition] {
    query.attributes.map { name, value in
      var isFolded = false
      if query.ignoresCase, case .text = value { isFolded = !value.isEmptyOrZero }
      return Condition(
        attribute: name, wanted: value, tag: isFolded ? nil : tags.attribute(name, value, in: classCode),
        ignoresCase: isFolded)
    }
  }

  /// The unique tags of the rows that can match a query with a whole primary key; nil if it has none, or if too many
  /// groups are in question.
  private static func uniqueTags(_ query: ItemQuery, groups: [[UInt8]]?, tags: IndexTags) -> [[UInt8]]? {
    guard let groups, groups.count <= 4, !query.ignoresCase else { return nil }
    for name in AttributeSchema.primaryKey(of: query.itemClass) where query.attributes[name] == nil { return nil }
    let kinds: [Bool] =
      switch query.synchronizable {
      case .no: [false]
      case .yes: [true]
      case .any: [false, true]
      }
    return groups.flatMap { group in
      kinds.map {
        tags.primaryKey(query.attributes, of: query.itemClass, synchronizable: $0, groupTag: group)
      }
    }
  }

  /// The two most telling tags.
  private static func tagRoute(_ conditions: [Condition], in itemClass: ItemClass) -> Route {
    var leading = conditions.compactMap { condition -> (rank: Int, tag: AttributeTag)? in
      guard let tag = condition.tag, TagList.isSearched(condition.attribute, in: itemClass) else { return nil }
      return (rank(condition.attribute), AttributeTag(name: condition.attribute.code, value: tag))
    }
    leading.sort { ($0.rank, $0.tag.name) < ($1.rank, $1.tag.name) }
    guard let first = leading.first else { return .wholeClass }
    return .tags(first.tag, leading.dropFirst().first?.tag)
  }

  /// The fewer items share a value, as a rule, the smaller.
  private static func rank(_ attribute: ItemAttribute) -> Int {
    switch attribute {
    case .applicationLabel, .publicKeyHash, .serialNumber, .subjectKeyID: 0
    case .applicationTag, .subject, .server, .service, .account, .path, .generic: 1
    case .label: 2
    default: 3
    }
  }
}
