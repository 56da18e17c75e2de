public import Foundation
public import LatchkeyAgeEncryption
import LatchkeyByteCoding
import LatchkeySecretData

extension KeychainDocument {
  /// The document as JSON: sorted members, no line breaks. It holds the secrets in the clear; overwrite it after use.
  public func json() throws(ArchiveError) -> Data { try ArchiveJSON.encode(self) }

  /// Reads ``json()``. Members that this version does not know are passed over.
  ///
  /// - Throws: ``ArchiveError/malformed(_:)``, ``ArchiveError/newerVersion(_:)``.
  public init(json: Data) throws(ArchiveError) {
    self = try ArchiveJSON.decode(KeychainDocument.self, json, format: Self.format, version: Self.version)
  }

  /// The document as an age file.
  ///
  /// - Parameter random: Gives as many bytes as it is asked for, from the system's generator.
  /// - Throws: ``ArchiveError/age(_:)``.
  public func sealed(for lock: AgeLock, random: (Int) -> [UInt8]) throws(ArchiveError) -> [UInt8] {
    try ArchiveJSON.seal(try json(), for: lock, random: random)
  }

  /// Opens ``sealed(for:random:)``, armored or not.
  ///
  /// - Throws: ``ArchiveError/age(_:)``, ``ArchiveError/malformed(_:)``, ``ArchiveError/newerVersion(_:)``.
  public init(opening file: [UInt8], _ unlock: AgeUnlock) throws(ArchiveError) {
    var clear = try ArchiveJSON.open(file, unlock)
    defer { clear.wipe() }
    try self.init(json: clear)
  }
}
