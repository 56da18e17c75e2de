import LatchkeyProvisioningProtocol
import Synchronization

/// A joiner that knows one network, "Home" with the passphrase "secret123", and what it was asked.
final class ScriptedJoiner: NetworkJoiner {
  static let home = Array("Home".utf8)
  static let passphrase = Array("secret123".utf8)

  private let asked = Mutex<[String]>([])
  private let networks: [ScannedNetwork]
  /// Whether an attempt to join waits until it is canceled.
  private let hangs: Bool

  init(
    networks: [ScannedNetwork] = [
      ScannedNetwork(ssid: home, rssi: -40, security: .wpa2, channel: 6),
      ScannedNetwork(ssid: Array("Cafe".utf8), rssi: -70, security: .open, channel: 1),
    ], hangs: Bool = false
  ) {
    self.networks = networks
    self.hangs = hangs
  }

  /// What was asked so far.
  var requests: [String] { asked.withLock { $0 } }

  func scan() async throws(JoinFailure) -> [ScannedNetwork] {
    asked.withLock { $0.append("scan") }
    return networks
  }

  func join(_ credentials: NetworkCredentials) async throws(JoinFailure) -> JoinedNetwork {
    asked.withLock { $0.append("join \(credentials.name)") }
    if hangs {
      let (canceled, continuation) = AsyncStream<Void>.makeStream()
      await withTaskCancellationHandler {
        for await _ in canceled {}
      } onCancel: {
        continuation.finish()
      }
      throw .other
    }
    guard credentials.ssid == Self.home else { throw .networkNotFound }
    guard credentials.withPassphrase({ Array($0) == Self.passphrase }) else { throw .wrongPassphrase }
    return JoinedNetwork(ssid: Self.home, address: "192.0.2.7", security: .wpa2, channel: 6, reach: .internet)
  }

  func forget() async throws(JoinFailure) { asked.withLock { $0.append("forget") } }
}
