internal import Glibc
internal import LatchkeyKeychainModel
internal import Security

/// Lets one process, and one client of a process, at a time change an enrollment: a lock on a byte of a file beside the keychain, which
/// ends with the process.
package enum EnrollmentTurn {
  /// `F_OFD_SETLK`, which Swift does not see (fcntl_locking(2)): the open file's own lock, good between tasks, too.
  private static let setLock: CInt = 37

  /// Runs `body` while nobody else has the turn of this name for the keychain; waits for it.
  ///
  /// - Parameters:
  ///   - keychain: where the keychain is; nil for one that no other process has.
  ///   - waiting: called once if the turn is taken.
  /// - Throws: what `body` throws; ``EnrollmentError``: `.keychain` if the file cannot be locked; `CancellationError`.
  package static func run<R>(
    _ name: String, of keychain: String?, waiting: () -> Void = {}, _ body: () async throws -> R
  ) async throws -> R {
    guard let keychain else { return try await body() }
    // However the keychain is called, the file is the same.
    guard let resolved = realpath(keychain, nil) else { throw failure("\(keychain) cannot be reached", errno) }
    defer { free(resolved) }
    let path = String(cString: resolved) + ".turn"
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0o600)
    guard file >= 0 else { throw failure("\(path) cannot be opened", errno) }
    defer { close(file) }
    var isWaiting = false
    while try !isTaken(byte(of: name), in: file, at: path) {
      if !isWaiting { waiting() }
      isWaiting = true
      try await Task.sleep(for: .milliseconds(50))
    }
    return try await body()
  }

  private static func isTaken(_ byte: off_t, in file: CInt, at path: String) throws(EnrollmentError) -> Bool {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = byte
    lock.l_len = 1
    while fcntl(file, setLock, &lock) != 0 {
      switch errno {
      case EAGAIN, EACCES: return false
      case EINTR: continue
      default: throw failure("\(path) cannot be locked", errno)
      }
    }
    return true
  }

  private static func failure(_ what: String, _ code: CInt) -> EnrollmentError {
    .keychain(status: errSecInternalError, "\(what): \(String(cString: strerror(code)))")
  }

  /// The byte that stands for a name (FNV-1a): should two ever have the same, one waits for the other in vain, and no more.
  private static func byte(of name: String) -> off_t {
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in name.utf8 { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return off_t(sum >> 2)
  }
}

extension EnrollmentClient {
  /// Runs `body` while nobody else renews, changes or ends this device's identity. What `body` goes by it reads itself, since somebody else
  /// may have changed it just before.
  func inTurn<R>(_ body: () async throws -> R) async throws -> R {
    let keychain = try await blocking { () throws(EnrollmentError) in
      do throws(StoreError) { return try KeychainSession.current().store.sharedPath } catch {
        throw .keychain(status: error.status, "\(error)")
      }
    }
    return try await EnrollmentTurn.run(
      "identity \(configuration.label)", of: keychain, waiting: configuration.onWaiting, body)
  }
}
