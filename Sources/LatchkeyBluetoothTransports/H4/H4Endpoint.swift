/// Where the stream of a controller is found.
enum H4Endpoint: Sendable, CustomStringConvertible {
  case socket(StreamEndpoint)
  case serial(SerialPort)

  /// For the reasons of closing.
  var description: String {
    switch self {
    case .socket(let socket): socket.description
    case .serial(let port): port.path
    }
  }
}
