/// A Bluetooth LE host without I/O: both roles over one controller (Core 6.0 Vol 1 Part A 2.1).
///
/// The contract: call an input (`start`, `receive`, `handleTimeout`, `stop`, or a client's wish), then perform
/// `takeOutputs()` in order, then arm a timer for `nextDeadline`. `now` is a monotonic time since any fixed origin. Inputs
/// may come from anywhere in between, but one at a time.
///
/// Clients, the managers of an application, are told apart by `ClientID`; they share scanning, links and the database.
/// What a client gets is in `HostEvent`; what was asked with a `RequestID` ends exactly once, in `HostOutput.completion`.
public struct Host: ~Copyable {
  /// What an outstanding HCI command was for.
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
    /// Anything else about a link.
    case optional(LinkID)
    /// Nothing depends on how it ends.
    case unheeded

    /// The link that the command names by its handle.
    var link: LinkID? {
      switch self {
      case .disconnect(let link), .rssi(let link), .parameters(let link), .optional(let link): link
      case .initialization, .advertisingSetUp, .advertisingEnable, .acceptList, .createConnection, .cancelConnection,
        .startScanning, .unheeded:
        nil
      }
    }
  }

  let configuration: HostConfiguration
  var outputs: [HostOutput] = []
  /// The host's and its controller's state.
  public internal(set) var state = HostState.poweredOff
  /// Which time of being powered on this is, or the last was.
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
  /// Scanning as the controller was last told: nil when off, else whether it filters duplicates.
  var scanningInController: Bool?
  var advertiser = Advertiser()
  var initiator = ConnectionInitiator()
  var database: GATTDatabase
  /// Clients whose value was refused, and who wait to hear that there is room again, each with the number of its refusal.
  var waitingNotifiers: [(client: ClientID, refusal: UInt64)] = []
  var lastRefusal: UInt64 = 0
  /// Data that came for a handle before its connection event; some controllers are early.
  var early = EarlyPackets()
  /// Who holds how much of what the controller may send.
  var window = ReceiveWindow()
  /// Links with packets that the controller may count as free again.
  var returningLinks: [Link] = []
  /// Whether a value from the packet under way, if a client gets one, is the first: then it holds the packet.
  var canHoldPacket = false
  /// What was ignored, for diagnosis.
  public internal(set) var ignored = IgnoredCounts()

  /// A host without a controller yet: `start(now:)` once there is one.
  public init(configuration: HostConfiguration) {
    self.configuration = configuration
    database = GATTDatabase(deviceName: configuration.name, appearance: configuration.appearance)
  }

  // MARK: Inputs

  /// A controller is being sought: the state is unknown until `start(now:)` or `stop(now:)`.
  public mutating func expectController() { setState(.unknown) }

  /// A controller is there: reset it and find out what it can.
  public mutating func start(now: Duration) {
    endEverything(now: now)
    setState(.unknown)
    beginInitialization(now: now)
  }

  /// The controller is gone.
  public mutating func stop(now: Duration) {
    endEverything(now: now)
    setState(.poweredOff)
  }

  /// One whole H4 packet came from the controller, its indicator first. Packets that make no sense are counted.
  public mutating func receive(_ packet: [UInt8], now: Duration) {
    // What a transport still delivers of a controller that is gone.
    guard state != .poweredOff else { return ignored.packets += 1 }
    switch HCIPacketType(of: packet) {
    case .acl: receiveData(packet, now: now)
    case .event: receiveEvent(packet, now: now)
    default: ignored.packets += 1
    }
    flush(now: now)
  }

  /// `nextDeadline` passed. Harmless when called early.
  public mutating func handleTimeout(now: Duration) {
    for tag in commands.expire(now: now) { ended(tag, .timedOut, now: now) }
    perform(initiator.handleTimeout(now: now), now: now)
    takeTurns(now: now)
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

  /// Sees to it that a link is served in time; to be called whenever it may have got an earlier deadline.
  @inline(__always)
  mutating func arm(_ link: Link) {
    guard let deadline = link.nextDeadline else { return }
    if let armed = link.armedDeadline, armed <= deadline { return }
    // A link that has ended is told of no more.
    guard links[link.handle] === link else { return }
    link.armedDeadline = deadline
    linkDeadlines.insert(deadline, link.id)
  }

  /// Forgets the deadlines of links that are gone, as far as they come first.
  mutating func disarmEndedLinks() {
    while let first = linkDeadlines.first, links[first.link] == nil { linkDeadlines.removeFirst() }
  }

  /// When `handleTimeout(now:)` wants to be called next.
  public var nextDeadline: Duration? {
    var deadline = earliest(commands.nextDeadline, initiator.nextDeadline)
    deadline = earliest(deadline, earliest(early.nextDeadline, advertiser.nextDeadline))
    return earliest(deadline, linkDeadlines.first?.at)
  }

  /// What is to be done, in order; the list is empty afterwards.
  public mutating func takeOutputs() -> [HostOutput] {
    guard !outputs.isEmpty else { return [] }
    var taken: [HostOutput] = []
    swap(&taken, &outputs)
    return taken
  }

  /// `takeOutputs()` without an allocation: `buffer` is emptied and filled, and its storage used next time.
  public mutating func exchangeOutputs(_ buffer: inout [HostOutput]) {
    if !buffer.isEmpty { buffer.removeAll(keepingCapacity: true) }
    swap(&outputs, &buffer)
  }

  // MARK: Clients

  /// A new client; it hears of state changes from now on, and can read the present one in `state`.
  public mutating func addClient() -> ClientID {
    lastClient += 1
    let client = ClientID(lastClient)
    clients.append(client)
    return client
  }

  /// A client is gone: all that it asked for ends, and nothing more is told to it.
  public mutating func removeClient(_ client: ClientID, now: Duration) {
    clients.removeAll { $0 == client }
    stopScan(client, now: now)
    stopAdvertising(client, now: now)
    for address in initiator.addresses(of: client) { perform(initiator.remove(client, address, now: now), now: now) }
    for link in links where link.claims.contains(client) { release(link, by: client, now: now) }
    removeServices(of: client, now: now)
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

  /// A client has no more to do with a link: what it asked for there ends, and what it has not dealt with is forgotten.
  mutating func forget(_ client: ClientID, on link: Link, now: Duration) {
    link.waitingWriters.removeAll { $0 == client }
    link.waitingForRSSI.removeAll { $0 == client }
    release(link.backlog.removeAll(of: client), of: client, on: link, now: now)
    link.client.removeClient(client, into: &link.clientOutputs)
    pump(link, now: now)
  }

  /// Whether a client's command is to be taken: the host is powered on, and this is the life that the client means.
  func takes(_ client: ClientID, _ meant: HostLife?) -> Bool {
    state == .poweredOn && clients.contains(client) && meant ?? life == life
  }

  mutating func tell(_ client: ClientID, _ event: HostEvent) { outputs.append(.event(event, client)) }

  mutating func setState(_ new: HostState) {
    guard state != new else { return }
    state = new
    if new == .poweredOn { life = HostLife(life.value + 1) }
    for client in clients { tell(client, .stateChanged(new, life)) }
  }

  /// Ends all that depends on the controller. The database stays: it belongs to the clients.
  mutating func endEverything(now: Duration) {
    scanner.reset()
    scanningInController = nil
    advertiser.reset()
    initiator.reset()
    waitingNotifiers = []
    // A link of which nobody was told yet is a pending connection, and those end without a word.
    for link in links where !link.isEstablished { link.claims = [] }
    while let link = links.first { ended(link, .connectionTimeout, now: now) }
    initialization = nil
    capabilities = ControllerCapabilities()
    failure = nil
    // Last: what ended above may have asked for commands.
    _ = commands.removeAll()
    acl = ACLTransmitter()
    early.reset()
    window = ReceiveWindow()
    returningLinks = []
  }

  /// Hands to the controller what it has room for.
  mutating func flush(now: Duration) {
    if scanner.isActive, scanningInController == nil { resumeScanning(now: now) }
    while !commands.isIdle, let packet = commands.nextPacket(now: now) { outputs.append(.packet(packet)) }
    while true {
      while let packet = acl.nextPacket() { outputs.append(.packet(packet)) }
      guard let handle = acl.nextMoved() else { return }
      if let link = links[handle] { moved(link, now: now) }
    }
  }
}

/// What a host ignored since it makes no sense, or nobody waited for it. For diagnosis, never for decisions.
public struct IgnoredCounts: Sendable, Hashable {
  /// Packets that are no event or data, or are cut short.
  public var packets = 0
  /// Events that are unknown, or tell of an unknown handle.
  public var events = 0
  /// Data for a handle that no connection has.
  public var data = 0
  /// L2CAP frames for a channel that does not exist.
  public var frames = 0
  /// Values that a client was too slow to take, where the controller offers no flow control.
  public var values = 0
  /// Values for a peer that took none while others did.
  public var updates = 0
  /// Write Commands that were too long for their link, or for attribute 0.
  public var commands = 0
}
