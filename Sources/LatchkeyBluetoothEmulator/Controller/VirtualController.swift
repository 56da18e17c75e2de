import LatchkeyBluetoothHost

/// One virtual controller: the part that survives a reset, and the state that a reset clears.
struct VirtualController: Sendable {
  let id: ControllerID
  let configuration: ControllerConfiguration
  /// The public device address.
  let address: BluetoothAddress
  /// The features of its link layer.
  let features: LEFeatures
  /// The commands that it supports.
  let supportedCommands: Set<HCIOpcode>
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
  /// The last identifier of advertising data; it survives a reset, so that scanners do not take new data for old ones.
  private var lastDataIdentifier: UInt16
  /// The number of the host's packets that could not be processed.
  var droppedPackets: UInt64 = 0

  init(id: ControllerID, configuration: ControllerConfiguration, address: BluetoothAddress) {
    self.id = id
    self.configuration = configuration
    self.address = address
    features = LEFeatures(rawValue: configuration.features.rawValue)
    supportedCommands = Self.commands(for: features)
    buffers = configuration.buffers
    // Two controllers seldom use the same ones: without addresses nothing else tells their sets apart.
    lastDataIdentifier = UInt16(truncatingIfNeeded: address.value &* 0x9E37)
  }

  var isOnAir: Bool { isPresent && isPowered }

  /// The longest data PDUs that this link layer supports.
  var maximumDataLength: DataLength {
    features.contains(.dataPacketLengthExtension) ? .maximum : .initial
  }

  /// The physical layers that its radio has.
  var supportedPHYs: LEPHYs {
    var phys = LEPHYs.le1M
    if features.contains(.phy2M) { phys.insert(.le2M) }
    if features.contains(.phyCoded) { phys.insert(.leCoded) }
    return phys
  }

  /// A new identifier of advertising data, 12 bits.
  mutating func nextDataIdentifier() -> UInt16 {
    lastDataIdentifier = (lastDataIdentifier + 1) & 0x0FFF
    return lastDataIdentifier
  }

  @inline(__always)
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
  /// The family of the first command of advertising, scanning and initiating.
  var commandFamily: AirCommandFamily?
  /// The advertising sets, or legacy advertising alone.
  var advertisers: [VirtualAdvertiser] = []
  var scanner = VirtualScanner()
  var initiator: VirtualInitiator?
  var filterAcceptList: [BluetoothAddress] = []
  var resolvingList = ResolvingList()
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

  /// Gives access to legacy advertising, which exists from its first command.
  mutating func withLegacyAdvertiser<Value>(_ body: (inout VirtualAdvertiser) -> Value) -> Value {
    if let index = advertisers.firstIndex(where: { $0.handle == nil }) { return body(&advertisers[index]) }
    advertisers.append(VirtualAdvertiser(handle: nil))
    return body(&advertisers[advertisers.count - 1])
  }

  struct LateCredit: Sendable {
    var at: Duration
    var handle: ConnectionHandle
    var count: Int
  }
}
