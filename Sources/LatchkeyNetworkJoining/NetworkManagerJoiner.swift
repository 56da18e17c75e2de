public import LatchkeyProvisioningProtocol
import Glibc
import LatchkeyDBus

/// Joins networks by NetworkManager (org.freedesktop.NetworkManager, 1.16 or newer).
///
/// A network is added as a profile that NetworkManager holds in memory alone, and goes to its disk when the device has an address: a
/// wrong passphrase leaves nothing behind. NetworkManager keeps passphrases in files of its own that only root reads.
///
/// Root may do all that this needs; another user needs a rule of polkit, which the Debian package installs for members of the group
/// `latchkey-network`.
public struct NetworkManagerJoiner: NetworkJoiner {
  /// How long an attempt to join may take.
  public static let limit = Duration.seconds(60)

  private let interface: String?
  private let address: String
  private let uptime: @Sendable () -> Int
  private let threads = JoinerThreads()

  /// - Parameter interface: the interface to use, such as `wlan0`; nil: the first that NetworkManager has.
  public init(interface: String? = nil) { self.init(interface: interface, address: BusConnection.systemAddress) }

  /// - Parameter uptime: the seconds since the system's start.
  package init(
    interface: String?, address: String, uptime: @escaping @Sendable () -> Int = systemUptime
  ) {
    self.interface = interface
    self.address = address
    self.uptime = uptime
  }

  /// CLOCK_BOOTTIME, by which NetworkManager says when it has seen an access point.
  package static let systemUptime: @Sendable () -> Int = {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return time.tv_sec
  }

  /// Has NetworkManager look for networks; within a dozen seconds, those that it knows by then. Strongest first, each name once.
  public func scan() async throws(JoinFailure) -> [ScannedNetwork] {
    try await threads.look { [interface, address] wakeUp throws(JoinFailure) in
      let session = try NetworkManagerSession(address: address, wakeUp: wakeUp)
      return AccessPoint.networks(try session.scan(on: try session.device(interface)))
    }
  }

  /// Joins the network, and keeps it on NetworkManager's disk once the device has an address; at most `limit` for it.
  ///
  /// A network that was joined before has one profile: the new one. Another attempt waits for this one to end.
  public func join(_ credentials: NetworkCredentials) async throws(JoinFailure) -> JoinedNetwork {
    try await threads.join { [interface, address, uptime] wakeUp throws(JoinFailure) in
      let session = try NetworkManagerSession(address: address, wakeUp: wakeUp)
      return try session.join(credentials, on: try session.device(interface), within: Self.limit, uptime: uptime)
    }
  }

  /// Leaves the networks that `join` kept, and removes their profiles; no others.
  public func forget() async throws(JoinFailure) {
    try await threads.join { [address] wakeUp throws(JoinFailure) in
      try NetworkManagerSession(address: address, wakeUp: wakeUp).forget()
    }
  }

  /// The network that the device is in now; nil if it is in none.
  public func current() async throws(JoinFailure) -> JoinedNetwork? {
    try await threads.look { [interface, address] wakeUp throws(JoinFailure) in
      let session = try NetworkManagerSession(address: address, wakeUp: wakeUp)
      return session.current(on: try session.device(interface))
    }
  }
}
