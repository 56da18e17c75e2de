/// Names a controller, as `--hci` and `LATCHKEY_HCI` do: `virtual[:RADIO[/CONTROLLER]]`, `tcp-client:HOST:PORT`,
/// `unix-client:PATH`, `serial:PATH[,SPEED]`, `hci-socket:N`.
public enum ControllerSpecification: Hashable, Sendable {
  /// Controllers on a virtual radio in this process: the radio of that name, or the default one. With a controller's name
  /// that one serves all managers; without, central managers share one and peripheral managers another.
  case virtual(name: String?, controller: String? = nil)
  /// A controller behind a socket, H4.
  case stream(StreamEndpoint)
  /// A controller behind a serial line, H4.
  case serial(SerialPort)
  /// The Bluetooth adapter `hciN` of this system, used by this process alone (Linux, `HCI_CHANNEL_USER`).
  case hciSocket(UInt16)

  /// The forms.
  public static let forms = [
    "hci-socket:N", "serial:PATH[,SPEED]", "tcp-client:HOST:PORT", "unix-client:PATH", "virtual[:RADIO[/CONTROLLER]]",
  ]
  /// 0xFFFF is no adapter (Linux, `HCI_DEV_NONE`).
  private static let adapters = 0...0xFFFE

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
    case ("serial", let rest): self = .serial(try SerialPort(rest ?? ""))
    case ("hci-socket", let rest): self = .hciSocket(try Self.adapter(rest ?? ""))
    case ("usb", _): throw .usb
    default:
      // The name by which the system's tools know an adapter.
      if rest == nil, kind.hasPrefix("hci"), let number = try? Self.adapter(kind) { throw .adapterName(number) }
      throw .unknownKind(text, expected: Self.forms)
    }
  }

  /// Parses `N`, or `hciN`.
  private static func adapter(_ text: some StringProtocol) throws(SpecificationError) -> UInt16 {
    let digits = text.hasPrefix("hci") ? text.dropFirst(3) : text[...]
    guard digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(digits), adapters.contains(number) else {
      throw .badAdapter(String(text))
    }
    return UInt16(number)
  }
}

extension ControllerSpecification: CustomStringConvertible {
  /// The text of the same controller.
  public var description: String {
    switch self {
    case .virtual(nil, nil): "virtual"
    case .virtual(let name?, nil): "virtual:\(name)"
    case .virtual(let name, let controller?): "virtual:\(name ?? "")/\(controller)"
    case .serial(let port): "serial:\(port)"
    case .hciSocket(let number): "hci-socket:\(number)"
    case .stream(let endpoint): (endpoint.isTCP ? "tcp-client:" : "unix-client:") + endpoint.place
    }
  }
}
