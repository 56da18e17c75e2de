import Foundation
import LatchkeyBluetoothHost

/// The state of a peripheral manager that outlives the process: the published services, and the advertising.
struct PeripheralRecord: RestorationRecord {
  /// What is advertised.
  struct Advertisement: Codable, Equatable {
    var localName: String?
    /// Texts of UUIDs.
    var services: [String]
    /// Nil for legacy advertising.
    var phy: String?
  }

  static let role = "peripheral"

  /// In the order in which they were added, so that a service comes after those that it includes.
  var services: [ServiceRecord] = []
  var advertisement: Advertisement?

  var isEmpty: Bool { services.isEmpty && advertisement == nil }
}

extension PeripheralRecord.Advertisement {
  init(_ parameters: AdvertisingParameters) {
    localName = parameters.localName
    services = parameters.services.map(\.description)
    phy = AdvertisingPHY(parameters.packets)?.rawValue
  }

  /// The parameters; a malformed UUID is left out.
  var parameters: AdvertisingParameters {
    AdvertisingParameters(
      localName: localName, services: services.compactMap { BluetoothUUID(text: $0) },
      packets: AdvertisingPHY.packets(of: phy))
  }

  /// The data as the app gave them.
  var dictionary: [String: Any] {
    var dictionary: [String: Any] = [:]
    dictionary[CBAdvertisementDataLocalNameKey] = localName
    dictionary[CBPeripheralManagerAdvertisingPHYKey] = phy
    if !parameters.services.isEmpty {
      dictionary[CBAdvertisementDataServiceUUIDsKey] = parameters.services.map { CBUUID($0) }
    }
    return dictionary
  }
}

/// A published service in a file.
struct ServiceRecord: Codable, Equatable, Sendable {
  struct Characteristic: Codable, Equatable {
    var uuid: String
    var properties: UInt
    var permissions: UInt
    /// Nil for one whose reads the app answers.
    var value: Data?
    var descriptors: [Descriptor]
  }

  struct Descriptor: Codable, Equatable {
    var uuid: String
    /// A value that is a `String`.
    var text: String?
    /// A value that is a `Data`.
    var bytes: Data?
  }

  var uuid: String
  var isPrimary: Bool
  /// The handle of the declaration, by which `includes` of other services name it.
  var handle: AttributeHandle = 0
  var includes: [AttributeHandle] = []
  var characteristics: [Characteristic]
}

extension ServiceRecord {
  /// The record of a service that the app publishes; its placement is filled in later.
  init(of service: CBMutableService) {
    uuid = service.uuid.uuidString
    isPrimary = service.isPrimary
    characteristics = (service.characteristics ?? []).compactMap { $0 as? CBMutableCharacteristic }.map {
      characteristic in
      Characteristic(
        uuid: characteristic.uuid.uuidString, properties: characteristic.properties.rawValue,
        permissions: characteristic.permissions.rawValue, value: characteristic.value,
        descriptors: (characteristic.descriptors ?? []).map { descriptor in
          Descriptor(
            uuid: descriptor.uuid.uuidString, text: descriptor.value as? String, bytes: descriptor.value as? Data)
        })
    }
  }

  /// The service, not published; nil if a UUID is malformed, or an included service is missing.
  ///
  /// - Parameter placed: the services so far, by their handles in the file.
  func makeService(_ placed: [AttributeHandle: CBMutableService]) -> CBMutableService? {
    guard let uuid = BluetoothUUID(text: uuid) else { return nil }
    let service = CBMutableService(type: CBUUID(uuid), primary: isPrimary)
    let included = includes.compactMap { placed[$0] }
    let made = characteristics.compactMap { $0.makeCharacteristic() }
    guard included.count == includes.count, made.count == characteristics.count else { return nil }
    if !included.isEmpty { service.includedServices = included }
    service.characteristics = made
    return service
  }
}

extension ServiceRecord.Characteristic {
  fileprivate func makeCharacteristic() -> CBMutableCharacteristic? {
    guard let uuid = BluetoothUUID(text: uuid) else { return nil }
    let characteristic = CBMutableCharacteristic(
      type: CBUUID(uuid), properties: CBCharacteristicProperties(rawValue: properties), value: value,
      permissions: CBAttributePermissions(rawValue: permissions))
    let made = descriptors.compactMap { descriptor in
      BluetoothUUID(text: descriptor.uuid).map { uuid in
        CBMutableDescriptor(type: CBUUID(uuid), value: descriptor.text as Any? ?? descriptor.bytes as Any?)
      }
    }
    guard made.count == descriptors.count else { return nil }
    if !made.isEmpty { characteristic.descriptors = made }
    return characteristic
  }
}
