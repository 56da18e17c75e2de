internal import Foundation

/// The address of a service: `https://HOST` or `https://HOST:PORT`.
public struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
  /// The host's name or address, in lower case; an IPv6 address without its brackets.
  public let host: String
  /// The port.
  public let port: Int

  /// Parses an address. A trailing slash is accepted; a path, a query or a user is not.
  ///
  /// - Throws: ``EnrollmentError/misuse(_:)``.
  public init(_ text: String) throws(EnrollmentError) {
    guard text.utf8.count <= 1024, let parts = URLComponents(string: text), parts.scheme?.lowercased() == "https",
      let host = parts.host, !host.isEmpty, parts.path.isEmpty || parts.path == "/", parts.query == nil,
      parts.fragment == nil, parts.user == nil, parts.password == nil, (1...65_535).contains(parts.port ?? 443)
    else { throw .misuse("the server is https://HOST or https://HOST:PORT, without a path") }
    self.host = host.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    port = parts.port ?? 443
  }

  /// Host and port in URL form; the default port is omitted.
  var authority: String {
    let host = self.host.contains(":") ? "[\(self.host)]" : self.host
    return port == 443 ? host : "\(host):\(port)"
  }

  /// The URL.
  public var description: String { "https://\(authority)" }
}
