internal import SwiftASN1
internal import X509

/// A further name in a client's certificate (RFC 5280 4.2.1.6).
public struct AlternativeName: Sendable, Hashable, CustomStringConvertible {
  enum Kind: Hashable {
    case dns(String)
    /// 4 bytes, or 16.
    case address([UInt8])
    case uri(String)
  }

  let kind: Kind

  /// Parses `dns:` and a DNS name without a wildcard, `ip:` and an IPv4 or IPv6 address, or `uri:` and an absolute URI of printable ASCII
  /// (RFC 3986 3), at most 512 characters.
  ///
  /// - Throws: ``AuthorityError``: `.misuse`.
  public init(_ text: String) throws(AuthorityError) {
    if text.hasPrefix("dns:") {
      guard case .dns(let host) = try HostName(String(text.dropFirst(4))), !host.hasPrefix("*") else {
        throw .misuse("this is no DNS name of one host: \(text.debugDescription)")
      }
      kind = .dns(host)
    } else if text.hasPrefix("ip:") {
      guard case .address(let bytes) = try HostName(String(text.dropFirst(3))) else {
        throw .misuse("this is no IP address: \(text.debugDescription)")
      }
      kind = .address(bytes)
    } else if text.hasPrefix("uri:") {
      let uri = String(text.dropFirst(4))
      guard Self.isURI(uri) else {
        throw .misuse("this is no absolute URI of at most 512 ASCII characters: \(text.debugDescription)")
      }
      kind = .uri(uri)
    } else {
      throw .misuse("an alternative name begins with dns:, ip: or uri:, not as \(text.debugDescription)")
    }
  }

  /// A name of a signing request. Each has one spelling: a DNS name is in lower case, without a dot at its end.
  ///
  /// - Throws: ``AuthorityError``: `.invalidRequest`.
  init(requested name: GeneralName) throws(AuthorityError) {
    let text =
      switch name {
      case .dnsName(let name): "dns:\(name)"
      case .uniformResourceIdentifier(let uri): "uri:\(uri)"
      case .ipAddress(let octets):
        "ip:\(HostName.text(ofAddress: Array(octets.bytes)) ?? "")"
      default: ""
      }
    guard !text.isEmpty else {
      throw .invalidRequest("a signing request asks for DNS names, IP addresses and URIs alone")
    }
    // Not shown: it may be long, and of any characters.
    do throws(AuthorityError) { try self.init(text) } catch {
      throw .invalidRequest(
        "the signing request asks for a name that is neither a DNS name of one host in ASCII, nor an IP address, nor an absolute URI"
      )
    }
    guard description.utf8.elementsEqual(text.utf8) else {
      throw .invalidRequest("the signing request asks for a DNS name with upper-case letters: write it in lower case")
    }
  }

  /// What the name was parsed from, in its one spelling.
  public var description: String {
    switch kind {
    case .dns(let name): "dns:\(name)"
    case .address(let bytes): "ip:\(HostName.text(ofAddress: bytes) ?? "")"
    case .uri(let uri): "uri:\(uri)"
    }
  }

  var generalName: GeneralName {
    switch kind {
    case .dns(let name): .dnsName(name)
    case .address(let bytes): .ipAddress(ASN1OctetString(contentBytes: bytes[...]))
    case .uri(let uri): .uniformResourceIdentifier(uri)
    }
  }

  private static func isURI(_ text: String) -> Bool {
    guard text.utf8.count <= 512, let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
    let (scheme, rest) = (text.utf8[..<colon], text.utf8[text.utf8.index(after: colon)...])
    let isLetter = { (byte: UInt8) in (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }
    guard let first = scheme.first, isLetter(first), !rest.isEmpty else { return false }
    return scheme.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) }
      && rest.allSatisfy { (0x21...0x7E).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }
  }
}
