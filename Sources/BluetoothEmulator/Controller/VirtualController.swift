import BluetoothHost

/// One virtual controller: what a reset leaves, and the state that it wipes.
///
/// A class, so that a packet does not copy it; it never leaves the radio. `Radio` is not copyable and all its inputs are
/// `mutating`, so two accesses can never overlap: the run-time check of that is off.
final class VirtualController {
  let id: ControllerID
  let configuration: ControllerConfiguration
  /// The public device address.
  let address: BluetoothAddress
  @exclusivity(unchecked) var faults = ControllerFaults()
  /// Whether the place in the radio's table is taken.
  @exclusivity(unchecked) var isPresent = true
  @exclusivity(unchecked) var isPowered = true
  @exclusivity(unchecked) var state = ControllerState()
  /// The handle given last; it outlives a reset, so that nothing late finds a new link under an old handle.
  @exclusivity(unchecked) var lastHandle: UInt16 = 0
  /// Packets of the host that no controller could make sense of.
  @exclusivity(unchecked) var droppedPackets: UInt64 = 0

  init(id: ControllerID, configuration: ControllerConfiguration, address: BluetoothAddress) {
    self.id = id
    self.configuration = configuration
    self.address = address
  }

  var isOnAir: Bool { isPresent && isPowered }

  /// The buffers that are announced and held to.
  var buffers: ACLBuffers { faults.buffers ?? configuration.buffers }

  /// The longest ACL payload that goes to the host in one packet.
  var deliveryLength: Int { min(buffers.length, state.hostFlow.packetLength) }

  var features: LEFeatures { LEFeatures(rawValue: configuration.features.rawValue) }

  /// The longest data PDUs that this link layer can do.
  var maximumDataLength: DataLength {
    features.contains(.dataPacketLengthExtension) ? .maximum : .initial
  }

  /// The address that a kind stands for; nil for random while none was set.
  func ownAddress(_ kind: BluetoothAddress.Kind) -> BluetoothAddress? {
    kind == .public ? address : state.randomAddress
  }

  /// Where a link stands in the list; links are few, so a search from the front beats a table.
  func linkIndex(_ handle: ConnectionHandle) -> Int? {
    for index in state.links.indices where state.links[index].handle == handle { return index }
    return nil
  }

  /// A handle for a new link: round and round, or the lowest that is free.
  func allocateHandle() -> ConnectionHandle {
    let highest: UInt16 = 0x0EFF
    var candidate = faults.reusesHandles ? 1 : lastHandle % highest + 1
    while linkIndex(ConnectionHandle(rawValue: candidate)) != nil { candidate = candidate % highest + 1 }
    lastHandle = candidate
    return ConnectionHandle(rawValue: candidate)
  }
}

/// Everything that HCI Reset wipes.
struct ControllerState: Sendable {
  // Defaults of Core 6.0 Vol 4 Part E 7.3.1 and 7.8.1: LE Meta events are off until a host asks for them.
  var eventMask: UInt64 = 0x0000_1FFF_FFFF_FFFF
  var leEventMask: UInt64 = 0x1F
  var randomAddress: BluetoothAddress?
  var advertiser = Advertiser()
  var scanner = Scanner()
  var initiator: HCILECreateConnection?
  var filterAcceptList: [BluetoothAddress] = []
  var suggestedOctets: UInt16 = 27
  var suggestedTime: UInt16 = 328
  var links: [Link] = []
  var hostFlow = HostFlowControl()
  /// ACL packets of the host for which it has no credit back yet, all links together.
  var inController = 0
  /// Whether the controller stands in the radio's list of those with completed packets to tell.
  var isReporting = false
  /// Credits that a fault holds back.
  var lateCredits: [LateCredit] = []
  /// Completed packets so far, for the fault that loses every n-th.
  var completedPackets = 0
  /// When a fault lets the host send commands again.
  var commandCreditAt: Duration?

  struct LateCredit: Sendable {
    var at: Duration
    var handle: ConnectionHandle
    var count: Int
  }
}
