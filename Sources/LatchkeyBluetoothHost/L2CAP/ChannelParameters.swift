/// One end's limits of a channel with credits (Core 6.0 Vol 3 Part A 4.22).
package struct ChannelParameters: Sendable, Hashable {
  /// The least MTU and MPS.
  package static let least: UInt16 = 23
  /// The greatest MPS.
  package static let mostMPS: UInt16 = 65533

  /// The longest SDU that this end receives, in bytes.
  package var mtu: UInt16
  /// The longest payload of a frame that this end receives, in bytes.
  package var mps: UInt16
  /// How many frames the other end may send at first.
  package var credits: UInt16

  package init(mtu: UInt16, mps: UInt16, credits: UInt16) {
    self.mtu = mtu
    self.mps = mps
    self.credits = credits
  }

  /// What this host offers. A frame fits into one packet of the controller where the link has the longest ones, so that
  /// nothing waits for the rest of a frame. The peer has at most some 32 KB on the way to an app that does not read.
  package static let own = ChannelParameters(mtu: 2048, mps: 247, credits: 128)

  /// Whether the lengths are in their ranges.
  var isValid: Bool { mtu >= Self.least && Self.least...Self.mostMPS ~= mps }
}
