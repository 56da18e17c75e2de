import Foundation
import Glibc
package import LatchkeyKeychainModel
import LatchkeyProcessEnvironment
import LatchkeySystem
import Synchronization

/// A folder for a keychain that is gone with its process: mode 0700, under the system's temporary folder.
///
/// It holds a lock on itself for as long as its process lives, however that ends. The next process that makes one takes
/// away those whose lock is free: a process number could be another's by then, or one in another container.
package final class TemporaryFolder: Sendable {
  /// Where it is.
  package let path: String
  private let lock: CInt
  private let owner: pid_t

  /// Makes one.
  package init() throws(StoreError) {
    _ = Self.leftoversRemoved
    let parent = Self.parent
    // Under this name nobody takes it away before it is locked.
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

  /// Takes the folder away with all that is in it. A child that the process has forked takes nothing away.
  package func remove() {
    guard getpid() == owner else { return }
    Self.removedAtExit.withLock { folders in folders.removeAll { $0 === self } }
    Self.remove(path)
  }

  /// Takes the folder away when the process exits.
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

  /// `TMPDIR` if it is a path, else /tmp.
  static var parent: String {
    let folder = Environment["TMPDIR"] ?? ""
    return folder.hasPrefix("/") ? folder : "/tmp"
  }

  /// Takes away, once in a process, what killed processes of this user have left.
  private static let leftoversRemoved: Void = removeLeftovers(in: parent)

  /// Takes away the folders in `parent` that belong to this user and to no living process.
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

  /// A keychain's folder holds files alone; should one hold folders too, those stay.
  private static func remove(_ path: String) {
    for name in names(in: path) { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  private static func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }
}
