import Glibc

/// The file that a name stands for, and the time of its last change.
struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64
  let size: Int64
  /// When its content was changed last, in nanoseconds.
  let modified: Int64

  /// The file at `path`; nil if there is none.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
  }

  /// Whether `path` still stands for it, and it is as it was.
  func isUnchanged(_ path: String) -> Bool { FileIdentity(path) == self }
}

/// The file that a name stands for, whatever its content is.
struct FileNumber: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64

  /// The file at `path`; nil if there is none.
  init?(_ path: String) {
    guard let identity = FileIdentity(path) else { return nil }
    (device, inode) = (identity.device, identity.inode)
  }
}
