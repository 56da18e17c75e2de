/// Why a legacy device refuses a write: the application error that it answers with (Core 6.0 Vol 3 Part F 3.4.1.1 leaves
/// 0x80 to 0x9F to applications).
public enum LegacyRefusal: UInt8, Error, Sendable, CaseIterable {
  /// The bytes are no frame.
  case malformedFrame = 0x80
  /// A frame that the sender may not send now: data before the keys, a second key, a frame of the other role.
  case frameOutOfPlace = 0x81
  /// A public key is no point of the curve.
  case invalidKey = 0x82
  /// A ciphertext does not decrypt to UTF-8 text.
  case undecryptable = 0x83
  /// The device has no room for another session.
  case busy = 0x84
}

/// How a legacy session failed. No case carries a byte of a message or of a key.
public enum LegacySessionError: Error, Equatable, Sendable {
  /// The peer's bytes are no frame.
  case malformedFrame(LegacyFrameError)
  /// The peer sent a frame that it may not send now.
  case frameOutOfPlace(LegacyFrameType)
  /// The peer's public key is no point of the curve.
  case invalidKey
  /// A ciphertext does not decrypt to UTF-8 text: the keys differ, or it was altered.
  case undecryptable
  /// This side has no room for another session.
  case busy
  /// The peer was silent within a frame for too long.
  case timedOut
  /// The peer refused a frame of ours.
  case refused(LegacyRefusal)
  /// Our own misuse: a message for a session that has no key yet.
  case notEstablished
  /// Our own misuse: a message of this many bytes does not fit a frame.
  case messageTooLong(Int)
  /// The session is over: it was ended, or it failed before.
  case ended

  /// The error that answers the write that caused this one; nil when no write did.
  public var refusal: LegacyRefusal? {
    switch self {
    case .malformedFrame: .malformedFrame
    case .frameOutOfPlace: .frameOutOfPlace
    case .invalidKey: .invalidKey
    case .undecryptable: .undecryptable
    case .busy: .busy
    case .timedOut, .refused, .notEstablished, .messageTooLong, .ended: nil
    }
  }
}
