internal import Foundation
internal import SwiftASN1
internal import X509

/// A host name or address that a program connects to, and the rules by which alternative names match it (RFC 9525 6; Apple's
/// SecPolicyLeafCallbacks.c). The common name never matches.
///
/// A label may begin or end with a hyphen, against RFC 1123 2.1. A certificate must spell the host identically, so a stricter
/// grammar would refuse accepted certificates and prevent nothing. The host names of `LatchkeyCertificateAuthority`, which
/// limit issued certificates, follow the RFC.
struct HostName: Sendable, CustomStringConvertible {
  private enum Kind {
    /// Lowercase labels.
    case name([Substring])
    /// 4 or 16 bytes.
    case address([UInt8])
  }
  private let kind: Kind

  let description: String

  /// Parses a name in ASCII, with or without a trailing dot, or an address. Returns nil for any other text.
  init?(_ text: String) {
    let address = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
    if let bytes = Self.address(address) {
      kind = .address(bytes)
    } else if let labels = Self.labels(text.hasSuffix(".") ? text.dropLast() : text[...]),
      !(labels.last ?? "").allSatisfy({ $0.isNumber })
    {
      kind = .name(labels)
    } else {
      return nil
    }
    description = text
  }

  /// Whether `name` matches this host.
  ///
  /// A wildcard matches exactly one label, the leftmost, and needs at least two labels after it.
  func isNamed(by name: GeneralName) -> Bool {
    switch (kind, name) {
    case (.address(let bytes), .ipAddress(let octets)): return bytes.elementsEqual(octets.bytes)
    case (.name(let labels), .dnsName(let presented)):
      if let presented = Self.labels(presented[...]) { return presented == labels }
      guard presented.hasPrefix("*."), let rest = Self.labels(presented.dropFirst(2)), rest.count >= 2 else {
        return false
      }
      return rest[...] == labels.dropFirst()
    default: return false
    }
  }

  /// Lowercase labels of a host name; nil if the text is not one.
  static func labels(_ text: Substring) -> [Substring]? {
    guard (1...253).contains(text.utf8.count) else { return nil }
    let labels = text.lowercased().split(separator: ".", omittingEmptySubsequences: false)
    let areNames = labels.allSatisfy { label in
      (1...63).contains(label.utf8.count)
        && label.utf8.allSatisfy {
          switch $0 {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
          default: false
          }
        }
    }
    return areNames ? labels : nil
  }

  /// Parses an IPv4 or IPv6 address.
  private static func address(_ text: String) -> [UInt8]? {
    guard text.utf8.count < 64, !text.utf8.contains(0) else { return nil }
    for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: count)
      if inet_pton(family, text, &bytes) == 1 { return bytes }
    }
    return nil
  }
}
