public import LatchkeyAgeEncryption
public import LatchkeyKeychainModel

/// Why an archive of a keychain is not written or not read.
public enum ArchiveError: Error, Hashable, Sendable {
  /// The age file does not open, or is none.
  case age(AgeError)
  /// The document is not what the format allows; the text says where. It never repeats a value.
  case malformed(String)
  /// The document is of a newer version than this code reads.
  case newerVersion(Int)
  /// The keychain failed.
  case store(StoreError)
}

extension ArchiveError: CustomStringConvertible {
  /// What is wrong and what to do.
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
