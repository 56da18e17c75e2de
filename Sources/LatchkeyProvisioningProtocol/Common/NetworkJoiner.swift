/// What joins networks for a device: the system's network service, or a program.
///
/// Calls may come while another one is under way; a canceled task ends its attempt and leaves nothing of it behind. No secret
/// of the credentials enters an error or a log.
public protocol NetworkJoiner: Sendable {
  /// The networks in reach.
  func scan() async throws(JoinFailure) -> [ScannedNetwork]
  /// Joins the network, and keeps it for later; returns when the device has an address in it.
  func join(_ credentials: NetworkCredentials) async throws(JoinFailure) -> JoinedNetwork
  /// Leaves the network that `join` kept, and forgets it.
  func forget() async throws(JoinFailure)
}
