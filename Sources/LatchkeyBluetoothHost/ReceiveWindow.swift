/// Who holds how much of the window that the controller may fill (host flow control, Core 6.0 Vol 4 Part E 4.2).
///
/// A packet whose values an app has not dealt with is not given back, and a controller that gets none back stops the
/// peers. The window is one for all links, so each manager has a share of it: with what goes beyond, packets are given
/// back at once, and the values wait for the manager alone, up to a limit of their own.
struct ReceiveWindow {
  static let size = ControllerInitialization.hostPacketCount

  /// How many clients have links, or services and peers that may use them.
  private(set) var parties = 1
  /// Packets of all links that were taken, and that the controller does not know to be free yet.
  private(set) var unreturned = 0
  /// Packets of all links that are held until clients have dealt with what came in them.
  private(set) var held = 0
  /// Values for which clients hold packets, or would.
  private var values: [(client: ClientID, count: Int)] = []
  /// When the controller was last free to bring packets again, after clients held the whole window.
  private var stallEnded: Duration?

  /// How many values one client may hold packets for.
  var share: Int { Self.size / parties }

  mutating func setParties(_ count: Int) { parties = max(1, count) }

  /// Whether a client may hold a packet for one more value.
  func mayHold(_ client: ClientID) -> Bool { count(client) < share }

  /// How many values a client holds packets for beyond its share.
  func excess(_ client: ClientID) -> Int { max(0, count(client) - share) }

  /// Changes how many values a client holds packets for.
  mutating func addValues(_ change: Int, of client: ClientID) {
    if let index = values.firstIndex(where: { $0.client == client }) {
      values[index].count += change
      if values[index].count == 0 { values.remove(at: index) }
    } else if change != 0 {
      values.append((client, change))
    }
  }

  /// Changes how many packets are held.
  mutating func addHeld(_ change: Int, now: Duration) {
    if held >= Self.size, held + change < Self.size { stallEnded = now }
    held += change
  }

  /// Changes how many packets are the controller's again, without its knowing.
  mutating func addUnreturned(_ change: Int) { unreturned += change }

  /// Whether so much has come together that the controller is to be told: a good part of what clients leave of the
  /// window, so that they slow all links down, but only those who hold all of it stop them.
  var isReturnDue: Bool { unreturned > 0 && 4 * unreturned >= Self.size - held }

  /// Until when peers can have had no chance to be heard; nil if they had.
  ///
  /// - Parameter time: how long they are given after that.
  func excuse(for time: Duration, now: Duration) -> Duration? {
    if held >= Self.size { return now + time }
    return stallEnded.flatMap { $0 + time > now ? $0 + time : nil }
  }

  private func count(_ client: ClientID) -> Int {
    for entry in values where entry.client == client { return entry.count }
    return 0
  }
}
