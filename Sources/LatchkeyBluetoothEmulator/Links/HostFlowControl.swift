/// The flow control of ACL packets towards the host (Core 6.0 Vol 4 Part E 4.2): the host's buffers and how many of
/// them are in use.
struct HostFlowControl: Sendable {
  var isOn = false
  /// Set by Host Buffer Size; until then the host accepts any length.
  var packetLength = Int.max
  var packetCount = Int.max
  /// Packets that the host has not returned, over all links.
  var used = 0

  /// Whether the host accepts one more packet.
  var isOpen: Bool { !isOn || used < packetCount }
}
