/// The names by which requests may be for a tenant, by their Host (RFC 9110 7.4).
///
/// TLS has chosen the tenant by the server name; a request on that connection for another tenant is misdirected.
struct TenantNames: Sendable {
  private let own: Set<String>
  private let others: Set<String>

  init(own: [String], others: [String]) {
    self.own = Set(own.map(ListenerNames.folded))
    self.others = Set(others.map(ListenerNames.folded))
  }

  /// Whether a request with this authority is for the tenant. HTTP/1.0 may have none.
  ///
  /// - Parameter isNamed: whether the client named the tenant in its handshake. Of others the authority is an address or any other name
  ///   that is no other tenant's.
  func contain(_ authority: String?, isNamed: Bool) -> Bool {
    guard let authority else { return true }
    guard authority.utf8.count <= 262 else { return false }
    let name = ListenerNames.folded(ListenerNames.host(of: authority[...]))
    return own.contains(name) || (!isNamed && !others.contains(name))
  }

  static func isTenant(_ name: String) -> Bool {
    (1...63).contains(name.utf8.count) && name.utf8.allSatisfy { isLowercase($0) || isDigit($0) || $0 == 0x2D }
  }

  /// Whether a lowercase name is a host's: RFC 952, RFC 1123 2.1, with underscores. The last label is no number, as that of an address is.
  static func isServer(_ name: String) -> Bool {
    let labels = name.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
    return (1...253).contains(name.utf8.count)
      && labels.allSatisfy { label in
        (1...63).contains(label.count)
          && label.allSatisfy { isLowercase($0) || isDigit($0) || $0 == 0x2D || $0 == 0x5F }
      } && !(labels.last?.allSatisfy(isDigit) ?? true)
  }

  /// A name of unknown origin as a message has it.
  static func shown(_ name: String) -> String {
    let safe = name.unicodeScalars.prefix(64).map {
      $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || "-._*:".unicodeScalars.contains($0))
        ? Character($0) : "?"
    }
    return "\"\(String(safe))\""
  }

  private static func isLowercase(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
