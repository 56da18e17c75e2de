import LatchkeyProvisioningProtocol

/// What the states of a device and of an activation say about an attempt (NMDeviceState, NMDeviceStateReason, NMActiveConnectionState
/// and its reasons). Unknown values say nothing.
struct NetworkManagerAttempt {
  enum Verdict: Hashable {
    case joined
    case failed(JoinFailure)
  }

  /// Why the activation has ended, if it has, as far as it says itself.
  private(set) var ended: JoinFailure?
  /// Whether the network has let the device in, which waits for an address.
  private var waitsForAddress = false

  mutating func device(state: Int, from previous: Int, reason: Int) -> Verdict? {
    // NM_DEVICE_STATE_IP_CONFIG, NM_DEVICE_STATE_IP_CHECK
    waitsForAddress = state == 70 || state == 80
    switch state {
    case 100: return .joined
    // Authentication is needed: with reason 0 on the way, after a handshake that failed if the supplicant disconnected (8), and where
    // no secret would do (7). A desktop would open a dialog now, and wait. From disconnected (30) the reason is that of the network
    // which was left for this attempt.
    case 60 where previous != 30 && (reason == 7 || reason == 8): return .failed(.wrongPassphrase)
    case 120: return .failed(ended.flatMap { $0 == .other ? nil : $0 } ?? Self.failure(ofDevice: reason))
    // Unmanaged, unavailable.
    case 10, 20: return .failed(.radioUnavailable)
    default: return nil
    }
  }

  mutating func activation(state: Int, reason: Int) -> Verdict? {
    switch state {
    case 2: return .joined
    case 4:
      ended = Self.failure(ofActivation: reason)
      return nil
    default: return nil
    }
  }

  /// What it is when the time is over.
  var late: JoinFailure { ended ?? (waitsForAddress ? .noAddress : .timedOut) }

  private static func failure(ofDevice reason: Int) -> JoinFailure {
    switch reason {
    case 5, 6, 15, 16, 17: .noAddress
    case 7, 8: .wrongPassphrase
    case 11: .timedOut
    case 53: .networkNotFound
    default: .other
    }
  }

  private static func failure(ofActivation reason: Int) -> JoinFailure {
    switch reason {
    case 4, 14: .radioUnavailable
    case 5: .noAddress
    case 6: .timedOut
    case 9, 10: .wrongPassphrase
    default: .other
    }
  }
}
