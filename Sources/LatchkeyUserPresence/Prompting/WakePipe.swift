import Glibc
import LatchkeyKeychainModel
import Synchronization

/// A close-on-exec pipe, for reading a program's output or waking a thread in `poll`.
final class WakePipe: Sendable {
  let reading: CInt
  let writing: CInt
  private let isWritingClosed = Atomic<Bool>(false)

  /// - Parameter flags: flags in addition to `O_CLOEXEC`.
  /// - Throws: `.notInteractive` if the process has no descriptors left.
  init(flags: CInt = 0) throws(PresenceError) {
    // pipe2 is a GNU extension that the importer omits. A pipe whose flags are set afterwards could be inherited by a program
    // that another thread starts meanwhile.
    typealias Pipe2 = @convention(c) (UnsafeMutablePointer<CInt>, CInt) -> CInt
    var ends: [CInt] = [-1, -1]
    guard let symbol = dlsym(nil, "pipe2"), unsafeBitCast(symbol, to: Pipe2.self)(&ends, O_CLOEXEC | flags) == 0 else {
      throw .notInteractive("nobody can be asked, since the process has no descriptor left: let it open fewer files")
    }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    close(reading)
    closeWriting()
  }

  /// Closes the write end; nothing may be written after that.
  func closeWriting() {
    if !isWritingClosed.exchange(true, ordering: .acquiringAndReleasing) { close(writing) }
  }

  /// Writes one byte, which stays in the pipe until it is read. Async-signal-safe.
  func wake(_ byte: UInt8 = 0) {
    var byte = byte
    _ = write(writing, &byte, 1)
  }
}
