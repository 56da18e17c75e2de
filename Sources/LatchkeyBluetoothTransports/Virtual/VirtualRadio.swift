public import LatchkeyBluetoothEmulator
public import LatchkeyBluetoothHost
import Synchronization

/// A radio in this process: virtual controllers by name, and the air between them. Tests use it to move devices, lose
/// their packets and switch them off.
///
/// On `virtual`, central managers share the controller `central` and peripheral managers the controller `peripheral`;
/// the clients of a `RadioServer` have `client-1`, `client-2` and so on. The first setting for an unknown name adds its
/// controller, so that a radio can be prepared before the managers are created. A controller is removed with its host,
/// and its settings with it.
public final class VirtualRadio: Sendable {
  private let shell: MachineShell<NamedRadio>
  private let ports: PortTable
  /// The time source of the radio and of the hosts on it.
  package let scheduler: any Scheduler
  /// The ATT_MTU that the hosts of managers on it offer, in bytes.
  private let preferredMTU: Int
  /// The same for single controllers.
  private let preferredMTUs = Mutex<[String: Int]>([:])
  /// Counts what moves, on a radio of tests.
  package let activity: RadioActivity?
  /// Sees each packet between the hosts and the controllers of a radio of tests.
  let observer: PacketObserver?
  /// The configuration of controllers that are not added explicitly.
  private let controllers: ControllerConfiguration

  /// A radio of its own, that no `virtual:NAME` names until it is used as such.
  ///
  /// - Parameters:
  ///   - controllers: what its controllers are like, as far as `addController(_:_:)` says nothing else. By default they
  ///     have all features.
  ///   - preferredMTU: the ATT_MTU that managers on it offer, 23...517 bytes: a phone's 185, say, or the smallest.
  ///   - scheduler: real time by default; a `VirtualClock` lets tests move the time.
  public convenience init(
    configuration: RadioConfiguration = RadioConfiguration(),
    controllers: ControllerConfiguration = ControllerConfiguration(features: .all), preferredMTU: Int = 517,
    scheduler: any Scheduler = DispatchScheduler()
  ) {
    self.init(
      configuration: configuration, controllers: controllers, preferredMTU: preferredMTU, scheduler: scheduler,
      activity: nil, observer: nil)
  }

  /// A radio of tests.
  ///
  /// - Parameters:
  ///   - activity: counts what moves.
  ///   - observer: sees each packet of hosts in this process, on any thread; it must not call the radio.
  package init(
    configuration: RadioConfiguration, controllers: ControllerConfiguration, preferredMTU: Int,
    scheduler: any Scheduler, activity: RadioActivity?, observer: PacketObserver?
  ) {
    let ports = PortTable()
    self.ports = ports
    self.preferredMTU = preferredMTU
    self.controllers = controllers
    self.scheduler = scheduler
    self.activity = activity
    self.observer = observer
    shell = MachineShell(NamedRadio(configuration: configuration), scheduler: scheduler, activity: activity) {
      output in ports.perform(output)
    }
  }

  // MARK: Controllers

  /// The names of the controllers on the air, those that are switched off included.
  public var controllerNames: [String] { shell.withMachine { machine, _ in machine.names } }

  /// Adds a controller before its host connects, with a configuration of its own.
  ///
  /// - Returns: false if one of that name exists; nothing is changed then.
  @discardableResult
  public func addController(_ name: String, _ configuration: ControllerConfiguration) -> Bool {
    shell.withMachine { machine, _ in
      guard machine.find(name) == nil else { return false }
      _ = machine.controller(name, configuration)
      return true
    }
  }

  /// The ATT_MTU that the host of a controller offers, in bytes.
  func preferredMTU(of controller: String) -> Int { preferredMTUs.withLock { $0[controller] } ?? preferredMTU }

  /// Sets the ATT_MTU that the host of a controller offers, 23...517 bytes, before the host is made.
  package func setPreferredMTU(_ mtu: Int, of controller: String) {
    preferredMTUs.withLock { $0[controller] = min(max(mtu, 23), 517) }
  }

  /// A transport to the controller of that name.
  package func makeTransport(_ name: String) -> VirtualTransport { VirtualTransport(radio: self, name: name) }

  // MARK: Between two controllers

  /// Sets the signal strength between two controllers, dBm; nil restores the one of their distance.
  public func setRSSI(_ rssi: Int8?, between a: String, and b: String) {
    with(a, b) { radio, a, b, now in radio.setRSSI(rssi, between: a, and: b, now: now) }
  }

  /// Sets the distance between two controllers in meters; nil puts them next to each other. Out of range nothing is
  /// received, and links end by their supervision timeouts.
  public func setDistance(_ metres: Double?, between a: String, and b: String) {
    with(a, b) { radio, a, b, now in radio.setDistance(metres, between: a, and: b, now: now) }
  }

  /// The distance in meters from a controller to the device at the other end of one of its links, 0 if none was set; nil
  /// without such a link.
  package func distance(from name: String, to peer: BluetoothAddress) -> Double? {
    shell.withMachine { machine, _ in
      machine.find(name).flatMap { machine.radio.distance(from: $0, to: peer) }
    }
  }

  /// Sets the probability that a transmission between two controllers is lost, 0...1; nil restores the radio's own.
  public func setLoss(_ loss: Double?, between a: String, and b: String) {
    with(a, b) { radio, a, b, now in radio.setLoss(loss, between: a, and: b, now: now) }
  }

  // MARK: One controller

  /// Switches a controller off or on. Its host is informed: its managers become `poweredOff`, then, after an
  /// initialization, `poweredOn` again. Its peers lose their links at the supervision timeout.
  public func setPowered(_ isOn: Bool, _ name: String) {
    with(name) { radio, controller, now in radio.setPowered(isOn, controller, now: now) }
  }

  /// Sets the faults of a controller.
  public func setFaults(_ faults: ControllerFaults, on name: String) {
    with(name) { radio, controller, now in radio.setFaults(faults, on: controller, now: now) }
  }

  /// The current faults of a controller.
  public func faults(of name: String) -> ControllerFaults {
    shell.withMachine { machine, _ in
      guard let controller = machine.find(name) else { return ControllerFaults() }
      return machine.radio.faults(of: controller)
    }
  }

  /// Releases all credits that a fault of a controller has withheld from its host so far.
  public func releaseCredits(of name: String) {
    with(name) { radio, controller, now in radio.releaseCredits(of: controller, now: now) }
  }

  /// Makes a controller report a hardware error to its host.
  public func raiseHardwareError(_ code: UInt8 = 0x01, on name: String) {
    with(name) { radio, controller, now in radio.raiseHardwareError(code, on: controller, now: now) }
  }

  /// Ends all links of a controller at once; both ends receive this reason.
  public func dropLinks(of name: String, reason: HCIStatus = .connectionTimeout) {
    with(name) { radio, controller, now in radio.dropLinks(of: controller, reason: reason, now: now) }
  }

  private func with(_ name: String, _ body: (inout Radio, ControllerID, Duration) -> Void) {
    shell.withMachine { machine, now in
      let controller = machine.controller(name, controllers)
      body(&machine.radio, controller, now)
    }
  }

  private func with(_ a: String, _ b: String, _ body: (inout Radio, ControllerID, ControllerID, Duration) -> Void) {
    shell.withMachine { machine, now in
      let first = machine.controller(a, controllers)
      let second = machine.controller(b, controllers)
      body(&machine.radio, first, second, now)
    }
  }

  // MARK: For transports

  /// Connects `receiver` to the controller of that name; nil if it has a host already.
  func join(_ name: String, _ receiver: any ControllerTransportReceiver) -> ControllerID? {
    let controller = shell.withMachine { machine, _ in machine.controller(name, controllers) }
    return ports.connect(receiver, to: controller) ? controller : nil
  }

  /// Reports to a host whether its controller is switched on.
  func announcePower(of controller: ControllerID) {
    shell.withMachine { machine, _ in machine.radio.announcePower(of: controller) }
  }

  /// Handles a packet from the host of a controller.
  func receive(_ packet: consuming [UInt8], from controller: ControllerID) {
    var packet = consume packet
    shell.withMachine { machine, now in
      // Moved, not copied: the radio changes the header of a packet in place if it is the only owner.
      var moved: [UInt8] = []
      swap(&moved, &packet)
      machine.radio.receive(moved, from: controller, now: now)
    }
  }

  /// Removes a controller whose host is gone.
  func leave(_ name: String, _ controller: ControllerID) {
    ports.disconnect(controller)
    shell.withMachine { machine, now in
      guard machine.find(name) == controller else { return }
      machine.remove(name, now: now)
    }
  }
}
