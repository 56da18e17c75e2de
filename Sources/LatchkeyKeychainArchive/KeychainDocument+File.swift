public import Foundation
public import LatchkeyAgeEncryption
import LatchkeyByteCoding
import LatchkeySecretData

extension KeychainDocument {
  /// Encodes the document as JSON: sorted members, no line breaks. It contains the secrets in the clear; overwrite it after
  /// use.
  public func json() throws(ArchiveError) -> Data { try ArchiveJSON.encode(self) }

  /// Parses ``json()``. Unknown members are ignored.
  ///
  /// - Throws: ``ArchiveError/malformed(_:)``, ``ArchiveError/newerVersion(_:)``.
  public init(json: Data) throws(ArchiveError) {
    self = try ArchiveJSON.decode(KeychainDocument.self, json, format: Self.format, version: Self.version)
  }

  /// Encrypts the document into an age file.
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
