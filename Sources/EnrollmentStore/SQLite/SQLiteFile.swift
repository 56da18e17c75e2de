internal import Foundation
internal import Glibc

/// The place of the database's file: made where it is missing, for its owner alone; refused where others could
/// read it, or have written it.
struct SQLiteFile {
  let path: String

  /// - Parameter isMade: whether it is made where it is missing.
  init(_ path: String, isMade: Bool) throws(EnrollmentStoreError) {
    guard !path.isEmpty, !path.utf8.contains(0), path != ":memory:" else {
      throw .misuse("the database needs the path of a file")
    }
    self.path = URL(fileURLWithPath: path).standardizedFileURL.path
    var status = stat()
    if stat(self.path, &status) != 0 {
      guard errno == ENOENT else { throw failed() }
      guard isMade else { throw .misuse("there is no database \(self.path): name the one that the server has") }
      try make()
      guard stat(self.path, &status) == 0 else { throw failed() }
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .misuse("\(self.path) is no plain file: name another path") }
    guard status.st_uid == geteuid() else {
      throw .misuse("\(self.path) belongs to another user: run this as its owner, or name another path")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw .misuse("\(self.path) is open to other users, and has their passwords' hashes: run chmod 600 \(self.path)")
    }
    // Opening it would write a header into it.
    guard isMade || status.st_size > 0 else {
      throw .misuse("there is nothing in \(self.path): name the database that the server has")
    }
  }

  /// SQLite gives its other files the mode of this one. It is made without being opened: closing any descriptor of a file
  /// drops the process's locks on it, and another thread may have opened it by then.
  private func make() throws(EnrollmentStoreError) {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .unavailable("the folder \(folder) cannot be made: \(error)")
    }
    guard mknod(path, S_IFREG | 0o600, 0) == 0 || errno == EEXIST else { throw failed() }
  }

  private func failed() -> EnrollmentStoreError {
    .unavailable("\(path) cannot be opened: \(String(cString: strerror(errno)))")
  }
}
