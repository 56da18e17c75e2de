/// The limits of the attribute protocol.
package enum ATTLimits {
  /// ATT_MTU before any exchange on an LE link, in bytes (Core 6.0 Vol 3 Part G 5.2.1).
  package static let defaultMTU = 23
  /// The largest ATT_MTU that carries more than a smaller one: a 512-byte value in a Prepare Write Request.
  package static let largestMTU = 517
  /// The longest attribute value, in bytes (Core 6.0 Vol 3 Part F 3.2.9).
  package static let longestValue = 512
  /// How long a request or an indication may go unanswered (Core 6.0 Vol 3 Part F 3.3.3).
  package static let transactionTimeout: Duration = .seconds(30)

  /// ATT_MTU for the receive sizes of both ends; an exchanged size below the default counts as the default.
  static func mtu(own: Int, peer: Int) -> Int { max(defaultMTU, min(own, peer)) }

  /// The longest value in one PDU with a handle, such as a Write Command or a notification, in bytes: 20...512 (Core 6.0
  /// Vol 3 Part F 3.4.5.3, 3.4.7.1).
  package static func valueLength(mtu: Int) -> Int { min(max(mtu, defaultMTU) - 3, longestValue) }

  /// `value`, truncated to `count` bytes.
  @inline(__always)
  static func cut(_ value: [UInt8], to count: Int) -> [UInt8] {
    value.count <= count ? value : Array(value.prefix(max(0, count)))
  }
}
