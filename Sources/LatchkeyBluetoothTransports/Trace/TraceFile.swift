import Glibc
import Logging
import Synchronization

/// A btsnoop file that grows by whole records.
final class TraceFile: Sendable {
  private struct State {
    var descriptor: CInt
    var length = 0
  }

  private let path: String
  private let state: Mutex<State>
  private let clock: @Sendable () -> Duration

  /// Creates the file, or empties the one that is there.
  ///
  /// - Parameter clock: the time since 1970.
  /// - Throws: `PacketTraceError` with the system's reason.
  init(
    path: String, _ linkType: SnoopFormat.LinkType, clock: @escaping @Sendable () -> Duration
  ) throws(PacketTraceError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw PacketTraceError(path: path, code: errno) }
    self.path = path
    self.clock = clock
    state = Mutex(State(descriptor: descriptor))
    if let code = state.withLock({ Self.append(SnoopFormat.fileHeader(linkType), &$0) }) {
      throw PacketTraceError(path: path, code: code)
    }
  }

  deinit { close() }

  /// Appends the record that `make` makes for this time. If the file cannot be written, it is closed with one warning.
  func append(_ make: (_ time: Duration) -> [UInt8]) {
    let code = state.withLock { state -> CInt? in
      guard state.descriptor >= 0 else { return nil }
      // The time is read under the lock, so that records are in its order.
      return Self.append(make(clock()), &state)
    }
    guard let code else { return }
    let error = PacketTraceError(path: path, code: code)
    logger.warning("The capture ends here: \(error)")
  }

  /// Closes the file; nothing more is written.
  func close() {
    state.withLock { state in
      guard state.descriptor >= 0 else { return }
      Glibc.close(state.descriptor)
      state.descriptor = -1
    }
  }

  /// Writes all of `bytes`, or, with the error's code, nothing: a partial record would corrupt the file.
  private static func append(_ bytes: [UInt8], _ state: inout State) -> CInt? {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(state.descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        let code = errno
        _ = ftruncate(state.descriptor, state.length)
        Glibc.close(state.descriptor)
        state.descriptor = -1
        return code
      }
    }
    state.length += bytes.count
    return nil
  }

  static func realTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

/// Why a capture could not be written.
public struct PacketTraceError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file.
  public let path: String
  /// The system's `errno`.
  public let code: Int32

  /// The file and the system's error text.
  public var description: String { "cannot write \(path): \(String(cString: strerror(code)))" }
}
