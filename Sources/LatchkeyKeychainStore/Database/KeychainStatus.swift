public import LatchkeyKeychainModel

/// The state of a keychain that shows without opening any item.
public struct KeychainStatus: Hashable, Sendable {
  /// Where the file is.
  public var path: String
  /// The format of the file.
  public var format: Int
  /// The identifier of the keychain: 16 bytes.
  public var storeUUID: [UInt8]
  /// How many items there are of each class, in all access groups.
  public var items: [ItemClass: Int]
  /// How many transactions were committed in the keychain's life.
  public var counter: Int64
  /// Whether a passcode is set.
  public var hasPasscode: Bool
  /// Where the lock stands in this process.
  public var lockState: LockState
  /// Where the root key comes from.
  public var rootKey: RootKeySource
  /// Wrong passcodes in a row.
  public var failedAttempts: Int
  /// How many seconds the next passcode must wait.
  public var delayLeft: Double
  /// The alteration from outside that was found; nil if there is none.
  public var damage: String?
}

extension KeychainDatabase {
  /// The state of the keychain that shows without opening any item. Damage is part of it and no error.
  public func status() throws(StoreError) -> KeychainStatus {
    try reading { (connection) throws(StoreError) in
      try readingSnapshot(connection) { (connection, known) throws(StoreError) in
        let attempts = try known.header.state.attemptState
        var damage = known.complaint
        if damage == nil {
          do throws(StoreError) {
            try AuditTable.walk(known.header.state.audit, connection, parts.auditChain) { _ in }
          } catch {
            guard case .damaged(let text) = error else { throw error }
            damage = text
          }
        }
        return KeychainStatus(
          path: path, format: Int(clamping: known.header.format), storeUUID: parts.uuid,
          items: countsIfReadable(connection),
          counter: known.header.counter, hasPasscode: parts.ring.hasPasscode, lockState: lockState,
          rootKey: configuration.rootKey, failedAttempts: Int(attempts.failures),
          delayLeft: attempts.delayLeft(now: parts.now()), damage: damage)
      }
    }
  }

  private func countsIfReadable(_ connection: Connection) -> [ItemClass: Int] {
    (try? counts(connection)) ?? [:]
  }

  private func counts(_ connection: Connection) throws(StoreError) -> [ItemClass: Int] {
    let statement = try connection.statement("SELECT class, count(*) FROM item GROUP BY class")
    defer { statement.reset() }
    var counts: [ItemClass: Int] = [:]
    while try statement.step() {
      if let itemClass = StoredCodes.itemClass(try statement.integer(0)) {
        counts[itemClass] = Int(try statement.integer(1))
      }
    }
    return counts
  }

  /// The entries of the audit log after the one numbered `after`, the oldest first, at most `limit`.
  ///
  /// - Throws: `.damaged` if the chain of entries is broken anywhere.
  public func auditEntries(after: Int64 = 0, limit: Int = 1000) throws(StoreError) -> [AuditEntry] {
    try reading { (connection) throws(StoreError) in
      try readingSnapshot(connection) { (connection, known) throws(StoreError) in
        try AuditTable.entries(
          after: after, limit: limit, known.header.state.audit, connection, parts.auditChain)
      }
    }
  }
}
