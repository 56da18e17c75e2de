import Glibc
import LatchkeyKeychainModel

/// A descriptor that becomes readable on cancellation, for a thread that waits in `poll`.
///
/// It is closed with the object, so that a late handler cannot write to another file.
final class WakeUp: Sendable {
  /// The descriptor.
  let descriptor: CInt

  init() throws(PresenceError) {
    let eventfd = try DynamicLibrary.c.function("eventfd", (@convention(c) (UInt32, CInt) -> CInt).self)
    // EFD_CLOEXEC and EFD_NONBLOCK have these values (eventfd(2)).
    descriptor = eventfd(0, O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw .biometryNotAvailable(
        "the program has no descriptor left (\(String(cString: strerror(errno)))): let it open fewer files")
    }
  }

  deinit { close(descriptor) }

  /// Makes the descriptor readable permanently.
  func signal() {
    var one: UInt64 = 1
    _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
  }
}
