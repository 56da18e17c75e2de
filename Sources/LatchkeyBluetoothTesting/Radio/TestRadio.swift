import CoreBluetooth
import Dispatch
public import LatchkeyBluetoothEmulator
public import LatchkeyBluetoothTransports
import Synchronization

/// A radio for one test: devices on it, apps near them, and time that stands still.
///
/// ```swift
/// let radio = TestRadio()
/// let strap = try radio.add(.heartRate(bpm: 72))
/// try radio.use { try app.start() }
/// radio.advance(by: .seconds(30))
/// radio.settle()
/// ```
///
/// Any number of radios exist side by side. A radio ends with its object: keep it for the whole test.
public final class TestRadio: Sendable {
  /// The time of a radio.
  public enum Time: Sendable {
    /// It stands still until ``TestRadio/advance(by:)``.
    case virtual
    /// The system's.
    case real
  }

  /// The name of the radio: its controllers are `virtual:NAME/CONTROLLER`.
  public let name: String
  /// The radio itself, for what this type does not have.
  public let air: VirtualRadio
  /// What moves.
  let activity: RadioActivity
  /// The clock of a radio in virtual time.
  let virtualClock: VirtualClock?
  let log: ExchangeLog
  let phones = PhoneList()
  /// All devices have their callbacks here.
  private let deviceQueue: DispatchQueue
  private let devices = Mutex<[TestDevice]>([])
  /// Where tasks of an app under test may run, so that ``settle()`` waits for them until they suspend:
  /// `Task(executorPreference: radio.taskExecutor) { … }`, or `withTaskExecutorPreference`, which child tasks inherit.
  public let taskExecutor: any TaskExecutor

  private static let count = Atomic<UInt64>(0)

  /// A radio without devices.
  ///
  /// - Parameter configuration: by default nothing is lost and nothing takes time on the air.
  public init(time: Time = .virtual, configuration: RadioConfiguration = RadioConfiguration()) {
    name = "test-\(Self.count.add(1, ordering: .relaxed).newValue)"
    let clock = time == .virtual ? VirtualClock() : nil
    let scheduler: any Scheduler = if let clock { clock } else { DispatchScheduler() }
    let deviceQueue = DispatchQueue(label: "latchkey.testing.devices")
    self.deviceQueue = deviceQueue
    let activity = RadioActivity(countedQueue: deviceQueue)
    let log = ExchangeLog()
    virtualClock = clock
    self.activity = activity
    self.log = log
    taskExecutor = CountingExecutor(activity: activity)
    air = VirtualRadio(
      configuration: configuration, controllers: ControllerConfiguration(features: .all), preferredMTU: 517,
      scheduler: scheduler, activity: activity
    ) { packet, direction, controller in
      log.add(packet, direction, controller, at: scheduler.now)
    }
    air.use(as: name)
  }

  deinit {
    RadioRegistry.shared.remove(.virtual(name: name))
    PeerDirectories.remove(radio: name)
  }

  // MARK: Devices

  /// Adds a device. It advertises as soon as the test lets callbacks come: by ``settle()``, or by ``advance(by:)``.
  ///
  /// - Parameters:
  ///   - name: the name of its controller in the exchange; by default it is made of the definition's.
  ///   - mtu: the ATT_MTU that it offers, 23...517 bytes.
  ///   - controller: what its controller is like.
  /// - Returns: the device, which the radio keeps until ``remove(_:)``.
  /// - Throws: what is wrong with the definition.
  @discardableResult
  public func add(
    _ definition: DeviceDefinition, named name: String? = nil, mtu: Int = 517,
    controller: ControllerConfiguration = ControllerConfiguration(features: .all)
  ) throws(DefinitionError) -> TestDevice {
    try definition.validate()
    return add(named: name ?? definition.name, mtu: mtu, controller: controller) { queue, options in
      DefinitionServer(definition, queue: queue, options: options)
    }
  }

  /// Adds the device of a server that `make` makes, with a queue and the options of a manager.
  func add<Failure>(
    named wish: String, mtu: Int, controller: ControllerConfiguration,
    _ make: (DispatchQueue, [String: Any]) throws(Failure) -> DefinitionServer
  ) throws(Failure) -> TestDevice {
    let name = freeName(wish)
    let server = try make(deviceQueue, [CBManagerOptionControllerKey: specification(of: name)])
    air.addController(name, controller)
    air.setPreferredMTU(mtu, of: name)
    let device = TestDevice(server.definition, name: name, server: server, radio: air, phones: phones)
    devices.withLock { $0.append(device) }
    server.start()
    return device
  }

  /// The text that names a controller of this radio, as the options of managers take it.
  public func specification(of controller: String) -> String { "virtual:\(name)/\(controller)" }

  /// Takes a device away for good: it says nothing any more, and links to it end by their supervision timeouts.
  public func remove(_ device: TestDevice) {
    devices.withLock { $0.removeAll { $0 === device } }
    device.powerOff()
    device.server.end()
  }

  /// The devices on the radio.
  public var presentDevices: [TestDevice] { devices.withLock { $0 } }

  /// A name that no controller on the radio has, of characters that a specification may have.
  private func freeName(_ wish: String) -> String {
    let characters = wish.prefix(40).map { character in
      character.isASCII && (character.isLetter || character.isNumber || character == "-") ? character : "-"
    }
    let base = characters.isEmpty ? "device" : String(characters)
    let used = Set(air.controllerNames)
    guard used.contains(base) else { return base }
    var number = 2
    while used.contains("\(base)-\(number)") { number += 1 }
    return "\(base)-\(number)"
  }
}
