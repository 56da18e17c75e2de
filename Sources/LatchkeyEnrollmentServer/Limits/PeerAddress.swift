internal import Glibc

/// Who counts as one peer: an IPv4 address, or an IPv6 network of 64 bit, since anyone who has one address of it has all.
struct PeerAddress: Hashable, Sendable {
  /// 4 bytes, 8 bytes, or whatever was no address.
  let bytes: [UInt8]

  private init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  /// The network that it is in: of IPv4 24 bit, of IPv6 48 bit, which providers hand to one customer, or to few.
  var network: PeerAddress {
    PeerAddress(bytes: bytes.count == 4 || bytes.count == 8 ? bytes.dropLast(bytes.count / 4) : bytes[...])
  }

  /// The peer of an address in text; text that is none counts as itself.
  init(_ text: String) {
    var four = in_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      bytes = withUnsafeBytes(of: &four) { Array($0) }
      return
    }
    var six = in6_addr()
    // A link's name stands behind a percent sign.
    if inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &six) == 1 {
      let all = withUnsafeBytes(of: &six) { Array($0) }
      let isMapped = all.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
      bytes = Array(isMapped ? all.suffix(4) : all.prefix(8))
      return
    }
    bytes = Array(text.utf8)
  }
}
