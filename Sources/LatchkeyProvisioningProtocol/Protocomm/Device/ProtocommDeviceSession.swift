/// The one session of a device: a handshake under way, or an open one.
struct ProtocommDeviceSession: Sendable {
  enum Phase: Sendable {
    case x25519(X25519Device)
    case srp(SRPDevice)
    case open(ProtocommCipher)
  }

  /// What a scan found.
  enum Scan: Sendable {
    case none
    case running
    case finished([ScannedNetwork])
  }

  /// Counts sessions, so that the result of work finds the one that it was done for.
  let number: UInt64
  let link: ProvisioningLink
  var phase: Phase
  /// When a handshake that is not finished is forgotten.
  var deadline: Duration?
  var scan = Scan.none
  /// The network that an app has named and not yet applied.
  var credentials: NetworkCredentials?
  /// Whether one was applied, and not reset since.
  var isApplied = false

  init(_ number: UInt64, _ link: ProvisioningLink, _ phase: Phase, deadline: Duration? = nil) {
    self.number = number
    self.link = link
    self.phase = phase
    self.deadline = deadline
  }

  var isOpen: Bool { if case .open = phase { true } else { false } }
}

/// Why a write is answered with an error: the code for the app, and words for the device's owner.
struct ProtocommRefusal: Error, Sendable {
  let code: UInt8
  let words: String

  /// What Espressif's devices answer to whatever goes wrong in a session: Invalid PDU.
  static let general: UInt8 = 0x04
  /// Insufficient Authorization: somebody has to act at the device.
  static let notAuthorized: UInt8 = 0x08
  static let unknownHandle: UInt8 = 0x01
  static let length: UInt8 = 0x0D
  /// An application's error, of ours alone: no try is accepted now.
  static let locked: UInt8 = 0x90

  init(_ words: String, code: UInt8 = general) {
    self.code = code
    self.words = words
  }

  init(_ error: ProtocommSecurityError) { self.init("\(error)") }
  init(_ error: ProtobufError) { self.init("a message cannot be read: \(error)") }
}
