import Synchronization

/// Writes the HCI traffic of several controllers to one btsnoop file, each under a number of its own, so that packets
/// of both ends of a link are in order. Wireshark shows the number as `hci_mon.adapter_id`, btmon as `hci0`.
///
/// The file's records are those of Linux's monitor channel (link type 2001). Its content is as confidential as a
/// ``PacketTrace``.
public final class RadioCapture: Sendable {
  private let file: TraceFile
  /// The numbers of the current controllers.
  private let indexes = Mutex<Set<UInt16>>([])

  /// Creates the file, or empties the one that is there.
  ///
  /// - Throws: `PacketTraceError` with the system's reason.
  public convenience init(path: String) throws(PacketTraceError) {
    try self.init(path: path, clock: TraceFile.realTime)
  }

  /// - Parameter clock: the time since 1970.
  init(path: String, clock: @escaping @Sendable () -> Duration) throws(PacketTraceError) {
    file = try TraceFile(path: path, .monitor, clock: clock)
  }

  /// The trace of one more controller, under the lowest free number; nil if there is none.
  ///
  /// - Parameter name: its name in the capture, truncated to 8 bytes.
  func begin(_ name: String) -> PacketTrace? {
    let index = indexes.withLock { indexes -> UInt16? in
      // 0xFFFF stands for no controller.
      guard let free = (0..<UInt16.max).first(where: { !indexes.contains($0) }) else { return nil }
      indexes.insert(free)
      return free
    }
    guard let index else { return nil }
    file.append { SnoopFormat.arrival(of: index, name: name, time: $0) }
    return PacketTrace(file, in: self, index: index)
  }

  /// Records that the controller of this number is gone.
  func end(_ index: UInt16) {
    guard indexes.withLock({ $0.remove(index) }) != nil else { return }
    file.append { SnoopFormat.departure(of: index, time: $0) }
  }
}
