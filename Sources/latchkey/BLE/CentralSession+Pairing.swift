import CoreBluetooth
import Foundation

/// What the session does when the devices pair.
extension CentralSession {
  /// What happens when the devices pair.
  enum Pairing: Sendable {
    /// They do, unprotected, and nobody hears of it.
    case silent
    /// They do, unprotected, and it is reported.
    case reported
    /// The user is asked.
    case asked
  }

  enum PairingEnd: Sendable {
    case paired
    case notPaired(String)
  }

  /// How the pairing of this connection ended; nil if there was none.
  var endOfPairing: PairingEnd? { queue.sync { pairingEnd } }
}

extension CentralSession: CBPairingAgent {
  var ability: CBPairingAbility { pairing == .asked ? .keyboardAndDisplay : .confirm }

  func manager(_ manager: CBManager, isAskedToPair request: CBPairingRequest) {
    if pairing == .asked { report(.pairing(request)) } else { request.accept() }
  }

  func manager(_ manager: CBManager, didPairWith peerIdentifier: UUID, isStored: Bool) {
    pairingEnd = .paired
    report(.paired(peerIdentifier, isStored: isStored))
  }

  func manager(_ manager: CBManager, didFailToPairWith peerIdentifier: UUID, error: any Error) {
    pairingEnd = .notPaired(error.localizedDescription)
    report(.notPaired(peerIdentifier, error.localizedDescription))
  }
}
