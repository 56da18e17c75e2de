import LatchkeyBluetoothHost

/// One advertiser of a controller: an advertising set, or legacy advertising, which is a set without a handle (Core 6.0
/// Vol 6 Part B 4.4.2).
struct VirtualAdvertiser: Sendable {
  /// The duration of high duty cycle directed advertising.
  static let directedDuration = Duration.milliseconds(1280)
  /// Its interval: the specification requires 3.75 ms or less.
  static let directedInterval = Duration.microseconds(3750)

  /// The host's name for the set; nil for legacy advertising.
  let handle: AdvertisingHandle?

  // Parameters.
  var properties: AdvertisingEventProperties = [.legacy, .connectable, .scannable]
  /// Units of 0.625 ms.
  var maximumInterval: UInt32 = 0x0800
  var ownAddressKind = OwnAddressKind.public
  /// The target of directed advertising.
  var peer = BluetoothAddress(0, kind: .public)
  var filterPolicy: UInt8 = 0x00
  /// dBm.
  var txPower: Int8 = 0
  var primaryPHY = LEPHY.le1M
  var secondaryPHY = LEPHY.le1M
  var setIdentifier: UInt8 = 0
  var reportsScanRequests = false
  /// The random address of a set; legacy advertising has the controller's.
  var randomAddress: BluetoothAddress?

  // Data.
  var data = AdvertiserData()
  var scanResponse = AdvertiserData()
  /// The DID: it changes with the data, so that scanners report them again (Vol 6 Part B 2.3.4.4).
  var dataIdentifier: UInt16 = 0

  // Advertising.
  var isEnabled = false
  /// How long it advertises at most.
  var duration: Duration?
  /// How many events it has at most; 0 for no limit.
  var maximumEvents = 0
  /// The events since it was enabled, if their number is limited.
  var completedEvents = 0
  /// The next advertising event, if there is a listener or the number of events is limited.
  var nextEvent = Duration.zero
  /// When advertising ends by itself.
  var endsAt: Duration?
  /// The slots of the controllers that could react to its next event, in ascending order.
  private(set) var listeners: [Int] = []

  init(handle: AdvertisingHandle?) { self.handle = handle }

  /// Whether it sends legacy packets, which every scanner on LE 1M receives.
  var isLegacy: Bool { properties.contains(.legacy) }
  var isConnectable: Bool { properties.contains(.connectable) }
  var isScannable: Bool { properties.contains(.scannable) }
  var isDirected: Bool { properties.contains(.directed) }
  var isAnonymous: Bool { properties.contains(.anonymous) }
  var isHighDutyCycle: Bool { properties.contains(.highDutyCycle) }
  /// Whether its advertisements carry data: those of ADV_DIRECT_IND and of extended scannable sets do not.
  var carriesData: Bool { isLegacy ? !isDirected : !isScannable }

  /// The interval between two events: the longer of the two limits, as most controllers choose.
  var interval: Duration { isHighDutyCycle ? Self.directedInterval : .microseconds(Int64(maximumInterval) * 625) }

  /// Whether scan requests are accepted from the filter accept list alone (Vol 4 Part E 7.8.5, 7.8.53, bit 0).
  var filtersScanRequests: Bool { !isDirected && filterPolicy & 0b01 != 0 }
  /// Whether connection requests are accepted from the filter accept list alone (bit 1).
  var filtersConnectionRequests: Bool { !isDirected && filterPolicy & 0b10 != 0 }

  /// The next time at which it has to be served. Without a listener events are skipped, unless they are counted.
  var deadline: Duration? {
    guard isEnabled else { return nil }
    guard !listeners.isEmpty || maximumEvents > 0 else { return endsAt }
    return endsAt.map { min($0, nextEvent) } ?? nextEvent
  }

  /// Sets whether a controller listens. Returns whether that is new.
  mutating func setListener(_ slot: Int, _ isListening: Bool) -> Bool {
    let place = listeners.firstIndex { $0 >= slot } ?? listeners.count
    let isKnown = place < listeners.count && listeners[place] == slot
    guard isKnown != isListening else { return false }
    if isListening { listeners.insert(slot, at: place) } else { listeners.remove(at: place) }
    return true
  }
}

extension VirtualAdvertiser {
  /// Applies the parameters of legacy advertising.
  mutating func set(_ parameters: HCILESetAdvertisingParameters) {
    properties = AdvertisingEventProperties(parameters.type)
    maximumInterval = UInt32(parameters.maximumInterval)
    ownAddressKind = parameters.ownAddressKind
    peer = parameters.peer
    filterPolicy = parameters.filterPolicy
  }

  /// Applies the parameters of a set.
  mutating func set(_ parameters: HCILESetExtendedAdvertisingParameters, txPower: Int8) {
    properties = parameters.properties
    maximumInterval = parameters.maximumInterval
    ownAddressKind = parameters.ownAddressKind
    peer = parameters.peer
    filterPolicy = parameters.filterPolicy
    self.txPower = txPower
    primaryPHY = parameters.primaryPHY
    secondaryPHY = parameters.secondaryPHY
    setIdentifier = parameters.setIdentifier
    reportsScanRequests = parameters.reportsScanRequests
  }
}

extension AdvertisingEventProperties {
  /// The properties of legacy advertising (Vol 4 Part E 7.8.5, 7.8.53 Table 7.1).
  init(_ type: LEAdvertisingType) {
    self =
      switch type {
      case .connectable: [.legacy, .connectable, .scannable]
      case .directedHighDutyCycle: [.legacy, .connectable, .directed, .highDutyCycle]
      case .scannable: [.legacy, .scannable]
      case .nonConnectable: [.legacy]
      case .directedLowDutyCycle: [.legacy, .connectable, .directed]
      }
  }
}
