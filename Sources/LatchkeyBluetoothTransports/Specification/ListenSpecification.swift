/// Names a place to listen at, as `latchkey radio --listen` does: `tcp-server:HOST:PORT` or `unix-server:PATH`.
public struct ListenSpecification: Hashable, Sendable {
  /// The endpoint.
  public let endpoint: StreamEndpoint

  /// A place to listen at; TCP port 0 lets the system choose.
  public init(endpoint: StreamEndpoint) { self.endpoint = endpoint }

  /// Parses a specification.
  ///
  /// - Throws: an error with the problem and a remedy.
  public init(_ text: String) throws(SpecificationError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let rest = parts.count > 1 ? parts[1] : ""
    switch parts.first {
    case "tcp-server": endpoint = try StreamEndpoint(hostAndPort: rest, ports: 0...0xFFFF)
    case "unix-server": endpoint = try StreamEndpoint(path: rest)
    default: throw .unknownKind(text, expected: ["tcp-server:HOST:PORT", "unix-server:PATH"])
    }
  }

  /// The specification for a client in another process.
  public var clientSpecification: ControllerSpecification { .stream(endpoint) }
}

extension ListenSpecification: CustomStringConvertible {
  /// The text of the same place.
  public var description: String { (endpoint.isTCP ? "tcp-server:" : "unix-server:") + endpoint.place }
}
