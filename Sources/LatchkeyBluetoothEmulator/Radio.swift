public import LatchkeyBluetoothHost

/// An action that a radio requests, to be performed in order.
public enum RadioOutput: Sendable {
  /// An H4 packet (Core 6.0 Vol 4 Part A 2), the indicator first, for the host of that controller.
  case packet([UInt8], to: ControllerID)
  /// A controller was switched on or off; its transport informs the host.
  case power(Bool, of: ControllerID)
}

/// Virtual Bluetooth LE controllers and the air between them.
///
/// To a host each controller behaves like a real one: HCI packets go in by `receive(_:from:now:)` and come out by
/// `dequeueOutputs()`. The radio has no clock, sockets or random source: `now` is any time since one fixed origin that
/// never goes back, `nextDeadline` is the time to call `handleTimeout(now:)`, and the configuration's seed decides
/// everything random. After each input, dequeue the outputs, then read the deadline.
///
/// A radio on which nothing is pending has no deadline.
public struct Radio: ~Copyable, Sendable {
  let timing: AirTiming
  var air: AirSettings
  var random: SplitMix64
  /// The controllers by slot; slots of removed ones are reused.
  var controllers: [VirtualController] = []
  private var generations: UInt32 = 0
  /// Which controllers' listeners have to be found anew.
  var listenerTable = ListenerTable()

  var outputs: [RadioOutput] = []
  /// Slots of controllers with completed packets to report.
  var reporting: [Int] = []
  /// Whether any controller has a fault of completed packets.
  var hasCreditFaults = false

  /// When to call `handleTimeout(now:)`; nil while nothing is pending.
  public private(set) var nextDeadline: Duration?
  /// The deadlines of the controllers.
  var deadlineTable = DeadlineTable()

  /// An empty radio.
  public init(configuration: RadioConfiguration = RadioConfiguration()) {
    timing = configuration.timing
    air = AirSettings(configuration)
    random = SplitMix64(seed: configuration.seed)
  }

  // MARK: Controllers

  /// Adds a controller, switched on and as after a reset.
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
    listenerTable.change(slot)
    deadlineTable.change(slot)
    return id
  }

  /// Removes a controller for good. Its peers lose their links at the supervision timeout.
  public mutating func removeController(_ controller: ControllerID, now: Duration) {
    guard let slot = slot(of: controller) else { return }
    wipe(slot, now: now)
    controllers[slot].isPresent = false
    air.forget(controller)
    listenerTable.change(slot)
    settle(now: now)
  }

  /// The public device address of a controller; nil if it was removed.
  public func address(of controller: ControllerID) -> BluetoothAddress? {
    slot(of: controller).map { controllers[$0].address }
  }

  /// The controllers on this radio, including those that are switched off.
  public var controllerIDs: [ControllerID] { controllers.filter(\.isPresent).map(\.id) }

  func slot(of controller: ControllerID) -> Int? {
    let slot = Int(controller.slot)
    guard slot < controllers.count, controllers[slot].id == controller, controllers[slot].isPresent else { return nil }
    return slot
  }

  // MARK: Inputs

  /// Handles one whole H4 packet from a controller's host. A packet that is not for controllers is dropped and counted.
  public mutating func receive(_ packet: consuming [UInt8], from controller: ControllerID, now: Duration) {
    guard let slot = slot(of: controller), controllers[slot].isPowered else { return }
    switch packet.first.flatMap(HCIPacketType.init(rawValue:)) {
    case .acl: receiveData(packet, slot: slot, now: now)
    case .command: receiveCommand(packet, slot: slot, now: now)
    default: controllers[slot].droppedPackets += 1
    }
    settle(now: now)
  }

  /// Performs the work that is due by `now`.
  public mutating func handleTimeout(now: Duration) {
    guard let deadline = nextDeadline, deadline <= now else { return }
    for slot in controllers.indices {
      updateDeadlines()
      // What is due is done once: a radio that was not served in time does not catch up.
      if let deadline = deadlineTable[slot], deadline <= now {
        deadlineTable.change(slot)
        serveController(slot, now: now)
      }
    }
    settle(now: now)
  }

  // MARK: Outputs

  /// Removes and returns the outputs, in the order in which they are to be performed.
  public mutating func dequeueOutputs() -> [RadioOutput] {
    var removed: [RadioOutput] = []
    exchangeOutputs(&removed)
    return removed
  }

  /// `dequeueOutputs()` without an allocation: `buffer` is emptied and filled, and its storage used next time.
  public mutating func exchangeOutputs(_ buffer: inout [RadioOutput]) {
    if !reporting.isEmpty { reportCompletedPackets() }
    if !buffer.isEmpty { buffer.removeAll(keepingCapacity: true) }
    if !outputs.isEmpty { swap(&outputs, &buffer) }
  }

  mutating func emit(_ packet: consuming [UInt8], to slot: Int) {
    outputs.append(.packet(packet, to: controllers[slot].id))
  }

  // MARK: Time

  /// Ends each input: updates the deadline if it may have changed.
  mutating func settle(now: Duration) {
    if hasCreditFaults { withholdCredits(now: now) }
    guard deadlineTable.isStale else { return }
    updateDeadlines()
    nextDeadline = deadlineTable.findEarliest()
  }
}
