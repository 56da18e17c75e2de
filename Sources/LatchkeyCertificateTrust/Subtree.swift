internal import Foundation
internal import X509

/// Membership of names in subtrees (RFC 5280 4.2.1.10). Nil if the answer is unknown, as when one of the two is not a valid
/// name of its kind.
enum Subtree {
  /// A host is in the subtree of its own name and of each suffix of it, by labels; an empty base contains all. A leading dot of
  /// the base, as some issuers write it, is ignored. A wildcard is in a subtree that contains all of its hosts. If the subtree
  /// may contain only one of them, the answer is nil.
  static func contains(host: String, base: String) -> Bool? {
    if base.isEmpty { return true }
    guard let base = HostName.labels(base.hasPrefix(".") ? base.dropFirst() : base[...]),
      let labels = HostName.labels(host.hasPrefix("*.") ? host.dropFirst(2) : host[...])
    else { return nil }
    if labels.suffix(base.count) == base[...] { return true }
    if host.hasPrefix("*."), base.dropFirst() == labels[...] { return nil }
    return false
  }

  /// A mailbox is in the subtree of itself, of its host, and of a base with a leading dot if its host is below that.
  static func contains(address: String, base: String) -> Bool? {
    guard let at = address.lastIndex(of: "@"), at != address.startIndex else { return nil }
    let host = address[address.index(after: at)...]
    guard let labels = HostName.labels(host) else { return nil }
    if let baseAt = base.lastIndex(of: "@") {
      guard let baseLabels = HostName.labels(base[base.index(after: baseAt)...]) else { return nil }
      return address[..<at] == base[..<baseAt] && labels == baseLabels
    }
    return contains(labels, base)
  }

  /// A URI is in the subtree of its host. Nil for a URI without a host.
  static func contains(uri: String, base: String) -> Bool? {
    guard let host = URLComponents(string: uri)?.host, let labels = HostName.labels(host[...]),
      !(labels.last ?? "").allSatisfy({ $0.isNumber })
    else { return nil }
    return contains(labels, base)
  }

  /// The base is one host, or with a leading dot all hosts below it.
  private static func contains(_ labels: [Substring], _ base: String) -> Bool? {
    let isDomain = base.hasPrefix(".")
    guard let base = HostName.labels(isDomain ? base.dropFirst() : base[...]) else { return nil }
    if isDomain { return labels.count > base.count && labels.suffix(base.count) == base[...] }
    return labels == base
  }

  /// The base is a network: address, then mask. IPv4 addresses are never in IPv6 networks, nor the reverse.
  static func contains(address: [UInt8], base: [UInt8]) -> Bool? {
    guard [4, 16].contains(address.count), [8, 32].contains(base.count) else { return nil }
    guard base.count == 2 * address.count else { return false }
    return zip(address, zip(base.prefix(address.count), base.suffix(address.count))).allSatisfy { byte, network in
      byte & network.1 == network.0 & network.1
    }
  }

  /// A distinguished name is in the subtree of each of its prefixes.
  static func contains(name: DistinguishedName, base: DistinguishedName) -> Bool? {
    guard name.count >= base.count else { return false }
    return zip(name, base).allSatisfy { part, base in
      part.count == base.count && part.allSatisfy { attribute in base.contains { isEqual(attribute, $0) } }
    }
  }

  /// Whether two attributes are equal: strings of any encoding, compared without case and with whitespace runs as one (RFC 5280
  /// 7.1).
  private static func isEqual(
    _ a: RelativeDistinguishedName.Attribute, _ b: RelativeDistinguishedName.Attribute
  ) -> Bool {
    guard a.type == b.type else { return false }
    if a.value == b.value { return true }
    guard let a = String(a.value), let b = String(b.value) else { return false }
    return folded(a) == folded(b)
  }

  private static func folded(_ text: String) -> [Substring] {
    text.lowercased().split(whereSeparator: \.isWhitespace)
  }
}
