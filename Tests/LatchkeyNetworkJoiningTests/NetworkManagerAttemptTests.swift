import LatchkeyDBus
import LatchkeyProvisioningProtocol
import Testing

@testable import LatchkeyNetworkJoining

@Suite("What NetworkManager's states say about an attempt whose time is over")
struct NetworkManagerAttemptTests {
  @Test(
    "It has no address if the network has let the device in, and is too slow if not",
    arguments: [
      ([], .timedOut), ([50], .timedOut), ([50, 70], .noAddress), ([50, 70, 80], .noAddress), ([70, 50], .timedOut),
      ([70, 30], .timedOut),
    ] as [([Int], JoinFailure)])
  func late(_ states: [Int], _ failure: JoinFailure) {
    var attempt = NetworkManagerAttempt()
    for state in states { #expect(attempt.device(state: state, from: 40, reason: 0) == nil) }
    #expect(attempt.late == failure)
  }

  @Test("What the activation says of its end comes before")
  func ended() {
    var attempt = NetworkManagerAttempt()
    #expect(attempt.device(state: 70, from: 50, reason: 0) == nil)
    // NM_ACTIVE_CONNECTION_STATE_DEACTIVATED, NM_ACTIVE_CONNECTION_STATE_REASON_CONNECT_TIMEOUT
    #expect(attempt.activation(state: 4, reason: 6) == nil)
    #expect(attempt.late == .timedOut)
  }

  @Test("NetworkManager gives up an address before the joiner gives up the attempt")
  func addressLimit() throws {
    let credentials = try NetworkCredentials(ssid: Array("Home".utf8), passphrase: Array("secret123".utf8))
    let profile = try NetworkManagerProfile(credentials, accessPoint: nil)
    let limit = try #require(profile.settings["ipv4"]?["dhcp-timeout"]?.number)
    #expect(profile.settings["ipv4"]?["method"]?.text == "auto")
    // NetworkManager allows 25 s to be let in.
    #expect(.seconds(25 + limit + 2) <= NetworkManagerJoiner.limit)
  }
}
