public import Foundation

/// Whom a manager asks when devices pair.
///
/// Apple's systems ask the user by themselves; on Linux the app does, through an object in the manager's options
/// (``CBManagerOptionPairingAgentKey``), which the manager retains. Without one, devices pair unprotected (Just Works), and
/// only where the app caused it: by a request that the device refused, or by an attribute that needs encryption.
///
/// All calls come on the manager's queue.
public protocol CBPairingAgent: AnyObject {
  /// What the user can see and enter, which decides how the devices authenticate each other. It is read once, when the
  /// manager is created.
  var ability: CBPairingAbility { get }

  /// Whether the user has data of the devices that came by another way than Bluetooth. It is read with `ability`. Those of
  /// this host, for the devices, are made by ``CBManager/makeOutOfBandData()``.
  var hasOutOfBandData: Bool { get }

  /// Asks the user. The answer is a method of the request, called at any time within 30 seconds, on any thread.
  func manager(_ manager: CBManager, isAskedToPair request: CBPairingRequest)

  /// A pairing succeeded.
  ///
  /// - Parameter isStored: Whether it outlives the connection and the process. If not, the log says why.
  func manager(_ manager: CBManager, didPairWith peerIdentifier: UUID, isStored: Bool)

  /// A pairing failed.
  func manager(_ manager: CBManager, didFailToPairWith peerIdentifier: UUID, error: any Error)
}

/// An agent of a device in tests, which displays the same digits in every pairing. Apps cannot have one: an attacker learns a
/// bit of a fixed passkey with each attempt to pair.
package protocol CBFixedPasskeyAgent: CBPairingAgent {
  /// At most 999,999; nil for digits that are drawn anew.
  var fixedPasskey: UInt32? { get }
}

extension CBPairingAgent {
  /// No data.
  public var hasOutOfBandData: Bool { false }

  /// Does nothing.
  public func manager(_ manager: CBManager, didPairWith peerIdentifier: UUID, isStored: Bool) {}

  /// Does nothing.
  public func manager(_ manager: CBManager, didFailToPairWith peerIdentifier: UUID, error: any Error) {}
}

/// What a user can see and enter (Core 6.0 Vol 3 Part H 2.3.2).
public enum CBPairingAbility: Int, Sendable {
  /// Six digits can be shown.
  case display = 0
  /// Six digits can be shown, and the user can answer yes or no.
  case displayAndConfirm = 1
  /// Six digits can be entered.
  case keyboard = 2
  /// The user can answer yes or no. Nothing protects such a pairing from a third party in the middle.
  case confirm = 3
  /// Six digits can be shown and entered, and the user can answer yes or no.
  case keyboardAndDisplay = 4
}
