import LatchkeyProvisioningProtocol
import Testing

@testable import LatchkeyNetworkJoining

@Suite("What wpa_supplicant's states say about an attempt")
struct SupplicantAttemptTests {
  enum Input: Sendable {
    case state(String), reason(Int), status(Int), scanDone
  }

  struct Case: Sendable {
    let title: String
    var psk = true
    var sae = false
    let inputs: [Input]
    let verdict: SupplicantAttempt.Verdict?
  }

  private static let authenticating: [Input] = [.state("authenticating"), .state("disconnected")]

  @Test(
    "States, reasons and status codes give one verdict",
    arguments: [
      Case(title: "let in", inputs: [.state("4way_handshake"), .state("completed")], verdict: .isIn),
      Case(
        title: "the access point gives up", inputs: [.state("4way_handshake"), .reason(15), .state("disconnected")],
        verdict: .failed(.wrongPassphrase)),
      Case(
        title: "this side gives up", inputs: [.state("4way_handshake"), .reason(-4), .state("scanning")],
        verdict: .failed(.wrongPassphrase)),
      Case(
        title: "elements that differ are no wrong passphrase",
        inputs: [.state("4way_handshake"), .reason(-17), .state("disconnected")], verdict: nil),
      Case(
        title: "no passphrase, no wrong one", psk: false,
        inputs: [.state("4way_handshake"), .reason(15), .state("disconnected")], verdict: nil),
      Case(title: "SAE is refused", psk: false, sae: true, inputs: [.status(15)], verdict: .failed(.wrongPassphrase)),
      Case(title: "another status of SAE", psk: false, sae: true, inputs: [.status(77)], verdict: nil),
      Case(title: "15 means something else without SAE", inputs: [.status(15)], verdict: nil),
      Case(
        title: "SAE fails once", psk: false, sae: true, inputs: authenticating, verdict: nil),
      Case(
        title: "SAE fails twice", psk: false, sae: true, inputs: authenticating + authenticating,
        verdict: .failed(.wrongPassphrase)),
      Case(title: "without SAE twice is not enough", inputs: authenticating + authenticating, verdict: nil),
      Case(
        title: "without SAE three times", inputs: authenticating + authenticating + authenticating,
        verdict: .failed(.other)),
      Case(title: "two empty scans", inputs: [.scanDone, .scanDone], verdict: nil),
      Case(title: "three empty scans", inputs: [.scanDone, .scanDone, .scanDone], verdict: .failed(.networkNotFound)),
      Case(
        title: "scans after a try are not empty", inputs: authenticating + [.scanDone, .scanDone, .scanDone],
        verdict: nil),
      Case(title: "disconnected from the network before", inputs: [.reason(3), .state("disconnected")], verdict: nil),
      Case(title: "unheard of", inputs: [.state("flying"), .state("disconnected")], verdict: nil),
      Case(title: "the radio is off", inputs: [.state("interface_disabled")], verdict: .failed(.radioUnavailable)),
    ])
  func verdicts(_ row: Case) {
    var attempt = SupplicantAttempt(usesPSK: row.psk, usesSAE: row.sae)
    var verdict: SupplicantAttempt.Verdict?
    for input in row.inputs {
      #expect(verdict == nil, "\(row.title): before its last input")
      switch input {
      case .state(let state): verdict = attempt.state(state)
      case .reason(let reason): attempt.disconnected(reason: reason)
      case .status(let status): verdict = attempt.authentication(status: status)
      case .scanDone: verdict = attempt.scanDone()
      }
    }
    #expect(verdict == row.verdict, "\(row.title)")
  }

  @Test("Time that is over means no network if none was tried, and a wrong password after a try of SAE")
  func late() {
    #expect(SupplicantAttempt(usesPSK: true, usesSAE: false).late == .networkNotFound)
    for (sae, failure) in [(false, JoinFailure.timedOut), (true, .wrongPassphrase)] {
      var attempt = SupplicantAttempt(usesPSK: !sae, usesSAE: sae)
      _ = attempt.state("authenticating")
      #expect(attempt.late == .timedOut)
      _ = attempt.state("scanning")
      #expect(attempt.late == failure)
    }
  }

  @Test("Names of networks are compared as bytes, in both forms of wpa_supplicant")
  func names() {
    let home = Array("Home".utf8)
    for same in ["\"Home\"", "486f6d65", "486F6D65"] { #expect(SupplicantSession.isName(same, home)) }
    for other in ["Home", "\"home\"", "\"Home", "\"", "\"\"", "486f6d6", nil] {
      #expect(!SupplicantSession.isName(other, home))
    }
  }
}
