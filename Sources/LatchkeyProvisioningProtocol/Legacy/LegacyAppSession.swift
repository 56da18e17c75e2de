/// The app's side of one legacy connection. **Unauthenticated**: the key is agreed on with anyone who answers.
///
/// The machine has no clock, no radio and no randomness. Send `keyFrame` first; then put in each value that the device
/// sends, act on the outputs in their order, and call `handleTimeout(now:)` at `nextDeadline`. One session lasts one
/// connection: call `end()` when the link is lost, and start anew with a new key. Its keys are erased when it ends, fails
/// or goes.
public struct LegacyAppSession: ~Copyable, Sendable {
  /// What came of an input.
  public enum Output: Equatable, Sendable {
    /// Both sides have a key; nothing proves who the other is.
    case unauthenticatedKeyAgreed
    /// The device sent a message.
    case received(LegacyUnauthenticatedMessage)
    /// The session is over and its keys are erased: cancel the connection.
    case failed(LegacySessionError)
  }

  private var core: LegacySessionCore

  /// A session that will agree on a key by `privateKey`, made for it alone.
  ///
  /// Frames of more than `maximumFrameLength` bytes, header included, end the session.
  public init(
    privateKey: consuming Secp192k1.PrivateKey,
    maximumFrameLength: Int = LegacyFrameParser.defaultMaximumFrameLength
  ) {
    core = LegacySessionCore(isApp: true, privateKey: privateKey, maximumFrameLength: maximumFrameLength)
  }

  /// The app's public key, to send before anything else; a device that speaks first is understood as well.
  public var keyFrame: [UInt8] { core.keyFrame }

  /// Whether messages can be sent.
  public var isEstablished: Bool { core.isEstablished }

  /// Whether the session has ended or failed: it then takes no input.
  public var isOver: Bool { core.isOver }

  /// When `handleTimeout(now:)` is due, on the caller's clock: 5 s after the last bytes, while a frame is incomplete.
  public var nextDeadline: Duration? { core.nextDeadline }

  /// Takes a value that was notified or read.
  public mutating func receive(_ value: [UInt8], now: Duration) -> [Output] {
    var outputs: [Output] = []
    core.receive(value, now: now) { outputs.append(Self.output($0)) }
    return outputs
  }

  /// Takes the time; fails with `timedOut` if the device fell silent within a frame.
  public mutating func handleTimeout(now: Duration) -> [Output] {
    var outputs: [Output] = []
    core.handleTimeout(now: now) { outputs.append(Self.output($0)) }
    return outputs
  }

  /// Takes the error that the device answered a write with.
  public mutating func handle(_ refusal: LegacyRefusal) -> [Output] {
    var outputs: [Output] = []
    core.fail(.refused(refusal)) { outputs.append(Self.output($0)) }
    return outputs
  }

  /// The frame that carries `text` to the device; send it whole, cut by `LegacyFrame.values(of:maximumLength:)`.
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
