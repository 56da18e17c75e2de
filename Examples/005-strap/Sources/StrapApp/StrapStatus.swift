import Foundation

/// Where the app is on its way to the strap.
public enum StrapStatus: Equatable, Sendable {
  case stopped
  case bluetoothOff
  case searching
  case connecting
  /// Connected, but not subscribed yet.
  case preparing
  case measuring
  /// An attempt failed; the next one follows after so many seconds.
  case waiting(TimeInterval)
  case failed(StrapProblem)
}

/// Why the app gave up.
public enum StrapProblem: Equatable, Sendable {
  case bluetoothNotAllowed, bluetoothMissing, notFound, notReached, noHeartRate, pairingNeeded, subscriptionRefused

  /// What the user reads.
  public var message: String {
    switch self {
    case .bluetoothNotAllowed: "The app may not use Bluetooth. Allow it in the settings."
    case .bluetoothMissing: "This device has no Bluetooth."
    case .notFound: "No strap was found. Put it on, moisten it, and try again."
    case .notReached: "The strap does not answer. Is it near, and its battery charged?"
    case .noHeartRate: "This device does not measure a heart rate."
    case .pairingNeeded: "The strap wants to be paired, and refused. Reset it, and try again."
    case .subscriptionRefused: "The strap does not send its measurements. Another app may have it."
    }
  }
}
