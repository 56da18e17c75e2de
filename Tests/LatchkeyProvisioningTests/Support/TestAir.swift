import CoreBluetooth
import Foundation
import LatchkeyBluetoothEmulator
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports
import Synchronization

/// A radio of a test's own: managers made with `options` use its controllers `central` and `peripheral`.
final class TestAir: Sendable {
  let radio: VirtualRadio
  private let name = UUID().uuidString
  private let labels = Mutex<[String]>([])

  /// A radio whose hosts offer `mtu`, and whose controllers have these buffers.
  init(mtu: Int = 517, buffers: ACLBuffers = .standard) {
    radio = VirtualRadio()
    radio.use(as: name)
    for (number, role) in [ControllerRole.central, .peripheral].enumerated() {
      radio.addController(role.rawValue, ControllerConfiguration(buffers: buffers))
      guard mtu != 517 else { continue }
      let configuration = HostConfiguration(
        ownAddress: .staticRandom(UInt64(number + 1)), preferredMTU: mtu)
      let driver = HostDriver(
        configuration: configuration, transport: radio.makeTransport(role.rawValue), scheduler: DispatchScheduler())
      RadioRegistry.shared.replace(driver, for: .virtual(name: name), role: role)
      driver.start()
    }
  }

  deinit {
    RadioRegistry.shared.remove(.virtual(name: name))
    for label in labels.withLock({ $0 }) { RadioRegistry.shared.remove(.virtual(name: label)) }
  }

  /// The options of central managers on another host, near the same peripherals. Such hosts all have one address, as the
  /// processes of one user have that run one after the other.
  func otherCentral(_ label: String = "other") -> [String: any Sendable] {
    let other = "\(name)-\(label)"
    labels.withLock { $0.append(other) }
    let driver = HostDriver(
      configuration: HostConfiguration(ownAddress: .staticRandom(77)), transport: radio.makeTransport(label),
      scheduler: DispatchScheduler())
    RadioRegistry.shared.replace(driver, for: .virtual(name: other), role: .central)
    driver.start()
    return [CBManagerOptionControllerKey: "virtual:\(other)"]
  }

  /// The options of managers on this radio.
  var options: [String: any Sendable] { [CBManagerOptionControllerKey: "virtual:\(name)"] }

  /// The options of managers on a controller of its own, with an address of its own.
  func options(on controller: String) -> [String: any Sendable] {
    [CBManagerOptionControllerKey: "virtual:\(name)/\(controller)"]
  }

  /// Loses the link when so many more ACL packets have passed the central's controller.
  func loseLink(afterPackets count: Int) {
    var faults = ControllerFaults()
    faults.linkLoss = .init(afterPackets: count)
    radio.setFaults(faults, on: "central")
  }

  /// Removes the fault.
  func heal() { radio.setFaults(ControllerFaults(), on: "central") }
}
