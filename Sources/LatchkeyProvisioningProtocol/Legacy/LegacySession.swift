/// One side of a legacy connection, the app's or the device's. **Unauthenticated**: the key is agreed on with anyone who
/// answers or asks.
///
/// The session has no clock, no radio and no randomness. An app sends `keyFrame` first; a device answers the app's key frame
/// with its own. Pass each received value to `receive(_:now:)`, act on the outputs in their order, and call
/// `handleTimeout(now:)` at `nextDeadline`. One session lasts one connection: call `end()` when the link is lost, and start
/// the next one with a new key. The keys are erased when the session ends, fails or is destroyed. `LegacyDeviceSessions` holds
/// a device's sessions with several apps.
public struct LegacySession: ~Copyable, Sendable {
  /// A side of the connection. The sides differ in the types of their frames, and in which one sends its key first.
  public enum Role: Sendable, CaseIterable {
    /// The side that provisions.
    case app
    /// The side that is provisioned.
    case device

    fileprivate var peer: Role { self == .app ? .device : .app }
    fileprivate var keyType: LegacyFrameType { self == .app ? .appKey : .deviceKey }
    fileprivate var dataType: LegacyFrameType { self == .app ? .appData : .deviceData }
  }

  /// The result of an input.
  public enum Output: Equatable, Sendable {
    /// The peer sent a whole frame. All frames of a value come before the other outputs.
    case receivedFrame(LegacyFrame)
    /// Send this frame to the peer: a device's answer to the app's key.
    case send(LegacyFrame)
    /// Both sides have a key; nothing proves who the other is.
    case unauthenticatedKeyAgreed
    /// The peer sent a message.
    case received(LegacyUnauthenticatedMessage)
    /// The session has ended and its keys are erased. An app cancels the connection; a device answers the write with the
    /// error's `refusal`, if there is one.
    case failed(LegacySessionError)
  }

  private enum Keys: ~Copyable, Sendable {
    case expectPeerKey(own: Secp192k1.PrivateKey)
    case agreed(LegacyMessageKey)
    case erased
  }

  /// The time that a peer has for the next bytes of an incomplete frame.
  static let silenceLimit = Duration.seconds(5)
  /// The longest message that fits a frame, in bytes: the zero fill adds at least one.
  package static let greatestMessageLength = LegacyFrame.greatestLength - LegacyFrame.headerLength - 1

  /// The frame with this side's public key.
  ///
  /// An app sends it before anything else, and accepts the key of a device that sends first.
  public let keyFrame: LegacyFrame
  /// When `handleTimeout(now:)` is due, on the caller's clock: 5 s after the last bytes, while a frame is incomplete.
  public private(set) var nextDeadline: Duration?

  private let role: Role
  private var answersKey: Bool
  private var keys: Keys
  private var parser: LegacyFrameParser

  /// A session that agrees on a key with `privateKey`, which no other session uses.
  ///
  /// Frames of more than `maximumFrameLength` bytes, header included, end the session.
  public init(
    role: Role, privateKey: consuming Secp192k1.PrivateKey,
    maximumFrameLength: Int = LegacyFrameParser.defaultMaximumFrameLength
  ) {
    let header = LegacyFrame.Header(type: role.keyType, payloadLength: Secp192k1.publicKeyLength)
    keyFrame = LegacyFrame(header, payload: privateKey.publicKey.bytes)
    self.role = role
    answersKey = role == .device
    keys = .expectPeerKey(own: privateKey)
    parser = LegacyFrameParser(maximumFrameLength: maximumFrameLength)
  }

  /// Whether messages can be sent.
  public var isEstablished: Bool {
    switch keys {
    case .agreed: true
    case .expectPeerKey: false
    case .erased: false
    }
  }

  /// Whether the session has ended or failed: it then ignores all input.
  public var isOver: Bool {
    switch keys {
    case .erased: true
    case .expectPeerKey: false
    case .agreed: false
    }
  }

  /// The key frame of a device that sends first: the app's key frame is then not answered with it again.
  public mutating func offerKey() -> LegacyFrame {
    answersKey = false
    return keyFrame
  }

  /// Handles a value of the peer's stream: one that an app was notified of or read, or that a device was written.
  public mutating func receive(_ value: [UInt8], now: Duration) -> [Output] {
    var outputs = handleTimeout(now: now)
    guard !isOver, !value.isEmpty else { return outputs }
    let frames = parser.frames(in: value)
    outputs += frames.map { .receivedFrame($0) }
    do throws(LegacySessionError) {
      for frame in frames { outputs += try handle(frame) }
      if let error = parser.failure { throw .malformedFrame(error) }
      nextDeadline = parser.isWithinFrame ? now + Self.silenceLimit : nil
    } catch {
      outputs += fail(error)
    }
    return outputs
  }

  /// Fails with `timedOut` if the peer was silent within a frame for too long.
  public mutating func handleTimeout(now: Duration) -> [Output] {
    guard let nextDeadline, now >= nextDeadline else { return [] }
    return fail(.timedOut)
  }

  /// Fails with `refused`: the device answered a write of the app with this error.
  public mutating func handle(_ refusal: LegacyRefusal) -> [Output] {
    fail(.refused(refusal))
  }

  /// The frame that carries `text` to the peer; send it whole, cut by `LegacyFrame.values(of:maximumLength:)`.
  ///
  /// - Throws: `notEstablished`, `ended`, or `messageTooLong` above 65519 bytes of UTF-8.
  public func frame(_ text: String) throws(LegacySessionError) -> LegacyFrame {
    let plaintext = Array(text.utf8)
    guard plaintext.count <= Self.greatestMessageLength else { throw .messageTooLong(plaintext.count) }
    switch keys {
    case .expectPeerKey: throw .notEstablished
    case .erased: throw .ended
    case .agreed(let key):
      do {
        return try LegacyFrame(type: role.dataType, payload: key.encrypt(plaintext))
      } catch {
        // Neither refuses a message of a validated length.
        throw .messageTooLong(plaintext.count)
      }
    }
  }

  /// Ends the session and erases its keys, and the part of a frame that there may be.
  public mutating func end() {
    keys = .erased
    parser.reset()
    nextDeadline = nil
  }

  private mutating func fail(_ error: LegacySessionError) -> [Output] {
    guard !isOver else { return [] }
    end()
    return [.failed(error)]
  }

  private mutating func handle(_ frame: LegacyFrame) throws(LegacySessionError) -> [Output] {
    let agreed: LegacyMessageKey
    switch keys {
    case .expectPeerKey(let own):
      guard frame.type == role.peer.keyType else { throw .frameOutOfPlace(frame.type) }
      agreed = try Self.agree(own, frame.payload)
    case .agreed(let key):
      guard frame.type == role.peer.dataType else { throw .frameOutOfPlace(frame.type) }
      guard let message = try? key.decrypt(frame.payload), message.text != nil else { throw .undecryptable }
      return [.received(message)]
    case .erased: throw .ended
    }
    // The private key is erased with the state that held it.
    keys = .agreed(agreed)
    return (answersKey ? [.send(keyFrame)] : []) + [.unauthenticatedKeyAgreed]
  }

  private static func agree(
    _ own: borrowing Secp192k1.PrivateKey, _ peer: [UInt8]
  ) throws(LegacySessionError) -> LegacyMessageKey {
    do {
      let peer = try Secp192k1.PublicKey(bytes: peer)
      return LegacyMessageKey(try own.sharedSecret(with: peer))
    } catch {
      throw .invalidKey
    }
  }
}
