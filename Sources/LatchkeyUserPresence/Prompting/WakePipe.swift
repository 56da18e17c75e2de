import Glibc
import LatchkeyKeychainModel
import Synchronization

/// A pipe, closed in the programs that this one starts: to read what another program writes, or to wake a thread in `poll`.
final class WakePipe: Sendable {
  let reading: CInt
  let writing: CInt
  private let isWritingClosed = Atomic<Bool>(false)

  /// - Parameter flags: beside `O_CLOEXEC`.
  /// - Throws: `.notInteractive` if the process has no descriptors left.
  init(flags: CInt = 0) throws(PresenceError) {
    // The C library has it, the importer does not show it: it is of GNU's extensions. A pipe whose flags are set afterwards
    // may be inherited by what another thread starts meanwhile.
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

  /// Closes the end that writes; nothing is written after that.
  func closeWriting() {
    if !isWritingClosed.exchange(true, ordering: .acquiringAndReleasing) { close(writing) }
  }

  /// Writes one byte, which stays to be read: handlers of signals may.
  func wake(_ byte: UInt8 = 0) {
    var byte = byte
    _ = write(writing, &byte, 1)
  }
}
