import Glibc
import LatchkeyKeychainModel

/// A descriptor that becomes readable when something was cancelled: what a thread that waits in `poll` waits for, too.
///
/// It is closed with the object, so that a handler which runs late writes to no other file.
final class WakeUp: Sendable {
  /// The descriptor.
  let descriptor: CInt

  init() throws(PresenceError) {
    let eventfd = try DynamicLibrary.c.function("eventfd", (@convention(c) (UInt32, CInt) -> CInt).self)
    // EFD_CLOEXEC and EFD_NONBLOCK are these (eventfd(2)).
    descriptor = eventfd(0, O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw .biometryNotAvailable(
        "the program has no descriptor left (\(String(cString: strerror(errno)))): let it open fewer files")
    }
  }

  deinit { close(descriptor) }

  /// Makes it readable, for good.
  func signal() {
    var one: UInt64 = 1
    _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
  }
}
