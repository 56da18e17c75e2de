package import LatchkeyBluetoothHost

/// What was recorded of one device: what it advertised, its database as far as it was discovered, and what was exchanged.
package struct RecordedDevice: Sendable {
  /// Which device it is.
  package enum Identity: Hashable, Sendable {
    /// A peer of the host whose packets were recorded.
    case peer(BluetoothAddress)
    /// The host itself, as a peripheral, by its controller's number.
    case host(UInt16)
    /// The peer of a connection that had begun before the recording.
    case unknown(controller: UInt16, ConnectionHandle)
  }

  /// An advertisement or a scan response.
  package struct Advertisement: Sendable, Equatable {
    package var time: Duration
    /// dBm; nil if it is not known.
    package var rssi: Int8?
    package var data: [UInt8]
    package var isScanResponse: Bool
    package var isConnectable: Bool
  }

  /// One event of the exchange: a whole value, however many PDUs it took.
  package struct Event: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
      case read([UInt8])
      case readRefused(ATTErrorCode)
      /// The answer is 0 for success.
      case write([UInt8], answer: UInt8)
      case command([UInt8])
      case notification([UInt8])
      case indication([UInt8])
    }

    /// When it ended.
    package var time: Duration
    package var handle: AttributeHandle
    package var kind: Kind
    /// Its place among those of the same time.
    var sequence: Int
  }

  /// What could not be recorded.
  package struct Losses: Sendable, Equatable {
    /// Requests without an answer.
    package var unanswered = 0
    /// Values of which only a part passed.
    package var partialValues = 0
    /// Values longer than an attribute's.
    package var longValues = 0
    /// Malformed PDUs.
    package var malformed = 0
    /// What there was no room for.
    package var overCapacity = 0
    /// Enhanced bearers, whose PDUs are not followed.
    package var enhancedBearers = 0
  }

  package let identity: Identity
  /// Connections.
  package internal(set) var connections = 0
  /// The name that it advertised.
  package internal(set) var name: String?
  /// Its Device Name, if it was read by that type.
  package internal(set) var readName: String?
  package internal(set) var advertisements: [Advertisement] = []
  package internal(set) var database = RecordedDatabase()
  /// The largest ATT_MTU of its connections.
  package internal(set) var mtu = ATTLimits.defaultMTU
  package internal(set) var losses = Losses()
  /// Its addresses, those of its peers, and private ones: nothing of these is for a recording that leaves its owner.
  package internal(set) var addresses: Set<BluetoothAddress> = []
  /// Those that the hosts have used.
  package internal(set) var hostAddresses: Set<BluetoothAddress> = []

  /// The PDUs of the Attribute protocol, in both directions.
  package internal(set) var pduCount = 0
  private var unorderedEvents: [Event] = []
  private var seen: Set<Advertisement.Content> = []
  private var sequence = 0
  /// How many bytes the latest value of an attribute had.
  var lengths: [AttributeHandle: Int] = [:]

  init(_ identity: Identity) {
    self.identity = identity
    if case .peer(let address) = identity { addresses = [address] }
  }

  /// The events, oldest first.
  package var events: [Event] { unorderedEvents.sorted { ($0.time, $0.sequence) < ($1.time, $1.sequence) } }

  /// How many events there are.
  package var eventCount: Int { unorderedEvents.count }

  /// The next number of an event.
  mutating func nextSequence() -> Int {
    sequence += 1
    return sequence
  }

  mutating func append(
    _ kind: Event.Kind, of handle: AttributeHandle, at time: Duration, sequence: Int? = nil,
    _ budget: inout RecorderBudget
  ) {
    guard kind.count <= ATTLimits.longestValue else { return losses.longValues += 1 }
    guard unorderedEvents.count < RecorderBudget.eventsOfDevice, budget.takeEvent(bytes: kind.count) else {
      return losses.overCapacity += 1
    }
    if let length = kind.attributeLength { lengths[handle] = length }
    unorderedEvents.append(Event(time: time, handle: handle, kind: kind, sequence: sequence ?? nextSequence()))
  }

  /// Adds an advertisement, unless it only repeats an earlier one.
  mutating func append(_ advertisement: Advertisement, _ budget: inout RecorderBudget) {
    guard advertisement.data.count <= RecorderBudget.longestAdvertisement else { return losses.longValues += 1 }
    let content = advertisement.content
    guard !seen.contains(content) else { return }
    guard advertisements.count < RecorderBudget.advertisementsOfDevice, budget.takeAdvertisement() else {
      return losses.overCapacity += 1
    }
    seen.insert(content)
    advertisements.append(advertisement)
    for structure in AdvertisingData(decoding: advertisement.data).structures {
      let isWhole = structure.kind == .completeLocalName
      guard isWhole || (structure.kind == .shortenedLocalName && name == nil), !structure.data.isEmpty else { continue }
      name = String(decoding: structure.data, as: UTF8.self)
    }
  }
}

extension RecordedDevice.Advertisement {
  /// What makes one differ from another.
  struct Content: Hashable {
    let data: [UInt8]
    let isScanResponse: Bool
    let isConnectable: Bool
  }

  var content: Content { Content(data: data, isScanResponse: isScanResponse, isConnectable: isConnectable) }
}

extension RecordedDevice.Event.Kind {
  var count: Int {
    switch self {
    case .read(let value), .write(let value, _), .command(let value), .notification(let value), .indication(let value):
      value.count
    case .readRefused: 0
    }
  }

  /// The length of the attribute's value after the event, if it tells.
  fileprivate var attributeLength: Int? { if case .read(let value) = self { value.count } else { nil } }
}

extension RecordedDevice.Identity {
  /// The identity as a user types it.
  package var text: String {
    switch self {
    case .peer(let address): "\(address)"
    case .host(let controller): "hci\(controller)"
    case .unknown(let controller, let handle): "hci\(controller)/\(handle.rawValue)"
    }
  }
}

/// How much is recorded at most.
struct RecorderBudget {
  static let devices = 4096
  static let links = 1024
  static let eventsOfDevice = 100_000
  static let advertisementsOfDevice = 10_000
  /// Core 6.0 Vol 6 Part B 2.3.4.9.
  static let longestAdvertisement = 1650

  private var events = 400_000
  private var bytes = 64 << 20
  private var advertisements = 50_000

  mutating func takeEvent(bytes count: Int) -> Bool {
    guard events > 0, bytes >= count else { return false }
    events -= 1
    bytes -= count
    return true
  }

  mutating func takeAdvertisement() -> Bool {
    guard advertisements > 0 else { return false }
    advertisements -= 1
    return true
  }
}
