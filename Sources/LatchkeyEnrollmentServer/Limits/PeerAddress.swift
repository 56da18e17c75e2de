internal import Glibc

/// The address that identifies one peer: an IPv4 address, or a 64-bit IPv6 network, since the owner of one of its addresses has
/// them all.
struct PeerAddress: Hashable, Sendable {
  /// 4 bytes, 8 bytes, or the bytes of a text that is not an address.
  let bytes: [UInt8]

  private init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  /// The enclosing network: of IPv4 24 bits, of IPv6 48 bits, which providers assign to one customer, or to few.
  var network: PeerAddress {
    PeerAddress(bytes: bytes.count == 4 || bytes.count == 8 ? bytes.dropLast(bytes.count / 4) : bytes[...])
  }

  /// Parses an address; other text identifies itself.
  init(_ text: String) {
    var four = in_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      bytes = withUnsafeBytes(of: &four) { Array($0) }
      return
    }
    var six = in6_addr()
    // An interface name follows a percent sign.
    if inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &six) == 1 {
      let all = withUnsafeBytes(of: &six) { Array($0) }
      let isMapped = all.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
      bytes = Array(isMapped ? all.suffix(4) : all.prefix(8))
      return
    }
    bytes = Array(text.utf8)
  }
}
