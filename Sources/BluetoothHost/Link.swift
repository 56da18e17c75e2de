import ByteCoding

/// One connection: its reassembly, its two GATT halves, and who uses it.
///
/// A class, so that the host's inputs change it in place; it never leaves the host. `Host` is not copyable and all its
/// inputs are `mutating`, so two accesses can never overlap: the run-time check of that, a tenth of a read's
/// instructions, is off.
final class Link {
  /// How many frames may wait for the controller before Write Commands and notifications are refused.
  static let transmitCapacity = 32
  /// How many values may wait for a client before they are dropped, where the controller offers no flow control.
  static let undeliveredCapacity = 1024
  /// How long the controller may take to report the end of a link after it was told to end it.
  static let disconnectTimeout = Duration.seconds(6)

  let id: LinkID
  let handle: ConnectionHandle
  let peer: BluetoothAddress
  let role: LinkRole
  @exclusivity(unchecked) var reassembler = ACLReassembler()
  @exclusivity(unchecked) var client: GATTClient
  @exclusivity(unchecked) var server: ATTServer

  /// What the halves want done; the host takes it in `pump`.
  @exclusivity(unchecked) var clientOutputs: [GATTClientOutput] = []
  @exclusivity(unchecked) var serverOutputs: [ATTServerOutput] = []

  /// Clients that use the link as GATT clients. The last one to let go ends a link of which we are the central.
  @exclusivity(unchecked) var claims: [ClientID] = []
  /// Clients whose Write Command was refused, and who wait to hear that there is room again.
  @exclusivity(unchecked) var waitingWriters: [ClientID] = []
  /// Set when the host told the controller to end the link: nothing more is sent.
  @exclusivity(unchecked) var disconnectDeadline: Duration?
  /// Whether a client asked for the end.
  @exclusivity(unchecked) var endWasRequested = false
  /// Values given to clients and not consumed yet.
  @exclusivity(unchecked) var undelivered = 0
  /// Values that were dropped since a client did not keep up.
  @exclusivity(unchecked) var dropped = 0
  /// Packets that the controller may count as free again.
  @exclusivity(unchecked) var returnable = 0

  init(id: LinkID, handle: ConnectionHandle, peer: BluetoothAddress, role: LinkRole, preferredMTU: Int) {
    self.id = id
    self.handle = handle
    self.peer = peer
    self.role = role
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

  /// The earliest of the link's own deadlines.
  var nextDeadline: Duration? {
    if let disconnectDeadline { return disconnectDeadline }
    return earliest(client.nextDeadline, server.nextDeadline)
  }
}

/// The earlier of two deadlines, of which either may be absent.
func earliest(_ a: Duration?, _ b: Duration?) -> Duration? {
  guard let a else { return b }
  guard let b else { return a }
  return min(a, b)
}
