public import Foundation
public import LatchkeyProvisioningProtocol

/// A step of a legacy exchange, as the app sees it. Ciphertexts are shown as they pass over the air; payloads never are.
public enum LegacyUnauthenticatedProgress: Equatable, Sendable {
  /// The radio is on, and the device is looked for.
  case searching
  /// The device advertises.
  case found(name: String?, UUID)
  /// The link is up.
  case connected
  /// The service to be used was found, with its characteristics.
  case discovered(LegacyService)
  /// Answers will be notified; without this step they are read.
  case subscribed
  /// A frame was sent, in so many values.
  case sentFrame(LegacyFrame, values: Int)
  /// A whole frame came.
  case receivedFrame(LegacyFrame)
  /// Both sides have a key; nothing proves who the other is.
  case unauthenticatedKeyAgreed
  /// A payload of so many bytes was sent in the clear, over the plain service.
  case sentPlainValue(Int)
  /// The device has the whole payload.
  case sentPayload
  /// The device answered.
  case answered(LegacyUnauthenticatedAnswer)
  /// The exchange is over, and the link is being taken down.
  case disconnecting
}
