import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

/// A manager's part in pairings: its agent, and what its options demand.
///
/// Unchecked: the agent is called on the manager's queue alone.
final class ManagerPairing: @unchecked Sendable {
  let agent: (any CBPairingAgent)?
  /// For the host; nil without an agent and demands.
  let terms: PairingTerms?
  /// Identity addresses of bonds that could not be stored.
  private let unstored = Locked<Set<BluetoothAddress>>([])

  init(_ options: [String: Any]?) {
    agent = options?[CBManagerOptionPairingAgentKey] as? any CBPairingAgent
    var terms = PairingTerms()
    terms.agent = agent.flatMap { SMPIOCapability(rawValue: UInt8($0.ability.rawValue)) }
    terms.hasOutOfBandData = agent?.hasOutOfBandData ?? false
    terms.fixedPasskey = (agent as? any CBFixedPasskeyAgent).flatMap { $0.fixedPasskey.flatMap(PairingPasskey.init) }
    let onlySecure = options?[CBManagerOptionPairingSecureConnectionsOnlyKey] as? NSNumber
    terms.requiresSecureConnections = onlySecure?.boolValue ?? false
    if let size = options?[CBManagerOptionPairingLeastKeySizeKey] as? NSNumber {
      terms.leastKeySize = min(max(size.intValue, 7), 16)
    }
    self.terms = terms == PairingTerms() ? nil : terms
  }

  /// Handles that a bond could not be stored; the event of its pairing follows.
  func bondWasNotStored(_ identity: BluetoothAddress) { unstored.withLock { _ = $0.insert(identity) } }

  /// Reports the end of a pairing to the agent.
  func ended(_ end: PairingEnd, with peer: UUID, of manager: CBManager) {
    guard let agent else { return }
    if let identity = end.identity {
      let isLost = unstored.withLock { $0.remove(identity) } != nil
      agent.manager(manager, didPairWith: peer, isStored: end.isStored && !isLost)
    } else if let failure = end.failure {
      agent.manager(manager, didFailToPairWith: peer, error: Failures.pairing(failure))
    }
  }
}

extension ManagerEngine {
  /// Handles an event of a pairing, on the manager's queue.
  func deliverPairing(_ event: HostEvent, peers: PeerDirectory, to manager: CBManager?) {
    guard let manager, let client else { return }
    switch event {
    case .pairingQuestion(let link, let address, let prompt):
      let request = CBPairingRequest(
        prompt, peerIdentifier: peers.peer(at: address).identifier, driver: driver, client: client, link: link)
      if let agent = pairing.agent { agent.manager(manager, isAskedToPair: request) } else { request.reject() }
    case .pairingEnded(_, let address, let end):
      pairing.ended(end, with: peers.peer(at: address).identifier, of: manager)
    default: break
    }
  }
}

extension Failures {
  /// The error of a pairing that failed.
  static func pairing(_ failure: PairingFailure) -> CBError {
    switch failure {
    case .timedOut: .delivered(.encryptionTimedOut)
    case .linkEnded: .delivered(.peripheralDisconnected)
    case .canceled: .delivered(.operationCancelled)
    case .encryptionFailed:
      CBError(.unknown, userInfo: [NSLocalizedDescriptionKey: "The connection was not encrypted."])
    case .waiting: CBError(.unknown, userInfo: [NSLocalizedDescriptionKey: "The last attempt is too recent."])
    case .refused(let reason):
      CBError(.unknown, userInfo: [NSLocalizedDescriptionKey: "The pairing was refused: \(reason.text)."])
    case .refusedByPeer(let reason):
      CBError(.unknown, userInfo: [NSLocalizedDescriptionKey: "The device refused the pairing: \(reason.text)."])
    }
  }
}

extension SMPReason {
  fileprivate var text: String {
    switch self {
    case .passkeyEntryFailed: "no passkey was entered"
    case .outOfBandNotAvailable: "out-of-band data is missing"
    case .authenticationRequirements: "it would be less secure than required"
    case .confirmValueFailed: "the passkey or the data is wrong"
    case .pairingNotSupported: "it does not pair"
    case .encryptionKeySize: "the key would be too short"
    case .commandNotSupported: "a command is not supported"
    case .repeatedAttempts: "the last attempt is too recent"
    case .invalidParameters: "a parameter is not valid"
    case .dhKeyCheckFailed: "the check of the keys failed"
    case .numericComparisonFailed: "the digits differ"
    case .keyRejected: "a key is not accepted"
    case .busy: "it is busy"
    case .unspecifiedReason: "it gives no reason"
    default: "reason \(rawValue)"
    }
  }
}
