import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports
import LatchkeyProcessEnvironment

/// The controller of a manager, and the directory of its peers.
struct Controller {
  let driver: HostDriver
  let peers: PeerDirectory
  /// Measures the distance to a connected device in meters; nil where the controller cannot.
  var measureDistance: (@Sendable (BluetoothAddress) -> Double?)?
  /// The folder for managers' state; nil where nothing outlives the process.
  var stateFolder: StateFolder?
  /// The controller of managers that this one's callbacks make without naming one: the same, on a radio of tests.
  var inherited: String?

  /// An option of tests: the `StateFolder` to use, whichever controller it is.
  static let stateFolderKey = "LatchkeyStateFolder"

  /// The devices of a virtual radio end with the process, so state is stored only where the environment asks for it.
  private static func stateFolder(
    _ specification: ControllerSpecification, options: [String: Any]?
  ) -> StateFolder? {
    if let folder = options?[stateFolderKey] as? StateFolder { return folder }
    if case .virtual = specification, Environment["LATCHKEY_STATE"]?.isEmpty ?? true { return nil }
    return .shared
  }

  /// Whether managers without an option for it use a virtual radio.
  static var isVirtualByDefault: Bool {
    guard case .virtual = try? ControllerSpecification(DefaultController.text) else { return false }
    return true
  }

  /// Whether the controller of managers without an option for it has extended advertising, as far as is known. No real
  /// controller is opened for this.
  static var hasExtendedAdvertisingByDefault: Bool {
    let driver =
      if isVirtualByDefault {
        forManager(.central, options: nil).driver
      } else {
        (try? ControllerSpecification(DefaultController.text)).flatMap {
          RadioRegistry.shared.runningDriver(for: $0, role: .central)
        }
      }
    return driver?.withHost { host, _ in host.usesExtendedAdvertising } ?? false
  }

  /// A virtual radio knows how far its controllers are from each other.
  private static func distanceMeter(
    _ specification: ControllerSpecification, _ role: ControllerRole, _ driver: HostDriver
  ) -> (@Sendable (BluetoothAddress) -> Double?)? {
    guard case .virtual(let name, let controller) = specification else { return nil }
    let radio = RadioRegistry.shared.radio(named: name)
    return { peer in
      let address = driver.withHost { host, _ in host.addressOnAir(of: peer) }
      return radio.distance(from: controller ?? role.rawValue, to: address)
    }
  }

  /// The controller of a manager's options, else of `DefaultController`, which is the environment's, else a virtual one.
  ///
  /// An invalid specification is logged, and the manager becomes `poweredOff`, as without a controller.
  static func forManager(_ role: ControllerRole, options: [String: Any]?) -> Controller {
    ControllerEnvironment.beginCapture
    ControllerEnvironment.chooseFlowControl
    ControllerEnvironment.choosePrivacy
    ControllerEnvironment.chooseAdvertising
    ControllerEnvironment.chooseResolving
    let text = options?[CBManagerOptionControllerKey] as? String ?? DefaultController.text
    do {
      let specification = try ControllerSpecification(text)
      let driver = RadioRegistry.shared.driver(
        for: specification, role: role, ownAddress: { OwnAddresses.address(for: specification, role: role) },
        bonds: { BondStores.current.store(local: $0) })
      return Controller(
        driver: driver, peers: PeerDirectories.directory(for: specification),
        measureDistance: distanceMeter(specification, role, driver),
        stateFolder: stateFolder(specification, options: options), inherited: driver.activity == nil ? nil : text)
    } catch {
      return Controller(driver: MissingController.driver("\(error)"), peers: PeerDirectory(store: nil))
    }
  }
}

/// The controller of managers that name none.
package enum DefaultController {
  /// For a task, its children, and what they call.
  @TaskLocal package static var current: String?

  /// For the process; nil for the environment's.
  private static let processText = Locked<String?>(nil)

  /// Sets the controller for the process. Returns the one before.
  @discardableResult
  package static func setForProcess(_ text: String?) -> String? {
    processText.withLock { current in
      defer { current = text }
      return current
    }
  }

  /// The controller for the process; nil for the environment's.
  package static var forProcess: String? { processText.withLock { $0 } }

  fileprivate static var text: String { current ?? forProcess ?? ControllerEnvironment.controllerText }
}

/// The environment's settings for controllers, read once.
private enum ControllerEnvironment {
  static let controllerText: String = {
    if let text = Environment["LATCHKEY_HCI"], !text.isEmpty { return text }
    Diagnostics.notice("LATCHKEY_HCI names no controller: a virtual radio inside this process is used")
    return "virtual"
  }()

  /// `LATCHKEY_HOST_FLOW_CONTROL`: `off` for controllers that implement it badly, `on` for those that are not known to
  /// implement it well.
  static let chooseFlowControl: Void = {
    switch Environment["LATCHKEY_HOST_FLOW_CONTROL"] {
    case "off": RadioRegistry.shared.setFlowControl(.never)
    case "on": RadioRegistry.shared.setFlowControl(.always)
    default: break
    }
  }()

  /// `LATCHKEY_PRIVATE_ADDRESS=on`: for hosts that change their addresses.
  static let choosePrivacy: Void = {
    if Environment["LATCHKEY_PRIVATE_ADDRESS"] == "on" { RadioRegistry.shared.setUsesPrivateAddresses(true) }
  }()

  /// `LATCHKEY_EXTENDED_ADVERTISING=off`: for controllers that implement it badly.
  static let chooseAdvertising: Void = {
    if Environment["LATCHKEY_EXTENDED_ADVERTISING"] == "off" {
      RadioRegistry.shared.setUsesExtendedAdvertising(false)
    }
  }()

  /// `LATCHKEY_CONTROLLER_PRIVACY=off`: for controllers that resolve addresses badly.
  static let chooseResolving: Void = {
    if Environment["LATCHKEY_CONTROLLER_PRIVACY"] == "off" { RadioRegistry.shared.setUsesControllerPrivacy(false) }
  }()

  static let beginCapture: Void = {
    guard let path = Environment["LATCHKEY_TRACE"], !path.isEmpty else { return }
    do {
      try RadioRegistry.shared.capture(to: path)
    } catch {
      Diagnostics.notice("LATCHKEY_TRACE: \(error)")
    }
  }()
}

/// Replaces a controller whose specification is invalid.
private final class MissingController: ControllerTransport {
  private let reason: String

  private init(reason: String) { self.reason = reason }

  static func driver(_ reason: String) -> HostDriver {
    let driver = HostDriver(
      configuration: HostConfiguration(ownAddress: .staticRandom(1)), transport: MissingController(reason: reason),
      scheduler: DispatchScheduler())
    driver.start()
    return driver
  }

  func open(_ receiver: any ControllerTransportReceiver) { receiver.transportClosed(reason) }
  func send(_ packet: consuming [UInt8]) {}
  func close() {}
}
