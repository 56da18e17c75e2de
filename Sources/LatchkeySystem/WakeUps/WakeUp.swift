import Glibc

/// A descriptor that becomes readable when it is signaled, and wakes a thread that waits for it in poll(2).
///
/// It is closed with the object, so that a handler which runs late writes to no other file.
package final class WakeUp: Sendable {
  /// The descriptor, for poll(2).
  package let descriptor: CInt

  /// - Throws: the system's error, if the process has no descriptor left.
  package init() throws(SystemError) {
    guard let eventfd = GNUFunctions.eventfd else { throw SystemError(code: ENOSYS) }
    // EFD_CLOEXEC and EFD_NONBLOCK have these values (eventfd(2)).
    descriptor = eventfd(0, O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw SystemError(code: errno) }
  }

  deinit { close(descriptor) }

  /// Makes the descriptor readable, for good. Any thread may call it.
  package func signal() { Self.signal(descriptor) }

  /// The same for a handler of signals, which can hold the descriptor alone: it calls nothing but write(2), and leaves `errno` to
  /// the code that it interrupts.
  package static func signal(_ descriptor: CInt) {
    let code = errno
    var one: UInt64 = 1
    _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    errno = code
  }
}
