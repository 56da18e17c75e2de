import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

/// Counts the values that an app has processed and reports them to the host at intervals: the host holds back a peer
/// that is faster than the app.
struct Consumption {
  /// The consuming client.
  var client: ClientID?
  private var link: LinkID?
  private var count = 0

  /// A quarter of a callback queue's run: often enough that the peer continues to send, seldom enough to cost little.
  private static let interval = 16

  mutating func add(_ link: LinkID, _ driver: HostDriver) {
    if self.link != link { flush(driver) }
    self.link = link
    count += 1
    if count >= Self.interval { flush(driver) }
  }

  mutating func flush(_ driver: HostDriver) {
    guard let link, let client, count > 0 else { return }
    let count = count
    self.count = 0
    driver.withHost { host, now in host.consumed(count, on: link, client: client, now: now) }
  }
}
