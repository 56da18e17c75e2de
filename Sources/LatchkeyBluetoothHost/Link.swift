import LatchkeyByteCoding

/// One connection: its reassembly, its two GATT halves, and the clients that use it.
///
/// A class, so that the host's inputs change it in place; it never leaves the host. `Host` is not copyable and all its
/// inputs are `mutating`, so two accesses never overlap. The run-time check of that, a tenth of a read's instructions,
/// is off.
final class Link {
  /// The most frames that may wait for the controller before Write Commands and notifications are refused.
  static let transmitCapacity = LinkPace.most
  /// The most values that may wait on a link slower than other subscribers before they are dropped.
  static let updateLag = 256
  /// The most values that may wait for a client before they are dropped, where the controller offers no flow control.
  static let undeliveredCapacity = 1024
  /// The number of connection events after which a new link counts as established: a controller gives up after six
  /// without an answer (Core 6.0 Vol 6 Part B 4.5.2), and reports it a moment later.
  static let eventsToEstablish = 8
  /// How long the controller may take to report the end of a link after the command to end it.
  static let disconnectTimeout = Duration.seconds(6)
  /// How long a change of parameters may take before the peer may request another one: some controllers never report
  /// it.
  static let parametersChangeTimeout = Duration.seconds(30)

  let id: LinkID
  let handle: ConnectionHandle
  /// The address by which clients know the peer (`Bond.knownAddress`), or its identity, if the one that waited for the link
  /// knows it by that.
  let peer: BluetoothAddress
  /// The addresses of both ends on the air when the link was made, with which pairing computes.
  let localAddress: BluetoothAddress
  let peerAddress: BluetoothAddress
  let role: LinkRole
  /// The number of earlier failed attempts to connect.
  let failures: Int
  @exclusivity(unchecked) var reassembler = ACLReassembler()
  @exclusivity(unchecked) var client: GATTClient
  @exclusivity(unchecked) var server: ATTServer

  /// Outputs of the halves; the host performs them in `pump`.
  @exclusivity(unchecked) var clientOutputs: [GATTClientOutput] = []
  @exclusivity(unchecked) var serverOutputs: [ATTServerOutput] = []

  /// When a link that this host initiated counts as established, although nothing arrived over it yet. Until then it is
  /// not reported to clients, since its first packets may have been lost (0x3E). Nil once it is established.
  @exclusivity(unchecked) private(set) var establishDeadline: Duration?

  /// Clients that use the link as GATT clients. If this host is the central, the release of the last claim ends the
  /// link.
  @exclusivity(unchecked) var claims: [ClientID] = []
  /// Clients whose Write Command was refused and who wait for capacity.
  @exclusivity(unchecked) var waitingWriters: [ClientID] = []
  /// Clients that requested the signal strength.
  @exclusivity(unchecked) var waitingForRSSI: [ClientID] = []
  /// The commands of this host on the signalling channel.
  @exclusivity(unchecked) var signalling = L2CAPSignallingMachine()
  /// The channels with credits.
  @exclusivity(unchecked) var channels = ChannelTable()
  /// The keys of the link; they are wiped when it ends.
  @exclusivity(unchecked) var keys = LinkKeys()
  /// Its pairing, and who waits for its security; nil until the first of both.
  @exclusivity(unchecked) var pairing: LinkPairing?
  /// The other address by which clients may name the peer, which is not connected to meanwhile.
  @exclusivity(unchecked) var heldName: BluetoothAddress?
  /// Whether the answer to a request of the peer's controller for other parameters is on its way.
  @exclusivity(unchecked) var isAnsweringParameters = false
  /// Until when the controller counts as busy with a change of the connection's parameters that the peer requested.
  @exclusivity(unchecked) var parametersChangeUntil: Duration?
  /// Whether changes of what the server half knows of the peer are kept: the link is that of a stored bond.
  @exclusivity(unchecked) var isClientKept = false
  /// When they go to the store.
  @exclusivity(unchecked) var clientSaveDeadline: Duration?
  /// The range of the database that changed and was not reported to the peer.
  @exclusivity(unchecked) var unreportedChange: AttributeHandleRange?
  /// Set when the host commanded the controller to end the link: nothing more is sent.
  @exclusivity(unchecked) var disconnectDeadline: Duration?
  /// Whether a client requested the end.
  @exclusivity(unchecked) var endWasRequested = false
  /// Whether the end was reported to the clients.
  @exclusivity(unchecked) var isEndReported = false
  /// Values delivered to clients and not consumed yet.
  @exclusivity(unchecked) var backlog = ClientBacklog()
  /// Packets that the controller may reuse.
  @exclusivity(unchecked) var returnable = 0
  /// The deadline of the link in the host's list of deadlines.
  @exclusivity(unchecked) var armedDeadline: Duration?

  /// How many frames may wait.
  @exclusivity(unchecked) var pace = LinkPace()
  /// Values for the peer that wait for capacity, since other subscribers do not wait for it.
  @exclusivity(unchecked) var laggingUpdates = FrameQueue()
  /// The number of sent frames at which the outstanding request, and the indication, have left; nil once they have.
  @exclusivity(unchecked) var requestEnd: UInt64?
  @exclusivity(unchecked) var indicationEnd: UInt64?
  /// The number of frames sent when the request or the indication got more time before.
  @exclusivity(unchecked) var sentWhenExcused: UInt64 = 0
  /// Clients whose value was refused and who wait for capacity.
  @exclusivity(unchecked) var waitingNotifiers: [WaitingNotifier] = []
  @exclusivity(unchecked) var droppedValues = DropCounter()
  @exclusivity(unchecked) var droppedUpdates = DropCounter()

  init(
    id: LinkID, _ event: LEConnectionComplete, local: BluetoothAddress, peer: BluetoothAddress,
    preferredMTU: Int, leastKeySize: UInt8 = 7, failures: Int, now: Duration
  ) {
    self.id = id
    handle = event.connectionHandle
    self.peer = peer
    localAddress = event.localOnAir ?? local
    peerAddress = event.peerOnAir
    role = event.role
    self.failures = failures
    if role == .central {
      // Units of 1.25 ms.
      establishDeadline = now + .microseconds(1250 * Int(event.interval) * Self.eventsToEstablish)
    }
    client = GATTClient(preferredMTU: preferredMTU, exchangesMTU: role == .central)
    server = ATTServer(link: id, peer: peer, preferredMTU: preferredMTU, leastKeySize: leastKeySize)
  }

  /// The link's security now.
  var security: LinkSecurity { server.security }

  /// Whether the server half accepts another value for a characteristic, by notification or indication.
  func hasCapacityForUpdate(of valueHandle: AttributeHandle) -> Bool {
    server.subscription(to: valueHandle) != .indications || hasCapacityForIndications
  }

  var hasCapacityForIndications: Bool {
    server.indications.outstanding == nil || server.indications.waiting.count < IndicationQueue.mostWaiting
  }

  var isClosing: Bool { disconnectDeadline != nil }

  var isEstablished: Bool { establishDeadline == nil }

  func setEstablished() { establishDeadline = nil }

  /// The earliest of the link's own deadlines.
  var nextDeadline: Duration? {
    if let disconnectDeadline { return disconnectDeadline }
    if let establishDeadline { return establishDeadline }
    var deadline = client.nextDeadline
    // Most links have none of the others.
    if let other = server.nextDeadline { deadline = earliest(deadline, other) }
    if signalling.isAwaiting || !channels.isEmpty { deadline = earliest(deadline, channelDeadline) }
    if let pairing { deadline = earliest(earliest(deadline, pairing.nextDeadline), clientSaveDeadline) }
    return deadline
  }

  /// The earliest deadline of channels and of commands on the signalling channel.
  var channelDeadline: Duration? { earliest(signalling.nextDeadline, channels.nextDeadline) }
}

/// A client whose value a link refused.
struct WaitingNotifier: Hashable {
  var client: ClientID
  /// The number of the refusal; the client may have been notified since.
  var refusal: UInt64
  /// Whether it was refused for lack of capacity for indications, not only for frames.
  var wantsIndication: Bool
}

/// The earlier of two deadlines, of which either may be absent.
func earliest(_ a: Duration?, _ b: Duration?) -> Duration? {
  guard let a else { return b }
  guard let b else { return a }
  return min(a, b)
}
