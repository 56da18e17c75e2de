import CoreBluetooth
import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

/// A recorded database as the services of a definition, and where each handle is in them.
struct CassetteDatabase {
  /// What a handle is.
  enum Place {
    /// The value of a characteristic, or a descriptor.
    case attribute(Cassette.Attribute)
    /// The client characteristic configuration of a characteristic.
    case configuration(Cassette.Attribute)
    /// Its Device Name.
    case deviceName
    /// Nothing for a cassette: of services that every device has, or a descriptor that the device makes itself.
    case other
  }

  var services: [DeviceDefinition.Service] = []
  private var places: [AttributeHandle: Place] = [:]
  /// Handles that may be a configuration that was not discovered.
  private var presumed: [AttributeHandle: Cassette.Attribute] = [:]
  private var commonRanges: [AttributeHandleRange] = []
  /// Characteristics that cannot be served, and what is too many.
  private(set) var leftOut = 0

  /// Properties that a device cannot be given.
  private static let unserved: CBCharacteristicProperties = [.broadcast, .extendedProperties]

  init(_ contents: [RecordedDatabase.Service]) {
    for service in contents {
      guard service.uuid != AttributeType.genericAccess, service.uuid != AttributeType.genericAttribute else {
        addCommon(service)
        continue
      }
      guard services.count < DeviceDefinition.capacity else {
        leftOut += service.characteristics.count
        continue
      }
      services.append(
        DeviceDefinition.Service(CBUUID(string: "\(service.uuid)"), isPrimary: service.isPrimary, characteristics: []))
      for characteristic in service.characteristics { add(characteristic) }
    }
  }

  var hasCharacteristics: Bool { services.contains { !$0.characteristics.isEmpty } }

  /// What a handle is; nil if it was not discovered.
  ///
  /// - Parameter written: the value, if it was written: a client that knows a database from before may write a
  ///   configuration that it did not discover again.
  func place(of handle: AttributeHandle, written value: [UInt8]? = nil) -> Place? {
    if let place = places[handle] { return place }
    if let value, value.count == 2, value[0] <= 3, value[1] == 0, let attribute = presumed[handle] {
      return .configuration(attribute)
    }
    return commonRanges.contains { $0.contains(handle) } ? .other : nil
  }

  private mutating func addCommon(_ service: RecordedDatabase.Service) {
    commonRanges.append(service.range)
    for characteristic in service.characteristics where characteristic.uuid == AttributeType.deviceName {
      places[characteristic.valueHandle] = .deviceName
    }
  }

  private mutating func add(_ characteristic: RecordedDatabase.Characteristic) {
    let properties = CBCharacteristicProperties(rawValue: UInt(characteristic.properties.rawValue))
      .subtracting(Self.unserved)
    let service = services.count - 1
    let index = services[service].characteristics.count
    guard !properties.isEmpty, index < DeviceDefinition.capacity else { return leftOut += 1 }
    let attribute = Cassette.Attribute(service: service, characteristic: index)
    places[characteristic.valueHandle] = .attribute(attribute)
    var definition = DeviceDefinition.Characteristic(
      CBUUID(string: "\(characteristic.uuid)"), properties, permissions: nil, value: Data(), behavior: .stored,
      descriptors: [])
    var hasConfiguration = false
    for descriptor in characteristic.descriptors {
      switch descriptor.uuid.short {
      case 0x2902?:
        hasConfiguration = true
        places[descriptor.handle] = definition.isSubscribable ? .configuration(attribute) : .other
      case 0x2900?: places[descriptor.handle] = .other
      default:
        guard definition.descriptors.count < DeviceDefinition.capacity else {
          leftOut += 1
          continue
        }
        places[descriptor.handle] = .attribute(
          Cassette.Attribute(service: service, characteristic: index, descriptor: definition.descriptors.count))
        definition.descriptors.append(
          DeviceDefinition.Descriptor(CBUUID(string: "\(descriptor.uuid)"), value: Data()))
      }
    }
    if !hasConfiguration, definition.isSubscribable, characteristic.valueHandle < .max {
      presumed[characteristic.valueHandle + 1] = attribute
    }
    services[service].characteristics.append(definition)
  }
}
