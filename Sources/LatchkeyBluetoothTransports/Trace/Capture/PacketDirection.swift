/// The direction of an H4 packet.
package enum PacketDirection: Sendable {
  /// From the host.
  case toController
  /// To the host.
  case fromController
}
