import LatchkeyBluetoothHost

/// One controller's end of a link.
struct VirtualLink: Sendable {
  let handle: ConnectionHandle
  let role: LinkRole
  let addresses: LinkAddresses
  /// The other end; nil once the controller there is removed, off or reset.
  var peer: LinkEnd?

  // Timing, in HCI's units (1.25 ms; events; 10 ms).
  var interval: UInt16
  var latency: UInt16
  var supervisionTimeout: UInt16
  /// The time of the first connection event: all others are whole intervals away.
  var anchor: Duration

  // The air between the two ends.
  /// Whether data passes in the call that sends it: no loss, no delay, no fault, no procedure of encryption.
  var isClear = false
  /// The probability that one PDU is lost.
  var loss = 0.0
  var rssi: Int8 = 0
  /// Whether a fault silenced the link.
  var isCut = false
  /// When the link is lost if nothing is received until then; nil while nothing impedes it.
  var lostAt: Duration?
  /// The reason that the host receives then.
  var lossReason = HCIStatus.connectionTimeout
  /// The next connection event for which chance decides whether anything is received.
  var sampleAt: Duration?

  // Towards the peer.
  /// PDUs that wait to cross, oldest first; bounded by the buffers of the host and one PDU for each procedure.
  var queue: [Waiting] = []
  /// How many PDUs of the air the first of the queue has completed.
  var progress = 0
  /// When the first of the queue is tried; nil while there is none, or the air is blocked.
  var tryAt: Duration?
  /// ACL packets of the host without a returned credit.
  var inController = 0
  /// Those of them that are completed, to be reported to the host.
  var completed = 0
  /// The report of one of them, which is the most frequent; empty until the first.
  var reportOfOne: [UInt8] = []

  // Towards the host.
  /// ACL packets that wait for the host's buffers.
  var held: [Held] = []
  /// ACL packets that the host has not returned, while it uses flow control.
  var atHost = 0
  /// The events that report this link to the host, while a fault holds them back.
  var heldEvents: [[UInt8]] = []
  var heldEventAt: Duration?

  // Procedures.
  /// The data length that this side requests, and the agreed one.
  var wantedLength = DataLength.initial
  var length = DataLength.initial
  /// Whether this side sent LL_TERMINATE_IND.
  var isTerminating = false
  var encryption = LinkEncryption()
  /// Whether the central's host is being asked for other parameters.
  var awaitsParameterReply = false

  /// A PDU that waits to cross.
  struct Waiting: Sendable {
    var pdu: LinkPDU
    var readyAt: Duration
  }

  /// An ACL packet for this host, complete but for its handle.
  struct Held: Sendable {
    var packet: [UInt8]
    /// Whether it is the last part of the peer host's packet: then that host gets its credit.
    var completes: Bool
  }

  /// Returns credits to the host: the event for it.
  mutating func report(_ count: Int) -> [UInt8] {
    inController -= count
    guard count == 1 else {
      return HCINumberOfCompletedPackets.packet(handle, count: UInt16(truncatingIfNeeded: count))
    }
    if reportOfOne.isEmpty { reportOfOne = HCINumberOfCompletedPackets.packet(handle, count: 1) }
    return reportOfOne
  }

  var peerAddress: BluetoothAddress { addresses.peerOnAir }
  var intervalDuration: Duration { .microseconds(Int64(interval) * 1250) }
  var supervisionDuration: Duration { .milliseconds(Int64(supervisionTimeout) * 10) }
}

/// The addresses of a link as one end knows them (Core 6.0 Vol 4 Part E 7.7.65.10).
struct LinkAddresses: Sendable {
  /// That of the peer on the air.
  var peerOnAir: BluetoothAddress
  /// The peer as the host knows it.
  var peer: ResolvingList.Peer
  /// The private address of this end, if the controller has made it.
  var local: BluetoothAddress?

  /// Whether an address names the peer.
  func names(_ address: BluetoothAddress) -> Bool { address == peer.address || address == peerOnAir }
}

/// Identifies one end of a link: a slot in the radio's table of controllers, and the handle there.
struct LinkEnd: Sendable, Equatable {
  var slot: Int
  var handle: ConnectionHandle
}
