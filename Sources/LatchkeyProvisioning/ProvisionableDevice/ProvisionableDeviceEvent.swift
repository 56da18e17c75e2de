public import Foundation
public import LatchkeyProvisioningProtocol

/// What happened at a device. No event has a secret.
public enum ProvisionableDeviceEvent: Hashable, Sendable {
  /// The device can be found.
  case advertising
  /// The radio was lost; the device waits for it.
  case radioLost
  /// Somebody has acted at the device: what needs that is open for this long.
  case pressed(for: Duration)
  /// The time of that act is over.
  case pressEnded
  /// A session is open; the assurance says what it proves.
  case opened(ProvisioningProtocol, central: UUID, ProvisioningAssurance)
  /// A session has ended.
  case closed(ProvisioningProtocol, central: UUID)
  /// A central was refused; the words say why.
  case refused(ProvisioningProtocol, central: UUID, String)
  /// A central did not know the code; this many tries are left.
  case wrongCode(ProvisioningProtocol, central: UUID, attemptsLeft: Int)
  /// No try is left: somebody has to act at the device.
  case locked
  /// An attempt to join this network has begun.
  case joining(ssid: [UInt8])
  /// The device has joined.
  case joined(JoinedNetwork)
  /// The device has not joined.
  case joinFailed(JoinFailure)
  /// An app asks the device to show itself.
  case identify
  /// The state could not be stored, and nobody is let in until it can: the system's words.
  case notStored(String)
}
