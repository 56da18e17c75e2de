import Foundation
import Glibc
import LatchkeyCommandLine

/// Lets one process at a time change an enrollment: a lock on bytes of a file beside the keychain, which ends with the process.
enum EnrollmentTurn {
  /// `F_OFD_SETLK`, which Swift does not see (fcntl_locking(2)): the open file's own lock, good between tasks, too.
  private static let setLock: CInt = 37

  /// Runs `body` while no other process has the turn of this name for the keychain; waits for it, and reports the wait.
  ///
  /// - Parameters:
  ///   - keychain: where the keychain is; nil for one that no other process has.
  ///   - occupation: what another process does meanwhile, as `PROCESS is …`.
  static func run<R>(
    _ name: String, of keychain: String?, while occupation: String, _ body: () async throws -> R
  ) async throws -> R {
    guard let keychain else { return try await body() }
    // However the keychain is called, the file is the same.
    guard let resolved = realpath(keychain, nil) else {
      throw CommandFailure(.inputOutput, "\(keychain) cannot be reached")
    }
    defer { free(resolved) }
    let path = String(cString: resolved) + ".turn"
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0o600)
    guard file >= 0 else {
      throw CommandFailure(.inputOutput, "\(path) cannot be opened: \(String(cString: strerror(errno)))")
    }
    defer { close(file) }
    var hasReported = false
    while try !isTaken(byte(of: name), in: file, at: path) {
      if !hasReported {
        StandardStreams.reportError("another latchkey \(occupation) with this keychain: waiting for its end")
      }
      hasReported = true
      try await Task.sleep(for: .milliseconds(50))
    }
    return try await body()
  }

  private static func isTaken(_ byte: off_t, in file: CInt, at path: String) throws(CommandFailure) -> Bool {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = byte
    lock.l_len = 1
    while fcntl(file, setLock, &lock) != 0 {
      switch errno {
      case EAGAIN, EACCES: return false
      case EINTR: continue
      default: throw CommandFailure(.inputOutput, "\(path) cannot be locked: \(String(cString: strerror(errno)))")
      }
    }
    return true
  }

  /// The byte that stands for a name (FNV-1a): should two ever have the same, one waits for the other in vain, and no more.
  private static func byte(of name: String) -> off_t {
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in name.utf8 { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return off_t(sum >> 2)
  }
}
