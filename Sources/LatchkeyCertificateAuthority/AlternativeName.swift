internal import X509

/// A further name in a client's certificate (RFC 5280 4.2.1.6).
public struct AlternativeName: Sendable, Hashable {
  private enum Kind: Hashable { case host(HostName), uri(String) }

  private let kind: Kind

  /// Parses `dns:` and a DNS name without a wildcard, or `uri:` and an absolute URI of printable ASCII (RFC 3986 3), at most 512
  /// characters.
  ///
  /// - Throws: ``AuthorityError``: `.misuse`.
  public init(_ text: String) throws(AuthorityError) {
    if text.hasPrefix("dns:") {
      let name = try HostName(String(text.dropFirst(4)))
      guard case .dns(let host) = name, !host.hasPrefix("*") else {
        throw .misuse("this is no DNS name of one host: \(text.debugDescription)")
      }
      kind = .host(name)
    } else if text.hasPrefix("uri:") {
      let uri = String(text.dropFirst(4))
      guard Self.isURI(uri) else {
        throw .misuse("this is no absolute URI of at most 512 ASCII characters: \(text.debugDescription)")
      }
      kind = .uri(uri)
    } else {
      throw .misuse("an alternative name begins with dns: or uri:, not as \(text.debugDescription)")
    }
  }

  var generalName: GeneralName {
    switch kind {
    case .host(let name): name.generalName
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
