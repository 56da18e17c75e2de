package import LatchkeyByteCoding

/// The answers of a host on the Security Manager's channel while it does not pair (Core 6.0 Vol 3 Part H 3).
///
/// A pure function of the PDU and the role. Pairing is refused at once, since an unanswered peer would wait for 30 s
/// and end the link. Pairing Failed is never answered, so the two ends cannot loop.
package enum SecurityManager {
  /// The answer to a PDU, with the headroom of an outgoing frame; nil for none.
  package static func answer(to payload: ByteReader, role: LinkRole) -> [UInt8]? {
    var parameters = payload
    guard let code = try? parameters.uint8("code") else { return nil }
    guard let command = SMPCode(rawValue: code) else { return failed(.commandNotSupported) }
    guard command != .pairingFailed else { return nil }
    guard parameters.remaining == command.parameterCount else { return failed(.invalidParameters) }
    switch command {
    case .pairingRequest:
      // A central asks; a peripheral would send a Security Request (2.4.6).
      guard role == .peripheral else { return failed(.commandNotSupported) }
      guard (try? SMPPairingRequest(whole: parameters)) != nil else { return failed(.invalidParameters) }
      return failed(.pairingNotSupported)
    case .securityRequest:
      guard role == .central else { return failed(.commandNotSupported) }
      return failed(.pairingNotSupported)
    default:
      // A step of a pairing that was never started: the peer expects no answer.
      return nil
    }
  }

  private static func failed(_ reason: SMPReason) -> [UInt8] { SMPPairingFailed(reason: reason).frame() }
}
