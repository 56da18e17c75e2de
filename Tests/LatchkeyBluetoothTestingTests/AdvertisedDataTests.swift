import CoreBluetooth
import Foundation
import LatchkeyBluetoothTesting
import Testing

/// What apps find in the advertisements of devices.
@Suite(.timeLimit(.minutes(5)))
struct AdvertisedDataTests {
  /// The data of the devices that an app finds.
  static func found(on radio: TestRadio, for time: Duration = .seconds(2)) -> [[String: Any]] {
    let scanner = Scanner()
    radio.use { scanner.start() }
    radio.advance(by: time)
    return scanner.found
  }

  @Test(
    "An app finds manufacturer data and service data, with legacy and with extended packets", arguments: [nil, "1M"])
  func found(phy: String?) throws {
    let radio = TestRadio()
    let long = CBUUID(string: "12345678-1234-1234-1234-123456789ABC")
    var definition = DeviceDefinition.battery()
    definition.advertisement.phy = phy
    definition.advertisement.manufacturerData = Data([0x4C, 0x00, 0x10, 0x05])
    definition.advertisement.serviceData = [CBUUID(string: "FEAA"): Data([0x20, 0x00]), long: Data([7])]
    try radio.add(definition)
    let data = try #require(Self.found(on: radio).last)
    #expect(data[CBAdvertisementDataManufacturerDataKey] as? Data == Data([0x4C, 0x00, 0x10, 0x05]))
    let services = try #require(data[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data])
    #expect(services == [CBUUID(string: "FEAA"): Data([0x20, 0x00]), long: Data([7])])
    #expect(data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [CBUUID(string: "180F")])
  }

  @Test("A device without such data advertises none")
  func without() throws {
    let radio = TestRadio()
    try radio.add(.battery())
    let data = try #require(Self.found(on: radio).last)
    #expect(data[CBAdvertisementDataManufacturerDataKey] == nil && data[CBAdvertisementDataServiceDataKey] == nil)
  }
}

/// An app that notes what it finds, each time.
final class Scanner: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
  private let lock = NSLock()
  private var reports: [(data: [String: Any], rssi: Int)] = []
  private var manager: CBCentralManager?

  func start() { manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "scanner")) }

  var found: [[String: Any]] { lock.withLock { reports.map(\.data) } }
  var rssi: [Int] { lock.withLock { reports.map(\.rssi) } }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    guard central.state == .poweredOn else { return }
    central.scanForPeripherals(withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    lock.withLock { reports.append((advertisementData, RSSI.intValue)) }
  }
}
