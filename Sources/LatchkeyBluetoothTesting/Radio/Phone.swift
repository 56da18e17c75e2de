public import LatchkeyBluetoothEmulator
import Synchronization

/// What the device is like that an app under test runs on.
public struct Phone: Sendable {
  /// Its controller.
  public var controller: ControllerConfiguration
  /// What its controller does wrong.
  public var faults: ControllerFaults
  /// The ATT_MTU that it offers, 23...517 bytes.
  public var mtu: Int

  /// A phone; without arguments it has all features and no faults.
  public init(
    controller: ControllerConfiguration = ControllerConfiguration(features: .all),
    faults: ControllerFaults = ControllerFaults(), mtu: Int = 517
  ) {
    self.controller = controller
    self.faults = faults
    self.mtu = mtu
  }

  /// All features, and no faults.
  public static var standard: Phone { Phone() }

  /// The smallest ATT_MTU, over a controller with one buffer of 27 bytes.
  public static var smallestPackets: Phone { Phone(controller: ControllerConfiguration(buffers: .smallest), mtu: 23) }

  /// One whose controller returns its one buffer 50 ms late: 20 packets a second at most.
  public static var slow: Phone {
    var phone = Phone(controller: ControllerConfiguration(buffers: ACLBuffers(length: 27, count: 1)), mtu: 185)
    phone.faults.credits = .late(.milliseconds(50))
    return phone
  }

  /// One that cannot scan while it connects, as Zephyr's controller.
  public static var zephyr: Phone {
    var phone = Phone(controller: ControllerConfiguration(scansWhileInitiating: false))
    phone.faults.refusesScanningWhileInitiating = true
    return phone
  }
}

/// The names of the controllers of apps on a radio.
final class PhoneList: Sendable {
  private let list = Mutex<[String]>([])

  var names: [String] { list.withLock { $0 } }

  /// Adds a name. Returns false if it is there already.
  func add(_ name: String) -> Bool {
    list.withLock { list in
      guard !list.contains(name) else { return false }
      list.append(name)
      return true
    }
  }
}
