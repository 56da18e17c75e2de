import Foundation
import LatchkeyCommandLine

extension StateFolder {
  /// Runs `body` while no other process does this with the same folder: what is made once is made by one of them.
  func exclusively<R>(_ body: () throws -> R) throws -> R {
    let lock = open(path("making.lock"), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else { throw CommandFailure(.inputOutput, "\(path("making.lock")) cannot be opened") }
    defer { close(lock) }
    while flock(lock, LOCK_EX) != 0 {
      guard errno == EINTR else { throw CommandFailure(.inputOutput, "\(path("making.lock")) cannot be locked") }
    }
    return try body()
  }
}
