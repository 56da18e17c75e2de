public import LatchkeyAgeEncryption
public import LatchkeyKeychainModel

/// The reason for failing to write or read a keychain archive.
public enum ArchiveError: Error, Hashable, Sendable {
  /// The age file does not decrypt, or is not one.
  case age(AgeError)
  /// The document is malformed; the text says where. It never repeats a value.
  case malformed(String)
  /// The document's version is newer than this code supports.
  case newerVersion(Int)
  /// The keychain failed.
  case store(StoreError)
}

extension ArchiveError: CustomStringConvertible {
  /// The reason and the remedy.
  public var description: String {
    switch self {
    case .age(let error): "\(error)"
    case .malformed(let text): "the document in the archive is malformed: \(text)"
    case .newerVersion(let version):
      "the archive has version \(version), this program reads up to \(KeychainDocument.version): use a newer one"
    case .store(let error): "\(error)"
    }
  }
}
