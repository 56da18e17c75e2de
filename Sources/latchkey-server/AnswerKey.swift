import Foundation
import LatchkeyCertificateAuthority
import LatchkeyCommandLine

/// The key that signs the server's answers; made once, since devices have stored it.
enum AnswerKey {
  private static let file = "answer-key.pem"

  /// - Parameter made: called if it is made.
  static func key(_ folder: StateFolder, made: () -> Void = {}) throws -> FileAuthorityKey {
    try folder.exclusively {
      if let known = try known(folder) { return known }
      let new = FileAuthorityKey()
      try folder.write(file, new.pem)
      made()
      return new
    }
  }

  /// The key, if there is one.
  static func known(_ folder: StateFolder) throws -> FileAuthorityKey? {
    do {
      return try folder.read(file).map { try FileAuthorityKey(fileContents: $0) }
    } catch let error as AuthorityError {
      throw CommandFailure(.badData, "\(folder.path(file)): \(error)")
    }
  }
}
