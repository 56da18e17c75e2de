import LatchkeyProvisioningProtocol

/// The wait for an address after a network has let the device in: a DHCP client of the system asks for it (systemd-networkd, dhcpcd, or
/// iwd itself), and nobody says when it is done.
struct AddressWait {
  enum Verdict: Hashable {
    case joined(address: String, reach: NetworkReach)
    case failed(JoinFailure)
  }

  /// The addresses of the interface before, which may be of the network before.
  private let before: Set<String>
  private let limit: Duration
  private var hasAddressSince: Duration?
  private var isIn = true

  /// How long an address from before must stay until it counts: DHCP clients remove that of another network when they notice.
  static let settling = Duration.seconds(5)
  /// How long the route may come after the address.
  static let routeLimit = Duration.seconds(2)

  init(before: [String], limit: Duration) {
    self.before = Set(before)
    self.limit = limit
  }

  /// Tells that the network has let the device out, or in again.
  mutating func link(isIn: Bool) { self.isIn = isIn }

  /// Looks at the interface.
  ///
  /// - Parameter elapsed: the time since the network has let the device in.
  /// - Returns: nil to look again.
  mutating func look(_ state: LinkState, at elapsed: Duration) -> Verdict? {
    let new = state.addresses.first { !before.contains($0) }
    let address = new ?? (elapsed >= Self.settling ? state.addresses.first : nil)
    guard isIn, let address else {
      hasAddressSince = nil
      guard elapsed >= limit else { return nil }
      return .failed(isIn ? .noAddress : .timedOut)
    }
    if state.hasDefaultRoute { return .joined(address: address, reach: .unknown) }
    let since = hasAddressSince ?? elapsed
    hasAddressSince = since
    // Without a route nothing lies beyond the network.
    guard elapsed - since >= Self.routeLimit || elapsed >= limit else { return nil }
    return .joined(address: address, reach: .noInternet)
  }
}
