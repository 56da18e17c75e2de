/// What a device's machine has of a link.
struct SecureDeviceLink: Sendable {
  /// How far the link has come.
  enum Phase: Sendable {
    /// Nothing was said, or nothing that counts.
    case waiting
    /// A reply was sent; the finish has to come before the deadline.
    case confirming(SecureDeviceHandshake, deadline: Duration)
    case open(Session)
    /// An error was sent: the link is of no more use.
    case over
  }

  struct Session: Sendable {
    var channel: SecureChannel
    let assurance: ProvisioningAssurance
    /// The entry in the tickets, if the device keeps them.
    var entry: Int?
    /// Whether the app has proved that it has the keys: not before the first record of a resumed session.
    var isConfirmed: Bool
    /// When the session is closed unless a request comes.
    var deadline: Duration
    /// The request that work is under way for.
    var request: Pending?
    /// The result of the last scan.
    var networks: [ScannedNetwork] = []
    /// What `config` left for `apply`.
    var credentials: NetworkCredentials?
  }

  /// A request that work is under way for.
  struct Pending: Sendable {
    let id: UInt8
    let work: Int
    let endpoint: String
    /// The name that `hostname` sets.
    let hostname: String?
  }

  var isSubscribed = false
  var reassembler: SecureReassembler
  var phase = Phase.waiting

  /// Whether the link is between hello and finish, or between resume and the first record.
  var isWithinHandshake: Bool {
    switch phase {
    case .confirming: true
    case .open(let session): !session.isConfirmed
    case .waiting, .over: false
    }
  }

  var isOpen: Bool {
    if case .open = phase { true } else { false }
  }

  /// When the link's next limit passes.
  var deadline: Duration? {
    let limit: Duration? =
      switch phase {
      case .waiting, .over: nil
      case .confirming(_, let deadline): deadline
      case .open(let session): session.deadline
      }
    return [limit, reassembler.deadline].compactMap(\.self).min()
  }
}
