internal import Synchronization
public import LatchkeyProvisioningProtocol
import LatchkeyDBus

/// Joins networks by iwd over D-Bus (net.connman.iwd, 1.14 or newer).
///
/// iwd must manage the radio. It gives addresses itself where `EnableNetworkConfiguration=true` stands in `/etc/iwd/main.conf`; else a
/// DHCP client must run on the interface, such as systemd-networkd or dhcpcd. A network that lets the device in where no client gets an
/// address is ``/LatchkeyProvisioningProtocol/JoinFailure/noAddress``; one whose address comes without a route to other networks has
/// ``/LatchkeyProvisioningProtocol/NetworkReach/noInternet``. Whether more lies beyond a route is not checked.
///
/// iwd asks for the passphrase over the bus; it is given to iwd alone, and for the network of the attempt alone. iwd keeps it in
/// `/var/lib/iwd`, in files that only root reads. An attempt that fails has iwd forget the network, unless iwd knew it before. A network
/// that iwd knows is joined with the passphrase that iwd has, and with the new one if that fails.
///
/// iwd does not say which networks have WPA2 and which WPA3 before one is joined, sees no names that are no UTF-8, and takes
/// passphrases of 8 to 63 characters alone. Debian's bus lets root and members of the group `netdev` call iwd.
public final class IwdJoiner: NetworkJoiner {
  private let interface: String?
  private let address: String
  private let link: NetworkLink
  private let limits: JoinLimits
  private let threads = JoinerThreads()
  /// The networks that were joined here, by their paths.
  private let joined = Mutex<Set<String>>([])

  /// - Parameter interface: the interface to use, such as `wlan0`; nil: the first that iwd has.
  public convenience init(interface: String? = nil) {
    self.init(interface: interface, address: BusConnection.systemAddress, link: .system, limits: JoinLimits())
  }

  package init(interface: String?, address: String, link: NetworkLink, limits: JoinLimits) {
    self.interface = interface
    self.address = address
    self.link = link
    self.limits = limits
  }

  /// Has iwd look for networks; within a dozen seconds, those that it knows by then. Strongest first, each name once.
  public func scan() async throws(JoinFailure) -> [ScannedNetwork] {
    try await threads.look { [interface, address] wakeUp throws(JoinFailure) in
      let session = try IwdSession(address: address, wakeUp: wakeUp)
      let station = try session.station(interface, of: try session.objects())
      try session.scan(station.path)
      return try session.networks(of: station.path)
    }
  }

  /// Joins the network; at most 40 s to be let in and 45 s to get an address. Another attempt waits for this one to end.
  public func join(_ credentials: NetworkCredentials) async throws(JoinFailure) -> JoinedNetwork {
    let (network, path) = try await threads.join { [interface, address, link, limits] wakeUp throws(JoinFailure) in
      let session = try IwdSession(address: address, wakeUp: wakeUp)
      return try session.join(credentials, on: interface, link, limits)
    }
    joined.withLock { _ = $0.insert(path) }
    return network
  }

  /// Leaves the networks that `join` of this object kept, and has iwd forget them. iwd marks no networks: after a restart, the one that
  /// the device is in.
  public func forget() async throws(JoinFailure) {
    let paths = joined.withLock { joined in
      defer { joined = [] }
      return joined
    }
    try await threads.join { [interface, address] wakeUp throws(JoinFailure) in
      let session = try IwdSession(address: address, wakeUp: wakeUp)
      let station = try session.station(interface, of: try session.objects())
      for path in paths.isEmpty ? station.connected.map({ [$0] }) ?? [] : paths.sorted() { session.forget(path) }
    }
  }

  /// The network that the device is in now; nil if it is in none.
  public func current() async throws(JoinFailure) -> JoinedNetwork? {
    try await threads.look { [interface, address, link] wakeUp throws(JoinFailure) in
      let session = try IwdSession(address: address, wakeUp: wakeUp)
      let objects = try session.objects()
      return session.current(on: try session.station(interface, of: objects), objects, link)
    }
  }
}
