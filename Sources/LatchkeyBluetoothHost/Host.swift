/// A Bluetooth LE host without I/O: both roles over one controller (Core 6.0 Vol 1 Part A 2.1).
///
/// The contract: call an input (`start`, `receive`, `handleTimeout`, `stop`, or a client's request), then perform
/// `dequeueOutputs()` in order, then arm a timer for `nextDeadline`. `now` is a monotonic time since any fixed origin. Inputs
/// may arrive at any time, but one at a time.
///
/// Clients, the managers of an application, are distinguished by `ClientID`; they share scanning, links and the database.
/// Events to clients are in `HostEvent`; a request with a `RequestID` ends exactly once, in `HostOutput.completion`.
public struct Host: ~Copyable {
  /// The purpose of an outstanding HCI command.
  enum CommandTag: Sendable {
    case initialization
    case advertisingSetUp(Advertiser.Round)
    case advertisingEnable(Advertiser.Round)
    case acceptList(ConnectionInitiator.Attempt)
    case createConnection(ConnectionInitiator.Attempt)
    case startScanning
    case cancelConnection(ConnectionInitiator.Attempt)
    case disconnect(LinkID)
    case rssi(LinkID)
    case parameters(LinkID)
    /// The answer to a request of a peer's controller for other parameters.
    case parameterAnswer(LinkID)
    case encryption(LinkID)
    case keyAnswer(LinkID)
    /// The answer to a Long Term Key Request for no link.
    case keyRefusal
    /// Anything else about a link.
    case optional(LinkID)
    /// The host's next private address.
    case localAddress
    /// A change of the resolving list, for the entry of an identity or the whole list.
    case resolvingList(BluetoothAddress?)
    /// No state depends on the reply.
    case ignored

    /// The link that the command names by its handle.
    var link: LinkID? {
      switch self {
      case .disconnect(let link), .rssi(let link), .parameters(let link), .parameterAnswer(let link),
        .encryption(let link), .keyAnswer(let link), .optional(let link):
        link
      case .initialization, .advertisingSetUp, .advertisingEnable, .acceptList, .createConnection, .cancelConnection,
        .startScanning, .keyRefusal, .localAddress, .resolvingList, .ignored:
        nil
      }
    }
  }

  let configuration: HostConfiguration
  var outputs: [HostOutput] = []
  /// The host's and its controller's state.
  public internal(set) var state = HostState.poweredOff
  /// The number of the current powered-on period, or of the last one.
  public private(set) var life = HostLife(0)
  var clients: [ClientID] = []
  private var lastClient: UInt32 = 0
  private var lastLink: UInt32 = 0
  var lastServerRequest: UInt64 = 0

  var commands = HCICommandQueue<CommandTag>()
  var initialization: ControllerInitialization?
  var capabilities = ControllerCapabilities()
  /// Why the controller cannot be used, in the state `unsupported`.
  package internal(set) var failure: ControllerInitialization.Failure?
  var acl = ACLTransmitter()
  var links = LinkTable()
  private var linkDeadlines = LinkDeadlines()
  var scanner = Scanner()
  /// The scanning state last commanded to the controller: nil when off, else whether it filters duplicates.
  var scanningInController: Bool?
  var advertising = AdvertisingSets()
  var initiator = ConnectionInitiator()
  var localAddress: LocalAddress
  var resolvingList = ControllerResolvingList()
  var database: GATTDatabase
  /// Clients whose value was refused and who wait for capacity, each with the number of its refusal.
  var waitingNotifiers: [(client: ClientID, refusal: UInt64)] = []
  var lastRefusal: UInt64 = 0
  /// Data that arrived for a handle before its connection event; some controllers deliver early.
  var early = EarlyPackets()
  /// Whether the answer to a Long Term Key Request for no link is on its way.
  var isRefusingKeys = false
  /// The channels with credits, and the services that they belong to.
  var channels = ChannelRegistry()
  /// As many random bytes as are asked for.
  let random: @Sendable (Int) -> [UInt8]
  var bonds = BondTable()
  /// What is known of bonded peers' databases.
  var databases = KnownDatabases()
  var pairingAttempts = PairingAttemptTable()
  /// Data of this host that a client gives to a device by another way than Bluetooth, until a pairing uses them.
  var localOutOfBand: LocalOutOfBandData?
  /// The key pair of the next pairing, made ahead.
  var nextKeyPair: PairingKeyPair?
  /// The clients' terms of pairing.
  var pairingTerms: [(client: ClientID, terms: PairingTerms)] = []
  /// The shares of the window that the controller may fill.
  var window = ReceiveWindow()
  /// Links with packets that the controller may reuse.
  var returningLinks: [Link] = []
  /// Whether the next value delivered from the current packet is the first: then it holds the packet.
  var canHoldPacket = false
  /// Counts of ignored input, for diagnosis.
  public internal(set) var ignored = IgnoredCounts()

  /// A host without a controller; call `start(now:)` once there is one.
  ///
  /// - Parameter random: as many random bytes as it is asked for, from a cryptographic source. Without it, no pairing
  ///   succeeds.
  public init(configuration: HostConfiguration, random: @escaping @Sendable (Int) -> [UInt8] = { _ in [] }) {
    self.configuration = configuration
    self.random = random
    localAddress = LocalAddress(configuration)
    database = GATTDatabase(deviceName: configuration.name, appearance: configuration.appearance)
  }

  // MARK: Inputs

  /// Reports that a controller is being searched for: the state is unknown until `start(now:)` or `stop(now:)`.
  public mutating func expectController() { setState(.unknown) }

  /// Reports that a controller is there: the host resets it and reads its capabilities.
  public mutating func start(now: Duration) {
    endEverything(now: now)
    setState(.unknown)
    beginInitialization(now: now)
  }

  /// Reports that the controller is gone.
  public mutating func stop(now: Duration) {
    endEverything(now: now)
    setState(.poweredOff)
  }

  /// Handles one whole H4 packet from the controller, its indicator first. Malformed packets are counted.
  public mutating func receive(_ packet: consuming [UInt8], now: Duration) {
    // A transport may still deliver packets of a controller that is gone.
    guard state != .poweredOff else { return ignored.packets += 1 }
    switch HCIPacketType(of: packet) {
    case .acl: receiveData(packet, now: now)
    case .event: receiveEvent(packet, now: now)
    default: ignored.packets += 1
    }
    flush(now: now)
  }

  /// Handles the passing of `nextDeadline`. Does nothing when called early.
  public mutating func handleTimeout(now: Duration) {
    for tag in commands.expire(now: now) { ended(tag, .timedOut, now: now) }
    perform(initiator.handleTimeout(now: now), now: now)
    rotateAdvertising(now: now)
    renewLocalAddress(now: now)
    for handle in early.expire(now: now) { giveBack(handle) }
    while let (at, id) = linkDeadlines.first, at <= now {
      linkDeadlines.removeFirst()
      guard let link = links[id], link.armedDeadline == at else { continue }
      link.armedDeadline = nil
      if let deadline = link.nextDeadline, deadline <= now { linkTimedOut(link, now: now) }
      arm(link)
    }
    flush(now: now)
  }

  /// Schedules a link by its deadline; call it whenever the deadline may have become earlier.
  @inline(__always)
  mutating func arm(_ link: Link) {
    guard let deadline = link.nextDeadline else { return }
    if let armed = link.armedDeadline, armed <= deadline { return }
    // An ended link has no deadline.
    guard links[link.handle] === link else { return }
    link.armedDeadline = deadline
    linkDeadlines.insert(deadline, link.id)
  }

  /// Removes deadlines of ended links from the front of the queue.
  mutating func disarmEndedLinks() {
    while let first = linkDeadlines.first, links[first.link] == nil { linkDeadlines.removeFirst() }
  }

  /// When to call `handleTimeout(now:)` next.
  public var nextDeadline: Duration? {
    var deadline = earliest(commands.nextDeadline, initiator.nextDeadline)
    deadline = earliest(deadline, earliest(early.nextDeadline, advertising.nextDeadline))
    deadline = earliest(deadline, earliest(localAddressDeadline, resolvingList.nextDeadline))
    return earliest(deadline, linkDeadlines.first?.at)
  }

  /// Removes and returns the outputs, in the order in which they are to be performed.
  public mutating func dequeueOutputs() -> [HostOutput] {
    guard !outputs.isEmpty else { return [] }
    var removed: [HostOutput] = []
    swap(&removed, &outputs)
    return removed
  }

  /// `dequeueOutputs()` without an allocation: `buffer` is emptied and filled, and its storage used next time.
  public mutating func exchangeOutputs(_ buffer: inout [HostOutput]) {
    if !buffer.isEmpty { buffer.removeAll(keepingCapacity: true) }
    if !outputs.isEmpty { swap(&outputs, &buffer) }
  }

  // MARK: Clients

  /// Adds a client; it receives state changes from now on, and can read the current state in `state`.
  public mutating func addClient() -> ClientID {
    lastClient += 1
    let client = ClientID(lastClient)
    clients.append(client)
    return client
  }

  /// Removes a client: all that it requested ends, and no event follows.
  public mutating func removeClient(_ client: ClientID, now: Duration) {
    clients.removeAll { $0 == client }
    removeChannels(of: client, now: now)
    stopScan(client, now: now)
    stopAdvertising(client, now: now)
    for address in initiator.addresses(of: client) { perform(initiator.remove(client, address, now: now), now: now) }
    for link in links where link.claims.contains(client) { release(link, by: client, now: now) }
    removeServices(of: client, now: now)
    removePairing(of: client, now: now)
    for link in links { forget(client, on: link, now: now) }
    waitingNotifiers.removeAll { $0.client == client }
    shareWindow(now: now)
    flush(now: now)
  }

  // MARK: State

  func link(_ id: LinkID) -> Link? { links[id] }

  func link(handle: ConnectionHandle) -> Link? { links[handle] }

  func link(to peer: BluetoothAddress) -> Link? { links.first { $0.peer == peer && !$0.isClosing } }

  mutating func nextLinkID() -> LinkID {
    lastLink += 1
    return LinkID(lastLink)
  }

  /// Ends a client's use of a link: its requests there end, and its unconsumed values are dropped.
  mutating func forget(_ client: ClientID, on link: Link, now: Duration) {
    if !link.channels.isEmpty { endChannels(of: client, on: link, now: now) }
    link.waitingWriters.removeAll { $0 == client }
    link.waitingForRSSI.removeAll { $0 == client }
    release(link.backlog.removeAll(of: client), of: client, on: link, now: now)
    link.client.removeClient(client, into: &link.clientOutputs)
    pump(link, now: now)
  }

  /// Whether a client's command is accepted: the host is powered on, and the client knows of the current life.
  func accepts(_ client: ClientID, _ meant: HostLife?) -> Bool {
    state == .poweredOn && clients.contains(client) && meant ?? life == life
  }

  mutating func emit(_ client: ClientID, _ event: HostEvent) { outputs.append(.event(event, client)) }

  mutating func setState(_ new: HostState) {
    guard state != new else { return }
    state = new
    if new == .poweredOn { life = HostLife(life.value + 1) }
    for client in clients { emit(client, .stateChanged(new, life)) }
  }

  /// Ends everything that depends on the controller. The database stays: it belongs to the clients.
  mutating func endEverything(now: Duration) {
    scanner.reset()
    scanningInController = nil
    advertising.reset()
    initiator.reset()
    localAddress.reset()
    resolvingList.reset()
    waitingNotifiers = []
    // A link not yet reported is still a pending connection; it is dropped silently.
    for link in links where !link.isEstablished { link.claims = [] }
    while let link = links.first { ended(link, .connectionTimeout, now: now) }
    initialization = nil
    capabilities = ControllerCapabilities()
    failure = nil
    // Last: the ends above may have enqueued commands.
    _ = commands.removeAll()
    acl = ACLTransmitter()
    isRefusingKeys = false
    early.reset()
    window = ReceiveWindow()
    returningLinks = []
  }

  /// Sends the controller the packets that it has buffers for.
  mutating func flush(now: Duration) {
    if resolvingList.isStale, resolvingList.isDue(now: now) { updateResolvingList(now: now) }
    if scanner.isActive, scanningInController == nil { resumeScanning(now: now) }
    while !commands.isIdle, let packet = commands.nextPacket(now: now) { outputs.append(.packet(packet)) }
    while acl.isBusy {
      while let packet = acl.nextPacket() { outputs.append(.packet(packet)) }
      if let handle = acl.nextMoved() {
        if let link = links[handle] { moved(link, now: now) }
      } else if let (handle, channel) = acl.nextDrained() {
        drained(channel, handle, now: now)
      } else {
        return
      }
    }
  }
}

/// Counts of input that was ignored since it was malformed or unexpected. For diagnosis, never for decisions.
public struct IgnoredCounts: Sendable, Hashable {
  /// Packets that are no event or data, or are truncated.
  public var packets = 0
  /// Events that are unknown, or name an unknown handle.
  public var events = 0
  /// Data for a handle that no connection has.
  public var data = 0
  /// Advertising reports of addresses that cannot be resolved now: there were too many new ones within a second.
  public var reports = 0
  /// L2CAP frames for a channel that does not exist.
  public var frames = 0
  /// Values dropped because a client consumed too slowly, where the controller offers no flow control.
  public var values = 0
  /// Values dropped because a peer accepted none while others did.
  public var updates = 0
  /// Write Commands that were too long for their link, or for attribute 0.
  public var commands = 0
}
