import CertificateAuthority
import Foundation

/// The key that signs the server's answers; made once, since devices know it by heart.
enum AnswerKey {
  static func key(_ folder: StateFolder) throws -> FileAuthorityKey {
    let file = "answer-key.pem"
    do {
      if let known = try folder.read(file) { return try FileAuthorityKey(fileContents: known) }
    } catch let error as AuthorityError {
      throw CommandFailure(.badData, "\(folder.path(file)): \(error)")
    }
    let new = FileAuthorityKey()
    try folder.write(file, new.pem)
    return new
  }
}
