import Synchronization

/// Writes the HCI traffic of one controller to a btsnoop file, which Wireshark opens.
///
/// Each packet is in the file before it is sent on, so a process that crashes leaves a complete capture. A capture
/// contains keys and passwords that were sent in clear: only its owner may read it.
public final class PacketTrace: Sendable {
  private enum Place {
    /// A file of its own.
    case file(TraceFile)
    /// A part of a capture of several controllers, which is in a file.
    case capture(RadioCapture, TraceFile, index: UInt16)
    /// The observer that receives the packets, and the place that also stores them.
    case observer(@Sendable (CapturedPacket) -> Void, PacketTrace?)
  }

  private let place: Place
  private let isClosed = Atomic(false)

  /// Creates the file, or empties the one that is there. Its records are H4 packets (link type 1002).
  ///
  /// - Throws: `PacketTraceError` with the system's reason.
  public convenience init(path: String) throws(PacketTraceError) {
    try self.init(path: path, clock: TraceFile.realTime)
  }

  /// - Parameter clock: the time since 1970.
  init(path: String, clock: @escaping @Sendable () -> Duration) throws(PacketTraceError) {
    place = .file(try TraceFile(path: path, .h4, clock: clock))
  }

  /// The trace of the controller of this number in `capture`, whose file is `file`.
  init(_ file: TraceFile, in capture: RadioCapture, index: UInt16) {
    place = .capture(capture, file, index: index)
  }

  /// A trace that gives each packet to `observer`, on the thread that records it, before it goes on to `next`.
  init(observer: @escaping @Sendable (CapturedPacket) -> Void, _ next: PacketTrace?) {
    place = .observer(observer, next)
  }

  deinit { close() }

  /// Appends one whole H4 packet. If the file cannot be written, the trace ends with one warning; the traffic
  /// continues.
  package func record(_ packet: [UInt8], _ direction: PacketDirection) {
    guard !isClosed.load(ordering: .relaxed) else { return }
    switch place {
    case .file(let file): file.append { SnoopFormat.record(packet, direction, time: $0) }
    case .capture(_, let file, let index):
      file.append { SnoopFormat.record(packet, direction, of: index, time: $0) }
    case .observer(let observer, let next):
      observer(CapturedPacket(time: TraceFile.realTime(), direction, packet))
      next?.record(packet, direction)
    }
  }

  /// Closes the file; later packets are not recorded. In a capture of several controllers only this one ends.
  public func close() {
    guard !isClosed.exchange(true, ordering: .relaxed) else { return }
    switch place {
    case .file(let file): file.close()
    case .capture(let capture, _, let index): capture.end(index)
    case .observer(_, let next): next?.close()
    }
  }
}
