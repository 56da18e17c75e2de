internal import Foundation
internal import Glibc

/// The place of the database's file: made where it is missing, for its owner alone; refused where others could
/// read it, or have written it, or a log beside it: SQLite would take that for its own.
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
      try makeFolder()
      try Self.validateFolder(of: self.path)
      try make()
      guard stat(self.path, &status) == 0 else { throw failed() }
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .misuse("\(self.path) is no plain file: name another path") }
    try Self.validate(status, self.path)
    // Opening it would write a header into it.
    guard isMade || status.st_size > 0 else {
      throw .misuse("there is nothing in \(self.path): name the database that the server has")
    }
    // Where a link leads there, SQLite's other files lie beside what it leads to.
    guard let resolved = realpath(self.path, nil) else { throw failed() }
    defer { free(resolved) }
    try Self.validateFiles(beside: String(cString: resolved))
  }

  private static func validateFiles(beside path: String) throws(EnrollmentStoreError) {
    try validateFolder(of: path)
    for suffix in ["-wal", "-shm", "-journal"] {
      let file = path + suffix
      var status = stat()
      guard lstat(file, &status) == 0 else { continue }
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw .misuse("\(file) is no plain file, as SQLite makes it: find out who put it there")
      }
      try validate(status, file)
    }
  }

  private static func validate(_ status: stat, _ path: String) throws(EnrollmentStoreError) {
    guard status.st_uid == geteuid() else {
      throw .misuse("\(path) belongs to another user: run this as its owner, or name another path")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw .misuse("\(path) is open to other users, and has their passwords' hashes: run chmod 600 \(path)")
    }
  }

  private static func validateFolder(of path: String) throws(EnrollmentStoreError) {
    let folder = folder(of: path)
    var status = stat()
    guard stat(folder, &status) == 0 else {
      throw .unavailable("\(folder) cannot be read: \(String(cString: strerror(errno)))")
    }
    guard status.st_uid == geteuid() || status.st_uid == 0 else {
      throw .misuse("the folder \(folder) belongs to another user: run this as its owner, or name a folder of your own")
    }
    guard status.st_mode & 0o022 == 0 else {
      throw .misuse(
        "others may write into \(folder), and so put a log beside the database: run chmod go-w \(folder), or name another"
      )
    }
  }

  private static func folder(of path: String) -> String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

  private func makeFolder() throws(EnrollmentStoreError) {
    let folder = Self.folder(of: path)
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .unavailable("the folder \(folder) cannot be made: \(error)")
    }
  }

  /// SQLite gives its other files the mode of this one. It is made without being opened: closing any descriptor of a file
  /// drops the process's locks on it, and another thread may have opened it by then.
  private func make() throws(EnrollmentStoreError) {
    guard mknod(path, S_IFREG | 0o600, 0) == 0 || errno == EEXIST else { throw failed() }
  }

  private func failed() -> EnrollmentStoreError {
    .unavailable("\(path) cannot be opened: \(String(cString: strerror(errno)))")
  }
}
