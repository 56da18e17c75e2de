public import Foundation
public import LatchkeyProvisioningProtocol

/// An event of a legacy device. Ciphertexts are shown as they are transmitted; payloads never are.
public enum LegacyUnauthenticatedDeviceEvent: Equatable, Sendable {
  /// The device advertises: at the start, and again each time that a lost radio is back.
  case advertising
  /// The radio was lost, or failed and is being reset; the device cannot be found until the next `advertising`.
  case radioLost
  /// A central subscribed to the answers of a service.
  case subscribed(UUID, LegacyService)
  /// A whole frame was received.
  case receivedFrame(LegacyFrame, from: UUID)
  /// A frame is to be sent, or read.
  case sentFrame(LegacyFrame, to: UUID)
  /// Both sides have a key; nothing proves who the other is.
  case unauthenticatedKeyAgreed(UUID)
  /// A payload was received, and the handler was called.
  case requested(UUID, LegacyService)
  /// An answer of the handler was sent.
  case answered(LegacyUnauthenticatedAnswer, to: UUID)
  /// An answer of the handler could not be sent.
  case notAnswered(LegacySessionError, to: UUID)
  /// A central's write was refused, and its keys are erased.
  case refused(LegacySessionError, UUID)
  /// A central was silent for too long, and its keys are erased.
  case timedOut(UUID)
  /// A central ended its subscription to a service's answers, or the link to it was lost; its keys are erased.
  case unsubscribed(UUID, LegacyService)
}
