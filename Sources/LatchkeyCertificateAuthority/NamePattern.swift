/// Which names devices may ask for in their signing requests, as the operator permits them.
///
/// - `dns:NAME` is this name; `dns:*.NAME` is one label more, which is no internationalized one (`xn--`);
/// - `ip:ADDRESS` is this address; `ip:ADDRESS/LENGTH` is all that begin with so many of its bits (RFC 4632 3.1);
/// - `uri:URI` is this URI, to the letter; with `*` at its end, behind `/` or `:`, one segment more of letters, digits, `-`, `.`, `_` and
///   `~` (RFC 3986 2.3), which is neither `.` nor `..`.
///
/// Names that certificates have by themselves (`urn:latchkey:…`) cannot be permitted.
public struct NamePattern: Sendable, Hashable {
  private enum Kind: Hashable {
    case name(AlternativeName)
    /// A label before this DNS name.
    case label(String)
    /// The first bits of an address.
    case network([UInt8], bits: Int)
    /// A segment behind this text.
    case segment(String)
  }

  private let kind: Kind

  /// Parses a pattern.
  ///
  /// - Throws: ``AuthorityError``: `.misuse`.
  public init(_ text: String) throws(AuthorityError) {
    if text.hasPrefix("dns:*.") {
      guard case .dns(let name) = try AlternativeName("dns:" + text.dropFirst(6)).kind, name.utf8.count <= 251 else {
        throw Self.unusable(text)
      }
      kind = .label("." + name)
    } else if text.hasPrefix("ip:"), let slash = text.firstIndex(of: "/") {
      kind = try Self.network(text[..<slash], text[text.index(after: slash)...], of: text)
    } else if text.hasPrefix("uri:"), text.hasSuffix("*") {
      let fixed = String(text.dropFirst(4).dropLast())
      // A whole authority, or all that a scheme has, is no segment.
      guard fixed.hasSuffix("/") || fixed.hasSuffix(":"), !fixed.hasSuffix("://"),
        fixed.firstIndex(of: ":") != fixed.indices.last, !fixed.contains("*")
      else { throw Self.unusable(text) }
      try Self.refuseOwn(AlternativeName("uri:\(fixed)a"))
      kind = .segment(fixed)
    } else {
      let name = try AlternativeName(text)
      guard !text.contains("*") else { throw Self.unusable(text) }
      try Self.refuseOwn(name)
      kind = .name(name)
    }
  }

  private static func unusable(_ text: String) -> AuthorityError {
    .misuse(
      "\(text.debugDescription) is no pattern of names: a * is the first label of a DNS name, or the last segment of a URI; ip:192.0.2.0/24 "
        + "is a network")
  }

  /// The names by which servers of this package know devices. URNs are compared without regard to case (RFC 8141 3.1).
  private static func refuseOwn(_ name: AlternativeName) throws(AuthorityError) {
    guard case .uri(let uri) = name.kind, uri.lowercased().hasPrefix("urn:latchkey:") else { return }
    throw .misuse("names that begin with urn:latchkey: are the server's, and no device asks for one")
  }

  private static func network(
    _ address: Substring, _ length: Substring, of text: String
  ) throws(AuthorityError) -> Kind {
    guard case .address(let bytes) = try AlternativeName(String(address)).kind,
      length.utf8.allSatisfy({ (0x30...0x39).contains($0) }), length.utf8.count <= 3, let bits = Int(length),
      bits <= bytes.count * 8
    else { throw unusable(text) }
    guard masked(bytes, bits) == bytes else {
      throw .misuse("\(text.debugDescription) has bits set behind its first \(bits): set them to 0")
    }
    return .network(bytes, bits: bits)
  }

  private static func masked(_ bytes: [UInt8], _ bits: Int) -> [UInt8] {
    bytes.enumerated().map { place, byte in
      let kept = min(max(bits - place * 8, 0), 8)
      return kept == 0 ? 0 : byte & (0xFF << (8 - kept))
    }
  }

  /// Whether a device may ask for this name.
  public func permits(_ name: AlternativeName) -> Bool {
    switch (kind, name.kind) {
    case (.name(let permitted), _): permitted == name
    case (.label(let suffix), .dns(let host)):
      Self.first(of: host, before: suffix).map { !$0.contains(".") && !$0.hasPrefix("xn--") } ?? false
    case (.network(let network, let bits), .address(let address)):
      address.count == network.count && Self.masked(address, bits) == network
    case (.segment(let fixed), .uri(let uri)): Self.isSegment(uri, behind: fixed)
    default: false
    }
  }

  /// What stands before a suffix, if there is anything. Names are ASCII here.
  private static func first(of host: String, before suffix: String) -> Substring? {
    host.hasSuffix(suffix) && host.utf8.count > suffix.utf8.count ? host.dropLast(suffix.count) : nil
  }

  private static func isSegment(_ uri: String, behind fixed: String) -> Bool {
    guard uri.hasPrefix(fixed) else { return false }
    let segment = uri.dropFirst(fixed.count)
    return !segment.isEmpty && segment != "." && segment != ".."
      && segment.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
          || "-._~".utf8.contains($0)
      }
  }
}
