import LatchkeyByteCoding
import LatchkeyEnclaveKeys
public import LatchkeyKeychainModel
import LatchkeyUserPresence

/// The result of a verification or a repair.
public struct VerificationReport: Hashable, Sendable {
  /// Each part that does not hold, in words; empty if all holds.
  public var findings: [String] = []
  /// How many items were looked at.
  public var itemsChecked = 0
  /// How many of them could not be opened because the keychain is locked: what they hold was not read, but that nobody
  /// altered them was checked.
  public var itemsLocked = 0
  /// How many items a repair dropped because they were not authentic.
  public var itemsDropped = 0
  /// The outcome of a repair for each item.
  public var items: [RepairedItem] = []
  /// Where a repair put the damaged file as it was; nil if nothing was changed.
  public var aside: String?

  /// Whether nothing was found.
  public var isClean: Bool { findings.isEmpty }
}

/// Looks at everything in the file, and opens all that can be opened.
struct Verification {
  let connection: Connection
  let parts: StoreParts

  /// - Parameter known: what is known of the state that the transaction sees.
  func report(_ known: VerifiedState) throws(StoreError) -> VerificationReport {
    var report = VerificationReport()
    if let damage = known.damage {
      report.findings.append(damage)
    } else {
      let found = try IntegrityCount(connection, parts, known.header).result()
      if let text = found.damage ?? found.broken ?? known.broken { report.findings.append(text) }
      if found.proven.isWhole, let sums = known.header.state.sums, try IntegrityCount.sums(connection, parts) != sums {
        report.findings.append("the header's sums are not those of the items")
      }
    }
    if let copy = try HeaderTable.readCopy(connection), HeaderTable.digest(copy) != known.header.state.slotsDigest {
      report.findings.append("the copy of the key records was altered")
    }
    try find(&report) { (_) throws(StoreError) in
      try AuditTable.walk(known.header.state.audit, connection, parts.auditChain) { _ in }
    }
    try find(&report) { (report) throws(StoreError) in try pages(&report) }
    try find(&report) { (report) throws(StoreError) in try items(&report) }
    return report
  }

  /// Damage is a finding, anything else an error.
  private func find(
    _ report: inout VerificationReport, _ body: (inout VerificationReport) throws(StoreError) -> Void
  ) throws(StoreError) {
    do {
      try body(&report)
    } catch .damaged(let text) {
      report.findings.append(text)
    }
  }

  private func pages(_ report: inout VerificationReport) throws(StoreError) {
    let statement = try connection.statement("PRAGMA integrity_check(20)")
    defer { statement.reset() }
    while try statement.step() {
      if let text = statement.text(0), text != "ok" { report.findings.append("the database: \(text)") }
    }
  }

  private func items(_ report: inout VerificationReport) throws(StoreError) {
    let statement = try connection.statement("SELECT \(ItemTable.columns) FROM item ORDER BY id")
    defer { statement.reset() }
    while try statement.step() {
      report.itemsChecked += 1
      do {
        let row = try ItemTable.row(statement)
        switch try verify(row) {
        case .sound: break
        case .locked: report.itemsLocked += 1
        case .altered(let text): report.findings.append("item \(row.id): \(text)")
        }
      } catch .damaged(let text) {
        report.findings.append("an item: \(text)")
      }
    }
  }

  enum Verdict { case sound, locked, altered(String) }

  /// Whether a row is as it was written, and what it holds fits what stands in the clear.
  func verify(_ row: ItemRow) throws(StoreError) -> Verdict {
    guard parts.sealer.isAuthentic(row) else { return .altered("it was altered") }
    guard let itemClass = StoredCodes.itemClass(row.itemClass),
      let accessibility = StoredCodes.accessibility(row.accessibility)
    else { return .altered("its class or accessibility does not exist") }
    let keys: ClassKeys
    switch Result(catching: { () throws(StoreError) in try parts.ring.classKeys(for: accessibility) }) {
    case .success(let found): keys = found
    case .failure: return .locked
    }
    do {
      guard row.epoch == Int64(keys.epoch) else { return .altered("it is sealed by keys that are gone") }
      let content = try parts.sealer.openContent(row, keys: keys)
      try verifyData(row, content, keys)
      guard let tags = parts.tags[accessibility] else { return .locked }
      let groupTag = tags.accessGroup(content.accessGroup)
      let uniqueTag = tags.primaryKey(
        content.attributes, of: itemClass, synchronizable: row.synchronizable != 0, groupTag: groupTag)
      guard groupTag == row.groupTag, uniqueTag == row.uniqueTag,
        tags.list(content.attributes, in: row.itemClass).encode() == row.tags
      else { return .altered("its tags are not those of its attributes") }
      return .sound
    } catch .damaged(let text) {
      return .altered(text)
    }
  }

  /// Content that only consent opens is verified from outside; a key of the enclave, by the keychain's seal in it.
  private func verifyData(_ row: ItemRow, _ content: ItemContent, _ keys: ClassKeys) throws(StoreError) {
    let control = try row.control
    if control.guardsData {
      return try parts.sealer.checkData(row, under: control, by: parts.constraints)
    }
    var data = try parts.sealer.openData(row, keys: keys)
    defer { data?.wipe() }
    guard control.isEnclaveKey else { return }
    guard let data, EnclaveKeyItems.isTokenID(content.attributes[.tokenID]) else {
      throw .damaged("an item that should keep a key of the enclave keeps none")
    }
    let representation: KeyRepresentation
    do throws(StoreError) {
      representation = try parts.enclaveSeal.open(data)
    } catch {
      throw .damaged("\(error)")
    }
    guard StoredControl(ofItemWith: representation) == control else {
      throw .damaged("an item has another access control than the key that it keeps")
    }
  }
}

extension KeychainDatabase {
  /// Counts everything again, opens every item that can be opened now, and goes through the whole audit log.
  public func verify() throws(StoreError) -> VerificationReport {
    try reading { (connection) throws(StoreError) in
      try readingSnapshot(connection) { (connection, known) throws(StoreError) in
        try Verification(connection: connection, parts: parts).report(known)
      }
    }
  }
}
