/// Buffers data that arrives before the event of its connection.
///
/// On some transports events and data travel separately (Core 6.0 Vol 4 Part B 2.3 has separate endpoints), so data of
/// a new connection may overtake the event that announces it. A few packets are buffered for a short time.
///
/// For the same reason the last data of a link may arrive after the event of its end. The handle may be assigned to
/// another peer next, so nothing is buffered for a handle whose link ended within that time.
struct EarlyPackets {
  /// The most packets that are buffered, over all handles.
  static let capacity = 8
  /// How long a packet is buffered.
  static let lifetime = Duration.seconds(1)

  /// Handles of links that ended recently, the earliest first. A controller has few handles, so the list is short.
  private var ended: [(handle: ConnectionHandle, until: Duration)] = []
  private var packets: [(handle: ConnectionHandle, packet: [UInt8], until: Duration)] = []

  /// Records the end of a link: later packets with its handle belong to it, not to a new link.
  mutating func linkEnded(_ handle: ConnectionHandle, now: Duration) {
    ended.removeAll { $0.until <= now || $0.handle == handle }
    ended.append((handle, now + Self.lifetime))
  }

  /// Buffers a packet. Returns false if the buffer is full, or if the packet may belong to an ended link.
  mutating func enqueue(_ packet: [UInt8], handle: ConnectionHandle, now: Duration) -> Bool {
    guard packets.count < Self.capacity, !ended.contains(where: { $0.handle == handle && now < $0.until }) else {
      return false
    }
    packets.append((handle, packet, now + Self.lifetime))
    return true
  }

  /// Removes and returns the packets of a connection that is now up, in order.
  mutating func dequeue(handle: ConnectionHandle) -> [[UInt8]] {
    guard !packets.isEmpty else { return [] }
    defer { packets.removeAll { $0.handle == handle } }
    return packets.filter { $0.handle == handle }.map(\.packet)
  }

  /// Drops the packets of a controller that is gone. Recently ended handles stay distrusted.
  mutating func reset() { packets = [] }

  /// Drops packets whose connection never came up, and returns the handle of each.
  mutating func expire(now: Duration) -> [ConnectionHandle] {
    guard let first = packets.first, first.until <= now else { return [] }
    let forgotten = packets.filter { $0.until <= now }.map(\.handle)
    packets.removeAll { $0.until <= now }
    return forgotten
  }

  /// When the next packet expires.
  var nextDeadline: Duration? { packets.first?.until }
}
