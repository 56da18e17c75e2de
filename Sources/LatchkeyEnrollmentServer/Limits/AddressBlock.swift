internal import Glibc

/// A block of addresses, as `10.0.0.0/8`, `fd00::/8` or a single `192.0.2.1`.
public struct AddressBlock: Hashable, Sendable, CustomStringConvertible {
  private let bytes: [UInt8]
  private let length: Int

  /// Parses a block.
  ///
  /// - Returns: nil for text of another form, and for an address with bits beyond its prefix, such as `10.0.0.1/8`.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let bytes = Self.bytes(of: parts[0]) else { return nil }
    var length = bytes.count * 8
    if parts.count == 2 {
      guard let number = Int(parts[1]), "\(number)" == parts[1], (0...length).contains(number) else { return nil }
      length = number
    }
    (self.bytes, self.length) = (bytes, length)
    guard bytes.indices.allSatisfy({ bytes[$0] & ~mask($0) == 0 }) else { return nil }
  }

  /// Whether an address, as text, is in the block. An IPv4 address that is mapped to IPv6 counts as IPv4.
  public func contains(_ address: String) -> Bool {
    guard let other = Self.bytes(of: address), other.count == bytes.count else { return false }
    return bytes.indices.allSatisfy { other[$0] & mask($0) == bytes[$0] }
  }

  /// As it is typed.
  public var description: String { "\(Self.text(of: bytes))/\(length)" }

  /// The bits of the prefix in the byte at an index.
  private func mask(_ index: Int) -> UInt8 {
    let bits = min(8, max(0, length - 8 * index))
    return bits == 0 ? 0 : 0xFF << UInt8(8 - bits)
  }

  /// The 4 or 16 bytes of an address; nil for another text.
  static func bytes(of text: String) -> [UInt8]? {
    var four = in_addr()
    if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: &four) { Array($0) } }
    var six = in6_addr()
    // An interface name follows a percent sign.
    guard inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &six) == 1 else { return nil }
    let all = withUnsafeBytes(of: &six) { Array($0) }
    let isMapped = all.prefix(12).elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
    return isMapped ? Array(all.suffix(4)) : all
  }

  /// An address of 4 or 16 bytes as text; empty for other counts.
  static func text(of bytes: [UInt8]) -> String {
    guard bytes.count == 4 || bytes.count == 16 else { return "" }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "" }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
