import LatchkeyBluetoothHost

extension HostState {
  /// The state that an app is shown, after the one that it was shown last.
  ///
  /// A host is `unknown` each time that its controller is initialized; on Apple's systems a manager is so only at its
  /// birth. One that is switched on again stays `poweredOff` until it is `poweredOn`, and keeps its services.
  func shown(after last: CBManagerState) -> CBManagerState {
    switch self {
    case .unknown:
      switch last {
      case .unknown, .poweredOff, .resetting: last
      case .unsupported, .unauthorized, .poweredOn: .resetting
      }
    case .resetting: .resetting
    case .unsupported: .unsupported
    case .poweredOff: .poweredOff
    case .poweredOn: .poweredOn
    }
  }
}
