public import LatchkeyProvisioningProtocol
import LatchkeyDBus

/// Joins networks by wpa_supplicant over D-Bus (fi.w1.wpa_supplicant1, 2.10 or newer).
///
/// wpa_supplicant must manage the radio, as with `systemctl enable --now wpa_supplicant@wlan0.service`, and be reachable by D-Bus (its
/// option `-u`). It gives no addresses: a DHCP client must run on the interface, such as systemd-networkd or dhcpcd. A network that lets
/// the device in where no client gets an address is ``/LatchkeyProvisioningProtocol/JoinFailure/noAddress``; one whose address comes
/// without a route to other networks has ``/LatchkeyProvisioningProtocol/NetworkReach/noInternet``. Whether more lies beyond a route is
/// not checked.
///
/// An attempt that fails removes its network and has wpa_supplicant use the networks from before. One that succeeds is kept in
/// wpa_supplicant's file, passphrase in clear, where `update_config=1` there allows it; else until wpa_supplicant ends, and
/// `JoinedNetwork.isKept` is false.
///
/// Debian's bus lets root and members of the group `netdev` call wpa_supplicant.
public struct SupplicantJoiner: NetworkJoiner {
  private let interface: String?
  private let address: String
  private let link: NetworkLink
  private let limits: JoinLimits
  private let threads = JoinerThreads()

  /// - Parameter interface: the interface to use, such as `wlan0`; nil: the first that wpa_supplicant has.
  public init(interface: String? = nil) {
    self.init(interface: interface, address: BusConnection.systemAddress, link: .system, limits: JoinLimits())
  }

  package init(interface: String?, address: String, link: NetworkLink, limits: JoinLimits) {
    self.interface = interface
    self.address = address
    self.link = link
    self.limits = limits
  }

  /// Has the radio look for networks; within a dozen seconds, those that wpa_supplicant knows by then. Strongest first, each name once.
  public func scan() async throws(JoinFailure) -> [ScannedNetwork] {
    try await threads.look { [interface, address] wakeUp throws(JoinFailure) in
      let session = try SupplicantSession(address: address, wakeUp: wakeUp)
      return AccessPoint.networks(try session.scan(on: try session.interface(interface)))
    }
  }

  /// Joins the network; at most 40 s to be let in and 45 s to get an address. Another attempt waits for this one to end.
  public func join(_ credentials: NetworkCredentials) async throws(JoinFailure) -> JoinedNetwork {
    try await threads.join { [interface, address, link, limits] wakeUp throws(JoinFailure) in
      let session = try SupplicantSession(address: address, wakeUp: wakeUp)
      return try session.join(credentials, on: try session.interface(interface), link, limits)
    }
  }

  /// Leaves the networks that `join` kept, and removes them; no others.
  public func forget() async throws(JoinFailure) {
    try await threads.join { [interface, address] wakeUp throws(JoinFailure) in
      let session = try SupplicantSession(address: address, wakeUp: wakeUp)
      session.forget(on: try session.interface(interface))
    }
  }

  /// The network that the device is in now; nil if it is in none.
  public func current() async throws(JoinFailure) -> JoinedNetwork? {
    try await threads.look { [interface, address, link] wakeUp throws(JoinFailure) in
      let session = try SupplicantSession(address: address, wakeUp: wakeUp)
      return session.current(on: try session.interface(interface), link)
    }
  }
}
