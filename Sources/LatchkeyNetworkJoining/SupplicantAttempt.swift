import LatchkeyProvisioningProtocol

/// What wpa_supplicant's states and codes say about an attempt to be let into a network. Unknown values say nothing.
struct SupplicantAttempt {
  enum Verdict: Hashable {
    /// The network has let the device in.
    case isIn
    case failed(JoinFailure)
  }

  private let usesPSK: Bool
  private let usesSAE: Bool
  private var state = ""
  /// Whether an access point was tried.
  private var hasTried = false
  private var failures = 0
  private var emptyScans = 0
  private var disconnectReason = 0

  /// Scans that end without an access point to try, until there is none: a weak one may miss the first.
  private static let scanLimit = 3
  /// Tries of access points that do not let the device in.
  private static let tryLimit = 3

  init(usesPSK: Bool, usesSAE: Bool) {
    self.usesPSK = usesPSK
    self.usesSAE = usesSAE
  }

  /// Why the last link ended (IEEE 802.11 9.4.1.7), negative if this side ended it. It stands before the state of the same message.
  mutating func disconnected(reason: Int) { disconnectReason = reason }

  /// How an access point has answered to the authentication (IEEE 802.11 9.4.1.9).
  mutating func authentication(status: Int) -> Verdict? {
    // CHALLENGE_FAILURE: the other side has another password.
    usesSAE && status == 15 ? .failed(.wrongPassphrase) : nil
  }

  /// wpa_supplicant's own verdict, from version 2.11 on.
  func pskMismatch() -> Verdict { .failed(.wrongPassphrase) }

  mutating func scanDone() -> Verdict? {
    guard !hasTried else { return nil }
    emptyScans += 1
    return emptyScans >= Self.scanLimit ? .failed(.networkNotFound) : nil
  }

  mutating func state(_ new: String) -> Verdict? {
    let old = state
    state = new
    switch new {
    case "completed": return .isIn
    case "interface_disabled": return .failed(.radioUnavailable)
    case "authenticating", "associating", "associated", "4way_handshake", "group_handshake":
      hasTried = true
      return nil
    case "disconnected", "scanning", "inactive": return fell(from: old)
    default: return nil
    }
  }

  private mutating func fell(from old: String) -> Verdict? {
    switch old {
    case "4way_handshake":
      // With another key each side finds the other's messages forged and waits, until one gives up. IE_IN_4WAY_DIFFERS of our own
      // is a verdict about something else.
      if usesPSK, disconnectReason != -17 { return .failed(.wrongPassphrase) }
      return failed(last: .other)
    // With another password an access point of WPA3 refuses this side's proof, or does not answer; so it does when it is too far away.
    case "authenticating": return failed(last: usesSAE ? .wrongPassphrase : .other, limit: usesSAE ? 2 : Self.tryLimit)
    case "associating", "associated", "group_handshake": return failed(last: .other)
    default: return nil
    }
  }

  private mutating func failed(last failure: JoinFailure, limit: Int = tryLimit) -> Verdict? {
    failures += 1
    return failures >= limit ? .failed(failure) : nil
  }

  /// What it is when the time is over.
  var late: JoinFailure {
    if !hasTried { return .networkNotFound }
    return usesSAE && failures > 0 ? .wrongPassphrase : .timedOut
  }
}
