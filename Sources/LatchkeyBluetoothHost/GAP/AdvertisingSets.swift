/// The advertising sets of a controller, and which clients use them.
///
/// A controller without extended advertising has one set. With it, each client has a set of its own, as long as there are
/// enough; clients beyond their number take turns.
struct AdvertisingSets {
  /// The most sets in use: 16 of one device can be told from each other on the air (Core 6.0 Vol 6 Part B 2.3.4.4).
  static let limit = 16

  private var advertisers = [Advertiser(set: 0)]
  /// When the next turn in any set begins. Stored: it is asked for after each packet, and changes seldom.
  private(set) var nextDeadline: Duration?

  /// The numbers of the sets.
  var indices: Range<Int> { advertisers.indices }

  /// The advertiser of a set.
  subscript(index: Int) -> Advertiser {
    get { advertisers[index] }
    set {
      advertisers[index] = newValue
      updateDeadline()
    }
  }

  /// Takes the number of sets from the controller, of which nothing advertises yet.
  mutating func configure(count: Int) {
    let count = min(max(count, 1), Self.limit)
    while advertisers.count < count { advertisers.append(Advertiser(set: UInt8(advertisers.count))) }
    advertisers.removeLast(advertisers.count - count)
    updateDeadline()
  }

  /// The set in which a client advertises; nil if it does not.
  func index(of client: ClientID) -> Int? { advertisers.firstIndex { $0.isAdvertising(client) } }

  /// Adds a client's request to advertise, or replaces it. Returns the set.
  mutating func start(_ client: ClientID, _ parameters: AdvertisingParameters) -> Int {
    let fewest = advertisers.indices.min { advertisers[$0].clientCount < advertisers[$1].clientCount } ?? 0
    let index = index(of: client) ?? fewest
    advertisers[index].start(client, parameters)
    updateDeadline()
    return index
  }

  /// Resets the state when the controller is gone.
  mutating func reset() {
    for index in advertisers.indices { advertisers[index].reset() }
    updateDeadline()
  }

  private mutating func updateDeadline() { nextDeadline = advertisers.compactMap(\.nextDeadline).min() }
}
