import LatchkeyBluetoothHost

/// A controller's legacy advertising (Core 6.0 Vol 6 Part B 4.4.2).
struct Advertiser: Sendable {
  /// How long high duty cycle directed advertising lasts.
  static let directedDuration = Duration.milliseconds(1280)
  /// How often it is sent: the specification asks for 3.75 ms or less.
  static let directedInterval = Duration.microseconds(3750)

  var parameters = HCILESetAdvertisingParameters(ownAddressKind: .public)
  var data: [UInt8] = []
  var scanResponse: [UInt8] = []
  var isEnabled = false
  /// The next advertising event, if anybody listens.
  var nextEvent = Duration.zero
  /// When high duty cycle directed advertising ends by itself.
  var endsAt: Duration?

  var isScannable: Bool { parameters.type == .connectable || parameters.type == .scannable }
  var isDirected: Bool {
    parameters.type == .directedHighDutyCycle || parameters.type == .directedLowDutyCycle
  }
  var isConnectable: Bool { parameters.type == .connectable || isDirected }

  /// Between two events. The longer of the two limits is what most controllers choose.
  var interval: Duration {
    parameters.type == .directedHighDutyCycle
      ? Self.directedInterval : .microseconds(Int64(parameters.maximumInterval) * 625)
  }

  /// Whether scan requests are taken from the filter accept list alone (7.8.5, bit 0) ...
  var filtersScanRequests: Bool { !isDirected && parameters.filterPolicy & 0b01 != 0 }
  /// ... and connection requests (bit 1).
  var filtersConnectionRequests: Bool { !isDirected && parameters.filterPolicy & 0b10 != 0 }
}
