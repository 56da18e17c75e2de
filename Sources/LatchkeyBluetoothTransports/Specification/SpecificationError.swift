/// Why a text is not a valid controller, or place to listen at; each description contains a remedy.
public enum SpecificationError: Error, Equatable, Sendable {
  /// The text has no known kind before its colon.
  case unknownKind(String, expected: [String])
  /// `virtual:` without a name; `virtual` alone is the default radio.
  case nameMissing
  /// `virtual:RADIO/` without the name of a controller.
  case controllerMissing
  /// The port after the host is missing.
  case portMissing(String)
  /// There is no host before the colon.
  case hostMissing(String)
  /// An IPv6 address without brackets.
  case bracketsMissing(String)
  /// The port is not a number in the range.
  case badPort(String, ClosedRange<Int>)
  /// There is no path.
  case pathMissing
  /// The path does not fit into a socket's address.
  case pathTooLong(String)
  /// A name or a path contains a character that is not allowed.
  case badCharacter
  /// `serial:` without a path.
  case serialPathMissing
  /// The text after the last comma is no speed of a serial line.
  case badSpeed(String)
  /// The text is not the number of an adapter.
  case badAdapter(String)
  /// The name of an adapter, `hciN`, without the kind.
  case adapterName(UInt16)
  /// `usb:`, for which there is no transport.
  case usb
}

extension SpecificationError: CustomStringConvertible {
  /// The problem and a remedy, in one line.
  public var description: String {
    switch self {
    case .unknownKind(let text, let expected):
      "'\(text)' is not understood: type \(expected.joined(separator: ", "))"
    case .nameMissing: "'virtual:' lacks the radio's name: type virtual:RADIO, or virtual for the default radio"
    case .controllerMissing:
      "the controller's name is missing after the '/': type virtual:RADIO/CONTROLLER, such as virtual:lab/lamp"
    case .portMissing(let text): "'\(text)' lacks a port: type HOST:PORT, such as 127.0.0.1:6402"
    case .hostMissing(let text): "'\(text)' lacks a host: type HOST:PORT, such as 127.0.0.1:6402"
    case .bracketsMissing(let text):
      "'\(text)' has several colons: type an IPv6 address in brackets, such as [::1]:6402"
    case .badPort(let text, let range):
      "'\(text)' is no port: type a number from \(range.lowerBound) to \(range.upperBound)"
    case .pathMissing:
      "the socket's path is missing: type the kind, a colon and the path, such as unix-client:/tmp/radio"
    case .pathTooLong(let path):
      "the socket's path has \(path.utf8.count) bytes: type one of at most \(StreamEndpoint.maximumPathLength)"
    case .badCharacter: "the name or path holds a control character: type one without"
    case .serialPathMissing: "the serial device is missing: type serial:PATH[,SPEED], such as serial:/dev/ttyACM0"
    case .badSpeed(let text):
      "'\(text)' is no speed of a serial line: type serial:PATH,SPEED with one of "
        + SerialPort.speeds.map(String.init).joined(separator: ", ")
    case .badAdapter(let text): "'\(text)' is no adapter: type hci-socket:N, such as hci-socket:0 for hci0"
    case .adapterName(let number): "'hci\(number)' lacks the way to it: type hci-socket:\(number)"
    case .usb:
      "there is no usb transport: Linux drives an adapter on USB, and has a name for it: type hci-socket:N for hciN"
    }
  }
}
