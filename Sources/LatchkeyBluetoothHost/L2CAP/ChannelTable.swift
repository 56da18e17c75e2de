/// The channels of one link by their identifiers at this end (Core 6.0 Vol 3 Part A 2.1, table 2.3). A link without
/// channels allocates nothing.
struct ChannelTable {
  /// The identifiers of dynamic channels on LE.
  static let identifiers: ClosedRange<UInt16> = 0x0040...0x007F
  /// How many channels a peer may have open: it leaves identifiers for those that clients request.
  static let mostIncoming = 32

  private var slots: [CreditBasedChannel?] = []
  private var lastIndex = -1
  /// The number of channels.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// All channels, in the order of their identifiers.
  var all: [CreditBasedChannel] { count == 0 ? [] : slots.compactMap(\.self) }

  /// The number of channels that the peer requested.
  var incomingCount: Int { slots.count { $0?.isIncoming == true } }

  /// The channel of an identifier.
  subscript(local: L2CAPChannelID) -> CreditBasedChannel? {
    let index = Int(local.rawValue) - Int(Self.identifiers.lowerBound)
    return slots.indices.contains(index) ? slots[index] : nil
  }

  /// The channel of a peer's identifier.
  func channel(remote: L2CAPChannelID) -> CreditBasedChannel? {
    for case let channel? in slots where channel.remote == remote && channel.isConnected { return channel }
    return nil
  }

  /// The channel of a number.
  func channel(_ id: ChannelID) -> CreditBasedChannel? {
    for case let channel? in slots where channel.id == id { return channel }
    return nil
  }

  /// An identifier that is free: the next one in turn, so that late frames of a channel find no other one. Nil if there
  /// is none.
  mutating func nextIdentifier() -> L2CAPChannelID? {
    for step in 1...Self.identifiers.count {
      let index = (lastIndex + step) % Self.identifiers.count
      guard !slots.indices.contains(index) || slots[index] == nil else { continue }
      lastIndex = index
      return L2CAPChannelID(rawValue: Self.identifiers.lowerBound + UInt16(index))
    }
    return nil
  }

  /// Adds a channel with an identifier that is free.
  mutating func add(_ channel: CreditBasedChannel) {
    let index = Int(channel.local.rawValue - Self.identifiers.lowerBound)
    while slots.count <= index { slots.append(nil) }
    slots[index] = channel
    count += 1
  }

  /// Removes a channel. Does nothing if it is not there.
  mutating func remove(_ channel: CreditBasedChannel) {
    guard self[channel.local] === channel else { return }
    slots[Int(channel.local.rawValue - Self.identifiers.lowerBound)] = nil
    count -= 1
  }

  /// When the first of the channels that drain is closed.
  var nextDeadline: Duration? {
    guard count > 0 else { return nil }
    return slots.reduce(nil) { earliest($0, $1?.drainDeadline) }
  }
}
