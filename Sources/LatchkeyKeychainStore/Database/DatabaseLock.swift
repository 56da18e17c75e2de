import Glibc
import LatchkeyKeychainModel
import LatchkeySQLite
import LatchkeySystem

/// A lock that keeps other processes from a database file.
protocol Holder {
  func release()
}

extension SQLiteConnection: Holder {
  func release() { try? close() }
}

/// A lock on the bytes by which SQLite notices that a process has a database open (sqlite.org/lockingv3.html), for a file that SQLite
/// itself refuses: while it is held no process has the file open, and none opens it.
final class DatabaseLock: Holder {
  /// The first of these bytes, and how many they are: the pending byte, the reserved one, and those of the readers.
  private static let first: off_t = 0x4000_0000
  private static let count: off_t = 512

  /// `F_OFD_SETLK`, which Swift does not see (fcntl_locking(2)).
  private static let setLock: CInt = 37

  private let file: CInt

  /// - Throws: `.busy` if a process has the file open; `.inputOutput`.
  init(path: String) throws(StoreError) {
    file = Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard file >= 0 else { throw FilePaths.error(errno, at: path) }
    // The open file's own lock: it is not lost where another descriptor of this process goes.
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = Self.first
    lock.l_len = Self.count
    guard fcntl(file, Self.setLock, &lock) == 0 else {
      let code = errno
      close(file)
      throw code == EAGAIN || code == EACCES ? .busy(path: path) : FilePaths.error(code, at: path)
    }
  }

  func release() { close(file) }
}
