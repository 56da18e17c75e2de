import ArgumentParser

/// Where the server listens: `HOST:PORT`, `[::1]:PORT`, or a port alone on loopback.
struct ListenAddress: ExpressibleByArgument {
  let host: String
  let port: Int

  init(host: String, port: Int) { (self.host, self.port) = (host, port) }

  init?(argument: String) {
    let (host, port): (Substring, Substring)
    if let colon = argument.lastIndex(of: ":") {
      (host, port) = (argument[..<colon], argument[argument.index(after: colon)...])
    } else {
      (host, port) = ("127.0.0.1", argument[...])
    }
    guard let number = UInt16(port), !host.isEmpty else { return nil }
    if host.hasPrefix("["), host.hasSuffix("]") {
      self.host = String(host.dropFirst().dropLast())
    } else if host.contains(":") {
      return nil
    } else {
      self.host = String(host)
    }
    self.port = Int(number)
  }

  /// As it is typed.
  var defaultValueDescription: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Whether only this machine reaches it.
  var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

  /// A URL that reaches it from this machine.
  func url(port: Int, scheme: String = "https") -> String {
    switch host {
    case "127.0.0.1", "::1", "0.0.0.0", "::", "localhost": "\(scheme)://localhost:\(port)"
    case let host where host.contains(":"): "\(scheme)://[\(host)]:\(port)"
    default: "\(scheme)://\(host):\(port)"
    }
  }
}
