import CoreBluetooth
import LatchkeyProvisioningProtocol

/// A service of a peripheral, while its characteristics and their user descriptions are found.
struct DiscoveredService {
  let service: CBService
  /// By UUID; of two with the same UUID the first.
  private(set) var characteristics: [String: CBCharacteristic] = [:]

  private let describes: Bool
  private var isDiscovered = false
  /// The characteristics whose descriptions are still to come, in order: one at a time.
  private var undescribed: ArraySlice<CBCharacteristic> = []
  private var texts: [ObjectIdentifier: String] = [:]
  private var isReported = false

  init(_ service: CBService, describes: Bool) {
    self.service = service
    self.describes = describes
  }

  /// The characteristics were found.
  mutating func discovered(on peripheral: CBPeripheral) {
    guard !isDiscovered else { return }
    isDiscovered = true
    for characteristic in service.characteristics ?? [] where characteristics[characteristic.uuid.uuidString] == nil {
      characteristics[characteristic.uuid.uuidString] = characteristic
    }
    guard describes else { return }
    undescribed = (service.characteristics ?? [])[...]
    describeNext(on: peripheral)
  }

  mutating func discoveredDescriptors(of characteristic: CBCharacteristic, on peripheral: CBPeripheral) {
    guard characteristic === undescribed.first else { return }
    let uuid = CBUUID(string: CBUUIDCharacteristicUserDescriptionString)
    if let descriptor = characteristic.descriptors?.first(where: { $0.uuid == uuid }) {
      peripheral.readValue(for: descriptor)
    } else {
      undescribed.removeFirst()
      describeNext(on: peripheral)
    }
  }

  mutating func read(_ descriptor: CBDescriptor) {
    guard let characteristic = undescribed.first, descriptor.characteristic === characteristic else { return }
    undescribed.removeFirst()
    texts[ObjectIdentifier(characteristic)] = descriptor.value as? String
    if let peripheral = service.peripheral { describeNext(on: peripheral) }
  }

  private func describeNext(on peripheral: CBPeripheral) {
    if let next = undescribed.first { peripheral.discoverDescriptors(for: next) }
  }

  /// The service, once all is found, and once only.
  var description: ProvisioningService? {
    mutating get {
      guard isDiscovered, undescribed.isEmpty, !isReported else { return nil }
      isReported = true
      return ProvisioningService(
        uuid: service.uuid.uuidString,
        characteristics: (service.characteristics ?? []).map { characteristic in
          ProvisioningCharacteristic(
            uuid: characteristic.uuid.uuidString,
            properties: .init(rawValue: UInt8(truncatingIfNeeded: characteristic.properties.rawValue)),
            userDescription: texts[ObjectIdentifier(characteristic)])
        })
    }
  }
}
