import LatchkeyByteCoding

/// One connection: its reassembly, its two GATT halves, and who uses it.
///
/// A class, so that the host's inputs change it in place; it never leaves the host. `Host` is not copyable and all its
/// inputs are `mutating`, so two accesses can never overlap: the run-time check of that, a tenth of a read's
/// instructions, is off.
final class Link {
  /// How many frames may wait for the controller at most before Write Commands and notifications are refused.
  static let transmitCapacity = LinkPace.most
  /// How many values may wait on a link that is slower than other subscribers before they are dropped.
  static let updateLag = 256
  /// How many values may wait for a client before they are dropped, where the controller offers no flow control.
  static let undeliveredCapacity = 1024
  /// How many connection events a new link may take to prove itself: a controller gives up after six without an answer
  /// (Core 6.0 Vol 6 Part B 4.5.2), and takes a moment to say so.
  static let eventsToEstablish = 8
  /// How long the controller may take to report the end of a link after it was told to end it.
  static let disconnectTimeout = Duration.seconds(6)
  /// How long a change of parameters may take before the peer may ask for another one: some controllers never tell.
  static let parametersChangeTimeout = Duration.seconds(30)

  let id: LinkID
  let handle: ConnectionHandle
  let peer: BluetoothAddress
  let role: LinkRole
  /// How often connecting failed before.
  let failures: Int
  @exclusivity(unchecked) var reassembler = ACLReassembler()
  @exclusivity(unchecked) var client: GATTClient
  @exclusivity(unchecked) var server: ATTServer

  /// What the halves want done; the host takes it in `pump`.
  @exclusivity(unchecked) var clientOutputs: [GATTClientOutput] = []
  @exclusivity(unchecked) var serverOutputs: [ATTServerOutput] = []

  /// When a link that this host initiated counts as established, though nothing came over it yet; until then no client
  /// is told of it, since its first packets may have been lost (0x3E). Nil once it is established.
  @exclusivity(unchecked) private(set) var establishDeadline: Duration?

  /// Clients that use the link as GATT clients. The last one to let go ends a link of which we are the central.
  @exclusivity(unchecked) var claims: [ClientID] = []
  /// Clients whose Write Command was refused, and who wait to hear that there is room again.
  @exclusivity(unchecked) var waitingWriters: [ClientID] = []
  /// Clients that asked for the signal strength.
  @exclusivity(unchecked) var waitingForRSSI: [ClientID] = []
  /// Until when the controller is taken to be changing the connection's parameters at the peer's wish.
  @exclusivity(unchecked) var parametersChangeUntil: Duration?
  /// What of the database changed without the peer having been told so.
  @exclusivity(unchecked) var unreportedChange: AttributeHandleRange?
  /// Set when the host told the controller to end the link: nothing more is sent.
  @exclusivity(unchecked) var disconnectDeadline: Duration?
  /// Whether a client asked for the end.
  @exclusivity(unchecked) var endWasRequested = false
  /// Whether the clients have heard of the end.
  @exclusivity(unchecked) var isEndTold = false
  /// Values given to clients and not consumed yet.
  @exclusivity(unchecked) var backlog = ClientBacklog()
  /// Packets that the controller may count as free again.
  @exclusivity(unchecked) var returnable = 0
  /// When the host serves the link next, as far as its list of deadlines knows.
  @exclusivity(unchecked) var armedDeadline: Duration?

  /// How many frames may wait.
  @exclusivity(unchecked) var pace = LinkPace()
  /// Values for the peer that go once there is room again: other subscribers were not to wait for it.
  @exclusivity(unchecked) var laggingUpdates = FrameQueue()
  /// With how many frames gone the request that is out, and the indication, have gone; nil once they have.
  @exclusivity(unchecked) var requestEnd: UInt64?
  @exclusivity(unchecked) var indicationEnd: UInt64?
  /// How many frames had gone when the request or the indication had its time before.
  @exclusivity(unchecked) var sentWhenExcused: UInt64 = 0
  /// Clients whose value was refused, and who wait to hear that there is room again.
  @exclusivity(unchecked) var waitingNotifiers: [WaitingNotifier] = []
  @exclusivity(unchecked) var droppedValues = DropCounter()
  @exclusivity(unchecked) var droppedUpdates = DropCounter()

  init(id: LinkID, _ event: LEConnectionComplete, preferredMTU: Int, failures: Int, now: Duration) {
    self.id = id
    handle = event.connectionHandle
    peer = event.peer
    role = event.role
    self.failures = failures
    if role == .central {
      // Units of 1.25 ms.
      establishDeadline = now + .microseconds(1250 * Int(event.interval) * Self.eventsToEstablish)
    }
    client = GATTClient(preferredMTU: preferredMTU, exchangesMTU: role == .central)
    server = ATTServer(link: id, peer: peer, preferredMTU: preferredMTU)
  }

  /// Whether the server half takes another value for a characteristic, whichever way the peer asked for it.
  func hasRoomForUpdate(of valueHandle: AttributeHandle) -> Bool {
    server.subscription(to: valueHandle) != .indications || hasRoomForIndications
  }

  var hasRoomForIndications: Bool {
    server.indications.outstanding == nil || server.indications.waiting.count < IndicationQueue.mostWaiting
  }

  var isClosing: Bool { disconnectDeadline != nil }

  var isEstablished: Bool { establishDeadline == nil }

  func setEstablished() { establishDeadline = nil }

  /// The earliest of the link's own deadlines.
  var nextDeadline: Duration? {
    if let disconnectDeadline { return disconnectDeadline }
    if let establishDeadline { return establishDeadline }
    return earliest(client.nextDeadline, server.nextDeadline)
  }
}

/// A client whose value a link refused.
struct WaitingNotifier: Hashable {
  var client: ClientID
  /// Which refusal it was; the client may have been told since.
  var refusal: UInt64
  /// Whether it was refused for want of room for indications, not only of room for frames.
  var wantsIndication: Bool
}

/// The earlier of two deadlines, of which either may be absent.
func earliest(_ a: Duration?, _ b: Duration?) -> Duration? {
  guard let a else { return b }
  guard let b else { return a }
  return min(a, b)
}
