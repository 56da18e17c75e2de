internal import Foundation
internal import Glibc

/// The place of the database's file: made where it is missing, for its owner alone; refused where others could read it.
struct SQLiteFile {
  let path: String

  init(_ path: String) throws(EnrollmentStoreError) {
    guard !path.isEmpty, !path.utf8.contains(0), path != ":memory:" else {
      throw .misuse("the database needs the path of a file")
    }
    self.path = URL(fileURLWithPath: path).standardizedFileURL.path
    var status = stat()
    if stat(self.path, &status) != 0 {
      guard errno == ENOENT else { throw failed() }
      try make()
      guard stat(self.path, &status) == 0 else { throw failed() }
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .misuse("\(self.path) is no plain file: name another path") }
    guard status.st_mode & 0o077 == 0 else {
      throw .misuse("\(self.path) is open to other users, and has their passwords' hashes: run chmod 600 \(self.path)")
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
