internal import Foundation
internal import Glibc

/// A database before it has its name: an empty file beside it at first, `NAME.UUID.partial`.
///
/// It is locked as long as it is written, so that one whose process was killed can be told from it.
final class SQLiteDraft {
  /// Where it is.
  let path: String
  private let descriptor: Int32

  private static let suffix = ".partial"
  /// What SQLite, and the store, put beside a database.
  private static let companions = ["", "-journal", "-wal", "-shm", ".revocations", ".revocations.new"]

  /// Makes a draft of the file at `path`, for its owner alone.
  ///
  /// - Throws: `.unavailable`.
  init(of path: String) throws(EnrollmentStoreError) {
    while true {
      let draft = "\(path).\(UUID().uuidString)\(Self.suffix)"
      // SQLite writes into an empty file, whose mode is this one.
      let descriptor = open(draft, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw SQLiteBackup.unavailable(path, errno) }
      // Not by the locks of POSIX, which SQLite has on it.
      var about = stat()
      let isHeld = flock(descriptor, LOCK_EX | LOCK_NB) == 0 && fstat(descriptor, &about) == 0 && about.st_nlink > 0
      if isHeld {
        (self.path, self.descriptor) = (draft, descriptor)
        return
      }
      // Another process took it for abandoned.
      Glibc.close(descriptor)
    }
  }

  /// Removes it with all that lies beside it; a name that it got meanwhile stays.
  func remove() {
    Self.remove(path)
    Glibc.close(descriptor)
  }

  private static func remove(_ draft: String) { for companion in companions { unlink(draft + companion) } }

  /// Removes the drafts of a file whose processes have ended.
  ///
  /// - Returns: their paths.
  static func removeAbandoned(of path: String) -> [String] {
    let file = URL(fileURLWithPath: path)
    let (folder, prefix) = (file.deletingLastPathComponent().path, file.lastPathComponent + ".")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().compactMap { name in
      guard name.hasPrefix(prefix), name.hasSuffix(suffix),
        UUID(uuidString: String(name.dropFirst(prefix.count).dropLast(suffix.count))) != nil
      else { return nil }
      let draft = "\(folder)/\(name)"
      let descriptor = open(draft, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { Glibc.close(descriptor) }
      var about = stat()
      guard fstat(descriptor, &about) == 0, about.st_mode & S_IFMT == S_IFREG, about.st_uid == geteuid(),
        flock(descriptor, LOCK_EX | LOCK_NB) == 0
      else { return nil }
      remove(draft)
      return draft
    }
  }
}
