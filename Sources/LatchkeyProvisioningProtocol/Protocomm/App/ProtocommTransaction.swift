import LatchkeyByteCoding

/// One write and the read after it: nothing else is under way meanwhile.
struct ProtocommTransaction: Sendable {
  /// What the answer is to.
  enum Purpose: Sendable {
    case version
    /// The first or the second message of a handshake.
    case key
    case proof
    case scanStart
    case scanStatus
    case scanPage(first: UInt32, total: UInt32)
    /// The end of an attempt that failed, before the next one.
    case clearance
    case settings
    case apply
    /// A question how the network is, once or again and again after `apply`.
    case status(isRepeated: Bool)
    case forget
    case custom
  }

  let characteristic: String
  let purpose: Purpose
  let deadline: Duration
  /// Whether the write is done, and the read has begun.
  var isReading = false

  /// Whether the answer belongs to an open session.
  var isRequest: Bool {
    switch purpose {
    case .version, .key, .proof: false
    default: true
    }
  }
}

/// The handshake of an app, as far as it is.
enum ProtocommAppHandshake: Sendable {
  case none
  case plain
  case x25519(X25519App)
  case srp(SRPApp, counts: Bool)

  /// The first message.
  var command: SessionMessage {
    switch self {
    case .none, .plain: .plainCommand
    case .x25519(let app): app.command
    case .srp(let app, _): app.command
    }
  }
}

extension ProvisioningFailure {
  init(_ error: ProtocommSecurityError) {
    switch error {
    case .wrongProof: self = .wrongCode
    case .refused: self = .refused("\(error)")
    case .refusedByLibrary: self = .unsupported("\(error)")
    case .outOfPlace, .length, .weakKey, .unauthentic, .exhausted: self = .malformed("\(error)")
    }
  }

  init(_ error: ProtobufError) { self = .malformed("a message cannot be read: \(error)") }

  /// How an access failed, for what the app wanted by it.
  init(_ access: AccessFailure, _ purpose: ProtocommTransaction.Purpose) {
    switch (access, purpose) {
    case (.attribute(ProtocommRefusal.locked), _): self = .locked(for: nil)
    case (.attribute(ProtocommRefusal.notAuthorized), _): self = .notAuthorized
    // A device that does not accept the proof answers with an error, whatever error.
    case (.attribute, .proof): self = .wrongCode
    case (.attribute(let code), _): self = .refused("the device answers with the error \(code)")
    case (.other(let words), _): self = .refused(words)
    }
  }
}
