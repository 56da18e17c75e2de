import LatchkeyDBus
import LatchkeyProvisioningProtocol

/// What an error of iwd says about an attempt to connect.
enum IwdOutcome {
  /// - Parameters:
  ///   - gavePassphrase: whether iwd has asked for the passphrase, and got it.
  ///   - isInReach: whether a scan after the attempt finds the network.
  static func failure(_ fault: BusFault, gavePassphrase: Bool, isInReach: Bool) -> JoinFailure {
    guard case .refused(let name, _) = fault else { return NetworkService.failure(fault) }
    switch name {
    case "net.connman.iwd.NotFound": return .networkNotFound
    case "net.connman.iwd.InvalidFormat": return .wrongPassphrase
    case "net.connman.iwd.Timeout": return .timedOut
    case "net.connman.iwd.NotAvailable": return .radioUnavailable
    // iwd has one error for a wrong passphrase and for an access point that has gone.
    case "net.connman.iwd.Failed":
      guard isInReach else { return .networkNotFound }
      return gavePassphrase ? .wrongPassphrase : .other
    default: return NetworkService.failure(fault)
    }
  }

  /// Whether a scan after the attempt says more than the error.
  static func needsScan(_ fault: BusFault) -> Bool {
    if case .refused(name: "net.connman.iwd.Failed", _) = fault { true } else { false }
  }
}
