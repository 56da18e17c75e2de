import Synchronization

/// Writes the HCI traffic of one controller to a btsnoop file, which Wireshark opens.
///
/// Each packet is in the file before it is sent on, so a process that crashes leaves a complete capture. A capture
/// contains keys and passwords that were sent in clear: only its owner may read it.
public final class PacketTrace: Sendable {
  private enum Place {
    /// A file of its own.
    case file
    /// A part of a capture of several controllers.
    case capture(RadioCapture, index: UInt16)
  }

  private let file: TraceFile
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
    file = try TraceFile(path: path, .h4, clock: clock)
    place = .file
  }

  /// The trace of the controller of this number in `capture`, whose file is `file`.
  init(_ file: TraceFile, in capture: RadioCapture, index: UInt16) {
    self.file = file
    place = .capture(capture, index: index)
  }

  deinit { close() }

  /// Appends one whole H4 packet. If the file cannot be written, the trace ends with one warning; the traffic
  /// continues.
  package func record(_ packet: [UInt8], _ direction: PacketDirection) {
    guard !isClosed.load(ordering: .relaxed) else { return }
    file.append { time in
      switch place {
      case .file: SnoopFormat.record(packet, direction, time: time)
      case .capture(_, let index): SnoopFormat.record(packet, direction, of: index, time: time)
      }
    }
  }

  /// Closes the file; later packets are not recorded. In a capture of several controllers only this one ends.
  public func close() {
    guard !isClosed.exchange(true, ordering: .relaxed) else { return }
    switch place {
    case .file: file.close()
    case .capture(let capture, let index): capture.end(index)
    }
  }
}
