/// Data that came before its connection's event.
///
/// Events and data reach some hosts by different ways, and data of a new connection may overtake the event that
/// announces it (Core 6.0 Vol 4 Part B 2.3 has separate endpoints). A little of it is kept for a short time.
///
/// The same two ways bring the last data of a link after the event of its end. Its handle may be given to another peer's
/// link next, so nothing is kept for a handle whose link ended less than that time ago.
struct EarlyPackets {
  /// How many packets are kept for all handles together.
  static let capacity = 8
  /// How long a packet is kept.
  static let lifetime = Duration.seconds(1)

  /// Handles of links that ended a short time ago, the earliest first. Controllers have few handles to give.
  private var ended: [(handle: ConnectionHandle, until: Duration)] = []
  private var packets: [(handle: ConnectionHandle, packet: [UInt8], until: Duration)] = []

  /// A link ended: what still comes for its handle is its own.
  mutating func linkEnded(_ handle: ConnectionHandle, now: Duration) {
    ended.removeAll { $0.until <= now || $0.handle == handle }
    ended.append((handle, now + Self.lifetime))
  }

  /// Keeps a packet; false if there is no room, or if it may be an ended link's.
  mutating func keep(_ packet: [UInt8], handle: ConnectionHandle, now: Duration) -> Bool {
    guard packets.count < Self.capacity, !ended.contains(where: { $0.handle == handle && now < $0.until }) else {
      return false
    }
    packets.append((handle, packet, now + Self.lifetime))
    return true
  }

  /// The packets of a connection that is there now, in order.
  mutating func take(handle: ConnectionHandle) -> [[UInt8]] {
    guard !packets.isEmpty else { return [] }
    defer { packets.removeAll { $0.handle == handle } }
    return packets.filter { $0.handle == handle }.map(\.packet)
  }

  /// The controller is gone, and what it brought; not which handles are still to be mistrusted.
  mutating func reset() { packets = [] }

  /// Forgets what nobody came for, and returns the handle of each.
  mutating func expire(now: Duration) -> [ConnectionHandle] {
    guard let first = packets.first, first.until <= now else { return [] }
    let forgotten = packets.filter { $0.until <= now }.map(\.handle)
    packets.removeAll { $0.until <= now }
    return forgotten
  }

  /// When the next packet is to be forgotten.
  var nextDeadline: Duration? { packets.first?.until }
}
