import CoreBluetooth
import LatchkeyProvisioningProtocol

/// Scans for devices that can be provisioned, with a central manager of its own.
///
/// Unchecked: all of its state belongs to `queue`, which is also the manager's queue.
final class DeviceSearch: NSObject, @unchecked Sendable {
  /// The number of devices that are told apart; more are not reported.
  static let maximumDevices = 1024

  private let queue = DispatchQueue(label: "latchkey.provisioning.search")
  private let continuation: AsyncThrowingStream<FoundDevice, any Error>.Continuation
  private var devices: [UUID: FoundDevice] = [:]
  private var manager: CBCentralManager?
  private var isOver = false

  init(_ continuation: AsyncThrowingStream<FoundDevice, any Error>.Continuation) {
    self.continuation = continuation
  }

  func start(managerOptions: [String: any Sendable]) {
    queue.async { [self] in
      guard !isOver else { return }
      manager = CBCentralManager(delegate: self, queue: queue, options: managerOptions)
    }
  }

  func stop() {
    queue.async { [self] in
      isOver = true
      if let manager, manager.state == .poweredOn { manager.stopScan() }
      manager?.delegate = nil
      manager = nil
    }
  }
}

extension DeviceSearch: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    switch central.state {
    case .poweredOn:
      central.scanForPeripherals(withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    case .unknown, .resetting: break
    default:
      continuation.finish(
        throwing: ProvisioningFailure.radioUnavailable(central.state.name, cause: central.reasonOfLoss))
    }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name
    let found = FoundDevice(
      identifier: peripheral.identifier, name: name, rssi: RSSI.intValue,
      services: advertisementData[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? [],
      serviceData: advertisementData[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] ?? [:])
    guard let found else { return }
    let known = devices[peripheral.identifier]
    guard known != nil || devices.count < Self.maximumDevices else { return }
    var device = known ?? found
    device.merge(found)
    devices[peripheral.identifier] = device
    // A signal alone that differs is no news.
    var before = known
    before?.rssi = device.rssi
    if before != device { continuation.yield(device) }
  }
}
