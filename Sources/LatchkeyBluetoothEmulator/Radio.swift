public import LatchkeyBluetoothHost

/// What a radio wants done, in the order in which it is to be done.
public enum RadioOutput: Sendable {
  /// An H4 packet (Core 6.0 Vol 4 Part A 2), the indicator first, for the host of that controller.
  case packet([UInt8], to: ControllerID)
  /// A controller was switched on or off, for the transport that carries its packets to tell its host.
  case power(Bool, of: ControllerID)
}

/// Virtual Bluetooth LE controllers and the air between them.
///
/// Towards a host each controller is what a real one is: HCI packets go in by `receive(_:from:now:)` and come out by
/// `takeOutputs()`. The radio has no clock, no sockets and no chance of its own: `now` is any time since one fixed
/// origin that never goes back, `nextDeadline` says when `handleTimeout(now:)` has to be called, and what happens by
/// chance is decided by the configuration's seed. After each input: take the outputs, then ask for the deadline.
///
/// A radio on which nobody waits for anything has no deadline.
public struct Radio: ~Copyable, Sendable {
  let timing: AirTiming
  var air: AirSettings
  var random: SplitMix64
  /// The controllers by slot; places of those that are gone are taken again.
  var controllers: [VirtualController] = []
  private var generations: UInt32 = 0
  /// Who listens to whom.
  var hearing = Hearing()

  var outputs: [RadioOutput] = []
  /// Slots of controllers that have completed packets to tell.
  var reporting: [Int] = []
  /// Whether any controller is to mistreat its completed packets.
  var hasCreditFaults = false

  /// When `handleTimeout(now:)` is to be called; nil while nothing is waited for.
  public private(set) var nextDeadline: Duration?
  /// Whether something happened that may move the deadline.
  var isDeadlineStale = false

  /// An empty radio.
  public init(configuration: RadioConfiguration = RadioConfiguration()) {
    timing = configuration.timing
    air = AirSettings(configuration)
    random = SplitMix64(seed: configuration.seed)
  }

  // MARK: Controllers

  /// Puts one more controller on the air, switched on and as after a reset.
  public mutating func addController(_ configuration: ControllerConfiguration = ControllerConfiguration())
    -> ControllerID
  {
    generations += 1
    let slot = controllers.firstIndex { !$0.isPresent } ?? controllers.count
    let id = ControllerID(slot: Int32(slot), generation: generations)
    // The two lowest bits of the first octet: an individual address, locally administered (IEEE 802).
    let drawn = random.next() & 0xFCFF_FFFF_FFFF | 0x0200_0000_0000
    let address = BluetoothAddress(configuration.address?.value ?? drawn, kind: .public)
    let controller = VirtualController(id: id, configuration: configuration, address: address)
    if slot == controllers.count { controllers.append(controller) } else { controllers[slot] = controller }
    hearing.change(slot)
    return id
  }

  /// Takes a controller off the air for good. Its peers lose their links at the supervision timeout.
  public mutating func removeController(_ controller: ControllerID, now: Duration) {
    guard let slot = slot(of: controller) else { return }
    wipe(slot, now: now)
    controllers[slot].isPresent = false
    air.forget(controller)
    hearing.change(slot)
    settle(now: now)
  }

  /// The public device address of a controller; nil if it is gone.
  public func address(of controller: ControllerID) -> BluetoothAddress? {
    slot(of: controller).map { controllers[$0].address }
  }

  /// The controllers on this radio, those that are switched off included.
  public var controllerIDs: [ControllerID] { controllers.filter(\.isPresent).map(\.id) }

  func slot(of controller: ControllerID) -> Int? {
    let slot = Int(controller.slot)
    guard slot < controllers.count, controllers[slot].id == controller, controllers[slot].isPresent else { return nil }
    return slot
  }

  // MARK: Inputs

  /// Takes one whole H4 packet from a controller's host. What is no packet for a controller is dropped and counted.
  public mutating func receive(_ packet: consuming [UInt8], from controller: ControllerID, now: Duration) {
    guard let slot = slot(of: controller), controllers[slot].isPowered else { return }
    switch packet.first.flatMap(HCIPacketType.init(rawValue:)) {
    case .acl: receiveData(packet, slot: slot, now: now)
    case .command: receiveCommand(packet, slot: slot, now: now)
    default: controllers[slot].droppedPackets += 1
    }
    settle(now: now)
  }

  /// Does what is due by `now`.
  public mutating func handleTimeout(now: Duration) {
    guard let deadline = nextDeadline, deadline <= now else { return }
    isDeadlineStale = true
    for slot in controllers.indices where controllers[slot].isOnAir {
      serveController(slot, now: now)
    }
    settle(now: now)
  }

  // MARK: Outputs

  /// What is to be done, in order; empties the list.
  public mutating func takeOutputs() -> [RadioOutput] {
    var taken: [RadioOutput] = []
    exchangeOutputs(&taken)
    return taken
  }

  /// `takeOutputs()` without an allocation: `buffer` is emptied and filled, and its storage used next time.
  public mutating func exchangeOutputs(_ buffer: inout [RadioOutput]) {
    reportCompletedPackets()
    if !buffer.isEmpty { buffer.removeAll(keepingCapacity: true) }
    swap(&outputs, &buffer)
  }

  mutating func emit(_ packet: consuming [UInt8], to slot: Int) {
    if outputs.isEmpty { outputs.reserveCapacity(8) }
    outputs.append(.packet(packet, to: controllers[slot].id))
  }

  // MARK: Time

  /// Ends each input: finds the next deadline if it may have moved.
  mutating func settle(now: Duration) {
    if hasCreditFaults { withholdCredits(now: now) }
    guard isDeadlineStale else { return }
    isDeadlineStale = false
    refreshHearing()
    nextDeadline = earliestDeadline()
  }
}
