import Glibc
import LatchkeyKeychainModel
import LatchkeySystem

/// A small secret file that only its user may access.
struct OwnedFile: Sendable {
  /// The file's path.
  let path: String
  /// The file's name in errors, such as "key file".
  let what: String

  /// Reads at most `maximum` bytes; nil if there is no such file.
  ///
  /// - Throws: `.unsafeLocation` if it is not a regular file, belongs to another user, can be read or written by others, or is
  ///   in a folder where others could replace it; `.inputOutput`.
  func read(maximum: Int) throws(StoreError) -> [UInt8]? {
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else {
      let code = errno
      if code == ENOENT || code == ENOTDIR { return nil }
      if code == ELOOP { throw .unsafeLocation("the \(what) \(path) is a circle of links: name the file itself") }
      throw .inputOutput("the \(what) \(path) cannot be read: \(String(cString: strerror(code)))")
    }
    defer { close(file) }
    let size = try validate(file)
    try validateFolder(of: path)
    var resolved = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    if realpath(path, &resolved) != nil {
      try validateFolder(of: FilePaths.text(resolved))
    }
    // Allocates no more than the file's size; one byte more detects a file that grows.
    return try FilePaths.readAll(file, maximum: min(maximum, size + 1), path: path)
  }

  /// - Returns: the file's size, in bytes.
  private func validate(_ file: CInt) throws(StoreError) -> Int {
    var status = stat()
    guard fstat(file, &status) == 0 else {
      throw .inputOutput("the \(what) \(path) cannot be looked at: \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .unsafeLocation("the \(what) \(path) is not a plain file") }
    guard status.st_uid == geteuid() else {
      throw .unsafeLocation(
        "the \(what) \(path) belongs to another user (\(status.st_uid)): run as that user, or change its owner")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw .unsafeLocation("the \(what) \(path) is open to other users: run chmod 600 \(path)")
    }
    return Int(status.st_size)
  }

  /// If another user may rename files in the folder, the file's own mode protects nothing.
  private func validateFolder(of path: String) throws(StoreError) {
    let folder = FilePaths.folder(of: path)
    var status = stat()
    guard stat(folder, &status) == 0 else { return }
    let isOwned = status.st_uid == geteuid() || status.st_uid == 0
    let isOpen = status.st_mode & 0o022 != 0 && status.st_mode & S_ISVTX == 0
    guard isOwned, !isOpen else {
      throw .unsafeLocation(
        "other users can exchange the \(what) in \(folder): make the folder your own and run chmod 700 \(folder)")
    }
  }

  /// Writes `bytes` to a new file, mode 0600, and syncs it to the disk. Errors name `path`, the file's final place.
  static func write(_ bytes: [UInt8], toNew draft: String, for path: String) throws(StoreError) {
    let file = Glibc.open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else {
      let code = errno
      guard code == ENOENT else { throw FilePaths.error(code, at: path) }
      throw .configuration(
        "the folder of \(path) is not there: make it with mkdir -m 700 \(FilePaths.folder(of: path))")
    }
    defer { close(file) }
    var code: CInt = 0
    bytes.withUnsafeBytes { rest in
      var offset = 0
      while offset < rest.count, let start = rest.baseAddress {
        let written = Glibc.write(file, start + offset, rest.count - offset)
        if written > 0 {
          offset += written
        } else if errno != EINTR {
          code = written == 0 ? EIO : errno
          return
        }
      }
    }
    if code == 0, fchmod(file, 0o600) != 0 || fsync(file) != 0 { code = errno }
    guard code == 0 else {
      unlink(draft)
      throw FilePaths.error(code, at: path)
    }
  }

  /// Renames `draft` to `path` in one step, unless that exists; then nothing happens and the result is false.
  ///
  /// - Parameter link: link(2), or a replacement that returns what it does without hard links.
  static func place(
    _ draft: String, at path: String,
    link: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> CInt = { Glibc.link($0, $1) }
  ) throws(StoreError) -> Bool {
    if link(draft, path) == 0 { return true }
    if errno == EEXIST { return false }
    // Some file systems have no hard links.
    let code = errno
    if let renameat2 = dlsym(nil, "renameat2") {
      let rename = unsafeBitCast(renameat2, to: RenameAt2.self)
      if rename(AT_FDCWD, draft, AT_FDCWD, path, noReplace) == 0 { return true }
      if errno == EEXIST { return false }
    }
    throw FilePaths.error(code, at: path)
  }

  /// The type of renameat2(2), which Swift does not import, and the flag `RENAME_NOREPLACE`.
  private typealias RenameAt2 =
    @convention(c) (CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt) -> CInt
  private static let noReplace: CUnsignedInt = 1

  /// Syncs the folder of `path`, so that its names are on the disk.
  static func syncFolder(of path: String) throws(StoreError) {
    let folder = Glibc.open(FilePaths.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw FilePaths.error(errno, at: path) }
    defer { close(folder) }
    // Some file systems report that they cannot sync a folder; there is no alternative on them.
    guard fsync(folder) == 0 || errno == EINVAL else { throw FilePaths.error(errno, at: path) }
  }
}
