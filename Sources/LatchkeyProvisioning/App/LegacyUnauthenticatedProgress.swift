public import Foundation
public import LatchkeyProvisioningProtocol

/// A step of a legacy exchange, as the app sees it. Ciphertexts are shown as they pass over the air; payloads never are.
public enum LegacyUnauthenticatedProgress: Equatable, Sendable {
  /// The radio is on, and the app scans for the device.
  case searching
  /// The device advertises.
  case found(name: String?, UUID)
  /// The link is up.
  case connected
  /// The service to be used was found, with its characteristics.
  case discovered(LegacyService)
  /// The app subscribed to the answers; without this step it reads them.
  case subscribed
  /// A frame was sent, in this number of values.
  case sentFrame(LegacyFrame, values: Int)
  /// A whole frame was received.
  case receivedFrame(LegacyFrame)
  /// Both sides have a key; nothing proves who the other is.
  case unauthenticatedKeyAgreed
  /// A payload of this number of bytes was sent in the clear, over the plain service.
  case sentPlainValue(Int)
  /// The device has the whole payload.
  case sentPayload
  /// The device answered.
  case answered(LegacyUnauthenticatedAnswer)
  /// The exchange is over, and the app disconnects.
  case disconnecting
}
