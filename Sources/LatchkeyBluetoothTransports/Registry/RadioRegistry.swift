package import LatchkeyBluetoothHost
import Logging
import Synchronization

/// Every controller that this process uses, by its specification: managers with the same one share one host.
///
/// On `virtual[:RADIO]` central managers share the controller `central` and peripheral managers the controller
/// `peripheral`, on one radio; on `virtual:RADIO/CONTROLLER` and any other specification both roles share the one
/// controller. Drivers live as long as the process, or until a test removes them.
package final class RadioRegistry: Sendable {
  /// The process's registry.
  package static let shared = RadioRegistry()

  private struct Key: Hashable {
    let specification: ControllerSpecification
    /// Nil where the roles share one controller.
    let role: ControllerRole?

    init(_ specification: ControllerSpecification, _ role: ControllerRole) {
      self.specification = specification
      if case .virtual(_, nil) = specification { self.role = role } else { self.role = nil }
    }
  }

  private struct State {
    var drivers: [Key: HostDriver] = [:]
    var radios: [String?: VirtualRadio] = [:]
    var capture: RadioCapture?
    var observer: (@Sendable (CapturedPacket) -> Void)?
    var flowControl = HostFlowControl.whereKnownGood
    var usesPrivateAddresses = false
    var usesExtendedAdvertising = true
    var usesControllerPrivacy = true
  }

  private let state = Mutex(State())
  private let random: @Sendable () -> UInt64

  /// A separate registry, for a test.
  ///
  /// - Parameter random: draws the own addresses of hosts on real controllers.
  package init(random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) }) {
    self.random = random
  }

  /// The running driver of a controller. The first call starts it, in the background where that takes time.
  ///
  /// - Parameters:
  ///   - ownAddress: the own address of a host on a real controller; without it, one is drawn. Called for the first
  ///     driver only.
  ///   - bonds: the store of the bonds of a host with that address on a real controller; without it, bonds last as long
  ///     as the process, as those on a virtual radio do.
  package func driver(
    for specification: ControllerSpecification, role: ControllerRole, ownAddress: (() -> BluetoothAddress?)? = nil,
    bonds: ((BluetoothAddress) -> any BondStore)? = nil
  ) -> HostDriver {
    let (driver, isNew) = state.withLock { state in
      let key = Key(specification, role)
      if let driver = state.drivers[key] { return (driver, false) }
      let driver = makeDriver(specification, role, ownAddress, bonds, &state)
      state.drivers[key] = driver
      return (driver, true)
    }
    if isNew {
      logger.debug("the controller \(specification) is opened for the role \(role.rawValue)")
      driver.start()
    }
    return driver
  }

  /// Uses `driver`, which is started already or never, for `specification` and `role`. An existing driver is shut down.
  package func replace(_ driver: HostDriver, for specification: ControllerSpecification, role: ControllerRole) {
    let old = state.withLock { $0.drivers.updateValue(driver, forKey: Key(specification, role)) }
    if let old, old !== driver { old.shutDown() }
  }

  /// The radio of `virtual` (nil) or `virtual:NAME`.
  package func radio(named name: String?) -> VirtualRadio {
    state.withLock { state in
      if let radio = state.radios[name] { return radio }
      let radio = VirtualRadio()
      state.radios[name] = radio
      return radio
    }
  }

  /// Uses `radio` for `virtual` (nil) or `virtual:NAME`. Drivers on the existing one are shut down.
  package func replace(_ radio: VirtualRadio, named name: String?) {
    remove(.virtual(name: name))
    state.withLock { $0.radios[name] = radio }
  }

  /// Shuts down the drivers of one specification, in both roles. For a virtual one, all drivers on its radio are shut
  /// down, and the radio is removed.
  package func remove(_ specification: ControllerSpecification) {
    let drivers = state.withLock { state in
      if case .virtual(let name, _) = specification { state.radios[name] = nil }
      let keys = state.drivers.keys.filter { $0.specification.isServed(by: specification) }
      return keys.compactMap { state.drivers.removeValue(forKey: $0) }
    }
    for driver in drivers { driver.shutDown() }
  }

  /// Shuts down all drivers, and removes all radios and the capture.
  package func removeAll() {
    let old = state.withLock { state in
      defer { state = State() }
      return state
    }
    for driver in old.drivers.values { driver.shutDown() }
  }

  /// Captures the controllers that are opened from now on, all in the file at `path`, which is created at once
  /// (``RadioCapture``).
  package func capture(to path: String) throws(PacketTraceError) {
    let capture = try RadioCapture(path: path)
    state.withLock { $0.capture = capture }
  }

  /// Gives each packet of the controllers that are opened from now on to `observer`, on the thread that sends or receives it.
  package func observe(_ observer: @escaping @Sendable (CapturedPacket) -> Void) {
    state.withLock { $0.observer = observer }
  }

  /// The driver of a controller that is in use; nil if none is.
  package func runningDriver(for specification: ControllerSpecification, role: ControllerRole) -> HostDriver? {
    state.withLock { $0.drivers[Key(specification, role)] }
  }

  /// Sets which real controllers the hosts that are created from now on ask to hold data back (`HostConfiguration`).
  package func setFlowControl(_ flowControl: HostFlowControl) { state.withLock { $0.flowControl = flowControl } }

  /// Sets whether hosts that are created from now on change their addresses (`HostConfiguration`).
  package func setUsesPrivateAddresses(_ uses: Bool) { state.withLock { $0.usesPrivateAddresses = uses } }

  /// Sets whether hosts that are created from now on use extended advertising where their controllers have it
  /// (`HostConfiguration`).
  package func setUsesExtendedAdvertising(_ uses: Bool) { state.withLock { $0.usesExtendedAdvertising = uses } }

  /// Sets whether hosts that are created from now on use their controllers' resolving lists (`HostConfiguration`).
  package func setUsesControllerPrivacy(_ uses: Bool) { state.withLock { $0.usesControllerPrivacy = uses } }

  private func makeDriver(
    _ specification: ControllerSpecification, _ role: ControllerRole, _ ownAddress: (() -> BluetoothAddress?)?,
    _ bonds: ((BluetoothAddress) -> any BondStore)?, _ state: inout State
  ) -> HostDriver {
    if case .virtual(let name, let controller) = specification {
      return makeVirtualDriver(name, controller ?? role.rawValue, &state)
    }
    let trace = Self.trace(named: "\(specification)", state)
    let transport = ReconnectingTransport.toController(specification)
    let address = ownAddress?()
    var configuration = HostConfiguration(
      ownAddress: address ?? OwnAddress.drawn(from: random), flowControl: state.flowControl,
      usesExtendedAdvertising: state.usesExtendedAdvertising,
      usesControllerPrivacy: state.usesControllerPrivacy)
    let store = Self.bondStore(bonds, of: address)
    Self.addSecurity(to: &configuration, store, isPrivate: state.usesPrivateAddresses)
    return HostDriver(
      configuration: configuration, transport: transport, scheduler: transport.scheduler, bonds: store, trace: trace)
  }

  private func makeVirtualDriver(_ name: String?, _ controller: String, _ state: inout State) -> HostDriver {
    let radio = state.radios[name] ?? VirtualRadio()
    state.radios[name] = radio
    let trace = Self.trace(named: controller, state)
    var configuration = HostConfiguration(
      ownAddress: OwnAddress.virtual(radio: name ?? "", controller: controller),
      preferredMTU: radio.preferredMTU(of: controller),
      usesExtendedAdvertising: state.usesExtendedAdvertising, usesControllerPrivacy: state.usesControllerPrivacy)
    let store = MemoryBondStore()
    Self.addSecurity(to: &configuration, store, isPrivate: state.usesPrivateAddresses)
    return HostDriver(
      configuration: configuration, transport: radio.makeTransport(controller), scheduler: radio.scheduler,
      bonds: store, trace: trace, activity: radio.activity)
  }

  private static func trace(named name: String, _ state: State) -> PacketTrace? {
    let trace = state.capture?.begin(name)
    guard let observer = state.observer else { return trace }
    return PacketTrace(observer: observer, trace)
  }

  /// The store of a host's bonds: those of an address that is drawn anew each time would be of no use.
  static func bondStore(
    _ bonds: ((BluetoothAddress) -> any BondStore)?, of address: BluetoothAddress?
  ) -> any BondStore {
    guard let bonds else { return MemoryBondStore() }
    return address.map(bonds) ?? TransientBondStore()
  }

  /// Adds pairing to a host's configuration, and its identity.
  private static func addSecurity(
    to configuration: inout HostConfiguration, _ store: any BondStore, isPrivate: Bool
  ) {
    configuration.pairing = PairingPolicy()
    configuration.usesPrivateAddresses = isPrivate
    let key: SecurityKey?
    do { key = try store.resolvingKey(SystemRandomBytes.drawKey) } catch {
      logger.warning("this host's key for private addresses is another one in the next process: \(error)")
      key = SystemRandomBytes.drawKey()
    }
    configuration.identity = key.map { PairingIdentity(address: configuration.ownAddress, resolvingKey: $0) }
  }
}

extension ControllerSpecification {
  /// Whether this is one of the controllers of `place`: on the same radio, or the same controller.
  fileprivate func isServed(by place: ControllerSpecification) -> Bool {
    if case (.virtual(let name, _), .virtual(let other, _)) = (self, place) { return name == other }
    return self == place
  }
}

extension VirtualRadio {
  /// The radio of this process for `virtual:NAME`, or, without a name, for `virtual`.
  public static func named(_ name: String? = nil) -> VirtualRadio { RadioRegistry.shared.radio(named: name) }

  /// Uses this radio for `virtual:NAME`, or, without a name, for `virtual`. Managers on an earlier radio of that name
  /// lose their controllers.
  public func use(as name: String? = nil) { RadioRegistry.shared.replace(self, named: name) }
}

/// The purpose of a manager's controller.
package enum ControllerRole: String, Sendable {
  /// Scanning and connecting.
  case central
  /// Advertising and being connected to.
  case peripheral
}
