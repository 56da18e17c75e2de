import LatchkeyKeychainModel

/// Decides by the audit log which version of an item is its newest, where the sums do not: the log names every item that came,
/// changed or went, in a chain that the header holds.
struct Freshness {
  /// The last that the log says of an item.
  struct Last {
    var isThere: Bool
    /// The version of its row; nil if the log does not go back that far.
    var version: Int64?
  }

  enum Verdict: Equatable {
    case newest
    /// Deleted, or an older version of what is stored now.
    case outdated(String)
    /// The log does not go back so far.
    case unknown
  }

  private let parts: StoreParts
  private let last: [[UInt8]: Last]
  /// The digest of the key records that were stored last, as far as the log has it: its first bytes.
  let keys: [UInt8]?
  /// Whether a passcode is set, if the log tells.
  let hasPasscode: Bool?
  /// The digests of all key records that it names, the first bytes of each.
  let earlierKeys: Set<[UInt8]>
  /// Whether the log was readable at all.
  let isReadable: Bool
  /// Whether it goes back to the keychain's first day.
  let isWhole: Bool
  /// Whether the header names its end. Else it may have been cut, and what it does not know may be newer than it.
  let isEndProven: Bool

  /// Reads the log. A log that does not hold, or has no entries, decides nothing.
  init(
    _ connection: Connection, _ parts: StoreParts, _ position: AuditPosition, isEndProven: Bool = true
  ) throws(StoreError) {
    var last: [[UInt8]: Last] = [:]
    var keys: [UInt8]?
    var earlierKeys: Set<[UInt8]> = []
    var beginning: AuditEvent?
    var hasPasscode: Bool?
    self.parts = parts
    var isReadable = position.last >= position.first
    do {
      try AuditTable.walk(position, connection, parts.auditChain, from: position.first) { entry in
        Self.note(entry, &last)
        beginning = beginning ?? entry.event
        keys = entry.keys ?? keys
        if let named = entry.keys { earlierKeys.insert(named) }
        switch entry.event {
        case .passcodeSet, .passcodeChanged: hasPasscode = true
        case .passcodeRemoved, .created: hasPasscode = false
        default: break
        }
      }
    } catch .damaged {
      isReadable = false
    }
    self.last = isReadable ? last : [:]
    self.isReadable = isReadable
    self.keys = isReadable ? keys : nil
    self.hasPasscode = isReadable ? hasPasscode : nil
    self.earlierKeys = isReadable ? earlierKeys : []
    self.isEndProven = isEndProven
    // A log that was begun anew may have the number 1 too.
    isWhole = isReadable && position.first == 1 && beginning == .created
  }

  private static func note(_ entry: AuditEntry, _ last: inout [[UInt8]: Last]) {
    guard let item = entry.item else { return }
    switch entry.event {
    case .added: last[item] = Last(isThere: true, version: entry.version ?? 1)
    case .updated:
      // Entries of earlier formats do not name the version: they are counted from the first one.
      last[item] = Last(isThere: true, version: entry.version ?? last[item]?.version.map { $0 + 1 })
    case .deleted: last[item] = Last(isThere: false, version: nil)
    default: break
    }
  }

  func verdict(_ row: ItemRow) -> Verdict {
    guard isReadable else { return .unknown }
    guard let known = last[parts.auditChain.tag(ofItem: row.uuid)] else {
      return isWhole && isEndProven ? .outdated("the audit log knows of no such item") : .unknown
    }
    guard known.isThere else { return .outdated("it was deleted") }
    guard let version = known.version else { return .unknown }
    if version == row.version { return .newest }
    if version < row.version, !isEndProven { return .unknown }
    return .outdated("it is version \(row.version), and was replaced by \(version)")
  }

  func isNewest(_ row: ItemRow) -> Bool { verdict(row) == .newest }

  /// The tags of the items that are there by the log.
  var present: Set<[UInt8]> { Set(last.filter { $0.value.isThere }.keys) }
}
