import CoreBluetooth

extension CBManagerState {
  /// The state in a word, for errors.
  var word: String {
    switch self {
    case .unknown: "unknown"
    case .resetting: "resetting"
    case .unsupported: "unsupported"
    case .unauthorized: "unauthorized"
    case .poweredOff: "powered off"
    case .poweredOn: "powered on"
    @unknown default: "unknown"
    }
  }
}
