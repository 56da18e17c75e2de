public import LatchkeyKeychainModel
import LatchkeySQLite
import LatchkeySecretData

/// A complete copy of a keychain at one moment, restored by ``KeychainDatabase/restore(_:to:replacing:)``.
///
/// The database is sealed as on disk: it requires the root key, and the passcode if one is set.
public struct KeychainSnapshot: Hashable, Sendable {
  /// The keychain's UUID, 16 bytes.
  public var uuid: [UInt8]
  /// The number of items.
  public var itemCount: Int
  /// The bytes of the database file.
  public var database: [UInt8]
  /// The root key, 32 bytes, secret. Nil if it is not in a file, or was not requested.
  public var rootKey: [UInt8]?

  /// Creates a snapshot from its parts.
  public init(uuid: [UInt8], itemCount: Int, database: [UInt8], rootKey: [UInt8]?) {
    self.uuid = uuid
    self.itemCount = itemCount
    self.database = database
    self.rootKey = rootKey
  }
}

extension KeychainDatabase {
  /// Takes a snapshot of the keychain while other readers and writers continue. The keychain need not be unlocked.
  ///
  /// - Parameter includesRootKey: whether to include a root key that is in a file; TPM keys and credentials are never included.
  /// - Throws: `.damaged` if verification fails, since a backup of a damaged keychain is worthless.
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

  /// The database file as the open transaction sees it, including the content of the log.
  static func image(of connection: Connection) throws(StoreError) -> [UInt8] {
    guard let image = connection.database.image else {
      throw .inputOutput("\(connection.path) cannot be copied: is there memory for all of it?")
    }
    return image
  }
}
