import Foundation

/// The folder of state that outlives the process: `LATCHKEY_STATE`, else `$XDG_STATE_HOME/latchkey`, else
/// `~/.local/state/latchkey`.
///
/// A file in it is replaced atomically, so that a reader, and a machine after a power loss, finds the old or the new
/// content. A process that reads and then replaces does so under a lock that other processes use as well.
package struct StateFolder: Sendable {
  package let url: URL

  /// The folder of the process's environment.
  package init(environment: [String: String]) {
    func path(_ name: String) -> URL? {
      environment[name].flatMap { $0.isEmpty ? nil : URL(fileURLWithPath: $0, isDirectory: true) }
    }
    if let directory = path("LATCHKEY_STATE") {
      url = directory
    } else {
      let state =
        path("XDG_STATE_HOME")
        ?? FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/state")
      url = state.appendingPathComponent("latchkey", isDirectory: true)
    }
  }

  package init(_ url: URL) { self.url = url }

  /// The content of a file; nil if it does not exist. A file that cannot be read now may be readable later and must not
  /// be replaced.
  package func read(_ name: String) throws -> Data? {
    let path = url.appendingPathComponent(name).path
    // The opening of a pipe would wait for a writer.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw Self.failure(path)
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw Self.failure(path) }
    guard [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else {
      throw Self.failure(path, "it is not a regular file")
    }
    var data = Data()
    var part = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = pread(file, &part, part.count, data.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.failure(path) }
      guard count > 0 else { return data }
      data.append(contentsOf: part[..<count])
    }
  }

  /// Replaces a file: the new content is on the disk when this returns.
  package func replace(_ name: String, with data: Data) throws {
    try make()
    let path = url.appendingPathComponent(name).path
    let draft = "\(path).\(getpid()).\(UInt64.random(in: .min ... .max))"
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Self.failure(draft) }
    let count = data.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    let isWritten = count == data.count && fsync(file) == 0
    let code = errno
    close(file)
    guard isWritten, rename(draft, path) == 0 else {
      if isWritten == false { errno = code }
      defer { unlink(draft) }
      throw Self.failure(path)
    }
    // The name as well; folders of some file systems cannot be synced, and need not be.
    let folder = open(url.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if folder >= 0 {
      fsync(folder)
      close(folder)
    }
  }

  /// Removes a file, if it is there.
  func remove(_ name: String) throws {
    let path = url.appendingPathComponent(name).path
    guard unlink(path) == 0 || errno == ENOENT else { throw Self.failure(path) }
  }

  /// Runs `body` while no other process or thread runs one.
  package func withLock<Result>(_ body: () throws -> Result) throws -> Result {
    guard let lock = try lock("lock", waits: true) else { throw Self.failure(url.path) }
    return try withExtendedLifetime(lock, body)
  }

  /// Acquires the lock of that name, which is released with the object, or with the process; nil if it is held
  /// elsewhere and this does not wait.
  package func lock(_ name: String, waits: Bool) throws -> FileLock? {
    try make()
    let path = url.appendingPathComponent(name).path
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Self.failure(path) }
    let lock = FileLock(file: file)
    while flock(file, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      if errno == EWOULDBLOCK { return nil }
      throw Self.failure(path)
    }
    return lock
  }

  private func make() throws {
    do {
      try FileManager.default.createDirectory(
        at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw Self.failure(url.path, "it cannot be made a folder: \(error.localizedDescription)")
    }
  }

  private static func failure(
    _ path: String, _ reason: String = String(cString: strerror(errno))
  ) -> StateFolderError {
    StateFolderError(path: path, reason: reason)
  }
}

/// Why a file of the state folder is not read or written.
package struct StateFolderError: LocalizedError, CustomStringConvertible {
  let path: String
  let reason: String

  package var description: String { "\(path): \(reason)" }
  package var errorDescription: String? { description }
}

/// A lock on a file, held as long as the object lives (flock(2)).
package final class FileLock: Sendable {
  private let file: Int32

  fileprivate init(file: Int32) { self.file = file }

  deinit {
    // Closing alone would not do: a program that this process is starting has a copy of the descriptor until it runs, and the
    // lock with it.
    flock(file, LOCK_UN)
    close(file)
  }
}
