package import LatchkeyBluetoothHost
import LatchkeyByteCoding

/// A database as the answers to discoveries tell it (Core 6.0 Vol 3 Part G 4.4 to 4.7), in whatever order they came.
package struct RecordedDatabase: Sendable {
  private struct Declaration {
    var properties: GATTProperties
    var valueHandle: AttributeHandle
    var uuid: BluetoothUUID
  }

  /// Services by their first handle.
  private var services: [AttributeHandle: GATTServiceRecord] = [:]
  /// Characteristics by the handle of their declaration.
  private var declarations: [AttributeHandle: Declaration] = [:]
  /// Types of attributes.
  private var types: [AttributeHandle: BluetoothUUID] = [:]
  /// What was more than is recorded.
  package private(set) var dropped = 0

  /// The most services, characteristics and types: more than any device has, and few enough to be put in order.
  private static let serviceCapacity = 512
  private static let declarationCapacity = 4096
  private static let typeCapacity = 8192

  /// Included services whose UUID does not fit their declaration, by their first handle.
  private var unnamedServices: [AttributeHandle: AttributeHandle] = [:]

  /// A characteristic with its descriptors.
  package struct Characteristic: Sendable {
    package var uuid: BluetoothUUID
    package var properties: GATTProperties
    package var valueHandle: AttributeHandle
    package var descriptors: [GATTDescriptorRecord]
  }

  /// A service with its characteristics.
  package struct Service: Sendable {
    package var uuid: BluetoothUUID
    package var range: AttributeHandleRange
    package var isPrimary: Bool
    package var characteristics: [Characteristic]
  }

  /// Whether any characteristic was discovered.
  package var isEmpty: Bool { declarations.isEmpty }

  /// The services in the order of their handles; characteristics belong to the service whose range has their declaration, and
  /// descriptors to the characteristic before them.
  package var contents: [Service] {
    let declared = declarations.sorted { $0.key < $1.key }
    let described = types.filter { !Self.isDeclaration($0.value) }.sorted { $0.key < $1.key }
    return services.values.sorted { $0.range.start < $1.range.start }.map { service in
      let own = declared.filter { service.range.contains($0.key) && $0.key != service.range.start }
      let characteristics = own.enumerated().compactMap { index, entry -> Characteristic? in
        let end = index + 1 < own.count ? own[index + 1].key - 1 : service.range.end
        let value = entry.value.valueHandle
        // A value beyond the next declaration is no characteristic's.
        guard value <= end else { return nil }
        let descriptors = described.filter { $0.key > value && $0.key <= end }
        return Characteristic(
          uuid: entry.value.uuid, properties: entry.value.properties, valueHandle: value,
          descriptors: descriptors.map { GATTDescriptorRecord(uuid: $0.value, handle: $0.key) })
      }
      return Service(
        uuid: service.uuid, range: service.range, isPrimary: service.isPrimary, characteristics: characteristics)
    }
  }

  private static func isDeclaration(_ type: BluetoothUUID) -> Bool {
    type.short.map { (0x2800...0x2803).contains($0) } ?? false
  }

  // MARK: Answers

  mutating func learn(_ response: ATTReadByGroupTypeResponse, isPrimary: Bool) {
    for group in response.groups { add(group.uuid, group.range, isPrimary: isPrimary) }
  }

  mutating func learn(_ response: ATTFindByTypeValueResponse, uuid: BluetoothUUID, isPrimary: Bool) {
    for range in response.groups { add(uuid, range, isPrimary: isPrimary) }
  }

  mutating func learn(_ response: ATTFindInformationResponse) {
    for entry in response.entries {
      guard types.count < Self.typeCapacity || types[entry.handle] != nil else {
        dropped += 1
        continue
      }
      types[entry.handle] = entry.type
    }
  }

  /// The declarations of characteristics (Part G 3.3.1).
  mutating func learnCharacteristics(_ response: ATTReadByTypeResponse) throws(ByteCodingError) {
    var entries = response.entries
    while !entries.isEmpty {
      let handle = try entries.uint16("handle")
      let properties = GATTProperties(rawValue: try entries.uint8("properties"))
      let valueHandle = try entries.uint16("value handle")
      let uuid = try BluetoothUUID(from: &entries, width: response.valueCount - 3)
      guard handle > 0, valueHandle > handle else { continue }
      guard declarations.count < Self.declarationCapacity || declarations[handle] != nil else {
        dropped += 1
        continue
      }
      declarations[handle] = Declaration(properties: properties, valueHandle: valueHandle, uuid: uuid)
    }
  }

  /// The declarations of included services (Part G 3.2). Those with a long UUID have none: it is read at the service itself.
  mutating func learnIncludes(_ response: ATTReadByTypeResponse) throws(ByteCodingError) {
    var entries = response.entries
    while !entries.isEmpty {
      _ = try entries.uint16("handle")
      let range = try AttributeHandleRange(from: &entries)
      let isKnown = services[range.start] != nil
      if response.valueCount > 4 {
        let uuid = try BluetoothUUID(from: &entries, width: response.valueCount - 4)
        if !isKnown { add(uuid, range, isPrimary: false) }
      } else if !isKnown, unnamedServices.count < Self.serviceCapacity {
        unnamedServices[range.start] = range.end
      }
    }
  }

  /// The declaration of an included service, which was read by its handle; false if the handle is none of such.
  mutating func learnService(at handle: AttributeHandle, _ value: [UInt8]) -> Bool {
    guard let end = unnamedServices[handle] else { return services[handle] != nil }
    guard let uuid = BluetoothUUID(littleEndian: value) else { return true }
    unnamedServices[handle] = nil
    add(uuid, AttributeHandleRange(handle, end), isPrimary: false)
    return true
  }

  private mutating func add(_ uuid: BluetoothUUID, _ range: AttributeHandleRange, isPrimary: Bool) {
    guard range.start > 0, range.start <= range.end else { return }
    guard services.count < Self.serviceCapacity || services[range.start] != nil else { return dropped += 1 }
    let wasPrimary = services[range.start].map { $0.isPrimary && $0.uuid == uuid } ?? false
    services[range.start] = GATTServiceRecord(uuid: uuid, range: range, isPrimary: isPrimary || wasPrimary)
  }
}
