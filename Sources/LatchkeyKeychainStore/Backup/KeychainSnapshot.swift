import GRDB
import GRDBSQLite
public import LatchkeyKeychainModel
import LatchkeySecretData

/// All of a keychain as it was at one moment: what ``KeychainDatabase/restore(_:to:replacing:)`` makes the same keychain of.
///
/// The database is as on disk, sealed: it opens with the root key alone, and with the passcode if there is one.
public struct KeychainSnapshot: Hashable, Sendable {
  /// The keychain's UUID, 16 bytes.
  public var uuid: [UInt8]
  /// How many items it has.
  public var itemCount: Int
  /// The database file.
  public var database: [UInt8]
  /// The root key, 32 bytes: a secret. Nil where it is not in a file, or was not wanted.
  public var rootKey: [UInt8]?

  /// A snapshot of these parts.
  public init(uuid: [UInt8], itemCount: Int, database: [UInt8], rootKey: [UInt8]?) {
    self.uuid = uuid
    self.itemCount = itemCount
    self.database = database
    self.rootKey = rootKey
  }
}

extension KeychainDatabase {
  /// The keychain as it is now, while others go on reading and writing. It need not be unlocked.
  ///
  /// - Parameter includesRootKey: whether a root key that is in a file comes along; keys of a TPM and credentials never do.
  /// - Throws: `.damaged` if anything in it does not hold: a backup of it would be worth nothing.
  public func snapshot(includesRootKey: Bool = true) throws(StoreError) -> KeychainSnapshot {
    let (report, itemCount, database) = try reading { (connection) throws(StoreError) in
      try readingSnapshot(connection) { (connection, known) throws(StoreError) in
        let report = try Verification(connection: connection, parts: parts).report(known)
        return (report, Int(clamping: known.header.state.itemCount), try Self.image(of: connection))
      }
    }
    if let finding = report.findings.first { throw .damaged(finding) }
    var rootKey: [UInt8]?
    if includesRootKey, case .keyFile = configuration.rootKey { rootKey = parts.ring.root.key.exposedBytes }
    return KeychainSnapshot(uuid: parts.uuid, itemCount: itemCount, database: database, rootKey: rootKey)
  }

  /// The database file as the transaction that is open sees it, what is in the log included.
  static func image(of connection: Connection) throws(StoreError) -> [UInt8] {
    var size: sqlite3_int64 = 0
    guard let image = sqlite3_serialize(connection.database.sqliteConnection, "main", &size, 0) else {
      throw .inputOutput("\(connection.path) cannot be copied: is there memory for all of it?")
    }
    defer { sqlite3_free(image) }
    return Array(UnsafeBufferPointer(start: image, count: Int(size)))
  }
}
