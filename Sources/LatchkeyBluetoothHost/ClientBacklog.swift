/// Counts the values of one link that clients have not consumed, and the controller's packets that they hold.
///
/// A packet is returned to the controller only while more packets are held than values hold packets. So never more
/// packets are returned than arrived, although one packet may carry several values and one value may go to several
/// clients. A value beyond a client's share of the window waits without a packet.
struct ClientBacklog {
  private struct Entry {
    let client: ClientID
    /// Values that hold packets.
    var holding = 0
    /// Values that hold no packets.
    var free = 0
  }

  private var entries: [Entry] = []
  /// Packets that are held.
  private(set) var packets = 0

  /// Values delivered to a client and not consumed.
  func values(of client: ClientID) -> Int {
    for entry in entries where entry.client == client { return entry.holding + entry.free }
    return 0
  }

  /// The clients, each with the number of values for which it holds packets.
  var holders: [(client: ClientID, values: Int)] { entries.map { ($0.client, $0.holding) } }

  /// Adds a value that was delivered to a client.
  ///
  /// - Parameters:
  ///   - isHolding: whether the value counts for packets.
  ///   - holdsPacket: whether its own packet is held.
  mutating func add(_ client: ClientID, isHolding: Bool, holdsPacket: Bool) {
    if holdsPacket { packets += 1 }
    let index = entries.firstIndex { $0.client == client } ?? entries.count
    if index == entries.count { entries.append(Entry(client: client)) }
    if isHolding { entries[index].holding += 1 } else { entries[index].free += 1 }
  }

  /// Removes values that a client consumed; a count above what was delivered is clamped. Returns how many values and
  /// packets are no longer held.
  mutating func remove(_ count: Int, of client: ClientID) -> (values: Int, packets: Int) {
    guard let index = entries.firstIndex(where: { $0.client == client }), count > 0 else { return (0, 0) }
    // Values without packets go first: they do not affect the controller.
    let free = min(count, entries[index].free)
    entries[index].free -= free
    let values = min(count - free, entries[index].holding)
    entries[index].holding -= values
    return (values, release())
  }

  /// Releases the packets of some values of a client. Returns how many values and packets are no longer held.
  mutating func trim(_ count: Int, of client: ClientID) -> (values: Int, packets: Int) {
    guard let index = entries.firstIndex(where: { $0.client == client }), count > 0 else { return (0, 0) }
    let values = min(count, entries[index].holding)
    entries[index].holding -= values
    entries[index].free += values
    return (values, release())
  }

  /// Removes a client. Returns how many values and packets are no longer held.
  mutating func removeAll(of client: ClientID) -> (values: Int, packets: Int) {
    guard let index = entries.firstIndex(where: { $0.client == client }) else { return (0, 0) }
    let values = entries.remove(at: index).holding
    return (values, release())
  }

  private mutating func release() -> Int {
    let freed = max(0, packets - entries.reduce(0) { $0 + $1.holding })
    packets -= freed
    return freed
  }
}
