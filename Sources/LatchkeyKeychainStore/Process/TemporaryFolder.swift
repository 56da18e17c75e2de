import Foundation
import Glibc
package import LatchkeyKeychainModel
import LatchkeyProcessEnvironment
import LatchkeySystem
import Synchronization

/// A folder for a keychain that is deleted with its process: mode 0700, under the system's temporary folder.
///
/// The process holds a lock on the folder for its lifetime, however it ends. The next process that creates one deletes the
/// folders whose lock is free. A process number would not do: it may have been reused, or belong to another container.
package final class TemporaryFolder: Sendable {
  /// The folder's path.
  package let path: String
  private let lock: CInt
  private let owner: pid_t

  /// Creates and locks a folder.
  package init() throws(StoreError) {
    _ = Self.leftoversRemoved
    let parent = Self.parent
    // Cleanup ignores this name, so the folder survives until it is locked.
    var draft = Array("\(parent)/latchkey-new-XXXXXX".utf8CString)
    guard mkdtemp(&draft) != nil else { throw FilePaths.error(errno, at: parent) }
    let made = FilePaths.text(draft)
    let lock = Glibc.open(made, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      let error = FilePaths.error(errno, at: made)
      if lock >= 0 { close(lock) }
      rmdir(made)
      throw error
    }
    let path = "\(parent)/\(Self.prefix)\(getpid())-\(made.suffix(6))"
    guard rename(made, path) == 0 else {
      let error = FilePaths.error(errno, at: path)
      close(lock)
      rmdir(made)
      throw error
    }
    self.path = path
    self.lock = lock
    owner = getpid()
  }

  deinit { close(lock) }

  /// Deletes the folder and its content. Has no effect in a forked child.
  package func remove() {
    guard getpid() == owner else { return }
    Self.removedAtExit.withLock { folders in folders.removeAll { $0 === self } }
    Self.remove(path)
  }

  /// Deletes the folder when the process exits.
  package func removeAtExit() {
    Self.removedAtExit.withLock { folders in
      if folders.isEmpty { atexit { TemporaryFolder.removeAllAtExit() } }
      folders.append(self)
    }
  }

  private static let prefix = "latchkey-keychain-"
  private static let removedAtExit = Mutex<[TemporaryFolder]>([])

  private static func removeAllAtExit() {
    for folder in removedAtExit.withLock({ $0 }) { folder.remove() }
  }

  /// `TMPDIR` if it is an absolute path, else /tmp.
  static var parent: String {
    let folder = Environment["TMPDIR"] ?? ""
    return folder.hasPrefix("/") ? folder : "/tmp"
  }

  /// Deletes, once per process, the folders that killed processes of this user have left.
  private static let leftoversRemoved: Void = removeLeftovers(in: parent)

  /// Deletes the folders in `parent` that belong to this user and to no living process.
  static func removeLeftovers(in parent: String) {
    for name in names(in: parent) where name.hasPrefix(prefix) {
      let path = "\(parent)/\(name)"
      let folder = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
      guard folder >= 0 else { continue }
      defer { close(folder) }
      var status = stat()
      guard fstat(folder, &status) == 0, status.st_uid == geteuid(), flock(folder, LOCK_EX | LOCK_NB) == 0 else {
        continue
      }
      remove(path)
    }
  }

  /// Deletes links, not their targets.
  private static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

  private static func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }
}
