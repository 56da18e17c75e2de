public import LatchkeyProvisioningProtocol
import LatchkeyDBus
import LatchkeySystem

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
  // One attempt at a time: NetworkManager gives up one for the next. The threads exist while they have a call.
  private let joins = BlockingThreads(label: "latchkey.networks.join", width: 1)
  private let scans = BlockingThreads(label: "latchkey.networks.scan", width: 1)

  /// - Parameter interface: the interface to use, such as `wlan0`; nil: the first that NetworkManager has.
  public init(interface: String? = nil) { self.init(interface: interface, address: BusConnection.systemAddress) }

  package init(interface: String?, address: String) {
    self.interface = interface
    self.address = address
  }

  /// Has NetworkManager look for networks; within a dozen seconds, those that it knows by then. Strongest first, each name once.
  public func scan() async throws(JoinFailure) -> [ScannedNetwork] {
    try await run(on: scans) { [interface] session throws(JoinFailure) in
      NetworkManagerAccessPoint.networks(try session.scan(on: try session.device(interface)))
    }
  }

  /// Joins the network, and keeps it on NetworkManager's disk once the device has an address; at most `limit` for it.
  ///
  /// A network that was joined before has one profile: the new one. Another attempt waits for this one to end.
  public func join(_ credentials: NetworkCredentials) async throws(JoinFailure) -> JoinedNetwork {
    try await run(on: joins) { [interface] session throws(JoinFailure) in
      try session.join(credentials, on: try session.device(interface), within: Self.limit)
    }
  }

  /// Leaves the networks that `join` kept, and removes their profiles; no others.
  public func forget() async throws(JoinFailure) {
    try await run(on: joins) { session throws(JoinFailure) in try session.forget() }
  }

  /// The network that the device is in now; nil if it is in none.
  public func current() async throws(JoinFailure) -> JoinedNetwork? {
    try await run(on: scans) { [interface] session throws(JoinFailure) in
      session.current(on: try session.device(interface))
    }
  }

  /// Runs `body` with a connection of its own; a canceled task ends its waits.
  private func run<Answer: Sendable>(
    on threads: BlockingThreads,
    _ body: @escaping @Sendable (NetworkManagerSession) throws(JoinFailure) -> Answer
  ) async throws(JoinFailure) -> Answer {
    guard let wakeUp = try? WakeUp() else { throw .other }
    let address = address
    let result = await withTaskCancellationHandler { () async -> Result<Answer, JoinFailure> in
      do throws(JoinFailure) {
        return .success(
          try await threads.run { () throws(JoinFailure) in
            try body(try NetworkManagerSession(address: address, wakeUp: wakeUp))
          })
      } catch {
        return .failure(error)
      }
    } onCancel: {
      wakeUp.signal()
    }
    return try result.get()
  }
}
