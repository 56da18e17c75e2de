public import Foundation
public import LatchkeyProvisioningProtocol

/// What happens at a legacy device, central by central. Ciphertexts are shown as they pass over the air; payloads never are.
public enum LegacyUnauthenticatedDeviceEvent: Equatable, Sendable {
  /// The device can be found: at the start, and again each time that a lost radio is back.
  case advertising
  /// The radio was lost, or failed and is being reset; the device cannot be found until `advertising` comes again.
  case radioLost
  /// A central subscribed to the answers of a service.
  case subscribed(UUID, LegacyService)
  /// A whole frame came.
  case receivedFrame(LegacyFrame, from: UUID)
  /// A frame is to be sent, or read.
  case sentFrame(LegacyFrame, to: UUID)
  /// Both sides have a key; nothing proves who the other is.
  case unauthenticatedKeyAgreed(UUID)
  /// A payload came, and the handler was asked.
  case requested(UUID, LegacyService)
  /// An answer of the handler's was sent.
  case answered(LegacyUnauthenticatedAnswer, to: UUID)
  /// An answer of the handler's could not be sent.
  case notAnswered(LegacySessionError, to: UUID)
  /// A central's write was refused, and its keys are erased.
  case refused(LegacySessionError, UUID)
  /// A central fell silent, and its keys are erased.
  case timedOut(UUID)
  /// A central let go of the answers of a service, or the link to it was lost; its keys are erased.
  case unsubscribed(UUID, LegacyService)
}
