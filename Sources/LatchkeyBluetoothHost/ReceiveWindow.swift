/// Divides the window that the controller may fill (host flow control, Core 6.0 Vol 4 Part E 4.2).
///
/// A packet whose values an app has not consumed is not returned, and a controller that gets none back stops the peers.
/// All links share one window, so each manager has a share of it. For values beyond the share, packets are returned at
/// once, and the values wait in the manager's own queue, up to a limit.
struct ReceiveWindow {
  static let size = ControllerInitialization.hostPacketCount

  /// The number of clients with links, or with services and peers that may use them.
  private(set) var parties = 1
  /// Received packets of all links that were not yet returned to the controller.
  private(set) var unreturned = 0
  /// Packets of all links that are held until clients have consumed their values.
  private(set) var held = 0
  /// Values for which clients hold packets, or would.
  private var values: [(client: ClientID, count: Int)] = []
  /// When the controller was last able to deliver packets again, after clients held the whole window.
  private var stallEnded: Duration?

  /// How many values one client may hold packets for.
  var share: Int { Self.size / parties }

  mutating func setParties(_ count: Int) { parties = max(1, count) }

  /// Whether a client may hold a packet for one more value.
  func mayHold(_ client: ClientID) -> Bool { count(client) < share }

  /// How many values beyond its share a client holds packets for.
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

  /// Changes how many packets are free but not yet returned to the controller.
  mutating func addUnreturned(_ change: Int) { unreturned += change }

  /// Whether enough packets have accumulated to return them: a good part of the window that clients leave free. So slow
  /// clients slow all links down, but stop them only when they hold the whole window.
  var isReturnDue: Bool { unreturned > 0 && 4 * unreturned >= Self.size - held }

  /// Until when peers had no chance to be heard; nil if they had.
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
