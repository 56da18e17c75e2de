import LatchkeyBluetoothHost

/// The connection that an app wants, compared with the events that it received.
///
/// Events of the engine are delayed: a canceled connection may still come up, and one that is wanted again may first
/// end.
struct ConnectionProgress {
  private(set) var state = CBPeripheralState.disconnected
  /// The connection, from the event of its start to the event of its end.
  private(set) var link: LinkID?
  /// Whether the app's last call was to connect.
  private(set) var isWanted = false
  /// Whether a connection that is lost is requested again.
  private(set) var reconnects = false
  /// Ends that the app requested and that were not reported to it.
  private var awaitedEnds = 0

  /// The connection, while the app may use it.
  var usableLink: LinkID? { state == .connected ? link : nil }

  enum ConnectStep { case ask, alreadyConnected, nothing }

  /// How a connection, or the attempt at one, ended.
  enum End {
    /// The app had requested it.
    case requested
    /// The app had not.
    case unexpected
    /// The app had not, and the engine must request the connection again.
    case reconnecting
  }

  /// Handles the app's call to connect.
  mutating func connect(reconnects: Bool = false) -> ConnectStep {
    self.reconnects = reconnects
    switch state {
    case .connected: return .alreadyConnected
    case .connecting: return .nothing
    case .disconnected, .disconnecting:
      isWanted = true
      state = .connecting
      return .ask
    }
  }

  /// Handles the app's call to cancel. Returns false if there was nothing to cancel.
  mutating func cancel() -> Bool {
    guard isWanted else { return false }
    isWanted = false
    awaitedEnds += 1
    state = .disconnecting
    return true
  }

  /// Handles a connection that is up. Returns false if it is not the one that the app waits for.
  mutating func began(_ link: LinkID) -> Bool {
    guard isWanted, awaitedEnds == 0, self.link == nil else { return false }
    self.link = link
    state = .connected
    return true
  }

  /// Handles the end of a connection, or of the attempt at one.
  ///
  /// - Parameter mayReconnect: whether the host can request the connection again.
  mutating func ended(mayReconnect: Bool = false) -> End {
    let wasUp = link != nil
    link = nil
    guard awaitedEnds > 0 else {
      if wasUp, reconnects, mayReconnect {
        state = .connecting
        return .reconnecting
      }
      isWanted = false
      state = .disconnected
      return .unexpected
    }
    awaitedEnds -= 1
    if isWanted { state = .connecting } else if awaitedEnds == 0 { state = .disconnected }
    return .requested
  }

  /// Returns whether the app waits for a connection; then the engine must end the current one and start again.
  mutating func restart() -> Bool {
    guard state == .connecting, awaitedEnds == 0 else { return false }
    awaitedEnds = 1
    return true
  }

  /// Handles the loss of the radio: all requests end.
  mutating func reset() { self = ConnectionProgress() }
}
