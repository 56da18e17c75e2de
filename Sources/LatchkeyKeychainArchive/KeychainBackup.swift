public import Foundation
public import LatchkeyAgeEncryption
import LatchkeyByteCoding
public import LatchkeyKeychainStore
import LatchkeySecretData

/// A backup of a whole keychain: one JSON document, which ``sealed(for:random:)`` puts into an age file.
///
/// The members: `format` ("latchkey-keychain-backup"), `version` (1), `created` (RFC 3339, UTC), `keychain` (its UUID, Base64), `itemCount`,
/// `database` (the database file, Base64), `rootKey` (32 bytes, Base64; absent if it is in a TPM or a credential).
public struct KeychainBackup: Hashable, Sendable, Codable {
  /// The `format` of every backup.
  public static let format = "latchkey-keychain-backup"
  /// The version that this code writes, and the newest that it reads.
  public static let version = 1

  private var format = KeychainBackup.format
  private var version = KeychainBackup.version
  /// The time of creation.
  public var created: Date
  private var keychain: Data
  private var itemCount: Int
  private var database: Data
  private var rootKey: Data?

  /// Creates a backup of a snapshot.
  public init(_ snapshot: KeychainSnapshot, created: Date) {
    self.created = created
    keychain = Data(snapshot.uuid)
    itemCount = snapshot.itemCount
    database = Data(snapshot.database)
    rootKey = snapshot.rootKey.map { Data($0) }
  }

  /// The keychain in the backup, not yet verified.
  public var snapshot: KeychainSnapshot {
    KeychainSnapshot(
      uuid: [UInt8](keychain), itemCount: itemCount, database: [UInt8](database), rootKey: rootKey.map { [UInt8]($0) })
  }

  /// Encodes the backup as JSON. It contains the root key in the clear; overwrite it after use.
  public func json() throws(ArchiveError) -> Data { try ArchiveJSON.encode(self) }

  /// Parses ``json()``. Unknown members are ignored.
  ///
  /// - Throws: ``ArchiveError/malformed(_:)``, ``ArchiveError/newerVersion(_:)``.
  public init(json: Data) throws(ArchiveError) {
    self = try ArchiveJSON.decode(KeychainBackup.self, json, format: Self.format, version: Self.version)
    guard keychain.count == 16, rootKey.map({ $0.count == 32 }) ?? true else {
      throw .malformed("keychain has 16 bytes, and rootKey 32")
    }
    guard itemCount >= 0 else { throw .malformed("itemCount is negative") }
  }

  /// Encrypts the backup into an age file.
  ///
  /// - Parameter random: Returns the given count of bytes from the system's generator.
  /// - Throws: ``ArchiveError/age(_:)``.
  public func sealed(for lock: AgeLock, random: (Int) -> [UInt8]) throws(ArchiveError) -> [UInt8] {
    try ArchiveJSON.seal(try json(), for: lock, random: random)
  }

  /// Decrypts the output of ``sealed(for:random:)``, armored or not.
  ///
  /// - Throws: ``ArchiveError/age(_:)``, ``ArchiveError/malformed(_:)``, ``ArchiveError/newerVersion(_:)``.
  public init(opening file: [UInt8], _ unlock: AgeUnlock) throws(ArchiveError) {
    var clear = try ArchiveJSON.open(file, unlock)
    defer { clear.wipe() }
    try self.init(json: clear)
  }
}
