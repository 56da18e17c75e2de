/// What clients were given on one link and have not dealt with, and how many of the controller's packets that holds.
///
/// A packet is given to the controller again once no more values than packets are held, so that never more are given
/// back than came: one packet may bring several values, and one value may go to several clients.
struct ClientBacklog {
  private var counts: [(client: ClientID, values: Int)] = []
  /// Values that were given and not consumed.
  private(set) var values = 0
  /// Packets that are held for them.
  private(set) var packets = 0

  /// A client is given a value; `holdsPacket` if its packet is to be held.
  mutating func add(_ client: ClientID, holdsPacket: Bool) {
    values += 1
    if holdsPacket { packets += 1 }
    if let index = counts.firstIndex(where: { $0.client == client }) {
      counts[index].values += 1
    } else {
      counts.append((client, 1))
    }
  }

  /// A client has dealt with some. More than it was given are not believed. Returns how many packets that frees.
  mutating func remove(_ count: Int, of client: ClientID) -> Int {
    guard let index = counts.firstIndex(where: { $0.client == client }) else { return 0 }
    let count = max(0, min(count, counts[index].values))
    counts[index].values -= count
    values -= count
    return free()
  }

  /// A client is gone. Returns how many packets that frees.
  mutating func removeAll(of client: ClientID) -> Int {
    guard let index = counts.firstIndex(where: { $0.client == client }) else { return 0 }
    values -= counts.remove(at: index).values
    return free()
  }

  private mutating func free() -> Int {
    let freed = max(0, packets - values)
    packets -= freed
    return freed
  }
}
