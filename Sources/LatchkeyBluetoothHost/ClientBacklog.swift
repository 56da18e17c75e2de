/// What clients were given on one link and have not dealt with, and how many of the controller's packets that holds.
///
/// A packet is given to the controller again once no more values hold packets than packets are held, so that never more
/// are given back than came: one packet may bring several values, and one value may go to several clients. What a client
/// is given beyond its share of the window waits without a packet.
struct ClientBacklog {
  private struct Entry {
    let client: ClientID
    /// Values that hold packets.
    var holding = 0
    /// Values that hold none.
    var free = 0
  }

  private var entries: [Entry] = []
  /// Packets that are held.
  private(set) var packets = 0

  /// Values that were given to a client and not consumed.
  func values(of client: ClientID) -> Int {
    for entry in entries where entry.client == client { return entry.holding + entry.free }
    return 0
  }

  /// The clients with the values for which each holds packets.
  var holders: [(client: ClientID, values: Int)] { entries.map { ($0.client, $0.holding) } }

  /// A client is given a value: whether it counts for packets, and whether its own packet is to be held.
  mutating func add(_ client: ClientID, isHolding: Bool, holdsPacket: Bool) {
    if holdsPacket { packets += 1 }
    let index = entries.firstIndex { $0.client == client } ?? entries.count
    if index == entries.count { entries.append(Entry(client: client)) }
    if isHolding { entries[index].holding += 1 } else { entries[index].free += 1 }
  }

  /// A client has dealt with some. More than it was given are not believed. Returns how many values and packets hold no
  /// longer.
  mutating func remove(_ count: Int, of client: ClientID) -> (values: Int, packets: Int) {
    guard let index = entries.firstIndex(where: { $0.client == client }), count > 0 else { return (0, 0) }
    // First those that hold none: they are the client's own matter.
    let free = min(count, entries[index].free)
    entries[index].free -= free
    let values = min(count - free, entries[index].holding)
    entries[index].holding -= values
    return (values, release())
  }

  /// Has some values of a client hold packets no longer. Returns how many values and packets that are.
  mutating func trim(_ count: Int, of client: ClientID) -> (values: Int, packets: Int) {
    guard let index = entries.firstIndex(where: { $0.client == client }), count > 0 else { return (0, 0) }
    let values = min(count, entries[index].holding)
    entries[index].holding -= values
    entries[index].free += values
    return (values, release())
  }

  /// A client is gone. Returns how many values and packets hold no longer.
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
