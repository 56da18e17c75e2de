/// The names under which a listener on loopback is called, by the Host of a request (RFC 9110 7.2).
///
/// A page of the web may give its own name the address of loopback, and then read what its reader's browser fetches from a listener there:
/// the browser sends the page's name as Host.
struct ListenerNames: Sendable {
  private let names: Set<String>

  /// - Parameters:
  ///   - address: what the listener listens on.
  ///   - names: further names, without ports.
  init(address: String, names: [String]) {
    self.names = Set((names + [address, "localhost"]).map(Self.folded))
  }

  /// Whether a request with this Host is for the listener; also one of another port, since a tunnel may have its own. No browser leaves
  /// Host out, as HTTP/1.0 may.
  func contains(_ authority: String?) -> Bool {
    guard let authority else { return true }
    guard authority.utf8.count <= 262 else { return false }
    let host = Self.folded(Self.host(of: authority[...]))
    return names.contains(host) || host == "::1" || Self.isLoopback(host)
  }

  /// The name or address without brackets and port; empty for what is neither.
  static func host(of authority: Substring) -> String {
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]"), isPort(authority[authority.index(after: end)...]) else {
        return ""
      }
      return String(authority[authority.index(after: authority.startIndex)..<end])
    }
    let host = authority.prefix { $0 != ":" }
    return isPort(authority[host.endIndex...]) ? String(host) : ""
  }

  /// Whether what follows a host is nothing, or a colon and digits, of which there may be none.
  private static func isPort(_ rest: Substring) -> Bool {
    rest.isEmpty || (rest.first == ":" && rest.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) })
  }

  /// 127.0.0.0/8, written as an address, and not as a name that begins like one.
  private static func isLoopback(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// A name without the dot of the root, in lower case.
  static func folded(_ name: String) -> String {
    (name.hasSuffix(".") ? String(name.dropLast()) : name).lowercased()
  }
}
