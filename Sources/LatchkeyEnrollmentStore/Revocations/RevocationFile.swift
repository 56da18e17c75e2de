internal import Glibc

/// The revocation epoch's second place: a small file outside the database, so that a copy of the database, put back, is found
/// to know less than was acknowledged.
///
/// It is replaced atomically and synced. Any number of processes may share it: it only ever rises.
package struct RevocationFile: Sendable {
  /// Where it is.
  package let path: String

  /// The file at `path`, which need not be there yet.
  package init(path: String) { self.path = path }

  /// The epoch in it; 0 if there is no such file.
  package func epoch() throws(EnrollmentStoreError) -> Int64 { try recordedEpoch() ?? 0 }

  /// The epoch in it; nil if there is no such file, so that nothing is known.
  package func recordedEpoch() throws(EnrollmentStoreError) -> Int64? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard file >= 0 else {
      guard errno == ENOENT else { throw failed("cannot be read") }
      return nil
    }
    defer { Glibc.close(file) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(file, &bytes, bytes.count)
    guard count >= 0 else { throw failed("cannot be read") }
    let words = String(decoding: bytes[..<count], as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    guard words.count == 3, words[0] == Self.title, words[2].isEmpty, let epoch = Int64(words[1]), epoch >= 0 else {
      throw .damaged(
        "\(path) is no count of revocations: restore it, or remove it if you know the database to be the latest")
    }
    return epoch
  }

  /// Makes sure that the disk has `epoch` or a higher one.
  package func raise(to epoch: Int64) throws(EnrollmentStoreError) {
    // The folder itself is locked: a lock on the file would be on the one that is replaced.
    let folder = open(Self.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw failed("cannot be written") }
    defer { Glibc.close(folder) }
    while flock(folder, LOCK_EX) != 0 {
      guard errno == EINTR else { throw failed("cannot be locked") }
    }
    if let recorded = try recordedEpoch(), recorded >= epoch { return }
    try replace(with: "\(Self.title)\n\(epoch)\n")
    // Some file systems cannot sync a folder and say so; there is nothing better to do on them.
    guard fsync(folder) == 0 || errno == EINVAL else { throw failed("cannot be synced") }
  }

  /// Compares with what a database knows, when it is opened.
  ///
  /// - Parameter database: what to call it in the error.
  /// - Throws: `.olderThanRevocations` if the file knows of more; a database that knows more brings the file forward, or makes it.
  package func validate(epoch: Int64, of database: String) throws(EnrollmentStoreError) {
    let known = try recordedEpoch()
    let recorded = known ?? 0
    guard epoch >= recorded else {
      throw .olderThanRevocations(
        "\(database) knows of \(epoch) revocations, and \(path) of \(recorded): it is an older copy, for which devices count that "
          + "were revoked. Put the latest copy back; if there is none, remove \(path), and revoke again what was revoked since"
      )
    }
    // A process ended between the commit and the write of this file; or there is none yet, and without one nothing tells a lost file from
    // a store in which nothing was ever revoked.
    if known == nil || epoch > recorded { try raise(to: epoch) }
  }

  private static let title = "latchkey-revocations 1"

  private func replace(with text: String) throws(EnrollmentStoreError) {
    let draft = path + ".new"
    let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw failed("cannot be written") }
    let bytes = Array(text.utf8)
    let isWritten = write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
    let code = errno
    Glibc.close(file)
    guard isWritten, rename(draft, path) == 0 else {
      if !isWritten { errno = code }
      let error = failed("cannot be written")
      unlink(draft)
      throw error
    }
  }

  private func failed(_ what: String) -> EnrollmentStoreError {
    .unavailable("the count of revocations \(path) \(what): \(String(cString: strerror(errno)))")
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
