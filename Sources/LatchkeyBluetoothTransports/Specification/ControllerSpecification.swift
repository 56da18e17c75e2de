/// Names a controller, as `--hci` and `LATCHKEY_HCI` do: `virtual[:RADIO[/CONTROLLER]]`, `tcp-client:HOST:PORT`,
/// `unix-client:PATH`.
///
/// `serial:PATH[,SPEED]` and `hci-socket:N` belong to the grammar too; a build without these transports refuses them by
/// `SpecificationError.unavailable`.
public enum ControllerSpecification: Hashable, Sendable {
  /// Controllers on a virtual radio in this process: the radio of that name, or the default one. With a controller's name
  /// that one serves all managers; without, central managers share one and peripheral managers another.
  case virtual(name: String?, controller: String? = nil)
  /// A controller behind a socket, H4.
  case stream(StreamEndpoint)

  /// The forms that this build has transports for.
  static let forms = ["virtual[:RADIO[/CONTROLLER]]", "tcp-client:HOST:PORT", "unix-client:PATH"]

  /// Parses a specification.
  ///
  /// - Throws: an error with the problem and a remedy.
  public init(_ text: String) throws(SpecificationError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let kind = parts.first ?? ""
    let rest = parts.count > 1 ? parts[1] : nil
    switch (kind, rest) {
    case ("virtual", nil): self = .virtual(name: nil)
    case ("virtual", ""?): throw .nameMissing
    case ("virtual", let name?):
      // Excludes space, control characters and delete, which are hardly typed on purpose.
      guard name.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { throw .badCharacter }
      let names = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard names.last != "" else { throw .controllerMissing }
      self = .virtual(name: names[0].isEmpty ? nil : names[0], controller: names.count > 1 ? names[1] : nil)
    case ("tcp-client", let rest): self = .stream(try StreamEndpoint(hostAndPort: rest ?? "", ports: 1...0xFFFF))
    case ("unix-client", let rest): self = .stream(try StreamEndpoint(path: rest ?? ""))
    case ("serial", _), ("hci-socket", _): throw .unavailable(String(kind))
    default: throw .unknownKind(text, expected: Self.forms)
    }
  }
}

extension ControllerSpecification: CustomStringConvertible {
  /// The text of the same controller.
  public var description: String {
    switch self {
    case .virtual(nil, nil): "virtual"
    case .virtual(let name?, nil): "virtual:\(name)"
    case .virtual(let name, let controller?): "virtual:\(name ?? "")/\(controller)"
    case .stream(let endpoint): (endpoint.isTCP ? "tcp-client:" : "unix-client:") + endpoint.place
    }
  }
}
