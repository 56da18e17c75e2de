import LatchkeyByteCoding

/// The device's side of a handshake, after its reply.
struct SecureDeviceHandshake: Sendable {
  /// Why a hello is not answered.
  enum Failure: Error {
    /// A point of low order, or what is no public key of ML-KEM.
    case hello
  }

  let suite: SecureSuite
  let reply: SecureMessage
  private let keys: SecureKeySchedule

  /// - Parameter hello: Its suite is `suite`, its lengths are right.
  init(
    hello: SecureMessage.Hello, suite: SecureSuite, message: SecureMessage, information: [UInt8],
    password: SecretBytes, randomness: SecureRandomness
  ) throws(Failure) {
    self.suite = suite
    let generator = CPace.generator(
      password: password, channel: SecureKeySchedule.channel(information: information, suite: suite),
      session: hello.session)
    let secret = randomness.secret(X25519.length)
    guard let share = X25519.multiply(secret, generator)?.array(),
      let shared = X25519.multiply(secret, hello.share)
    else { throw .hello }
    var encapsulation: (ciphertext: [UInt8], secret: SecretBytes)?
    if suite == .hybrid {
      encapsulation = randomness.encapsulate(hello.publicKey)
      guard encapsulation != nil else { throw .hello }
    }
    let ciphertext = encapsulation?.ciphertext ?? []
    let sessionKey = CPace.sessionKey(
      session: hello.session, shared: shared, initiator: (hello.share, hello.publicKey),
      responder: (share, ciphertext))
    let length = share.count + ciphertext.count + SecureMessage.tagLength
    let start = SecureMessage.header(.reply, bodyLength: length) + share + ciphertext
    keys = SecureKeySchedule(
      information: information, hello: message.bytes, replyStart: start, sessionKey: sessionKey,
      encapsulated: encapsulation?.secret)
    reply = SecureMessage(.reply, share + ciphertext + keys.deviceTag)
  }

  /// The session's records and its ticket, if the finish proves the code; its first plaintext is still to be opened.
  func finished(by message: SecureMessage) -> (channel: SecureChannel, ticket: SecureTicket)? {
    guard message.kind == .finish else { return nil }
    let tag = Array(message.body.prefix(SecureMessage.tagLength))
    guard constantTimeEquals(tag, keys.appTag(keys.deviceTag)) else { return nil }
    let channel = SecureChannel(sending: keys.deviceToApp, receiving: keys.appToDevice, kind: .deviceRecord)
    return (channel, SecureTicket(keys.resumption))
  }
}

/// The app's side of a handshake, after its hello.
struct SecureAppHandshake: Sendable {
  let suite: SecureSuite
  let hello: SecureMessage
  private let information: [UInt8]
  private let session: [UInt8]
  private let secret: SecretBytes
  private let share: [UInt8]
  /// The seed of ML-KEM's key, with suite 01.
  private let seed: SecretBytes?
  private let publicKey: [UInt8]

  /// nil if the library refuses what was drawn.
  init?(suite: SecureSuite, information: [UInt8], password: SecretBytes, randomness: SecureRandomness) {
    self.suite = suite
    self.information = information
    session = randomness.bytes(SecureMessage.sessionLength)
    secret = randomness.secret(X25519.length)
    let generator = CPace.generator(
      password: password, channel: SecureKeySchedule.channel(information: information, suite: suite), session: session)
    guard let share = X25519.multiply(secret, generator)?.array() else { return nil }
    self.share = share
    if suite == .hybrid {
      let seed = randomness.secret(MLKEM.seedLength)
      guard let key = MLKEM.publicKey(seed: seed) else { return nil }
      self.seed = seed
      publicKey = key
    } else {
      seed = nil
      publicKey = []
    }
    hello = SecureMessage.Hello(suite: suite, session: session, share: share, publicKey: publicKey).message
  }

  /// What a session needs, if the reply proves the code.
  func finished(by message: SecureMessage) -> (channel: SecureChannel, tag: [UInt8], ticket: SecureTicket)? {
    guard let reply = SecureMessage.Reply(message, suite: suite), let shared = X25519.multiply(secret, reply.share)
    else { return nil }
    var encapsulated: SecretBytes?
    if let seed {
      encapsulated = MLKEM.decapsulate(reply.ciphertext, seed: seed)
      guard encapsulated != nil else { return nil }
    }
    let sessionKey = CPace.sessionKey(
      session: session, shared: shared, initiator: (share, publicKey), responder: (reply.share, reply.ciphertext))
    let keys = SecureKeySchedule(
      information: information, hello: hello.bytes, replyStart: Array(message.bytes.dropLast(SecureMessage.tagLength)),
      sessionKey: sessionKey, encapsulated: encapsulated)
    guard constantTimeEquals(reply.tag, keys.deviceTag) else { return nil }
    let channel = SecureChannel(sending: keys.appToDevice, receiving: keys.deviceToApp, kind: .appRecord)
    return (channel, keys.appTag(reply.tag), SecureTicket(keys.resumption))
  }
}
