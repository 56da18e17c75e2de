import LatchkeyBluetoothHost

/// A controller's legacy advertising (Core 6.0 Vol 6 Part B 4.4.2).
struct VirtualAdvertiser: Sendable {
  /// The duration of high duty cycle directed advertising.
  static let directedDuration = Duration.milliseconds(1280)
  /// Its interval: the specification requires 3.75 ms or less.
  static let directedInterval = Duration.microseconds(3750)

  var parameters = HCILESetAdvertisingParameters(ownAddressKind: .public)
  var data: [UInt8] = []
  var scanResponse: [UInt8] = []
  var isEnabled = false
  /// The next advertising event, if there is a listener.
  var nextEvent = Duration.zero
  /// When high duty cycle directed advertising ends by itself.
  var endsAt: Duration?

  var isScannable: Bool { parameters.type == .connectable || parameters.type == .scannable }
  var isDirected: Bool {
    parameters.type == .directedHighDutyCycle || parameters.type == .directedLowDutyCycle
  }
  var isConnectable: Bool { parameters.type == .connectable || isDirected }

  /// The interval between two events: the longer of the two limits, as most controllers choose.
  var interval: Duration {
    parameters.type == .directedHighDutyCycle
      ? Self.directedInterval : .microseconds(Int64(parameters.maximumInterval) * 625)
  }

  /// Whether scan requests are accepted from the filter accept list alone (7.8.5, bit 0).
  var filtersScanRequests: Bool { !isDirected && parameters.filterPolicy & 0b01 != 0 }
  /// Whether connection requests are accepted from the filter accept list alone (7.8.5, bit 1).
  var filtersConnectionRequests: Bool { !isDirected && parameters.filterPolicy & 0b10 != 0 }
}
