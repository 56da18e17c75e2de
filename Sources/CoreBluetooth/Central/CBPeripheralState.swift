/// The state of the connection to a peripheral.
public enum CBPeripheralState: Int, Sendable {
  /// Not connected.
  case disconnected = 0
  /// A connection was asked for.
  case connecting = 1
  /// Connected.
  case connected = 2
  /// The end of the connection was asked for.
  case disconnecting = 3
}
