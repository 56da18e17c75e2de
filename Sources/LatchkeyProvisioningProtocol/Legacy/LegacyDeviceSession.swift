/// The device's side of one legacy connection. **Unauthenticated**: the key is agreed on with anyone who asks.
///
/// The machine has no clock, no radio and no randomness. Put in each value that the app writes, act on the outputs in their
/// order, and call `handleTimeout(now:)` at `nextDeadline`. One session lasts one connection: call `end()` when the link is
/// lost, and start anew with a new key. `LegacyDeviceSessions` keeps one for each of several apps.
public struct LegacyDeviceSession: ~Copyable, Sendable {
  /// What came of an input.
  public enum Output: Equatable, Sendable {
    /// Send this frame, the device's public key, to the app.
    case send([UInt8])
    /// Both sides have a key; nothing proves who the other is.
    case unauthenticatedKeyAgreed
    /// The app sent a message.
    case received(LegacyUnauthenticatedMessage)
    /// The session is over and its keys are erased: answer the write with the error's `refusal`, if it has one.
    case failed(LegacySessionError)
  }

  private var core: LegacySessionCore
  private var hasOfferedKey = false

  /// A session that will agree on a key by `privateKey`, made for it alone.
  ///
  /// Frames of more than `maximumFrameLength` bytes, header included, end the session.
  public init(
    privateKey: consuming Secp192k1.PrivateKey,
    maximumFrameLength: Int = LegacyFrameParser.defaultMaximumFrameLength
  ) {
    core = LegacySessionCore(isApp: false, privateKey: privateKey, maximumFrameLength: maximumFrameLength)
  }

  /// Whether messages can be sent.
  public var isEstablished: Bool { core.isEstablished }

  /// Whether the session has ended or failed: it then takes no input.
  public var isOver: Bool { core.isOver }

  /// When `handleTimeout(now:)` is due, on the caller's clock: 5 s after the last bytes, while a frame is incomplete.
  public var nextDeadline: Duration? { core.nextDeadline }

  /// The device's public key, for a device that speaks first; the app's key is then not answered with it again.
  public mutating func offerKey() -> [UInt8] {
    hasOfferedKey = true
    return core.keyFrame
  }

  /// Takes a value that the app wrote.
  public mutating func receive(_ value: [UInt8], now: Duration) -> [Output] {
    var outputs: [Output] = []
    let keyFrame = hasOfferedKey ? nil : core.keyFrame
    core.receive(value, now: now) { event in
      if case .keyAgreed = event, let keyFrame { outputs.append(.send(keyFrame)) }
      outputs.append(Self.output(event))
    }
    return outputs
  }

  /// Takes the time; fails with `timedOut` if the app fell silent within a frame.
  public mutating func handleTimeout(now: Duration) -> [Output] {
    var outputs: [Output] = []
    core.handleTimeout(now: now) { outputs.append(Self.output($0)) }
    return outputs
  }

  /// The frame that carries `text` to the app; send it whole, cut by `LegacyFrame.values(of:maximumLength:)`.
  ///
  /// - Throws: `notEstablished`, `ended`, or `messageTooLong` above 65519 bytes of UTF-8.
  public func frame(_ text: String) throws(LegacySessionError) -> [UInt8] {
    try core.frame(text)
  }

  /// Ends the session and erases its keys.
  public mutating func end() {
    core.end()
  }

  private static func output(_ event: LegacySessionCore.Event) -> Output {
    switch event {
    case .keyAgreed: .unauthenticatedKeyAgreed
    case .message(let message): .received(message)
    case .failed(let error): .failed(error)
    }
  }
}
