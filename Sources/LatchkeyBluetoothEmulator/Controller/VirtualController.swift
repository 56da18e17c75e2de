import LatchkeyBluetoothHost

/// One virtual controller: the part that survives a reset, and the state that a reset clears.
struct VirtualController: Sendable {
  let id: ControllerID
  let configuration: ControllerConfiguration
  /// The public device address.
  let address: BluetoothAddress
  var faults = ControllerFaults() {
    didSet { buffers = faults.buffers ?? configuration.buffers }
  }
  /// The buffers that are announced and enforced.
  private(set) var buffers: ACLBuffers
  /// Whether the slot in the radio's table is in use.
  var isPresent = true
  var isPowered = true
  var state = ControllerState()
  /// The last handle; it survives a reset, so that late packets do not reach a new link under an old handle.
  var lastHandle: UInt16 = 0
  /// The number of the host's packets that could not be processed.
  var droppedPackets: UInt64 = 0

  init(id: ControllerID, configuration: ControllerConfiguration, address: BluetoothAddress) {
    self.id = id
    self.configuration = configuration
    self.address = address
    buffers = configuration.buffers
  }

  var isOnAir: Bool { isPresent && isPowered }

  var features: LEFeatures { LEFeatures(rawValue: configuration.features.rawValue) }

  /// The longest data PDUs that this link layer supports.
  var maximumDataLength: DataLength {
    features.contains(.dataPacketLengthExtension) ? .maximum : .initial
  }

  /// The address of a kind; nil for random while none was set.
  func ownAddress(_ kind: BluetoothAddress.Kind) -> BluetoothAddress? {
    kind == .public ? address : state.randomAddress
  }

  func linkIndex(_ handle: ConnectionHandle) -> Int? { state.links.index(of: handle) }

  /// A handle for a new link: the next in rotation, or the lowest free one.
  mutating func allocateHandle() -> ConnectionHandle {
    let highest: UInt16 = 0x0EFF
    var candidate = faults.reusesHandles ? 1 : lastHandle % highest + 1
    while linkIndex(ConnectionHandle(rawValue: candidate)) != nil { candidate = candidate % highest + 1 }
    lastHandle = candidate
    return ConnectionHandle(rawValue: candidate)
  }
}

/// All state that HCI Reset clears.
struct ControllerState: Sendable {
  // Defaults of Core 6.0 Vol 4 Part E 7.3.1 and 7.8.1: LE Meta events are off until a host asks for them.
  var eventMask: UInt64 = 0x0000_1FFF_FFFF_FFFF
  var leEventMask: UInt64 = 0x1F
  var randomAddress: BluetoothAddress?
  var advertiser = VirtualAdvertiser()
  var scanner = VirtualScanner()
  var initiator: HCILECreateConnection?
  var filterAcceptList: [BluetoothAddress] = []
  var suggestedOctets: UInt16 = 27
  var suggestedTime: UInt16 = 328
  var links: [VirtualLink] = []
  var hostFlow = HostFlowControl()
  /// ACL packets of the host without a returned credit, over all links.
  var inController = 0
  /// Whether the controller is in the radio's list of those with completed packets to report.
  var isReporting = false
  /// Credits that a fault withholds.
  var lateCredits: [LateCredit] = []
  /// Completed packets so far, for the fault that loses every n-th.
  var completedPackets = 0
  /// When a fault allows the host to send commands again.
  var commandCreditAt: Duration?

  struct LateCredit: Sendable {
    var at: Duration
    var handle: ConnectionHandle
    var count: Int
  }
}
