/// The flow control of ACL packets towards the host (Core 6.0 Vol 4 Part E 4.2): the host's buffers and how many of
/// them are in use.
struct HostFlowControl: Sendable {
  var isOn = false
  /// Set by Host Buffer Size; without one the host takes anything.
  var packetLength = Int.max
  var packetCount = Int.max
  /// Packets that the host has not given back, all links together.
  var used = 0

  /// Whether the host takes one more packet.
  var isOpen: Bool { !isOn || used < packetCount }
}
