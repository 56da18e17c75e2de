import LatchkeyBluetoothHost

/// What an app wants of a connection, against what it has been told of it.
///
/// Events of the engine are behind: a cancelled connection may still come up, one that is wanted again may first end.
struct ConnectionProgress {
  private(set) var state = CBPeripheralState.disconnected
  /// The connection, from the event that it is up to the event that it ended.
  private(set) var link: LinkID?
  /// Whether the app's last word was to connect.
  private(set) var isWanted = false
  /// Ends that the app asked for and has not been told of.
  private var awaitedEnds = 0

  /// The connection, while the app may ask on it.
  var usableLink: LinkID? { state == .connected ? link : nil }

  enum ConnectStep { case ask, alreadyConnected, nothing }

  /// The app wants a connection.
  mutating func connect() -> ConnectStep {
    switch state {
    case .connected: return .alreadyConnected
    case .connecting: return .nothing
    case .disconnected, .disconnecting:
      isWanted = true
      state = .connecting
      return .ask
    }
  }

  /// The app wants none, or no more. False if there was nothing to cancel.
  mutating func cancel() -> Bool {
    guard isWanted else { return false }
    isWanted = false
    awaitedEnds += 1
    state = .disconnecting
    return true
  }

  /// A connection is up. False if it is not the one that the app waits for.
  mutating func began(_ link: LinkID) -> Bool {
    guard isWanted, awaitedEnds == 0, self.link == nil else { return false }
    self.link = link
    state = .connected
    return true
  }

  /// A connection, or the attempt at one, ended. True if the app had asked for that.
  mutating func ended() -> Bool {
    link = nil
    guard awaitedEnds > 0 else {
      isWanted = false
      state = .disconnected
      return false
    }
    awaitedEnds -= 1
    if isWanted { state = .connecting } else if awaitedEnds == 0 { state = .disconnected }
    return true
  }

  /// The engine is made to end what it does and to begin anew, if the app waits for a connection.
  mutating func restart() -> Bool {
    guard state == .connecting, awaitedEnds == 0 else { return false }
    awaitedEnds = 1
    return true
  }

  /// The radio is gone, and every wish with it.
  mutating func reset() { self = ConnectionProgress() }
}
