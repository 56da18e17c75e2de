import LatchkeyBluetoothHost

/// The encryption of one end of a link (Core 6.0 Vol 6 Part B 5.1.3).
///
/// A link between two controllers carries its packets in clear whatever the state: the two ends compare their keys, and
/// that decides all that a host can observe.
struct LinkEncryption: Sendable {
  /// How long a procedure may wait for the other end (Vol 6 Part B 5.2).
  static let responseTimeout = Duration.seconds(40)

  /// A step of the procedure that starts, or restarts, encryption.
  enum Phase: Sendable {
    /// The central stopped an encrypted link: it waits for LL_PAUSE_ENC_RSP, and then asks for the key of these numbers.
    case pausing(randomNumber: UInt64, encryptedDiversifier: UInt16)
    /// The peripheral stopped an encrypted link: it waits for LL_ENC_REQ.
    case paused
    /// The central sent LL_ENC_REQ.
    case requested
    /// The peripheral's host is asked for the key.
    case awaitingKey
    /// The peripheral sent LL_START_ENC_REQ, or the central LL_START_ENC_RSP.
    case starting
  }

  /// Whether this end encrypts.
  private(set) var isOn = false
  /// The step that is under way; data waits meanwhile.
  private(set) var phase: Phase?
  /// The key of this host for the procedure under way.
  private(set) var key: SecurityKey?
  /// When the procedure has waited too long; the central measures it for both ends.
  private(set) var deadline: Duration?

  /// Whether data waits for the end of a procedure.
  var holdsData: Bool { phase != nil }

  var isAwaitingKey: Bool { if case .awaitingKey = phase { true } else { false } }

  /// Begins or continues a procedure.
  mutating func advance(to phase: Phase, deadline: Duration? = nil) {
    self.phase = phase
    self.deadline = deadline
  }

  /// Sets the key of this host; it is wiped when the procedure ends.
  mutating func setKey(_ key: SecurityKey) { self.key = key }

  /// An end of a link without a procedure.
  init(isOn: Bool = false) { self.isOn = isOn }
}

extension VirtualLink {
  /// Whether a PDU of the queue waits for the end of an encryption procedure. One that is partly across is completed.
  func holdsBack(_ pdu: LinkPDU) -> Bool {
    guard encryption.holdsData, progress == 0, case .data = pdu else { return false }
    return true
  }

  /// Adds a PDU to the queue. During an encryption procedure those of the link layer pass waiting data.
  mutating func enqueue(_ pdu: LinkPDU, readyAt: Duration) {
    let entry = Waiting(pdu: pdu, readyAt: readyAt)
    guard encryption.holdsData, case .control = pdu, let index = queue.indices.first(where: isPassed) else {
      return queue.append(entry)
    }
    queue.insert(entry, at: index)
  }

  /// Moves the link layer's PDUs in front of data that waits from now on.
  mutating func reorderQueue() {
    let waiting = queue
    queue = []
    for (index, entry) in waiting.enumerated() where index == 0 && progress > 0 || entry.pdu.isControl {
      queue.append(entry)
    }
    for (index, entry) in waiting.enumerated() where !(index == 0 && progress > 0) && !entry.pdu.isControl {
      queue.append(entry)
    }
  }

  private func isPassed(_ index: Int) -> Bool { !(index == 0 && progress > 0) && !queue[index].pdu.isControl }
}

extension LinkPDU {
  fileprivate var isControl: Bool { if case .control = self { true } else { false } }
}
