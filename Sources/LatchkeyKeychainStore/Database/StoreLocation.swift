import Foundation
import Glibc
import LatchkeyKeychainModel
import LatchkeySystem

/// The place of a keychain's file: made where it is missing, refused where it is not safe.
struct StoreLocation {
  let path: String

  /// Whether a file stands there.
  let exists: Bool

  /// Looks at the place, and makes folder and file if there is none.
  ///
  /// Once a keychain is open, nothing but SQLite may open and close its file: that would drop the locks that this
  /// process has on it. So this looks at names alone, and makes the file only where there is none.
  init(_ configuration: KeychainDatabase.Configuration) throws(StoreError) {
    guard !configuration.path.isEmpty, !configuration.path.utf8.contains(0) else {
      throw .configuration("the path of a keychain is empty or no path")
    }
    path = Self.standardized(configuration.path)
    let mayMake = configuration.createsIfMissing && !configuration.isReadOnly
    let folder = FilePaths.folder(of: path)
    if mayMake { try Self.makeFolder(folder) }
    var status = stat()
    if stat(path, &status) != 0 {
      guard errno == ENOENT || errno == ENOTDIR else { throw FilePaths.error(errno, at: path) }
      guard mayMake else { throw Self.noKeychain(path) }
      try Self.requireLocal(folder)
      try Self.validateFolder(folder)
      try Self.makeFile(path)
      exists = false
      return
    }
    exists = true
    try Self.requireLocal(folder)
    try Self.validateFolder(folder)
    try Self.validate(status, path)
  }

  /// The path from the root on, without `..`.
  static func standardized(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }

  /// There is nothing at `path`, and nothing is to be made there.
  static func noKeychain(_ path: String) -> StoreError {
    .configuration("there is no keychain at \(path): make one, or name another path")
  }

  static func makeFolder(_ folder: String) throws(StoreError) {
    var status = stat()
    if stat(folder, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFDIR else { throw .configuration("\(folder) is no folder") }
      return
    }
    guard errno == ENOENT else { throw FilePaths.error(errno, at: folder) }
    let parent = FilePaths.folder(of: folder)
    if parent != folder { try makeFolder(parent) }
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw FilePaths.error(errno, at: folder) }
    try requireTarget(folder, "folder")
    try OwnedFile.syncFolder(of: folder)
  }

  /// SQLite gives its other files the mode of this one.
  private static func makeFile(_ path: String) throws(StoreError) {
    // Made without being opened: another thread of this process may have opened it by the time it would be closed here,
    // and closing any descriptor of a file drops the process's locks on it.
    guard mknod(path, S_IFREG | 0o600, 0) == 0 else {
      if errno == EEXIST { return try requireTarget(path, "file") }
      throw FilePaths.error(errno, at: path)
    }
    try OwnedFile.syncFolder(of: path)
  }

  /// What stands at `path` after all is another process's, or a link to nothing: SQLite would make its target with any mode.
  private static func requireTarget(_ path: String, _ kind: String) throws(StoreError) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK, stat(path, &status) != 0 else { return }
    throw .unsafeLocation(
      "\(path) is a link to a \(kind) that does not exist: remove the link, or name the \(kind) itself")
  }

  private static func validate(_ status: stat, _ path: String) throws(StoreError) {
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAKeychain(path: path) }
    guard status.st_uid == geteuid() else {
      throw .unsafeLocation("\(path) belongs to another user (\(status.st_uid)): run as that user, or change its owner")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw .unsafeLocation("\(path) is open to other users: run chmod 600 \(path)")
    }
  }

  /// A user who can rename a folder above the file can exchange the file: every folder up to the root is checked.
  private static func validateFolder(_ folder: String) throws(StoreError) {
    guard let buffer = realpath(folder, nil) else { throw FilePaths.error(errno, at: folder) }
    defer { free(buffer) }
    var folder = String(cString: buffer)
    while true {
      try validateOneFolder(folder)
      if folder == "/" || folder == "." { return }
      folder = FilePaths.folder(of: folder)
    }
  }

  private static func validateOneFolder(_ folder: String) throws(StoreError) {
    var status = stat()
    guard stat(folder, &status) == 0 else { throw FilePaths.error(errno, at: folder) }
    guard status.st_uid == geteuid() || status.st_uid == 0 else {
      throw .unsafeLocation(
        "\(folder) belongs to another user (\(status.st_uid)), who can exchange the files below it: change its owner")
    }
    // In a folder like /tmp others may add files, but not rename ours.
    guard status.st_mode & 0o022 == 0 || status.st_mode & S_ISVTX != 0 else {
      throw .unsafeLocation("other users can exchange the files in \(folder): run chmod go-w \(folder)")
    }
  }

  /// Write-ahead logging needs memory shared by all processes, and locks that work: no network has both.
  private static func requireLocal(_ folder: String) throws(StoreError) {
    var status = stat()
    guard stat(folder, &status) == 0 else { throw FilePaths.error(errno, at: folder) }
    guard let mounts = FileManager.default.contents(atPath: "/proc/self/mountinfo") else { return }
    let type = fileSystem(ofDevice: UInt64(status.st_dev), mounts: String(decoding: mounts, as: UTF8.self))
    if let type, networks.contains(type) {
      throw .unsafeLocation("\(folder) lies on a network (\(type)): put the keychain on a disk of this machine")
    }
  }

  /// The type of the file system on this device, by the text of `/proc/self/mountinfo` (proc(5)): the third field is the
  /// device, the first one after " - " the type.
  static func fileSystem(ofDevice device: UInt64, mounts: String) -> String? {
    let wanted = "\(major(device)):\(minor(device))"
    for line in mounts.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 3, fields[2] == wanted, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count else {
        continue
      }
      return String(fields[dash + 1])
    }
    return nil
  }

  private static func major(_ device: UInt64) -> UInt64 { (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF }
  private static func minor(_ device: UInt64) -> UInt64 { device & 0xFF | (device >> 12) & ~0xFF }

  private static let networks: Set<String> = [
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "coda", "lustre", "ncpfs", "fuse.sshfs",
    "fuse.glusterfs", "fuse.s3fs", "fuse.rclone", "davfs", "fuse.davfs2",
  ]
}
