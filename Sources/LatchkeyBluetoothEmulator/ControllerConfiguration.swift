public import LatchkeyBluetoothHost

/// Identifies one controller for as long as the radio lives; never reused.
public struct ControllerID: Hashable, Sendable {
  /// The controller's index in the radio's table; slots are reused.
  let slot: Int32
  /// Distinguishes it from earlier controllers of that slot.
  let generation: UInt32

  /// One number that orders controllers.
  var value: UInt64 { UInt64(UInt32(bitPattern: slot)) << 32 | UInt64(generation) }
}

/// A controller's memory for its host's ACL packets (Core 6.0 Vol 4 Part E 4.1.1).
public struct ACLBuffers: Sendable, Hashable {
  /// The longest payload of one packet, bytes: 27...65535.
  public var length: Int
  /// How many packets it holds, for all links together: 1...255.
  public var count: Int

  /// Buffers; values out of range are clamped.
  public init(length: Int, count: Int) {
    self.length = min(max(length, 27), 0xFFFF)
    self.count = min(max(count, 1), 0xFF)
  }

  /// A whole PDU at ATT_MTU 247 fits each packet, and there are enough packets that a sender seldom waits.
  public static let standard = ACLBuffers(length: 251, count: 32)
  /// The smallest that the specification allows: 27 bytes, one packet.
  public static let smallest = ACLBuffers(length: 27, count: 1)
}

/// The properties of one virtual controller.
public struct ControllerConfiguration: Sendable {
  /// The features of a link layer beyond the mandatory ones (Core 6.0 Vol 6 Part B 4.6).
  public struct Features: OptionSet, Sendable, Hashable {
    /// The feature mask as HCI carries it.
    public let rawValue: UInt64
    /// Any mask; a controller uses the bits that are in `all`.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// LE Encryption.
    public static let encryption = Features(rawValue: 1 << 0)
    /// Connection Parameters Request procedure.
    public static let connectionParametersRequest = Features(rawValue: 1 << 1)
    /// Peripheral-initiated Features Exchange.
    public static let peripheralInitiatedFeaturesExchange = Features(rawValue: 1 << 3)
    /// LE Data Packet Length Extension.
    public static let dataPacketLengthExtension = Features(rawValue: 1 << 5)
    /// LL Privacy: a resolving list.
    public static let privacy = Features(rawValue: 1 << 6)
    /// LE 2M, for the packets of extended advertising; links stay on LE 1M.
    public static let phy2M = Features(rawValue: 1 << 8)
    /// LE Coded, for the packets of extended advertising; links stay on LE 1M.
    public static let phyCoded = Features(rawValue: 1 << 11)
    /// LE Extended Advertising, without periodic advertising.
    public static let extendedAdvertising = Features(rawValue: 1 << 12)
    /// Those of a controller of Core 4.2, without privacy.
    public static let standard: Features = [
      .encryption, .connectionParametersRequest, .peripheralInitiatedFeaturesExchange, .dataPacketLengthExtension,
    ]
    /// All features that the emulator supports.
    public static let all: Features = standard.union([.privacy, .phy2M, .phyCoded, .extendedAdvertising])
  }

  /// The events in which advertisements and connections are reported to the host. Both forms occur in the field.
  public enum EventForm: Sendable, Hashable {
    /// LE Advertising Report and LE Connection Complete.
    case legacy
    /// LE Extended Advertising Report and LE Enhanced Connection Complete, if the host's event mask enables them.
    case extended
  }

  /// For captures and messages; it has no meaning on the air.
  public var name: String
  /// The public device address; with nil the radio draws one.
  public var address: BluetoothAddress?
  /// The memory for the host's ACL packets. Packets to the host are cut to the same length.
  public var buffers: ACLBuffers
  /// Whether LE Read Buffer Size answers 0, so that the host has to ask Read Buffer Size (Vol 4 Part E 7.8.2).
  public var sharesBuffersWithClassic: Bool
  /// The features beyond the mandatory ones.
  public var features: Features
  /// The most advertising sets at once, 1...240, with extended advertising.
  public var advertisingSets: Int
  /// The most links at once.
  public var maximumLinks: Int
  /// The capacity of its filter accept list, at most 255.
  public var filterAcceptListSize: Int
  /// The capacity of its resolving list, at most 255, with privacy.
  public var resolvingListSize: Int
  /// Whether it can scan while it initiates a connection, and reports so among its LE states (Vol 4 Part E 7.8.27).
  public var scansWhileInitiating: Bool
  /// Transmit power of advertisements, dBm.
  public var transmitPower: Int8
  /// The events in which it reports advertisements and connections.
  public var eventForm: EventForm

  /// A controller; the defaults are those of a good USB adapter.
  public init(
    name: String = "", address: BluetoothAddress? = nil, buffers: ACLBuffers = .standard,
    sharesBuffersWithClassic: Bool = false, features: Features = .standard, advertisingSets: Int = 16,
    maximumLinks: Int = 16, filterAcceptListSize: Int = 16, resolvingListSize: Int = 16,
    scansWhileInitiating: Bool = true, transmitPower: Int8 = 0, eventForm: EventForm = .legacy
  ) {
    self.name = name
    self.address = address
    self.buffers = buffers
    self.sharesBuffersWithClassic = sharesBuffersWithClassic
    self.features = features.intersection(.all)
    self.advertisingSets = min(max(advertisingSets, 1), Int(AdvertisingHandle.highest) + 1)
    self.maximumLinks = min(max(maximumLinks, 1), 0x0EFF)
    self.filterAcceptListSize = min(max(filterAcceptListSize, 1), 0xFF)
    self.resolvingListSize = min(max(resolvingListSize, 1), 0xFF)
    self.scansWhileInitiating = scansWhileInitiating
    self.transmitPower = transmitPower
    self.eventForm = eventForm
  }
}
