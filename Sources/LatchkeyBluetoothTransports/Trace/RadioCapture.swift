import Synchronization

/// Writes the HCI traffic of several controllers to one btsnoop file, each under a number of its own, so that both ends of a
/// link stand in the order in which their packets passed. Wireshark shows the number as `hci_mon.adapter_id`, btmon as `hci0`.
///
/// The file's records are those of Linux's monitor channel (link type 2001). What it holds is as confidential as a
/// ``PacketTrace``.
public final class RadioCapture: Sendable {
  private let file: TraceFile
  /// The numbers of the controllers that are there.
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

  /// The trace of one more controller, under the lowest number that is free; nil where no number is.
  ///
  /// - Parameter name: what the capture calls it; 8 bytes of it count.
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

  /// The controller of this number is gone.
  func end(_ index: UInt16) {
    guard indexes.withLock({ $0.remove(index) }) != nil else { return }
    file.append { SnoopFormat.departure(of: index, time: $0) }
  }
}
