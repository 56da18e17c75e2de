import LatchkeyByteCoding

/// A message of the secure protocol, with the bytes that it was made from: they enter the transcript.
package struct SecureMessage: Hashable, Sendable {
  package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    case hello = 0x30
    case reply = 0x31
    case finish = 0x32
    case resume = 0x38
    case resumed = 0x39
    case appRecord = 0x40
    case deviceRecord = 0x41
    case error = 0x7F
  }

  static let headerLength = 3
  static let tagLength = 32
  static let sessionLength = 16
  static let ticketLength = 16
  /// The length of the longest hello: the other messages of a handshake are shorter.
  static let helloLength = headerLength + 1 + sessionLength + X25519.length + MLKEM.publicKeyLength
  /// The longest message before a session is open.
  static let greatestEarlyLength = 2048

  package let kind: Kind
  /// The message, header included.
  package let bytes: [UInt8]

  package var body: ArraySlice<UInt8> { bytes[Self.headerLength...] }

  package init(_ kind: Kind, _ body: [UInt8]) {
    self.kind = kind
    bytes = Self.header(kind, bodyLength: body.count) + body
  }

  /// - Throws: `SecureWireError.message` for an unknown type, or a length that its type does not have.
  package init(_ bytes: [UInt8]) throws(SecureWireError) {
    guard bytes.count >= Self.headerLength, let kind = Kind(rawValue: bytes[0]),
      Int(bytes[1]) << 8 | Int(bytes[2]) == bytes.count - Self.headerLength,
      Self.isBodyLength(bytes.count - Self.headerLength, of: kind)
    else { throw .message(type: bytes.first ?? 0) }
    self.kind = kind
    self.bytes = bytes
  }

  static func header(_ kind: Kind, bodyLength: Int) -> [UInt8] {
    [kind.rawValue, UInt8(truncatingIfNeeded: bodyLength >> 8), UInt8(truncatingIfNeeded: bodyLength)]
  }

  private static func isBodyLength(_ length: Int, of kind: Kind) -> Bool {
    switch kind {
    case .hello: length == Hello.length(.hybrid) || length == Hello.length(.classical)
    case .reply: length == Reply.length(.hybrid) || length == Reply.length(.classical)
    case .finish: length >= tagLength + SecureRecordCipher.tagLength
    case .resume: length == ticketLength + X25519.length + SecureRecordCipher.tagLength
    case .resumed: length == X25519.length + SecureRecordCipher.tagLength
    case .appRecord, .deviceRecord: length >= SecureRecordCipher.tagLength
    case .error: length == 1 || length == 3
    }
  }
}

extension SecureMessage {
  /// The body of hello.
  struct Hello: Sendable {
    let suite: UInt8
    let session: [UInt8]
    let share: [UInt8]
    /// The public key of ML-KEM; empty with suite 02.
    let publicKey: [UInt8]

    static func length(_ suite: SecureSuite) -> Int {
      1 + sessionLength + X25519.length + (suite == .hybrid ? MLKEM.publicKeyLength : 0)
    }

    init(suite: SecureSuite, session: [UInt8], share: [UInt8], publicKey: [UInt8]) {
      self.suite = suite.rawValue
      self.session = session
      self.share = share
      self.publicKey = publicKey
    }

    init?(_ message: SecureMessage) {
      var reader = ByteReader(message.bytes, from: headerLength)
      guard message.kind == .hello, let suite = try? reader.uint8("suite"),
        let session = try? reader.bytes(sessionLength, "sid"), let share = try? reader.bytes(X25519.length, "Ya")
      else { return nil }
      self.suite = suite
      self.session = session
      self.share = share
      publicKey = reader.remainingBytes()
      // A known suite has the key that it needs, and no other.
      if let known = SecureSuite(rawValue: suite), message.body.count != Self.length(known) { return nil }
    }

    var message: SecureMessage { SecureMessage(.hello, [suite] + session + share + publicKey) }
  }

  /// The body of reply.
  struct Reply: Sendable {
    let share: [UInt8]
    /// The ciphertext of ML-KEM; empty with suite 02.
    let ciphertext: [UInt8]
    let tag: [UInt8]

    static func length(_ suite: SecureSuite) -> Int {
      X25519.length + (suite == .hybrid ? MLKEM.ciphertextLength : 0) + tagLength
    }

    init?(_ message: SecureMessage, suite: SecureSuite) {
      guard message.kind == .reply, message.body.count == Self.length(suite) else { return nil }
      let body = Array(message.body)
      share = Array(body[..<X25519.length])
      ciphertext = Array(body[X25519.length..<body.count - tagLength])
      tag = Array(body[(body.count - tagLength)...])
    }
  }
}

/// A code of the message error.
package enum SecureErrorCode: UInt8, Hashable, Sendable, CaseIterable {
  case version = 1
  case malformed = 2
  case authentication = 3
  case locked = 4
  case busy = 5
  case noTicket = 6
  case closed = 7
  case over = 8

  /// The message; with `locked` the time until the next attempt, nil if only an act at the device helps.
  func message(wait: Duration? = nil) -> SecureMessage {
    guard self == .locked else { return SecureMessage(.error, [rawValue]) }
    let seconds = wait.map { Self.seconds($0) } ?? 0xFFFF
    return SecureMessage(.error, [rawValue, UInt8(seconds >> 8), UInt8(seconds & 0xFF)])
  }

  /// Whole seconds, rounded up, that fit their field.
  private static func seconds(_ wait: Duration) -> UInt16 {
    let (seconds, rest) = wait.components
    return UInt16(min(max(seconds, 0), 0xFFFD)) + (rest > 0 || !(1...0xFFFD).contains(seconds) ? 1 : 0)
  }

  /// What a device's message says to an app.
  static func failure(_ message: SecureMessage) -> ProvisioningFailure {
    let body = Array(message.body)
    switch body.first.flatMap(SecureErrorCode.init(rawValue:)) {
    case .version: return .unsupported("the device refuses the handshake's suite")
    case .authentication: return .wrongCode
    case .locked:
      let seconds = body.count == 3 ? Int(body[1]) << 8 | Int(body[2]) : 0xFFFF
      return .locked(for: seconds == 0xFFFF ? nil : .seconds(seconds))
    case .busy: return .busy
    case .noTicket: return .refused("the device does not know this app any more")
    case .closed: return .notAuthorized
    case .over: return .disconnected
    case .malformed: return .refused("the device could not read what this app sent")
    case nil: return .malformed("an error with code \(body.first ?? 0)")
    }
  }
}
