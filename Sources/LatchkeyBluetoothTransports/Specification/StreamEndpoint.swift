/// An endpoint of a byte stream to or from a controller.
public enum StreamEndpoint: Hashable, Sendable {
  /// A host's name or address, and a port.
  case tcp(host: String, port: Int)
  /// A path in the file system.
  case unix(path: String)

  /// The longest path of a Unix socket on Linux, bytes: `sun_path` has 108 with its final zero.
  public static let maximumPathLength = 107

  var isTCP: Bool {
    if case .tcp = self { true } else { false }
  }

  /// Parses `HOST:PORT`; an IPv6 address is in brackets: `[::1]:6402`.
  init(hostAndPort text: some StringProtocol, ports: ClosedRange<Int>) throws(SpecificationError) {
    guard let colon = text.lastIndex(of: ":") else { throw .portMissing(String(text)) }
    var host = text[..<colon]
    let digits = text[text.index(after: colon)...]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      throw .bracketsMissing(String(text))
    }
    guard !host.isEmpty else { throw .hostMissing(String(text)) }
    guard digits.allSatisfy({ "0"..."9" ~= $0 }), let port = Int(digits), ports.contains(port) else {
      throw .badPort(String(digits), ports)
    }
    self = .tcp(host: String(host), port: port)
  }

  /// Parses the path of a Unix socket.
  init(path text: some StringProtocol) throws(SpecificationError) {
    guard !text.isEmpty else { throw .pathMissing }
    guard text.utf8.count <= Self.maximumPathLength else { throw .pathTooLong(String(text)) }
    guard !text.utf8.contains(0) else { throw .badCharacter }
    self = .unix(path: String(text))
  }

  /// The part after the kind in a specification: `HOST:PORT`, or the path.
  var place: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): path
    }
  }
}

extension StreamEndpoint: CustomStringConvertible {
  /// `HOST:PORT`, or the path.
  public var description: String { place }
}
