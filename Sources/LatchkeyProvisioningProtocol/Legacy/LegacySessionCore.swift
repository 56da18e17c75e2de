import LatchkeyByteCoding

/// What both ends of a legacy session have in common: frames in order, keys, silence.
///
/// App and device differ in the types of their frames, and in that the device answers a key with its own.
struct LegacySessionCore: ~Copyable, Sendable {
  enum Event {
    case keyAgreed
    case message(LegacyUnauthenticatedMessage)
    case failed(LegacySessionError)
  }

  private enum Keys: ~Copyable, Sendable {
    case expectPeerKey(own: Secp192k1.PrivateKey)
    case agreed(LegacyMessageKey)
    /// The session is over.
    case erased
  }

  /// How long a peer may be silent within a frame.
  static let silenceLimit = Duration.seconds(5)
  /// The longest message that fits a frame, in bytes: the zero fill adds at least one.
  static let greatestMessageLength = LegacyFrame.greatestLength - LegacyFrame.headerLength - 1

  /// The frame with this side's public key.
  let keyFrame: [UInt8]
  /// When `handleTimeout(now:)` is due: set while the peer is within a frame.
  private(set) var nextDeadline: Duration?

  private let peerKeyType: LegacyFrameType
  private let peerDataType: LegacyFrameType
  private let ownDataType: LegacyFrameType
  private var keys: Keys
  private var parser: LegacyFrameParser

  init(isApp: Bool, privateKey: consuming Secp192k1.PrivateKey, maximumFrameLength: Int) {
    let ownKeyType = isApp ? LegacyFrameType.appKey : .deviceKey
    let header = LegacyFrame.Header(type: ownKeyType, payloadLength: Secp192k1.publicKeyLength)
    keyFrame = LegacyFrame(header, payload: privateKey.publicKey.bytes).encoded
    peerKeyType = isApp ? .deviceKey : .appKey
    peerDataType = isApp ? .deviceData : .appData
    ownDataType = isApp ? .appData : .deviceData
    keys = .expectPeerKey(own: privateKey)
    parser = LegacyFrameParser(maximumFrameLength: maximumFrameLength)
  }

  var isEstablished: Bool {
    switch keys {
    case .agreed: true
    case .expectPeerKey: false
    case .erased: false
    }
  }

  var isOver: Bool {
    switch keys {
    case .erased: true
    case .expectPeerKey: false
    case .agreed: false
    }
  }

  /// Takes a value of the peer's stream and tells `report` what came of it, in order; nothing follows a failure.
  mutating func receive(_ value: [UInt8], now: Duration, report: (Event) -> Void) {
    handleTimeout(now: now, report: report)
    guard !isOver, !value.isEmpty else { return }
    do {
      var reader = ByteReader(value)
      while let frame = try nextFrame(&reader) {
        report(try handle(frame))
      }
      nextDeadline = parser.isWithinFrame ? now + Self.silenceLimit : nil
    } catch {
      fail(error, report: report)
    }
  }

  /// Ends the session if the peer has been silent within a frame for too long.
  mutating func handleTimeout(now: Duration, report: (Event) -> Void) {
    guard let deadline = nextDeadline, now >= deadline else { return }
    fail(.timedOut, report: report)
  }

  /// Ends the session with an error that did not come from the peer's bytes.
  mutating func fail(_ error: LegacySessionError, report: (Event) -> Void) {
    guard !isOver else { return }
    end()
    report(.failed(error))
  }

  /// Erases the keys, and the part of a frame that there may be.
  mutating func end() {
    keys = .erased
    parser.reset()
    nextDeadline = nil
  }

  /// The frame that carries `text`.
  func frame(_ text: String) throws(LegacySessionError) -> [UInt8] {
    let plaintext = Array(text.utf8)
    guard plaintext.count <= Self.greatestMessageLength else { throw .messageTooLong(plaintext.count) }
    switch keys {
    case .expectPeerKey: throw .notEstablished
    case .erased: throw .ended
    case .agreed(let key):
      do {
        return try LegacyFrame(type: ownDataType, payload: key.encrypt(plaintext)).encoded
      } catch {
        // Neither refuses a message of a length that was checked.
        throw .messageTooLong(plaintext.count)
      }
    }
  }

  private mutating func nextFrame(_ reader: inout ByteReader) throws(LegacySessionError) -> LegacyFrame? {
    do {
      return try parser.next(from: &reader)
    } catch {
      throw .malformedFrame(error)
    }
  }

  private mutating func handle(_ frame: LegacyFrame) throws(LegacySessionError) -> Event {
    let agreed: LegacyMessageKey
    switch keys {
    case .expectPeerKey(let own):
      guard frame.type == peerKeyType else { throw .frameOutOfPlace(frame.type) }
      agreed = try Self.agree(own, frame.payload)
    case .agreed(let key):
      guard frame.type == peerDataType else { throw .frameOutOfPlace(frame.type) }
      guard let message = try? key.decrypt(frame.payload), message.text != nil else { throw .undecryptable }
      return .message(message)
    case .erased: throw .ended
    }
    // The private key goes with the state that it was in.
    keys = .agreed(agreed)
    return .keyAgreed
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
